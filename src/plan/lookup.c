/* What the runtime asks a plan: table look-ups, no decisions. Rows are few (a handful a table), so a scan is fastest.
 * Where no row fits, or there is no plan, the defaults answer. */
#include "plan/defaults.h"

#include <string.h>

/* Half-open; -1 above: no limit. */
static bool inside(int64_t value, int64_t from, int64_t to) { return value >= from && (to < 0 || value < to); }

sup_plan_engine sup_plan_find_engine(const sup_plan *plan, int64_t messages, int64_t bytes, double compute_s,
                                     sup_plan_engine otherwise) {
    size_t count = plan->bsp ? plan->bsp->engines_count : 0;
    for (size_t i = 0; i < count; i++) {
        const sup_plan_engine_row *row = &plan->bsp->engines[i];
        if (!inside(messages, row->messages_from, row->messages_to)) continue;
        if (!inside(bytes, row->bytes_from, row->bytes_to)) continue;
        /* Absent limits are NaN, and a comparison with NaN is false: it excludes nothing. */
        if (compute_s < row->compute_from_s || compute_s >= row->compute_to_s) continue;
        return (sup_plan_engine)row->engine;
    }
    return otherwise;
}

const sup_plan_bsp *sup_plan_find_bsp(const sup_plan *plan) {
    return plan && plan->bsp ? plan->bsp : sup_plan_defaults.bsp;
}

static const char *counts_in(const sup_plan_bsp *bsp, int64_t processes) {
    for (size_t i = 0; i < bsp->counts_count; i++) {
        const sup_plan_counts_row *row = &bsp->counts[i];
        if (inside(processes, row->processes_from, row->processes_to)) return row->algorithm;
    }
    return NULL;
}

const char *sup_plan_find_counts(const sup_plan *plan, int64_t processes) {
    const char *found = counts_in(sup_plan_find_bsp(plan), processes);
    return found ? found : counts_in(sup_plan_defaults.bsp, processes);
}

/* Narrows *holds to lengths that meet the same rows. */
static const char *staging_in(const sup_plan_bsp *bsp, const char *memory, int64_t bytes, sup_plan_range *holds) {
    for (size_t i = 0; i < bsp->staging_count; i++) {
        const sup_plan_staging_row *row = &bsp->staging[i];
        if (strcmp(row->memory, memory) != 0) continue;
        int64_t to = row->bytes_to < 0 ? INT64_MAX : row->bytes_to;
        bool below = bytes < row->bytes_from, above = bytes >= to;
        if (above && to > holds->from) holds->from = to;
        if (!above && !below && row->bytes_from > holds->from) holds->from = row->bytes_from;
        if (below && row->bytes_from < holds->to) holds->to = row->bytes_from;
        if (!above && !below && to < holds->to) holds->to = to;
        if (!above && !below) return row->method;
    }
    return NULL;
}

const char *sup_plan_find_staging(const sup_plan *plan, const char *memory, int64_t bytes, sup_plan_range *holds) {
    *holds = (sup_plan_range){0, INT64_MAX};
    const char *found = staging_in(sup_plan_find_bsp(plan), memory, bytes, holds);
    return found ? found : staging_in(sup_plan_defaults.bsp, memory, bytes, holds);
}
