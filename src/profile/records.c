/* The sections of a profile as tables (profile.h has the structs, superstep-profile(5) the meaning): computation,
 * τ-Lop channels, vector times, synchronisation, copies, overlap, tiles, quality, noise. */
#include "profile/profile.h"

#define MOST 1e18 /* seconds, bytes: far beyond sense, far from overflow */

/* Lists that must be as long as another; `optional` ones may also be absent. */
static sup_status check_length(const sup_where *w, const char *key, size_t count, size_t wanted, bool optional) {
    if (count == wanted || (optional && count == 0)) return SUP_OK;
    return sup_where_fail(w, key, -1, "\"%s\" has %zu values where %zu belong", key, count, wanted);
}

static const sup_field quality_fields[] = {
    SUP_F_REAL(sup_quality, rejection_rate, "rejection_rate", 0, 1),
    SUP_F_REAL_MAYBE(sup_quality, budget_s, "budget_s", 0, MOST),
    SUP_F_REAL_MAYBE(sup_quality, spent_s, "spent_s", 0, MOST),
    SUP_F_BOOL_OR(sup_quality, complete, "complete", true),
    SUP_F_BOOL_OR(sup_quality, busy, "busy", false),
    SUP_F_REAL_MAYBE(sup_quality, clock_resolution_s, "clock_resolution_s", 0, MOST),
    SUP_F_REAL_MAYBE(sup_quality, clock_overhead_s, "clock_overhead_s", 0, MOST),
    SUP_F_REAL_MAYBE(sup_quality, calm_share, "calm_share", 0, 1),
    SUP_F_RECORDS(sup_quality, warnings, "warnings", false, &sup_warning_record),
    SUP_F_END,
};
SUP_RECORD(sup_quality_record, "quality", sup_quality, quality_fields, NULL);

/* ---- computation ---- */

static const sup_field rate_fields[] = {
    SUP_F_STRING_MAYBE(sup_kernel_rate, kind, "kind"),
    SUP_F_INT(sup_kernel_rate, active, "active", 1, 1048576),
    SUP_F_NEED(sup_kernel_rate, unit_s, "unit_s", &sup_file_curve_record),
    SUP_F_REAL_MAYBE(sup_kernel_rate, prediction_error, "prediction_error", 0, 1e18),
    SUP_F_REAL_MAYBE(sup_kernel_rate, prediction_length, "prediction_length", 0, MOST),
    SUP_F_REAL_MAYBE(sup_kernel_rate, long_run_error, "long_run_error", 0, 1e18),
    SUP_F_END,
};
SUP_RECORD(sup_kernel_rate_record, "kernel rate", sup_kernel_rate, rate_fields, NULL);

static const sup_field kernel_fields[] = {
    SUP_F_STRING(sup_kernel_profile, name, "name"),
    SUP_F_STRING(sup_kernel_profile, unit, "unit"),
    SUP_F_REAL(sup_kernel_profile, bytes_per_unit, "bytes_per_unit", 0, MOST),
    SUP_F_REAL_MAYBE(sup_kernel_profile, flops_per_unit, "flops_per_unit", 0, MOST),
    SUP_F_STRING_MAYBE(sup_kernel_profile, source, "source"),
    SUP_F_RECORDS(sup_kernel_profile, rates, "rates", true, &sup_kernel_rate_record),
    SUP_F_END,
};
SUP_RECORD(sup_kernel_record, "kernel", sup_kernel_profile, kernel_fields, NULL);

static const sup_field classic_fields[] = {
    SUP_F_STRING(sup_classic, transport, "transport"),
    SUP_F_INT(sup_classic, processes, "processes", 1, SUP_PROCESSES_MAX),
    SUP_F_MAYBE(sup_classic, flops_per_s, "flops_per_s", &sup_number_record),
    SUP_F_MAYBE(sup_classic, word_s, "word_s", &sup_number_record),
    SUP_F_MAYBE(sup_classic, sync_s, "sync_s", &sup_number_record),
    SUP_F_END,
};
SUP_RECORD(sup_classic_record, "classic parameters", sup_classic, classic_fields, NULL);

/* ---- τ-Lop ---- */

static const sup_field tau_row_fields[] = {
    SUP_F_INT(sup_tau_row, tau, "tau", 1, SUP_PROCESSES_MAX),
    SUP_F_REALS(sup_tau_row, seconds, "seconds", true, 0, MOST),
    SUP_F_REALS(sup_tau_row, ci, "ci", false, 0, MOST),
    SUP_F_REALS(sup_tau_row, typical, "typical", false, 0, MOST),
    SUP_F_REALS(sup_tau_row, bad, "bad", false, 0, MOST),
    SUP_F_INTS(sup_tau_row, n, "n", false, 1, SUP_INT_MAX),
    SUP_F_INTS(sup_tau_row, reruns, "reruns", false, 0, SUP_INT_MAX),
    SUP_F_END,
};
SUP_RECORD(sup_tau_row_record, "row of transfer times", sup_tau_row, tau_row_fields, NULL);

static const sup_field transfer_fields[] = {
    SUP_F_REALS(sup_transfer, bytes, "bytes", true, 0, MOST),
    SUP_F_RECORDS(sup_transfer, rows, "rows", true, &sup_tau_row_record),
    SUP_F_END,
};

static sup_status check_transfer(const sup_where *w, const void *object) {
    const sup_transfer *t = object;
    if (t->bytes_count == 0 || t->rows_count == 0) return sup_where_fail(w, NULL, -1, "transfer times without values");
    for (size_t i = 1; i < t->bytes_count; i++)
        if (t->bytes[i] <= t->bytes[i - 1]) return sup_where_fail(w, "bytes", (int)i, "\"bytes\" must ascend");
    for (size_t i = 0; i < t->rows_count; i++) {
        const sup_tau_row *row = &t->rows[i];
        sup_where at = sup_where_below(w, "rows", (int)i, &sup_tau_row_record);
        if (i > 0 && row->tau <= t->rows[i - 1].tau) return sup_where_fail(&at, "tau", -1, "\"tau\" must ascend");
        sup_status status = check_length(&at, "seconds", row->seconds_count, t->bytes_count, false);
        if (!status) status = check_length(&at, "ci", row->ci_count, t->bytes_count, true);
        if (!status) status = check_length(&at, "typical", row->typical_count, t->bytes_count, true);
        if (!status) status = check_length(&at, "bad", row->bad_count, t->bytes_count, true);
        if (!status) status = check_length(&at, "n", row->n_count, t->bytes_count, true);
        if (!status) status = check_length(&at, "reruns", row->reruns_count, t->bytes_count, true);
        if (status) return status;
    }
    return SUP_OK;
}

SUP_RECORD(sup_transfer_record, "transfer times", sup_transfer, transfer_fields, check_transfer);

static const sup_field gamma_fields[] = {
    SUP_F_STRING(sup_gamma, operation, "operation"),
    SUP_F_STRING(sup_gamma, type, "type"),
    SUP_F_INT_OR(sup_gamma, tau, "tau", 1, SUP_PROCESSES_MAX, 1),
    SUP_F_NEED(sup_gamma, time_s, "time_s", &sup_file_curve_record),
    SUP_F_END,
};
SUP_RECORD(sup_gamma_record, "reduction cost", sup_gamma, gamma_fields, NULL);

static const sup_field channel_fields[] = {
    SUP_F_STRING(sup_channel, name, "name"),
    SUP_F_INT(sup_channel, number, "number", 0, 255),
    SUP_F_STRING(sup_channel, transport, "transport"),
    SUP_F_STRING(sup_channel, setup, "setup"),
    SUP_F_STRING_MAYBE(sup_channel, mechanism, "mechanism"),
    SUP_F_BOOL_OR(sup_channel, cached, "cached", true),
    SUP_F_INT_OR(sup_channel, threshold_bytes, "threshold_bytes", 0, SUP_INT_MAX, -1),
    SUP_F_INT_OR(sup_channel, segment_bytes, "segment_bytes", 0, SUP_INT_MAX, -1),
    SUP_F_MAYBE(sup_channel, overhead_s, "overhead_s", &sup_file_curve_record),
    SUP_F_MAYBE(sup_channel, packing_s, "packing_s", &sup_file_curve_record),
    SUP_F_MAYBE(sup_channel, transfer, "transfer", &sup_transfer_record),
    SUP_F_RECORDS(sup_channel, gammas, "gammas", false, &sup_gamma_record),
    SUP_F_INT_OR(sup_channel, violations, "violations", 0, SUP_INT_MAX, 0),
    SUP_F_END,
};
SUP_RECORD(sup_channel_record, "channel", sup_channel, channel_fields, NULL);

/* ---- vector transfers ---- */

static const char *const scope_names[] = {"intra", "inter", NULL};
static const char *const statistic_names[] = {"max", "min", "barrier", NULL};

static const sup_field vector_times_fields[] = {
    SUP_F_STRING(sup_vector_times, protocol, "protocol"),
    SUP_F_REALS(sup_vector_times, seconds, "seconds", true, 0, MOST),
    SUP_F_REALS(sup_vector_times, ci, "ci", false, 0, MOST),
    SUP_F_INTS(sup_vector_times, n, "n", false, 1, SUP_INT_MAX),
    SUP_F_END,
};
SUP_RECORD(sup_vector_times_record, "times of a vector protocol", sup_vector_times, vector_times_fields, NULL);

static const sup_field vector_fields[] = {
    SUP_F_STRING(sup_vector_profile, transport, "transport"),
    SUP_F_ENUM(sup_vector_profile, scope, "scope", scope_names),
    SUP_F_INT(sup_vector_profile, active, "active", 1, SUP_PROCESSES_MAX),
    SUP_F_STRING_MAYBE(sup_vector_profile, load, "load"),
    SUP_F_ENUM_OR(sup_vector_profile, statistic, "statistic", statistic_names, SUP_STATISTIC_MAX),
    SUP_F_INTS(sup_vector_profile, regions, "regions", true, 1, SUP_INT_MAX),
    SUP_F_INTS(sup_vector_profile, bytes, "bytes", true, 1, SUP_INT_MAX),
    SUP_F_RECORDS(sup_vector_profile, protocols, "protocols", true, &sup_vector_times_record),
    SUP_F_END,
};

static sup_status check_vector(const sup_where *w, const void *object) {
    const sup_vector_profile *v = object;
    sup_status status = sup_where_ascending(w, "regions", v->regions, v->regions_count);
    if (!status) status = sup_where_ascending(w, "bytes", v->bytes, v->bytes_count);
    size_t cells = v->regions_count * v->bytes_count;
    for (size_t i = 0; i < v->protocols_count && !status; i++) {
        const sup_vector_times *t = &v->protocols[i];
        sup_where at = sup_where_below(w, "protocols", (int)i, &sup_vector_times_record);
        status = check_length(&at, "seconds", t->seconds_count, cells, false);
        if (!status) status = check_length(&at, "ci", t->ci_count, cells, true);
        if (!status) status = check_length(&at, "n", t->n_count, cells, true);
    }
    return status;
}

SUP_RECORD(sup_vector_record, "vector times", sup_vector_profile, vector_fields, check_vector);

/* ---- synchronisation, copies, overlap, tiles ---- */

static const sup_field sync_fields[] = {
    SUP_F_STRING(sup_sync_time, transport, "transport"),
    SUP_F_STRING(sup_sync_time, algorithm, "algorithm"),
    SUP_F_INT(sup_sync_time, processes, "processes", 1, SUP_PROCESSES_MAX),
    SUP_F_INT_OR(sup_sync_time, payload_bytes, "payload_bytes", 0, SUP_INT_MAX, 0),
    SUP_F_NEED(sup_sync_time, time_s, "time_s", &sup_number_record),
    SUP_F_END,
};
SUP_RECORD(sup_sync_record, "synchronisation time", sup_sync_time, sync_fields, NULL);

static const sup_field collective_fields[] = {
    SUP_F_STRING(sup_collective_time, transport, "transport"),
    SUP_F_STRING(sup_collective_time, operation, "operation"),
    SUP_F_STRING(sup_collective_time, algorithm, "algorithm"),
    SUP_F_INT(sup_collective_time, processes, "processes", 2, SUP_PROCESSES_MAX),
    SUP_F_INT_OR(sup_collective_time, hosts, "hosts", 1, SUP_PROCESSES_MAX, 1),
    SUP_F_INTS(sup_collective_time, bytes, "bytes", true, 0, SUP_INT_MAX),
    SUP_F_REALS(sup_collective_time, seconds, "seconds", true, 0, MOST),
    SUP_F_REALS(sup_collective_time, ci, "ci", false, 0, MOST),
    SUP_F_REALS(sup_collective_time, typical, "typical", false, 0, MOST),
    SUP_F_END,
};

static sup_status check_collective(const sup_where *w, const void *object) {
    const sup_collective_time *c = object;
    sup_status st = sup_where_ascending(w, "bytes", c->bytes, c->bytes_count);
    if (!st) st = check_length(w, "seconds", c->seconds_count, c->bytes_count, false);
    if (!st) st = check_length(w, "ci", c->ci_count, c->bytes_count, true);
    return st ? st : check_length(w, "typical", c->typical_count, c->bytes_count, true);
}

SUP_RECORD(sup_collective_time_record, "collective time", sup_collective_time, collective_fields, check_collective);

static const sup_field signal_fields[] = {
    SUP_F_STRING(sup_signal_time, transport, "transport"),
    SUP_F_STRING(sup_signal_time, class, "class"),
    SUP_F_NEED(sup_signal_time, send_s, "send_s", &sup_number_record),
    SUP_F_NEED(sup_signal_time, travel_s, "travel_s", &sup_number_record),
    SUP_F_NEED(sup_signal_time, receive_s, "receive_s", &sup_number_record),
    SUP_F_INTS(sup_signal_time, readers, "readers", false, 1, SUP_PROCESSES_MAX),
    SUP_F_REALS(sup_signal_time, publish_s, "publish_s", false, 0, MOST),
    SUP_F_END,
};

static sup_status check_signal(const sup_where *w, const void *object) {
    const sup_signal_time *s = object;
    sup_status status = s->readers_count ? sup_where_ascending(w, "readers", s->readers, s->readers_count) : SUP_OK;
    return status ? status : check_length(w, "publish_s", s->publish_s_count, s->readers_count, false);
}

SUP_RECORD(sup_signal_record, "signal time", sup_signal_time, signal_fields, check_signal);

static const sup_field exchange_fields[] = {
    SUP_F_STRING(sup_exchange_time, transport, "transport"),
    SUP_F_INT(sup_exchange_time, processes, "processes", 2, SUP_PROCESSES_MAX),
    SUP_F_ENUM(sup_exchange_time, shape, "shape", sup_exchange_names),
    SUP_F_ENUM(sup_exchange_time, move, "move", sup_move_names),
    SUP_F_INT_OR(sup_exchange_time, records, "records", 1, SUP_INT_MAX, 1),
    SUP_F_NEED(sup_exchange_time, calls_s, "calls_s", &sup_file_curve_record),
    SUP_F_NEED(sup_exchange_time, sync_s, "sync_s", &sup_file_curve_record),
    SUP_F_END,
};
SUP_RECORD(sup_exchange_record, "exchange", sup_exchange_time, exchange_fields, NULL);

static const sup_field composed_fields[] = {
    SUP_F_STRING(sup_composed, node, "node"),
    SUP_F_INT(sup_composed, nodes, "nodes", 1, SUP_PROCESSES_MAX),
    SUP_F_INT(sup_composed, node_processes, "node_processes", 1, SUP_PROCESSES_MAX),
    SUP_F_INT(sup_composed, measured, "measured", 1, SUP_PROCESSES_MAX),
    SUP_F_STRING_MAYBE(sup_composed, link, "link"),
    SUP_F_STRING_MAYBE(sup_composed, link_source, "link_source"),
    SUP_F_STRINGS(sup_composed, rules, "rules", false),
    SUP_F_END,
};
SUP_RECORD(sup_composed_record, "composed machine", sup_composed, composed_fields, NULL);

static const sup_field copy_fields[] = {
    SUP_F_STRING(sup_copy_time, method, "method"),
    SUP_F_STRING_MAYBE(sup_copy_time, level, "level"),
    SUP_F_INT_OR(sup_copy_time, processes, "processes", 0, SUP_PROCESSES_MAX, 0),
    SUP_F_INT_OR(sup_copy_time, messages, "messages", 1, SUP_PROCESSES_MAX, 1),
    SUP_F_INT_OR(sup_copy_time, records, "records", 1, SUP_INT_MAX, 1),
    SUP_F_NEED(sup_copy_time, time_s, "time_s", &sup_file_curve_record),
    SUP_F_END,
};
SUP_RECORD(sup_copy_record, "copy time", sup_copy_time, copy_fields, NULL);

static const sup_field overlap_fields[] = {
    SUP_F_STRING(sup_overlap, transport, "transport"),
    SUP_F_STRING(sup_overlap, engine, "engine"),
    SUP_F_INT(sup_overlap, bytes, "bytes", 0, SUP_INT_MAX),
    SUP_F_NEED(sup_overlap, share, "share", &sup_number_record),
    SUP_F_END,
};

static sup_status check_overlap(const sup_where *w, const void *object) {
    const sup_overlap *overlap = object;
    if (overlap->share->value > 1) return sup_where_fail(w, "share", -1, "\"share\" is above 1");
    return SUP_OK;
}

SUP_RECORD(sup_overlap_record, "overlap", sup_overlap, overlap_fields, check_overlap);

static const sup_field first_fields[] = {
    SUP_F_STRING(sup_first_time, transport, "transport"),
    SUP_F_INT(sup_first_time, processes, "processes", 2, SUP_PROCESSES_MAX),
    SUP_F_MAYBE(sup_first_time, memory_s, "memory_s", &sup_file_curve_record),
    SUP_F_MAYBE(sup_first_time, use_calls_s, "use_calls_s", &sup_file_curve_record),
    SUP_F_MAYBE(sup_first_time, use_sync_s, "use_sync_s", &sup_file_curve_record),
    SUP_F_REALS(sup_first_time, late_s, "late_s", false, 0, MOST),
    SUP_F_REALS(sup_first_time, waking_s, "waking_s", false, 0, MOST),
    SUP_F_REALS(sup_first_time, ci, "ci", false, 0, MOST),
    SUP_F_REALS(sup_first_time, typical, "typical", false, 0, MOST),
    SUP_F_END,
};

static sup_status check_first(const sup_where *w, const void *object) {
    const sup_first_time *f = object;
    for (size_t k = 1; k < f->late_s_count; k++)
        if (f->late_s[k] <= f->late_s[k - 1]) return sup_where_fail(w, "late_s", (int)k, "\"late_s\" must ascend");
    sup_status status = check_length(w, "waking_s", f->waking_s_count, f->late_s_count, false);
    if (!status) status = check_length(w, "ci", f->ci_count, f->late_s_count, true);
    return status ? status : check_length(w, "typical", f->typical_count, f->late_s_count, true);
}
SUP_RECORD(sup_first_time_record, "first times", sup_first_time, first_fields, check_first);

static const sup_field tile_fields[] = {
    SUP_F_STRING(sup_tile_time, kernel, "kernel"),
    SUP_F_STRING(sup_tile_time, size_class, "size_class"),
    SUP_F_STRING(sup_tile_time, strategy, "strategy"),
    SUP_F_INT(sup_tile_time, workers, "workers", 1, 1048576),
    SUP_F_INTS(sup_tile_time, shape, "shape", true, 1, SUP_INT_MAX),
    SUP_F_NEED(sup_tile_time, time_s, "time_s", &sup_number_record),
    SUP_F_END,
};

static sup_status check_tile(const sup_where *w, const void *object) {
    const sup_tile_time *tile = object;
    if (tile->shape_count == 0) return sup_where_fail(w, "shape", -1, "\"shape\" is empty");
    return SUP_OK;
}

SUP_RECORD(sup_tile_time_record, "tile time", sup_tile_time, tile_fields, check_tile);

/* ---- noise ---- */

static const sup_field noise_fields[] = {
    SUP_F_STRING(sup_noise, term, "term"),
    SUP_F_STRING_MAYBE(sup_noise, transport, "transport"),
    SUP_F_REAL(sup_noise, typical, "typical", 1, MOST),
    SUP_F_REAL(sup_noise, bad, "bad", 1, MOST),
    SUP_F_INT(sup_noise, points, "points", 1, SUP_INT_MAX),
    SUP_F_END,
};
SUP_RECORD(sup_noise_record, "noise of a term", sup_noise, noise_fields, NULL);

static const sup_field interruptions_fields[] = {
    SUP_F_STRING_MAYBE(sup_interruptions, transport, "transport"),
    SUP_F_INT(sup_interruptions, processes, "processes", 1, SUP_PROCESSES_MAX),
    SUP_F_REAL(sup_interruptions, watched_s, "watched_s", 0, MOST),
    SUP_F_REALS(sup_interruptions, least_s, "least_s", true, 0, MOST),
    SUP_F_REALS(sup_interruptions, per_s, "per_s", true, 0, MOST),
    SUP_F_END,
};

static sup_status check_interruptions(const sup_where *w, const void *object) {
    const sup_interruptions *i = object;
    for (size_t k = 1; k < i->least_s_count; k++)
        if (i->least_s[k] <= i->least_s[k - 1]) return sup_where_fail(w, "least_s", (int)k, "\"least_s\" must ascend");
    sup_status status = check_length(w, "per_s", i->per_s_count, i->least_s_count, false);
    for (size_t k = 1; k < i->per_s_count && !status; k++)
        if (i->per_s[k] > i->per_s[k - 1])
            return sup_where_fail(w, "per_s", (int)k, "\"per_s\" must not ascend: a class contains those after it");
    return status;
}
SUP_RECORD(sup_interruptions_record, "interruptions", sup_interruptions, interruptions_fields, check_interruptions);
