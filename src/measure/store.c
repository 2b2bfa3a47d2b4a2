/* Points and what visits of them found (store.h). Stage "measure". */
#include "measure/store.h"

#include "base/random.h"
#include "base/stats.h"
#include "base/student.h"
#include "measure/levels.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 40, HALVINGS = 26, LAUNCHES_MAX = 64 };
#define FULL_WEIGHT 4.0  /* batches of a launch that give it half the weight of one with very many */
#define BORROWED 3.0     /* degrees of freedom that the scatter of other points of the kind is worth */
#define FIRST_GUESS 0.03 /* relative scatter between launches, before there was a second one */
#define LEAST 0.004      /* relative: no machine is steadier from one profile to the next */
#define WIDEST 9.0

/* Batches of one value in this launch. */
struct sup_found_now {
    double *seconds;
    size_t count, room;
    int64_t dropped;
    double spare; /* the least of those that do not count */
};

struct sup_store {
    int launch;
    sup_point **points;
    size_t count, room;
    size_t *table; /* of hashes: index + 1, 0 free */
    size_t slots;
    double scatter[SUP_TRIAL_KINDS]; /* relative, between launches; NaN not known */
};

/* ---- finding a point ---- */

static uint64_t mix(uint64_t h, uint64_t value) { return (h ^ value) * UINT64_C(1099511628211); }

static uint64_t mix_text(uint64_t h, const char *text) {
    for (const char *c = text ? text : "\1"; *c; c++) h = mix(h, (unsigned char)*c);
    return mix(h, 0);
}

static uint64_t hash_of(const sup_trial *t) {
    uint64_t h = mix_text(mix_text(UINT64_C(14695981039346656037), t->kernel), t->engine);
    const uint64_t numbers[] = {(uint64_t)t->kind,   (uint64_t)t->groups, (uint64_t)t->group,   t->bytes,
                                (uint64_t)t->number, (uint64_t)t->stride, (uint64_t)t->records, t->cold};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) h = mix(h, numbers[i]);
    for (int i = 0; t->ranks && i < t->groups * t->group; i++) h = mix(h, (uint64_t)t->ranks[i]);
    return h ^ h >> 29;
}

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : !a == !b; }

static bool same(const sup_trial *a, const sup_trial *b) {
    bool numbers = a->kind == b->kind && a->groups == b->groups && a->group == b->group && a->bytes == b->bytes &&
                   a->number == b->number && a->stride == b->stride && a->records == b->records && a->cold == b->cold;
    if (!numbers || !same_text(a->kernel, b->kernel) || !same_text(a->engine, b->engine)) return false;
    if (!a->ranks != !b->ranks) return false;
    return !a->ranks || !memcmp(a->ranks, b->ranks, (size_t)a->groups * (size_t)a->group * sizeof *a->ranks);
}

/* What means the same is written the same. */
static sup_trial normal(const sup_trial *trial) {
    sup_trial t = *trial;
    if (t.records < 1) t.records = 1;
    if (t.groups < 1) t.groups = 1;
    return t;
}

static size_t slot_of(const sup_store *s, const sup_trial *t) {
    size_t at = hash_of(t) & (s->slots - 1);
    while (s->table[at] && !same(&s->points[s->table[at] - 1]->trial, t)) at = (at + 1) & (s->slots - 1);
    return at;
}

static bool grow_table(sup_store *s) {
    if (2 * (s->count + 1) <= s->slots) return true;
    size_t slots = s->slots ? 2 * s->slots : 1024;
    size_t *table = calloc(slots, sizeof *table);
    if (!table) return false;
    free(s->table);
    s->table = table;
    s->slots = slots;
    for (size_t i = 0; i < s->count; i++) s->table[slot_of(s, &s->points[i]->trial)] = i + 1;
    return true;
}

sup_status sup_store_new(int launch, sup_store **out) {
    sup_store *s = calloc(1, sizeof *s);
    if (!s) return SUP_ENOMEM;
    s->launch = launch;
    for (int k = 0; k < SUP_TRIAL_KINDS; k++) s->scatter[k] = NAN;
    *out = s;
    return SUP_OK;
}

static void free_point(sup_point *p) {
    if (!p) return;
    for (int v = 0; v < p->values; v++) {
        if (p->found) sup_record_clear(&sup_found_record, &p->found[v]);
        if (p->now) free(p->now[v].seconds);
    }
    free(p->found);
    free(p->now);
    free((char *)p->trial.kernel);
    free((char *)p->trial.engine);
    free((int *)p->trial.ranks);
    free(p);
}

void sup_store_free(sup_store *s) {
    if (!s) return;
    for (size_t i = 0; i < s->count; i++) free_point(s->points[i]);
    free(s->points);
    free(s->table);
    free(s);
}

int sup_store_launch(const sup_store *s) { return s->launch; }
size_t sup_store_count(const sup_store *s) { return s->count; }
sup_point *sup_store_at(const sup_store *s, size_t index) { return s->points[index]; }

sup_point *sup_store_find(const sup_store *s, const sup_trial *trial) {
    sup_trial t = normal(trial);
    if (!s->slots) return NULL;
    size_t at = s->table[slot_of(s, &t)];
    return at ? s->points[at - 1] : NULL;
}

static sup_point *make_point(const sup_trial *t) {
    sup_point *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    size_t ranks = (size_t)t->groups * (size_t)t->group;
    int *copy = t->ranks ? malloc(ranks * sizeof *copy) : NULL;
    p->trial = *t;
    p->trial.kernel = t->kernel ? strdup(t->kernel) : NULL;
    p->trial.engine = t->engine ? strdup(t->engine) : NULL;
    p->trial.ranks = copy;
    p->footprint = NAN;
    p->values = sup_trial_values(t);
    p->found = calloc((size_t)p->values, sizeof *p->found);
    p->now = calloc((size_t)p->values, sizeof *p->now);
    bool good =
        p->found && p->now && (copy || !t->ranks) && !p->trial.kernel == !t->kernel && !p->trial.engine == !t->engine;
    if (good && copy) memcpy(copy, t->ranks, ranks * sizeof *copy);
    for (int v = 0; v < p->values && p->found; v++) sup_record_init(&sup_found_record, &p->found[v]);
    if (good) return p;
    free_point(p);
    return NULL;
}

sup_point *sup_store_get(sup_store *s, const sup_trial *trial) {
    sup_trial t = normal(trial);
    sup_point *known = sup_store_find(s, &t);
    if (known) {
        known->trial.use = fmax(known->trial.use, t.use);
        return known;
    }
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 256;
        sup_point **grown = realloc(s->points, room * sizeof *grown);
        if (!grown) return NULL;
        s->points = grown;
        s->room = room;
    }
    if (!grow_table(s)) return NULL;
    sup_point *p = make_point(&t);
    if (!p) return NULL;
    s->table[slot_of(s, &t)] = s->count + 1;
    s->points[s->count++] = p;
    return p;
}

/* ---- batches ---- */

bool sup_point_known(const sup_point *p) {
    for (int v = 0; v < p->values; v++)
        if (!p->found[v].launch_count && !p->now[v].count && !p->now[v].spare) return false;
    return true;
}

sup_status sup_point_add(sup_point *p, int value, double seconds) {
    sup_found_now *now = &p->now[value];
    if (!(seconds >= 0.0) || isinf(seconds)) {
        now->dropped++;
        if (seconds < 0.0 && (now->spare == 0.0 || -seconds < now->spare)) now->spare = -seconds;
        return SUP_OK;
    }
    if (now->count == now->room) {
        size_t room = now->room ? 2 * now->room : 16;
        double *grown = realloc(now->seconds, room * sizeof *grown);
        if (!grown) return SUP_ENOMEM;
        now->seconds = grown;
        now->room = room;
    }
    now->seconds[now->count++] = seconds;
    return SUP_OK;
}

/* ---- what launches found ---- */

/* Quantiles of one launch. */
typedef struct found {
    int64_t launch, n, dropped;
    double low, typical, bad;
} found;

static double quantile(const double *sorted, size_t n, double q) {
    double at = q * (double)(n - 1);
    size_t i = (size_t)at;
    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

/* False: nothing was found in this launch. */
static bool find_now(const sup_store *s, const sup_found_now *now, found *out) {
    *out = (found){.launch = s->launch, .n = (int64_t)now->count, .dropped = now->dropped};
    if (!now->count) {
        out->low = out->typical = out->bad = now->spare;
        out->n = now->spare > 0.0;
        return now->spare > 0.0;
    }
    double few[64], *sorted = now->count <= 64 ? few : malloc(now->count * sizeof *sorted);
    if (!sorted) return false;
    memcpy(sorted, now->seconds, now->count * sizeof *sorted);
    sup_stats_sort(sorted, now->count);
    out->low = quantile(sorted, now->count, SUP_FOUND_LOW);
    out->typical = quantile(sorted, now->count, 0.5);
    out->bad = quantile(sorted, now->count, 0.9);
    if (sorted != few) free(sorted);
    return true;
}

/* All launches, the latest LAUNCHES_MAX of them. */
static size_t collect_all(const sup_store *s, const sup_point *p, int value, found *out) {
    const sup_found *f = &p->found[value];
    size_t skip = f->launch_count >= LAUNCHES_MAX ? f->launch_count - LAUNCHES_MAX + 1 : 0, count = 0;
    for (size_t i = skip; i < f->launch_count; i++)
        if (f->launch[i] != s->launch || (!p->now[value].count && !p->now[value].spare))
            out[count++] = (found){f->launch[i], f->n[i],       f->dropped_count ? f->dropped[i] : 0,
                                   f->low[i],    f->typical[i], f->bad[i]};
    return count + find_now(s, &p->now[value], &out[count]);
}

/* Those on the frequent level, if there are two. */
static size_t collect(const sup_store *s, const sup_point *p, int value, found *out) {
    double low[LAUNCHES_MAX + 1];
    int64_t batches[LAUNCHES_MAX + 1];
    bool counts[LAUNCHES_MAX + 1];
    size_t n = collect_all(s, p, value, out), kept = 0;
    for (size_t i = 0; i < n; i++) {
        low[i] = out[i].low;
        batches[i] = out[i].n;
    }
    if (n < 3 || !sup_levels_split(low, batches, n, counts)) return n;
    for (size_t i = 0; i < n; i++)
        if (counts[i]) out[kept++] = out[i];
    return kept;
}

/* ---- estimates ---- */

static double weight_of(const found *f) { return (double)f->n / ((double)f->n + FULL_WEIGHT); }

/* Share of a launch's batches that took no longer than x. */
static double share_below(const found *f, double x) {
    if (x < f->low) return 0.0;
    if (x < f->typical) return SUP_FOUND_LOW + (0.5 - SUP_FOUND_LOW) * (x - f->low) / (f->typical - f->low);
    if (x < f->bad) return 0.5 + 0.4 * (x - f->typical) / (f->bad - f->typical);
    return 1.0;
}

/* The quantile of all batches of the launches with those numbers (NULL: all). */
static double pooled(const found *f, const size_t *which, size_t n, double q) {
    double low = INFINITY, high = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const found *one = &f[which ? which[i] : i];
        low = fmin(low, one->low);
        high = fmax(high, one->bad);
        sum += weight_of(one);
    }
    for (int k = 0; k < HALVINGS && high > low; k++) {
        double middle = 0.5 * (low + high), share = 0.0;
        for (size_t i = 0; i < n; i++) {
            const found *one = &f[which ? which[i] : i];
            share += weight_of(one) * share_below(one, middle);
        }
        if (share >= q * sum)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Relative deviation of a single launch, by resampling launches. */
static double scatter_of(const found *f, size_t n, double calm) {
    sup_random random = {.state = 1};
    size_t which[LAUNCHES_MAX + 1];
    double squares = 0.0;
    if (n < 2 || !(calm > 0.0)) return NAN;
    for (int r = 0; r < RESAMPLES; r++) {
        for (size_t i = 0; i < n; i++) which[i] = (size_t)(sup_random_next(&random) % n);
        double off = pooled(f, which, n, SUP_FOUND_LOW) / calm - 1.0;
        squares += off * off;
    }
    /* resampling shows the variance of the estimate, (n − 1)/n of it */
    return sqrt(squares / RESAMPLES * (double)n * (double)n / (double)(n - 1) * (1.0 + 2.0 / (double)n));
}

void sup_store_settle(sup_store *s) {
    double *all = malloc((s->count + 1) * sizeof *all);
    for (int kind = 0; kind < SUP_TRIAL_KINDS && all; kind++) {
        size_t n = 0;
        for (size_t i = 0; i < s->count; i++) {
            found f[LAUNCHES_MAX + 1];
            const sup_point *p = s->points[i];
            if ((int)p->trial.kind != kind || !sup_point_known(p)) continue;
            size_t launches = collect(s, p, 0, f);
            double off = scatter_of(f, launches, pooled(f, NULL, launches, SUP_FOUND_LOW));
            if (isfinite(off)) all[n++] = off;
        }
        s->scatter[kind] = n ? sup_stats_median(all, n) : NAN;
    }
    free(all);
}

/* Half the width of an interval in which another measurement like this one lies in 95 of 100 cases. */
static double interval(const sup_store *s, const sup_point *p, const found *f, size_t n, double calm) {
    double own = scatter_of(f, n, calm), kind = s->scatter[p->trial.kind], freedom = BORROWED;
    if (isnan(kind)) kind = isnan(own) ? FIRST_GUESS : own;
    double variance = kind * kind;
    if (isfinite(own)) {
        variance = (BORROWED * variance + (double)(n - 1) * own * own) / (BORROWED + (double)(n - 1));
        freedom += (double)(n - 1);
    }
    if (n == 1 && f->low > 0.0) /* how far a launch's batches differ, and how few they are */
        variance += pow(fmin(1.0, f->typical / f->low - 1.0), 2.0) / (double)(f->n > 0 ? f->n : 1);
    double deviation = sqrt(2.0 * (variance / (double)n + LEAST * LEAST));
    return calm * fmin(WIDEST, sup_student_two_sided(0.95, freedom) * deviation);
}

void sup_store_say(const sup_store *s, const sup_point *p, int value, sup_timing *out) {
    found f[LAUNCHES_MAX + 1];
    *out = (sup_timing){.seconds = NAN, .ci = NAN, .typical = NAN, .bad = NAN, .status = p->status};
    size_t n = collect(s, p, value, f);
    if (!n) return;
    for (size_t i = 0; i < n; i++) {
        out->n += f[i].n;
        out->dropped += f[i].dropped;
    }
    out->launches = (int)n;
    out->footprint = isnan(p->footprint) ? (double)p->trial.bytes : p->footprint;
    out->seconds = pooled(f, NULL, n, SUP_FOUND_LOW);
    out->typical = fmax(out->seconds, pooled(f, NULL, n, 0.5));
    out->bad = fmax(out->typical, pooled(f, NULL, n, 0.9));
    out->ci = interval(s, p, f, n, out->seconds);
}

double sup_store_width(const sup_store *s, const sup_point *p) {
    double widest = 0.0;
    for (int v = 0; v < p->values; v++) {
        sup_timing t;
        sup_store_say(s, p, v, &t);
        widest = fmax(widest, t.seconds > 0.0 ? t.ci / t.seconds : t.n ? 0.0 : INFINITY);
    }
    return widest;
}

/* ---- files ---- */

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

static sup_status write_found(const found *f, size_t n, sup_found *out) {
    int64_t launch[LAUNCHES_MAX + 1] = {0}, batches[LAUNCHES_MAX + 1] = {0}, dropped[LAUNCHES_MAX + 1] = {0}, any = 0;
    double low[LAUNCHES_MAX + 1] = {0}, typical[LAUNCHES_MAX + 1] = {0}, bad[LAUNCHES_MAX + 1] = {0};
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
        found f[LAUNCHES_MAX + 1];
        size_t n = latest ? find_now(s, &p->now[v], f) : collect_all(s, p, v, f);
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
    found all[2 * LAUNCHES_MAX];
    size_t n = 0, a = 0, b = 0;
    while ((a < to->launch_count || b < from->launch_count) && n < 2 * LAUNCHES_MAX) {
        bool old = a < to->launch_count && (b == from->launch_count || to->launch[a] < from->launch[b]);
        if (!old && a < to->launch_count && to->launch[a] == from->launch[b]) a++;
        const sup_found *f = old ? to : from;
        size_t i = old ? a++ : b++;
        all[n++] =
            (found){f->launch[i], f->n[i], f->dropped_count ? f->dropped[i] : 0, f->low[i], f->typical[i], f->bad[i]};
    }
    size_t skip = n > LAUNCHES_MAX ? n - LAUNCHES_MAX : 0;
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

/* What this version cannot have made, or does not know, is left out. */
static sup_status read_point(sup_store *s, const sup_visited *v) {
    int kind = kind_named(v->kind);
    size_t all = (size_t)v->groups * (size_t)v->group, at = 0;
    if (kind < 0) return SUP_OK;
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
        if (same_text(list[i].transport, transport)) status = read_point(s, &list[i]);
    return status;
}
