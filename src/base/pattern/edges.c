/* Patterns given edge by edge: a list, sorted, behind the same functions as the generated ones. */
#include "base/pattern/pattern.h"

#include <stdlib.h>
#include <string.h>

static int no_stages(int64_t processes, int radix) {
    (void)processes;
    (void)radix;
    return 0;
}

static bool run(const sup_pattern *p, int stage, size_t index, sup_pattern_run *out) {
    size_t at = p->begin[stage] + index;
    if (at >= p->begin[stage + 1]) return false;
    const sup_pattern_edge *e = &p->edges[at];
    *out = (sup_pattern_run){.count = 1, .from = e->from, .to = e->to, .waiting = e->waiting, .common = e->common};
    return true;
}

static const sup_generator edges_given = {.name = "edges",
                                          .effect = SUP_PATTERN_SPREADS,
                                          .stages = no_stages,
                                          .run = run};

static int by_stage(const void *a, const void *b) {
    const sup_pattern_edge *x = a, *y = b;
    if (x->stage != y->stage) return x->stage < y->stage ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* The last thing that a process did: in which stage, and whom it signalled if that was all it did there. */
typedef struct last_act {
    int stage;
    int64_t signalled;
} last_act;

enum { NOBODY = -1 };

static void note_act(last_act *last, int stage, int64_t signalled) {
    *last = (last_act){stage, last->stage == stage ? NOBODY : signalled};
}

/* A receiver is waiting if all it did since before the last stage was to signal the one that signals it now. */
static void find_waiting(sup_pattern *p, last_act *last) {
    for (int64_t i = 0; i < p->processes; i++) last[i] = (last_act){NOBODY, NOBODY};
    for (int s = 0; s < p->stages; s++) {
        for (size_t e = p->begin[s]; e < p->begin[s + 1]; e++) {
            const last_act *l = &last[p->edges[e].to];
            p->edges[e].waiting = l->signalled == p->edges[e].from && s - l->stage > 1;
        }
        for (size_t e = p->begin[s]; e < p->begin[s + 1]; e++) {
            note_act(&last[p->edges[e].from], s, p->edges[e].to);
            note_act(&last[p->edges[e].to], s, NOBODY);
        }
    }
}

static bool in_range(const sup_pattern *p, const sup_pattern_edge *e) {
    return e->stage >= 0 && e->stage < p->stages && e->from >= 0 && e->from < p->processes && e->to >= 0 &&
           e->to < p->processes;
}

sup_status sup_pattern_from_edges(int64_t processes, int stages, sup_pattern_edge *edges, size_t count,
                                  sup_pattern *out) {
    sup_pattern p = {
        .generator = &edges_given, .processes = processes, .stages = stages, .generated = stages, .edges = edges};
    sup_status st = processes < 1 || stages < 0 ? SUP_EINVAL : SUP_OK;
    for (size_t e = 0; e < count && !st; e++)
        if (!in_range(&p, &edges[e])) st = SUP_EINVAL;
    last_act *last = NULL;
    if (!st) {
        p.begin = calloc((size_t)stages + 1, sizeof *p.begin);
        last = malloc((size_t)processes * sizeof *last);
        if (!p.begin || !last) st = SUP_ENOMEM;
    }
    if (st) {
        free(last);
        sup_pattern_free(&p);
        return st;
    }
    if (count) qsort(edges, count, sizeof *edges, by_stage);
    for (size_t e = 0; e < count; e++) p.begin[edges[e].stage + 1] = e + 1;
    for (int s = 0; s < stages; s++) /* stages without edges */
        if (p.begin[s + 1] < p.begin[s]) p.begin[s + 1] = p.begin[s];
    find_waiting(&p, last);
    free(last);
    *out = p;
    return SUP_OK;
}

void sup_pattern_free(sup_pattern *p) {
    free(p->edges);
    free(p->begin);
    *p = (sup_pattern){0};
}
