/* Candidates for a barrier, and the one to take (barrier.h). Stage choose, term Tsync. */
#include "choose/barrier/work.h"
#include "plan/defaults.h"

#include <math.h>
#include <stdlib.h>

/* Signals that may be priced: about a second's worth. Sets of some of the processes are many: less for each. */
#define ROOM_ALL 1e7
#define ROOM_SOME 1e6

enum { SETS_MAX = 16, CHOICES_MAX = 96 };

static const int64_t block_sizes[] = {2, 3, 4, 6, 8, 16};
enum { BLOCK_SIZES = sizeof block_sizes / sizeof *block_sizes };

typedef struct work {
    sup_candidates list;
    sup_participants participants;
    sup_partitions hosts, sets[SETS_MAX]; /* sets: those that are searched */
    size_t count;
    sup_diag *diag;
} work;

/* ---- clusters ---- */

/* By what messages cost; what the greedy algorithm of the document works on. */
static sup_status by_cost(const sup_platform *m, sup_diag *diag, sup_hierarchy *out) {
    return sup_hierarchy_of_platform(m, SUP_CLUSTER_SPARSENESS, diag, out);
}

/* Of the whole machine; those that do not take part are left out. A source that says nothing is no error. */
static sup_status add_nest(work *w, sup_status (*source)(const sup_platform *, sup_diag *, sup_hierarchy *)) {
    sup_hierarchy h;
    sup_diag ignored = {0};
    sup_status st = source(w->participants.platform, &ignored, &h);
    if (st) return st == SUP_ENOMEM ? st : SUP_OK;
    st = sup_partitions_hierarchy(&w->participants, &h, &w->sets[w->count]);
    sup_hierarchy_free(&h);
    if (!st) w->count++;
    return st;
}

static sup_status find_sets(work *w) {
    sup_status st = add_nest(w, by_cost);
    if (!st) st = add_nest(w, sup_hierarchy_of_topology);
    for (int k = -1; k < BLOCK_SIZES && !st; k++) {
        if (k >= 0 && block_sizes[k] >= w->participants.processes) break;
        st = sup_partitions_blocks(&w->participants, k < 0 ? 1 : block_sizes[k], &w->sets[w->count]);
        if (!st) w->count++;
    }
    return st ? st : sup_partitions_hosts(&w->participants, &w->hosts);
}

/* ---- search ---- */

/* Each choice of levels once, whatever it comes from; those with few levels first. */
typedef struct choices {
    sup_partitions at[CHOICES_MAX];
    uint64_t digest[CHOICES_MAX];
    size_t count;
} choices;

static void add_choice(choices *list, const sup_partitions *partitions, unsigned bits) {
    sup_partitions some = sup_partitions_some(partitions, bits);
    uint64_t digest = sup_partitions_digest(&some);
    for (size_t k = 0; k < list->count; k++)
        if (list->digest[k] == digest) return;
    if (list->count == CHOICES_MAX) return;
    list->digest[list->count] = digest;
    list->at[list->count++] = some;
}

static void find_choices(const work *w, choices *list) {
    list->count = 0;
    for (int levels = 1; levels < SUP_PARTITION_LEVELS; levels++)
        for (size_t n = 0; n < w->count; n++) {
            unsigned below = (1u << (w->sets[n].levels - 1)) - 1;
            for (unsigned bits = 1; bits <= below; bits++)
                if (__builtin_popcount(bits) == levels) add_choice(list, &w->sets[n], bits);
        }
}

static sup_status search_all(work *w) {
    choices *list = malloc(sizeof *list);
    sup_status st = list ? SUP_OK : SUP_ENOMEM;
    if (!st) find_choices(w, list);
    for (size_t k = 0; !st && k < list->count && w->participants.room > 0; k++) {
        double share = w->participants.room / (double)(list->count - k);
        st = sup_search_nest(&w->list, &w->participants, &list->at[k], &w->hosts, share, w->diag);
    }
    free(list);
    return st;
}

/* ---- what holds without a plan ---- */

static sup_status add_usual(work *w) {
    sup_plan_set set = {.processes = w->participants.processes,
                        .transport = w->participants.platform->transport,
                        .host_of = w->participants.hosts > 1 ? w->participants.host : NULL};
    sup_pattern p;
    sup_draft d = {.pattern = &p, .origin = "default", .name = "usual barrier over hosts"};
    char word[SUP_PATTERN_WORD];
    sup_status st = sup_plan_find_barrier(NULL, &set, &p);
    if (st) return st;
    if (p.generator->barrier) d.name = sup_pattern_kind_word((sup_pattern_kind){p.generator, p.radix}, word);
    st = sup_participants_price(&w->participants, &p, w->diag, &d.cost);
    if (!st) st = sup_candidates_add(&w->list, &w->participants, &d, &w->list.usual);
    sup_pattern_free(&p);
    return st;
}

/* ---- order ---- */

static int simpler(const sup_candidate *a, const sup_candidate *b) {
    if (a->stages != b->stages) return a->stages < b->stages ? -1 : 1;
    if (a->signals != b->signals) return a->signals < b->signals ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Sums that differ in the last digits only, by the order in which they were added up, are the same cost. */
static int cheaper(const void *x, const void *y) {
    const sup_candidate *a = x, *b = y;
    float s = (float)a->cost.value, t = (float)b->cost.value;
    if (s != t) return s < t ? -1 : 1;
    return simpler(a, b);
}

static size_t find(const sup_candidates *list, uint64_t digest) {
    size_t k = 0;
    while (list->at[k].digest != digest) k++;
    return k;
}

static void sort(sup_candidates *list) {
    uint64_t usual = list->at[list->usual].digest, greedy = list->at[list->greedy].digest;
    qsort(list->at, list->count, sizeof *list->at, cheaper);
    list->usual = find(list, usual);
    list->greedy = find(list, greedy);
}

/* ---- all of it ---- */

static sup_status find_all(work *w) {
    sup_status st = sup_participants_measured(&w->participants);
    if (!st) st = find_sets(w);
    if (!st) st = sup_search_plain(&w->list, &w->participants, w->diag);
    if (!st) st = search_all(w);
    if (!st) st = sup_search_measured(&w->list, &w->participants, w->diag);
    if (!st) st = sup_greedy_add(&w->list, &w->participants, &w->sets[0], w->diag, &w->list.greedy);
    if (!st) st = add_usual(w); /* last: it is often one of the others, by a better name */
    if (!st) sort(&w->list);
    return st;
}

static sup_status find_for(const sup_platform *m, const int64_t *rank, int64_t processes, double room, sup_diag *diag,
                           sup_candidates *out) {
    work w = {.diag = diag};
    sup_status st = sup_platform_need_pairs(m, "flow", diag);
    if (st) return st;
    st = sup_participants_open(m, rank, processes, &w.participants);
    if (st) return sup_diag_set(diag, st, NULL, 0, "out of memory");
    w.participants.room = room;
    st = find_all(&w);
    for (size_t k = 0; k < w.count; k++) sup_partitions_free(&w.sets[k]);
    sup_partitions_free(&w.hosts);
    sup_participants_close(&w.participants);
    if (!st)
        *out = w.list;
    else
        sup_candidates_free(&w.list);
    return st == SUP_ENOMEM ? sup_diag_set(diag, st, NULL, 0, "out of memory") : st;
}

sup_status sup_candidates_find(const sup_platform *m, sup_diag *diag, sup_candidates *out) {
    return find_for(m, NULL, m->processes, ROOM_ALL, diag, out);
}

sup_status sup_candidates_of(const sup_platform *m, const int64_t *ranks, int64_t processes, sup_diag *diag,
                             sup_candidates *out) {
    bool good = processes >= 1 && processes <= m->processes;
    for (int64_t k = 0; k < processes && good; k++)
        good = ranks[k] >= 0 && ranks[k] < m->processes && (!k || ranks[k] > ranks[k - 1]);
    if (!good) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a set of processes must be ranks in ascending order");
    return find_for(m, processes == m->processes ? NULL : ranks, processes, ROOM_SOME, diag, out);
}

void sup_candidates_free(sup_candidates *list) {
    for (size_t k = 0; k < list->count; k++)
        if (list->at[k].record) {
            sup_record_clear(&sup_plan_barrier_record, list->at[k].record);
            free(list->at[k].record);
        }
    free(list->at);
    *list = (sup_candidates){0};
}

/* ---- the choice ---- */

double sup_candidate_seconds(const sup_candidate *c) { return isnan(c->measured_s) ? c->cost.value : c->measured_s; }

/* What is unknown of it. */
static double unknown_of(const sup_candidate *c, bool above) {
    if (isnan(c->measured_s)) return above ? c->cost.high - c->cost.value : c->cost.value - c->cost.low;
    return isfinite(c->measured_ci) ? c->measured_ci : SUP_CHOICE_MARGIN * c->measured_s;
}

sup_prediction sup_candidate_cost(const sup_candidate *c) {
    double v = sup_candidate_seconds(c);
    return (sup_prediction){v, fmax(0, v - unknown_of(c, false)), v + unknown_of(c, true)};
}

static bool beats(const sup_candidate *c, const sup_candidate *usual) {
    double t = sup_candidate_seconds(c), u = sup_candidate_seconds(usual);
    return c->record && t + unknown_of(c, true) < u - unknown_of(usual, false) && (1 + SUP_CHOICE_MARGIN) * t < u;
}

/* Rule 3. */
static const sup_candidate *simplest(const sup_candidates *list, const sup_candidate *best) {
    const sup_candidate *usual = &list->at[list->usual], *fewest = best, *taken;
    double near = (1 + SUP_CHOICE_CROSSING) * sup_candidate_seconds(best);
    for (size_t k = 0; k < list->count; k++) {
        const sup_candidate *c = &list->at[k];
        if (!beats(c, usual) || sup_candidate_seconds(c) > near || c->crossing > fewest->crossing) continue;
        if (c->crossing < fewest->crossing || sup_candidate_seconds(c) < sup_candidate_seconds(fewest)) fewest = c;
    }
    near = (1 + SUP_CHOICE_MARGIN) * sup_candidate_seconds(fewest);
    taken = fewest;
    for (size_t k = 0; k < list->count; k++) {
        const sup_candidate *c = &list->at[k];
        if (!beats(c, usual) || sup_candidate_seconds(c) > near || c->crossing != fewest->crossing) continue;
        if (simpler(c, taken) < 0) taken = c;
    }
    return taken;
}

void sup_candidates_choice(const sup_candidates *list, size_t *index) {
    const sup_candidate *usual = &list->at[list->usual], *best = NULL, *measured = NULL, *taken = usual;
    for (size_t k = 0; k < list->count; k++) {
        const sup_candidate *c = &list->at[k];
        if (!beats(c, usual)) continue;
        double t = sup_candidate_seconds(c);
        if (!best || t < sup_candidate_seconds(best)) best = c;
        if (!isnan(c->measured_s) && (!measured || t < measured->measured_s)) measured = c;
    }
    if (best && measured && measured->measured_s <= sup_candidate_seconds(best) + unknown_of(best, true))
        taken = measured;
    else if (best)
        taken = simplest(list, best);
    *index = (size_t)(taken - list->at);
}
