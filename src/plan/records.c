/* The sections of a plan as tables (plan.h has the structs, superstep-plan(5) the meaning): BSP engines, vector
 * protocols, partitions, ghosts, tiles. Barriers are in barrier_record.c, collectives in collective_record.c. */
#include "plan/plan.h"
#include "plan/range.h"

#include <inttypes.h>
#include <string.h>

#define MOST 1e18

/* ---- BSP ---- */

static const char *const engine_names[] = {"eager", "bulk", NULL};
static const char *const progress_names[] = {"none", "shared-core", "own-core", NULL};

static const sup_field engine_fields[] = {
    SUP_F_INT_OR(sup_plan_engine_row, messages_from, "messages_from", 0, SUP_INT_MAX, 0),
    SUP_F_INT_OR(sup_plan_engine_row, messages_to, "messages_to", 1, SUP_INT_MAX, -1),
    SUP_F_INT_OR(sup_plan_engine_row, bytes_from, "bytes_from", 0, SUP_INT_MAX, 0),
    SUP_F_INT_OR(sup_plan_engine_row, bytes_to, "bytes_to", 1, SUP_INT_MAX, -1),
    SUP_F_REAL_MAYBE(sup_plan_engine_row, compute_from_s, "compute_from_s", 0, MOST),
    SUP_F_REAL_MAYBE(sup_plan_engine_row, compute_to_s, "compute_to_s", 0, MOST),
    SUP_F_ENUM(sup_plan_engine_row, engine, "engine", engine_names),
    SUP_F_END,
};

static sup_status check_engine(const sup_where *w, const void *object) {
    const sup_plan_engine_row *row = object;
    sup_status status = sup_plan_check_range(w, "messages_to", row->messages_from, row->messages_to);
    if (!status) status = sup_plan_check_range(w, "bytes_to", row->bytes_from, row->bytes_to);
    if (!status && row->compute_from_s >= row->compute_to_s)
        return sup_where_fail(w, "compute_to_s", -1, "the range %g to %g is empty", row->compute_from_s,
                              row->compute_to_s);
    return status;
}

SUP_RECORD(sup_plan_engine_row_record, "engine row", sup_plan_engine_row, engine_fields, check_engine);

static const sup_field counts_fields[] = {
    SUP_F_INT_OR(sup_plan_counts_row, processes_from, "processes_from", 0, SUP_PROCESSES_MAX, 0),
    SUP_F_INT_OR(sup_plan_counts_row, processes_to, "processes_to", 1, SUP_PROCESSES_MAX, -1),
    SUP_F_STRING(sup_plan_counts_row, algorithm, "algorithm"),
    SUP_F_END,
};

static sup_status check_counts(const sup_where *w, const void *object) {
    const sup_plan_counts_row *row = object;
    return sup_plan_check_range(w, "processes_to", row->processes_from, row->processes_to);
}

SUP_RECORD(sup_plan_counts_row_record, "counts row", sup_plan_counts_row, counts_fields, check_counts);

static const sup_field staging_fields[] = {
    SUP_F_STRING(sup_plan_staging_row, memory, "memory"),
    SUP_F_INT_OR(sup_plan_staging_row, bytes_from, "bytes_from", 0, SUP_INT_MAX, 0),
    SUP_F_INT_OR(sup_plan_staging_row, bytes_to, "bytes_to", 1, SUP_INT_MAX, -1),
    SUP_F_STRING(sup_plan_staging_row, method, "method"),
    SUP_F_END,
};

static sup_status check_staging(const sup_where *w, const void *object) {
    const sup_plan_staging_row *row = object;
    return sup_plan_check_range(w, "bytes_to", row->bytes_from, row->bytes_to);
}

static SUP_RECORD(staging_row_record, "staging row", sup_plan_staging_row, staging_fields, check_staging);

static const sup_field bsp_fields[] = {
    SUP_F_RECORDS(sup_plan_bsp, engines, "engines", false, &sup_plan_engine_row_record),
    SUP_F_RECORDS(sup_plan_bsp, counts, "counts", false, &sup_plan_counts_row_record),
    SUP_F_RECORDS(sup_plan_bsp, staging, "staging", false, &staging_row_record),
    SUP_F_ENUM_OR(sup_plan_bsp, progress, "progress", progress_names, SUP_PLAN_PROGRESS_SHARED),
    SUP_F_REAL_MAYBE(sup_plan_bsp, spin_s, "spin_s", 0, 1),
    SUP_F_END,
};
SUP_RECORD(sup_plan_bsp_record, "bsp", sup_plan_bsp, bsp_fields, NULL);

/* ---- vector transfers ---- */

static const char *const scope_names[] = {"intra", "inter", NULL};

static const sup_field vector_fields[] = {
    SUP_F_STRING(sup_plan_vector, transport, "transport"),
    SUP_F_ENUM(sup_plan_vector, scope, "scope", scope_names),
    SUP_F_STRING_MAYBE(sup_plan_vector, profiles, "profiles"),
    SUP_F_STRINGS(sup_plan_vector, protocols, "protocols", true),
    SUP_F_INTS(sup_plan_vector, regions, "regions", true, 1, SUP_INT_MAX),
    SUP_F_INTS(sup_plan_vector, bytes, "bytes", true, 1, SUP_INT_MAX),
    SUP_F_INTS(sup_plan_vector, winners, "winners", true, 0, 255),
    SUP_F_END,
};

static sup_status check_vector(const sup_where *w, const void *object) {
    const sup_plan_vector *v = object;
    sup_status status = sup_where_ascending(w, "regions", v->regions, v->regions_count);
    if (!status) status = sup_where_ascending(w, "bytes", v->bytes, v->bytes_count);
    if (status) return status;
    if (v->winners_count != v->regions_count * v->bytes_count)
        return sup_where_fail(w, "winners", -1, "\"winners\" has %zu values where %zu · %zu belong", v->winners_count,
                              v->regions_count, v->bytes_count);
    for (size_t i = 0; i < v->winners_count; i++)
        if (v->winners[i] >= (int64_t)v->protocols_count)
            return sup_where_fail(w, "winners", (int)i, "winner %" PRId64 ", but there are %zu \"protocols\"",
                                  v->winners[i], v->protocols_count);
    return SUP_OK;
}

SUP_RECORD(sup_plan_vector_record, "vector protocols", sup_plan_vector, vector_fields, check_vector);

/* ---- ghosts and tiles ---- */

static const sup_field ghost_fields[] = {
    SUP_F_STRING(sup_plan_ghost, program, "program"),
    SUP_F_INT(sup_plan_ghost, size, "size", 1, SUP_INT_MAX),
    SUP_F_INT(sup_plan_ghost, processes, "processes", 1, SUP_PROCESSES_MAX),
    SUP_F_INT(sup_plan_ghost, depth, "depth", 1, SUP_INT_MAX),
    SUP_F_END,
};
SUP_RECORD(sup_plan_ghost_record, "ghost depth", sup_plan_ghost, ghost_fields, NULL);

static const sup_field candidate_fields[] = {
    SUP_F_INTS(sup_plan_candidate, shape, "shape", false, 1, SUP_INT_MAX),
    SUP_F_STRING(sup_plan_candidate, strategy, "strategy"),
    SUP_F_MAYBE(sup_plan_candidate, call_s, "call_s", &sup_number_record),
    SUP_F_END,
};
SUP_RECORD(sup_plan_candidate_record, "tile candidate", sup_plan_candidate, candidate_fields, NULL);

static const sup_field learned_fields[] = {
    SUP_F_INT(sup_plan_learned, calls, "calls", 0, SUP_INT_MAX),
    SUP_F_INT(sup_plan_learned, explored, "explored", 0, SUP_INT_MAX),
    SUP_F_REAL_MAYBE(sup_plan_learned, lost_s, "lost_s", 0, MOST),
    SUP_F_REAL_MAYBE(sup_plan_learned, total_s, "total_s", 0, MOST),
    SUP_F_BOOL_OR(sup_plan_learned, settled, "settled", false),
    SUP_F_RECORDS(sup_plan_learned, candidates, "candidates", false, &sup_plan_candidate_record),
    SUP_F_END,
};

static sup_status check_learned(const sup_where *w, const void *object) {
    const sup_plan_learned *learned = object;
    if (learned->explored > learned->calls)
        return sup_where_fail(w, "explored", -1, "more calls \"explored\" than \"calls\"");
    return SUP_OK;
}

SUP_RECORD(sup_plan_learned_record, "what was learned", sup_plan_learned, learned_fields, check_learned);

static const sup_field tile_fields[] = {
    SUP_F_STRING(sup_plan_tile, kernel, "kernel"),
    SUP_F_STRING(sup_plan_tile, size_class, "size_class"),
    SUP_F_STRING(sup_plan_tile, strategy, "strategy"),
    SUP_F_INT_OR(sup_plan_tile, bytes, "bytes", 1, SUP_INT_MAX, -1),
    SUP_F_INTS(sup_plan_tile, shape, "shape", false, 1, SUP_INT_MAX),
    SUP_F_INTS(sup_plan_tile, inner_shape, "inner_shape", false, 1, SUP_INT_MAX),
    SUP_F_MAYBE(sup_plan_tile, learned, "learned", &sup_plan_learned_record),
    SUP_F_END,
};
SUP_RECORD(sup_plan_tile_record, "tile", sup_plan_tile, tile_fields, NULL);

/* ---- why ---- */

static const sup_field beaten_fields[] = {
    SUP_F_STRING(sup_plan_beaten, choice, "choice"),
    SUP_F_REAL_MAYBE(sup_plan_beaten, predicted_s, "predicted_s", 0, MOST),
    SUP_F_REAL_MAYBE(sup_plan_beaten, measured_s, "measured_s", 0, MOST),
    SUP_F_END,
};
SUP_RECORD(sup_plan_beaten_record, "alternative", sup_plan_beaten, beaten_fields, NULL);

static const sup_field duel_fields[] = {
    SUP_F_STRING_MAYBE(sup_plan_duel, where, "where"),
    SUP_F_STRING(sup_plan_duel, choice, "choice"),
    SUP_F_STRING(sup_plan_duel, otherwise, "otherwise"),
    SUP_F_REAL(sup_plan_duel, seconds, "seconds", 0, MOST),
    SUP_F_REAL_MAYBE(sup_plan_duel, ci, "ci", 0, MOST),
    SUP_F_REAL(sup_plan_duel, otherwise_s, "otherwise_s", 0, MOST),
    SUP_F_REAL_MAYBE(sup_plan_duel, otherwise_ci, "otherwise_ci", 0, MOST),
    SUP_F_INT(sup_plan_duel, launches, "launches", 1, SUP_INT_MAX),
    SUP_F_BOOL_OR(sup_plan_duel, won, "won", false),
    SUP_F_END,
};

static sup_status check_duel(const sup_where *w, const void *object) {
    const sup_plan_duel *d = object;
    if (d->won && !(d->seconds < d->otherwise_s)) return sup_where_fail(w, "won", -1, "what took longer has not won");
    return SUP_OK;
}
SUP_RECORD(sup_plan_duel_record, "duel", sup_plan_duel, duel_fields, check_duel);

bool sup_plan_decision_changes(const sup_plan_decision *d) {
    return !d->otherwise || strcmp(d->choice, d->otherwise) != 0;
}

bool sup_plan_decision_confirmed(const sup_plan_decision *d) {
    bool won = false;
    for (size_t i = 0; i < d->duels_count; i++) won = won || d->duels[i].won;
    return won && sup_plan_decision_changes(d);
}

static const sup_field decision_fields[] = {
    SUP_F_STRING(sup_plan_decision, about, "about"),
    SUP_F_STRING_MAYBE(sup_plan_decision, where, "where"),
    SUP_F_STRING(sup_plan_decision, choice, "choice"),
    SUP_F_STRING_MAYBE(sup_plan_decision, otherwise, "otherwise"),
    SUP_F_REAL_MAYBE(sup_plan_decision, predicted_s, "predicted_s", 0, MOST),
    SUP_F_REAL_MAYBE(sup_plan_decision, otherwise_s, "otherwise_s", 0, MOST),
    SUP_F_REAL_MAYBE(sup_plan_decision, measured_s, "measured_s", 0, MOST),
    SUP_F_REAL_MAYBE(sup_plan_decision, measured_otherwise_s, "measured_otherwise_s", 0, MOST),
    SUP_F_REAL_MAYBE(sup_plan_decision, gain_low, "gain_low", 0, MOST),
    SUP_F_REAL_MAYBE(sup_plan_decision, gain_high, "gain_high", 0, MOST),
    SUP_F_STRING_MAYBE(sup_plan_decision, reason, "reason"),
    SUP_F_STRING_MAYBE(sup_plan_decision, command, "command"),
    SUP_F_STRING_MAYBE(sup_plan_decision, proposed, "proposed"),
    SUP_F_RECORDS(sup_plan_decision, duels, "duels", false, &sup_plan_duel_record),
    SUP_F_RECORDS(sup_plan_decision, beaten, "beaten", false, &sup_plan_beaten_record),
    SUP_F_END,
};
SUP_RECORD(sup_plan_decision_record, "decision", sup_plan_decision, decision_fields, NULL);
