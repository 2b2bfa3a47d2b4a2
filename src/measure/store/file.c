/* What visits found, as files have it (store.h, profile/visits.h). Stage "measure". */
#include "measure/store/work.h"

#include "base/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sup_status write_ranks(const sup_trial *t, sup_visited *out) {
    size_t all = t->ranks ? (size_t)t->groups * (size_t)t->group : 0, count = 0;
    int64_t *runs = malloc((2 * all + 1) * sizeof *runs);
    if (!runs) return SUP_ENOMEM;
    for (size_t i = 0; i < all; i++) {
        if (count && t->ranks[i] == runs[count - 2] + runs[count - 1]) {
            runs[count - 1]++;
            continue;
        }
        runs[count++] = t->ranks[i];
        runs[count++] = 1;
    }
    sup_status status = all ? sup_record_set_ints(&out->ranks, &out->ranks_count, runs, count) : SUP_OK;
    free(runs);
    return status;
}

static sup_status write_found(const sup_launch_found *f, size_t n, sup_found *out) {
    int64_t launch[SUP_STORE_LAUNCHES + 1] = {0}, batches[SUP_STORE_LAUNCHES + 1] = {0},
                                        dropped[SUP_STORE_LAUNCHES + 1] = {0}, any = 0;
    double low[SUP_STORE_LAUNCHES + 1] = {0}, typical[SUP_STORE_LAUNCHES + 1] = {0}, bad[SUP_STORE_LAUNCHES + 1] = {0};
    for (size_t i = 0; i < n; i++) {
        launch[i] = f[i].launch;
        batches[i] = f[i].n;
        dropped[i] = f[i].dropped;
        low[i] = f[i].low;
        typical[i] = f[i].typical;
        bad[i] = f[i].bad;
        any += f[i].dropped;
    }
    sup_status status = sup_record_set_ints(&out->launch, &out->launch_count, launch, n);
    if (!status) status = sup_record_set_ints(&out->n, &out->n_count, batches, n);
    if (!status && any) status = sup_record_set_ints(&out->dropped, &out->dropped_count, dropped, n);
    if (!status) status = sup_record_set_reals(&out->low, &out->low_count, low, n);
    if (!status) status = sup_record_set_reals(&out->typical, &out->typical_count, typical, n);
    return status ? status : sup_record_set_reals(&out->bad, &out->bad_count, bad, n);
}

static bool has_now(const sup_point *p) {
    for (int v = 0; v < p->values; v++)
        if (!p->now[v].count && !p->now[v].spare) return false;
    return true;
}

static sup_status write_point(const sup_store *s, const sup_point *p, const char *transport, bool latest,
                              sup_visited *out) {
    const sup_trial *t = &p->trial;
    sup_status status = sup_record_set_string(&out->kind, sup_trial_kinds[t->kind].name);
    if (!status) status = sup_record_set_string(&out->transport, transport);
    if (!status) status = sup_record_set_string(&out->kernel, t->kernel);
    if (!status) status = sup_record_set_string(&out->engine, t->engine);
    if (!status && t->kind == SUP_TRIAL_STEP) status = sup_record_set_string(&out->shape, sup_exchange_names[t->shape]);
    if (!status && t->kind == SUP_TRIAL_STEP) status = sup_record_set_string(&out->move, sup_move_names[t->move]);
    if (!status) status = write_ranks(t, out);
    out->groups = t->groups;
    out->group = t->group;
    out->bytes = (int64_t)t->bytes;
    out->number = t->number;
    out->records = t->records;
    out->stride = t->stride;
    out->cold = t->cold;
    out->footprint = p->footprint;
    out->visit_s = p->visit_s > 0.0 ? p->visit_s : NAN;
    for (int v = 0; v < p->values && !status; v++) {
        sup_launch_found f[SUP_STORE_LAUNCHES + 1];
        size_t n = latest ? sup_point_now(s, p, v, f) : sup_point_found(s, p, v, f);
        sup_found *one = SUP_APPEND(&sup_found_record, out->found, out->found_count);
        status = one ? write_found(f, n, one) : SUP_ENOMEM;
    }
    return status;
}

sup_status sup_store_write(const sup_store *s, const char *transport, bool latest, sup_visited **list, size_t *count) {
    sup_status status = SUP_OK;
    for (size_t i = 0; i < s->count && !status; i++) {
        const sup_point *p = s->points[i];
        if (latest ? !has_now(p) : !sup_point_known(p)) continue;
        sup_visited *one = sup_record_append(&sup_visited_record, (void **)list, count);
        status = one ? write_point(s, p, transport, latest, one) : SUP_ENOMEM;
    }
    return status;
}

/* Both lists in one; of a launch that both have, the new. */
static sup_status merge_found(sup_found *to, const sup_found *from) {
    sup_launch_found all[2 * SUP_STORE_LAUNCHES];
    size_t n = 0, a = 0, b = 0;
    while ((a < to->launch_count || b < from->launch_count) && n < 2 * SUP_STORE_LAUNCHES) {
        bool old = a < to->launch_count && (b == from->launch_count || to->launch[a] < from->launch[b]);
        if (!old && a < to->launch_count && to->launch[a] == from->launch[b]) a++;
        const sup_found *f = old ? to : from;
        size_t i = old ? a++ : b++;
        all[n++] = (sup_launch_found){f->launch[i], f->n[i],       f->dropped_count ? f->dropped[i] : 0,
                                      f->low[i],    f->typical[i], f->bad[i]};
    }
    size_t skip = n > SUP_STORE_LAUNCHES ? n - SUP_STORE_LAUNCHES : 0;
    sup_found fresh;
    sup_record_init(&sup_found_record, &fresh);
    sup_status status = write_found(all + skip, n - skip, &fresh);
    sup_record_clear(&sup_found_record, status ? &fresh : to);
    if (!status) *to = fresh;
    return status;
}

static int kind_named(const char *name) {
    for (int k = 0; k < SUP_TRIAL_KINDS; k++)
        if (!strcmp(sup_trial_kinds[k].name, name)) return k;
    return -1;
}

/* Its number among names, NULL at their end; absent: 0, unknown: −1. */
static int number_of(const char *name, const char *const *names) {
    if (!name) return 0;
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], name)) return i;
    return -1;
}

/* What this version cannot have made, or does not know, is left out. */
static sup_status read_point(sup_store *s, const sup_visited *v) {
    int kind = kind_named(v->kind), shape = number_of(v->shape, sup_exchange_names),
        move = number_of(v->move, sup_move_names);
    size_t all = (size_t)v->groups * (size_t)v->group, at = 0;
    if (kind < 0 || shape < 0 || move < 0) return SUP_OK;
    if (kind == SUP_TRIAL_SYNC && !v->kernel) return SUP_OK; /* once barriers had numbers */
    int *ranks = v->ranks_count ? malloc((all + 1) * sizeof *ranks) : NULL;
    if (v->ranks_count && !ranks) return SUP_ENOMEM;
    for (size_t i = 0; i + 1 < v->ranks_count; i += 2)
        for (int64_t k = 0; k < v->ranks[i + 1] && at < all; k++) ranks[at++] = (int)(v->ranks[i] + k);
    sup_trial t = {.kind = (sup_trial_kind)kind,
                   .kernel = v->kernel,
                   .engine = v->engine,
                   .groups = (int)v->groups,
                   .group = (int)v->group,
                   .ranks = ranks,
                   .bytes = (size_t)v->bytes,
                   .number = (int)v->number,
                   .records = (int)v->records,
                   .stride = (int)v->stride,
                   .shape = shape,
                   .move = move,
                   .cold = v->cold};
    sup_status status = SUP_OK;
    if ((size_t)sup_trial_values(&t) == v->found_count) {
        sup_point *p = sup_store_get(s, &t);
        if (!p) status = SUP_ENOMEM;
        if (p && isfinite(v->footprint)) p->footprint = v->footprint;
        if (p && isfinite(v->visit_s)) p->visit_s = v->visit_s;
        for (int k = 0; p && k < p->values && !status; k++) status = merge_found(&p->found[k], &v->found[k]);
    }
    free(ranks);
    return status;
}

sup_status sup_store_read(sup_store *s, const char *transport, const sup_visited *list, size_t count) {
    sup_status status = SUP_OK;
    for (size_t i = 0; i < count && !status; i++)
        if (sup_same_text(list[i].transport, transport)) status = read_point(s, &list[i]);
    return status;
}
