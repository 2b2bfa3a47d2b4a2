/* The barrier of a plan as a pattern: Tsync, the joint between choosing and running (BSP ch. 5 and 7, reference §3). */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

static sup_status from_levels(const sup_plan_barrier *b, sup_pattern *out) {
    sup_pattern_level *levels = calloc(b->levels_count + 1, sizeof *levels);
    if (!levels) return SUP_ENOMEM;
    sup_status st = SUP_OK;
    for (size_t l = 0; l < b->levels_count; l++) {
        levels[l] =
            (sup_pattern_level){sup_generator_find(b->levels[l].algorithm), b->levels[l].size, b->levels[l].stride};
        if (!levels[l].generator) st = SUP_EINVAL;
    }
    if (!st) st = sup_pattern_from_levels(b->processes, levels, b->levels_count, out);
    free(levels);
    return st;
}

static sup_status from_stages(const sup_plan_barrier *b, sup_pattern *out) {
    size_t count = 0, n = 0;
    for (size_t s = 0; s < b->stages_count; s++) count += b->stages[s].signals_count / 2;
    sup_pattern_edge *edges = calloc(count + 1, sizeof *edges);
    if (!edges) return SUP_ENOMEM;
    for (size_t s = 0; s < b->stages_count; s++)
        for (size_t k = 0; k + 1 < b->stages[s].signals_count; k += 2)
            edges[n++] =
                (sup_pattern_edge){.from = b->stages[s].signals[k], .to = b->stages[s].signals[k + 1], .stage = (int)s};
    return sup_pattern_from_edges(b->processes, (int)b->stages_count, edges, count, out);
}

sup_status sup_plan_barrier_pattern(const sup_plan_barrier *b, sup_pattern *out) {
    if (!strcmp(b->algorithm, SUP_PLAN_LEVELS)) return from_levels(b, out);
    if (!strcmp(b->algorithm, SUP_PLAN_STAGES)) return from_stages(b, out);
    const sup_generator *generator = sup_generator_find(b->algorithm);
    if (!generator) return SUP_EINVAL;
    *out = sup_pattern_make(generator, b->processes);
    return SUP_OK;
}
