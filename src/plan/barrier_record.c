/* The barrier of a plan as a table, and its check: a file with a pattern that is no barrier is refused at reading, so
 * that the interpreter can trust what it gets. */
#include "plan/plan.h"

#include <inttypes.h>
#include <string.h>

static sup_status unknown_algorithm(const sup_where *w, const char *others) {
    char names[400];
    sup_generator_names(names, sizeof names);
    return sup_where_fail(w, "algorithm", -1, "\"algorithm\" must be one of: %s%s", names, others);
}

static sup_status check_level(const sup_where *w, const void *object) {
    const sup_plan_level *level = object;
    sup_pattern_kind kind;
    return sup_pattern_kind_read(level->algorithm, &kind) ? SUP_OK : unknown_algorithm(w, "");
}

static const sup_field level_fields[] = {
    SUP_F_STRING(sup_plan_level, algorithm, "algorithm"),
    SUP_F_INT(sup_plan_level, size, "size", 0, SUP_PROCESSES_MAX),
    SUP_F_INT_OR(sup_plan_level, stride, "stride", 1, SUP_PROCESSES_MAX, 1),
    SUP_F_END,
};
const sup_record sup_plan_level_record = {"level of a barrier", sizeof(sup_plan_level), offsetof(sup_plan_level, extra),
                                          level_fields, .check = check_level};

static const sup_field stage_fields[] = {
    SUP_F_INTS(sup_plan_stage, signals, "signals", true, 0, SUP_PLAN_EXPLICIT_MAX - 1),
    SUP_F_BOOL_OR(sup_plan_stage, common, "common", false),
    SUP_F_END,
};

static sup_status check_stage(const sup_where *w, const void *object) {
    const sup_plan_stage *stage = object;
    if (stage->signals_count == 0) return sup_where_fail(w, NULL, -1, "a stage without signals");
    if (stage->signals_count % 2) return sup_where_fail(w, "signals", -1, "\"signals\" must be pairs of from and to");
    for (size_t k = 0; k < stage->signals_count; k += 2) {
        const int64_t *s = stage->signals + k;
        if (s[0] == s[1]) return sup_where_fail(w, "signals", (int)k, "process %" PRId64 " signals itself", s[0]);
        if (k > 0 && (s[-2] > s[0] || (s[-2] == s[0] && s[-1] >= s[1])))
            return sup_where_fail(w, "signals", (int)k,
                                  "signal %" PRId64 " to %" PRId64 " is repeated or out of ascending order", s[0],
                                  s[1]);
    }
    return SUP_OK;
}

const sup_record sup_plan_stage_record = {"stage of a barrier",
                                          sizeof(sup_plan_stage),
                                          offsetof(sup_plan_stage, extra),
                                          stage_fields,
                                          check_stage,
                                          NULL,
                                          NULL};

static sup_status check_stages(const sup_where *w, const sup_plan_barrier *b) {
    if (b->processes > SUP_PLAN_EXPLICIT_MAX)
        return sup_where_fail(w, "processes", -1, "a barrier given as stages has at most %d processes",
                              SUP_PLAN_EXPLICIT_MAX);
    if (b->stages_count > SUP_PLAN_STAGE_MAX)
        return sup_where_fail(w, "stages", -1, "more than %d stages", SUP_PLAN_STAGE_MAX);
    for (size_t s = 0; s < b->stages_count; s++) {
        sup_where at = sup_where_below(w, "stages", (int)s, &sup_plan_stage_record);
        for (size_t k = 0; k < b->stages[s].signals_count; k++)
            if (b->stages[s].signals[k] >= b->processes)
                return sup_where_fail(&at, "signals", (int)k, "process %" PRId64 " of a barrier of %" PRId64,
                                      b->stages[s].signals[k], b->processes);
    }
    return SUP_OK;
}

static sup_status check_levels(const sup_where *w, const sup_plan_barrier *b) {
    if (b->levels_count == 0 || b->levels_count > 32)
        return sup_where_fail(w, "levels", -1, "algorithm \"levels\" needs 1 to 32 \"levels\"");
    for (size_t l = 0; l < b->levels_count; l++) {
        const sup_plan_level *level = &b->levels[l];
        bool last = l + 1 == b->levels_count;
        if (last && (level->size != 0 || level->stride != 1))
            return sup_where_fail(w, "levels", (int)l, "the last level must be one cluster: size 0, stride 1");
        if (!last && level->size == 1)
            return sup_where_fail(w, "levels", (int)l, "clusters of one process make no level");
    }
    return SUP_OK;
}

static sup_status check_complete(const sup_where *w, const sup_plan_barrier *b) {
    sup_pattern pattern;
    bool complete = false;
    int64_t deaf = 0, unheard = 0;
    sup_status status = sup_plan_barrier_pattern(b, &pattern);
    if (!status) {
        status = sup_pattern_covers(&pattern, &complete, &deaf, &unheard);
        sup_pattern_free(&pattern);
    }
    if (status) return sup_diag_set(w->diag, status, NULL, 0, "cannot check the barrier: %s", sup_status_text(status));
    if (!complete) /* the key is called as the algorithm */
        return sup_where_fail(w, b->algorithm, -1,
                              "this is not a barrier: process %" PRId64 " may leave before process %" PRId64
                              " has arrived",
                              deaf, unheard);
    return SUP_OK;
}

static sup_status check_hosts(const sup_where *w, const sup_plan_barrier *b) {
    int64_t members = 0, hosts = 0;
    if (b->hosts_count % 2) return sup_where_fail(w, "hosts", -1, "\"hosts\" must be pairs of members and host");
    for (size_t r = 0; r < b->hosts_count; r += 2) {
        if (!b->hosts[r] || b->hosts[r] > b->processes - members)
            return sup_where_fail(w, "hosts", (int)r, "\"hosts\" must name each of %" PRId64 " members once",
                                  b->processes);
        if (b->hosts[r + 1] > hosts)
            return sup_where_fail(w, "hosts", (int)r + 1, "hosts are numbered as they appear: %" PRId64 " is next",
                                  hosts);
        members += b->hosts[r];
        hosts += b->hosts[r + 1] == hosts;
    }
    if (b->hosts_count && members != b->processes)
        return sup_where_fail(w, "hosts", -1, "\"hosts\" names %" PRId64 " of %" PRId64 " members", members,
                              b->processes);
    return SUP_OK;
}

static sup_status check_barrier(const sup_where *w, const void *object) {
    const sup_plan_barrier *b = object;
    sup_status hosts = check_hosts(w, b);
    if (hosts) return hosts;
    bool stages = !strcmp(b->algorithm, SUP_PLAN_STAGES), levels = !strcmp(b->algorithm, SUP_PLAN_LEVELS);
    sup_pattern_kind kind;
    if (!stages && !levels && !sup_pattern_kind_read(b->algorithm, &kind))
        return unknown_algorithm(w, ", " SUP_PLAN_LEVELS ", " SUP_PLAN_STAGES);
    if (b->stages_count && !stages) return sup_where_fail(w, "stages", -1, "\"stages\" belong to algorithm \"stages\"");
    if (b->levels_count && !levels) return sup_where_fail(w, "levels", -1, "\"levels\" belong to algorithm \"levels\"");
    if (!stages && !levels) return SUP_OK; /* right by construction */
    sup_status status = stages ? check_stages(w, b) : check_levels(w, b);
    return status || b->processes > SUP_PLAN_EXPLICIT_MAX ? status : check_complete(w, b);
}

static const sup_field barrier_fields[] = {
    SUP_F_INT(sup_plan_barrier, processes, "processes", 1, SUP_PROCESSES_MAX),
    SUP_F_STRING_MAYBE(sup_plan_barrier, transport, "transport"),
    SUP_F_INTS(sup_plan_barrier, hosts, "hosts", false, 0, SUP_PROCESSES_MAX),
    SUP_F_STRING(sup_plan_barrier, algorithm, "algorithm"),
    SUP_F_REAL_MAYBE(sup_plan_barrier, predicted_s, "predicted_s", 0, 1e18),
    SUP_F_RECORDS(sup_plan_barrier, levels, "levels", false, &sup_plan_level_record),
    SUP_F_RECORDS(sup_plan_barrier, stages, "stages", false, &sup_plan_stage_record),
    SUP_F_END,
};
const sup_record sup_plan_barrier_record = {
    "barrier", sizeof(sup_plan_barrier), offsetof(sup_plan_barrier, extra), barrier_fields, check_barrier, NULL, NULL};
