/* What a barrier in the making costs, and how a plan has it: Tsync, from the model to the plan. */
#include "choose/barrier/work.h"
#include "plan/defaults.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- price ---- */

int64_t sup_pattern_signals(const sup_pattern *p) {
    int64_t n = 0;
    for (int s = 0; s < p->stages; s++) n += (int64_t)sup_pattern_stage(p, s, NULL);
    return n;
}

/* Vectors over all processes, the fixed part of a pass, and the signals. */
double sup_participants_effort(const sup_participants *participants, int64_t signals) {
    return 200 + (double)participants->platform->processes + (double)signals;
}

/* Members by their ranks; the others have nothing to do in it. */
static sup_status on_ranks(const sup_participants *participants, const sup_pattern *p, sup_pattern *out) {
    size_t count = (size_t)sup_pattern_signals(p), n = 0;
    sup_pattern_edge *edges = malloc((count + 1) * sizeof *edges);
    if (!edges) return SUP_ENOMEM;
    for (int s = 0; s < p->stages; s++) n += sup_pattern_stage(p, s, edges + n);
    for (size_t e = 0; e < n; e++) {
        edges[e].from = participants->rank[edges[e].from];
        edges[e].to = participants->rank[edges[e].to];
    }
    return sup_pattern_from_edges(participants->platform->processes, p->stages, edges, n, out);
}

sup_status sup_participants_price(sup_participants *participants, const sup_pattern *p, sup_diag *diag,
                                  sup_prediction *out) {
    participants->room -= sup_participants_effort(participants, sup_pattern_signals(p));
    if (!participants->rank) return sup_barrier_cost(participants->platform, p, false, diag, out);
    sup_pattern mapped;
    sup_status st = on_ranks(participants, p, &mapped);
    if (st) return sup_diag_set(diag, st, NULL, 0, "out of memory");
    st = sup_barrier_cost(participants->platform, &mapped, false, diag, out);
    sup_pattern_free(&mapped);
    return st;
}

/* ---- the same or not ---- */

static int by_ends(const void *a, const void *b) {
    const sup_pattern_edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static uint64_t digest_name(const char *name) {
    uint64_t h = 1469598103934665603u;
    for (; *name; name++) h = (h ^ (uint64_t)(unsigned char)*name) * 1099511628211u;
    return h;
}

/* Of all signals in their order; of very many processes of the name, which says it as well. *crossing: signals between
 * hosts. */
static sup_status digest_of(const sup_participants *participants, const sup_pattern *p, const char *name,
                            uint64_t *digest, int64_t *crossing) {
    uint64_t h = 1469598103934665603u;
    *digest = digest_name(name);
    *crossing = 0;
    if (p->processes > SUP_PLAN_EXPLICIT_MAX) return SUP_OK;
    sup_pattern_edge *edges = malloc((sup_pattern_widest(p) + 1) * sizeof *edges);
    if (!edges) return SUP_ENOMEM;
    for (int s = 0; s < p->stages; s++) {
        size_t n = sup_pattern_stage(p, s, edges);
        qsort(edges, n, sizeof *edges, by_ends);
        for (size_t e = 0; e < n; e++) {
            uint64_t at[3] = {(uint64_t)edges[e].from, (uint64_t)edges[e].to,
                              (uint64_t)s * 2 + (edges[e].common ? 1 : 0)};
            for (int k = 0; k < 3; k++) h = (h ^ at[k]) * 1099511628211u;
            *crossing += participants->host[edges[e].from] != participants->host[edges[e].to];
        }
    }
    free(edges);
    *digest = h;
    return SUP_OK;
}

/* ---- what was measured ---- */

static bool of_all(const sup_participants *participants, const sup_sync_time *s) {
    return s->processes == participants->processes && s->payload_bytes <= 0 && s->time_s && s->transport &&
           s->algorithm && !strcmp(s->transport, participants->platform->transport);
}

/* Only of all processes: of others nobody knows which were measured. */
sup_status sup_participants_measured(sup_participants *participants) {
    const sup_profile *profile = participants->platform->profile;
    if (participants->rank || !profile->sync_count) return SUP_OK;
    participants->seen = calloc(profile->sync_count, sizeof *participants->seen);
    sup_status st = participants->seen ? SUP_OK : SUP_ENOMEM;
    for (size_t i = 0; i < profile->sync_count && !st; i++) {
        sup_known_barrier *seen = &participants->seen[participants->seen_count];
        int64_t crossing;
        sup_pattern p;
        if (!of_all(participants, &profile->sync[i])) continue;
        st = sup_pattern_read(profile->sync[i].algorithm, participants->processes, &p);
        if (st == SUP_ENOMEM) return st;
        if (st) { /* bsp_sync as a whole, and what later versions measure */
            st = SUP_OK;
            continue;
        }
        seen->row = &profile->sync[i];
        st = digest_of(participants, &p, seen->row->algorithm, &seen->digest, &crossing);
        participants->seen_count++;
        sup_pattern_free(&p);
    }
    return st;
}

static double measured(const sup_participants *participants, uint64_t digest, double *ci) {
    const sup_platform *m = participants->platform;
    *ci = NAN;
    for (size_t i = 0; i < participants->seen_count; i++) {
        if (participants->seen[i].digest != digest) continue;
        sup_prediction p = sup_platform_number(m, participants->seen[i].row->time_s);
        *ci = m->sync_factor * (p.high - p.value);
        return m->sync_factor * p.value;
    }
    return NAN;
}

/* ---- the record of a plan ---- */

/* Without hosts a row is for any: over shared memory there is but one. */
static sup_status fill_hosts(const sup_participants *participants, sup_plan_barrier *b) {
    size_t runs = 0;
    if (participants->hosts < 2 && sup_platform_shared_memory(participants->platform)) return SUP_OK;
    int64_t *list = malloc(2 * (size_t)participants->processes * sizeof *list);
    if (!list) return SUP_ENOMEM;
    for (int64_t i = 0; i < participants->processes; i++) {
        if (i && participants->host[i] == participants->host[i - 1]) {
            list[2 * runs - 2]++;
            continue;
        }
        list[2 * runs] = 1;
        list[2 * runs++ + 1] = participants->host[i];
    }
    sup_status st = sup_record_set_ints(&b->hosts, &b->hosts_count, list, 2 * runs);
    free(list);
    return st;
}

static sup_status fill_levels(const sup_draft *d, sup_plan_barrier *b) {
    char word[SUP_PATTERN_WORD];
    for (size_t l = 0; l < d->level_count; l++) {
        sup_plan_level *level = SUP_APPEND(&sup_plan_level_record, b->levels, b->levels_count);
        if (!level || sup_record_set_string(&level->algorithm, sup_pattern_kind_word(d->levels[l].kind, word)))
            return SUP_ENOMEM;
        level->size = d->levels[l].size;
        level->stride = d->levels[l].stride;
    }
    return SUP_OK;
}

/* Signals of a stage that are read from one word, or those that are not; a stage has both only where clusters side by
 * side are of different kinds, and then they follow each other. */
static sup_status add_stage(const sup_pattern_edge *edges, size_t n, bool common, sup_plan_barrier *b) {
    int64_t *signals = malloc((2 * n + 1) * sizeof *signals);
    size_t used = 0;
    if (!signals) return SUP_ENOMEM;
    for (size_t e = 0; e < n; e++)
        if (edges[e].common == common) {
            signals[used++] = edges[e].from;
            signals[used++] = edges[e].to;
        }
    sup_plan_stage *stage = used ? SUP_APPEND(&sup_plan_stage_record, b->stages, b->stages_count) : NULL;
    sup_status st = used && !stage ? SUP_ENOMEM : SUP_OK;
    if (stage) {
        stage->common = common;
        st = sup_record_set_ints(&stage->signals, &stage->signals_count, signals, used);
    }
    free(signals);
    return st;
}

static sup_status fill_stages(const sup_pattern *p, sup_plan_barrier *b) {
    sup_pattern_edge *edges = malloc((sup_pattern_widest(p) + 1) * sizeof *edges);
    sup_status st = edges ? SUP_OK : SUP_ENOMEM;
    for (int s = 0; s < p->stages && !st; s++) {
        size_t n = sup_pattern_stage(p, s, edges);
        qsort(edges, n, sizeof *edges, by_ends);
        st = add_stage(edges, n, false, b);
        if (!st) st = add_stage(edges, n, true, b);
    }
    free(edges);
    return st;
}

static sup_status fill_record(const sup_participants *participants, const sup_draft *d, sup_plan_barrier *b) {
    char word[SUP_PATTERN_WORD];
    const char *algorithm = d->levels ? SUP_PLAN_LEVELS : SUP_PLAN_STAGES;
    bool plain = !d->levels && d->pattern->generator->barrier;
    if (plain) algorithm = sup_pattern_kind_word((sup_pattern_kind){d->pattern->generator, d->pattern->radix}, word);
    b->processes = participants->processes;
    b->predicted_s = d->cost.value;
    sup_status st = sup_record_set_string(&b->algorithm, algorithm);
    if (!st) st = sup_record_set_string(&b->transport, participants->platform->transport);
    if (!st) st = fill_hosts(participants, b);
    if (!st && d->levels) st = fill_levels(d, b);
    if (!st && !d->levels && !plain) st = fill_stages(d->pattern, b);
    return st;
}

/* NULL: it cannot be one. */
static sup_status make_record(const sup_participants *participants, const sup_draft *d, sup_plan_barrier **out) {
    bool stages = !d->levels && !d->pattern->generator->barrier;
    *out = NULL;
    if (stages && (participants->processes > SUP_PLAN_EXPLICIT_MAX || d->pattern->stages > SUP_PLAN_STAGE_MAX))
        return SUP_OK;
    sup_plan_barrier *b = sup_record_make(&sup_plan_barrier_record);
    sup_status st = b ? fill_record(participants, d, b) : SUP_ENOMEM;
    if (st && b) {
        sup_record_clear(&sup_plan_barrier_record, b);
        free(b);
    }
    if (!st) *out = b;
    return st;
}

/* ---- the list ---- */

sup_status sup_candidates_add(sup_candidates *list, const sup_participants *participants, const sup_draft *d,
                              size_t *index) {
    sup_candidate c = {.origin = d->origin,
                       .cost = d->cost,
                       .stages = d->pattern->stages,
                       .signals = sup_pattern_signals(d->pattern)};
    sup_status st = digest_of(participants, d->pattern, d->name, &c.digest, &c.crossing);
    if (st) return st;
    c.measured_s = measured(participants, c.digest, &c.measured_ci);
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].digest == c.digest) {
            if (index) *index = i;
            return SUP_OK;
        }
    sup_candidate *at = reallocarray(list->at, list->count + 1, sizeof *at);
    if (!at) return SUP_ENOMEM;
    list->at = at;
    snprintf(c.name, sizeof c.name, "%s", d->name);
    st = make_record(participants, d, &c.record);
    if (st) return st;
    if (index) *index = list->count;
    at[list->count++] = c;
    return SUP_OK;
}
