/* What the runtime asks a plan: table look-ups, no decisions. Rows are few (a handful a table), so a scan is fastest.
 */
#include "plan/plan.h"

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

const char *sup_plan_find_counts(const sup_plan *plan, int64_t processes) {
    size_t count = plan->bsp ? plan->bsp->counts_count : 0;
    for (size_t i = 0; i < count; i++) {
        const sup_plan_counts_row *row = &plan->bsp->counts[i];
        if (inside(processes, row->processes_from, row->processes_to)) return row->algorithm;
    }
    return NULL;
}

const char *sup_plan_find_staging(const sup_plan *plan, const char *memory, int64_t bytes) {
    size_t count = plan->bsp ? plan->bsp->staging_count : 0;
    for (size_t i = 0; i < count; i++) {
        const sup_plan_staging_row *row = &plan->bsp->staging[i];
        if (strcmp(row->memory, memory) == 0 && inside(bytes, row->bytes_from, row->bytes_to)) return row->method;
    }
    return NULL;
}

/* Last entry that is not above value; the first if all are. */
static size_t place_of(const int64_t *list, size_t count, int64_t value) {
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (list[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

const char *sup_plan_find_protocol(const sup_plan *plan, const char *transport, int scope, int64_t regions,
                                   int64_t bytes) {
    for (size_t i = 0; i < plan->vectors_count; i++) {
        const sup_plan_vector *v = &plan->vectors[i];
        if (v->scope != scope || strcmp(v->transport, transport) != 0) continue;
        size_t r = place_of(v->regions, v->regions_count, regions), b = place_of(v->bytes, v->bytes_count, bytes);
        return v->protocols[v->winners[r * v->bytes_count + b]];
    }
    return NULL;
}

const sup_plan_collective_row *sup_plan_find_collective(const sup_plan *plan, const char *operation,
                                                        const char *transport, int64_t processes, int64_t bytes) {
    for (size_t i = 0; i < plan->collectives_count; i++) {
        const sup_plan_collective *c = &plan->collectives[i];
        if (strcmp(c->operation, operation) != 0) continue;
        if (c->transport && transport && strcmp(c->transport, transport) != 0) continue;
        for (size_t k = 0; k < c->rows_count; k++) {
            const sup_plan_collective_row *row = &c->rows[k];
            if (inside(processes, row->processes_from, row->processes_to) &&
                inside(bytes, row->bytes_from, row->bytes_to))
                return row;
        }
    }
    return NULL;
}
