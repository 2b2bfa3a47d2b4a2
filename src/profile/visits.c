/* Tables of what visits found (visits.h). */
#include "profile/visits.h"

#define MOST 1e18

static const sup_field found_fields[] = {
    SUP_F_INTS(sup_found, launch, "launch", true, 0, SUP_INT_MAX),
    SUP_F_INTS(sup_found, n, "n", true, 0, SUP_INT_MAX),
    SUP_F_INTS(sup_found, dropped, "dropped", false, 0, SUP_INT_MAX),
    SUP_F_REALS(sup_found, low, "low", true, 0, MOST),
    SUP_F_REALS(sup_found, typical, "typical", true, 0, MOST),
    SUP_F_REALS(sup_found, bad, "bad", true, 0, MOST),
    SUP_F_END,
};

static sup_status check_found(const sup_where *w, const void *object) {
    const sup_found *f = object;
    const struct {
        const char *key;
        size_t count;
        bool optional;
    } lists[] = {{"n", f->n_count, false},
                 {"dropped", f->dropped_count, true},
                 {"low", f->low_count, false},
                 {"typical", f->typical_count, false},
                 {"bad", f->bad_count, false}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].count != f->launch_count && !(lists[i].optional && !lists[i].count))
            return sup_where_fail(w, lists[i].key, -1, "\"%s\" has %zu values, \"launch\" has %zu", lists[i].key,
                                  lists[i].count, f->launch_count);
    for (size_t i = 0; i < f->launch_count; i++) {
        if (i && f->launch[i] <= f->launch[i - 1]) return sup_where_fail(w, "launch", (int)i, "\"launch\" must ascend");
        if (f->low[i] > f->typical[i] || f->typical[i] > f->bad[i])
            return sup_where_fail(w, "low", (int)i, "quantiles must ascend");
    }
    return SUP_OK;
}
SUP_RECORD(sup_found_record, "what visits found", sup_found, found_fields, check_found);

static const sup_field visited_fields[] = {
    SUP_F_STRING(sup_visited, kind, "kind"),
    SUP_F_STRING_MAYBE(sup_visited, transport, "transport"),
    SUP_F_STRING_MAYBE(sup_visited, kernel, "kernel"),
    SUP_F_STRING_MAYBE(sup_visited, engine, "engine"),
    SUP_F_STRING_MAYBE(sup_visited, shape, "shape"),
    SUP_F_STRING_MAYBE(sup_visited, move, "move"),
    SUP_F_INT_OR(sup_visited, groups, "groups", 1, 1048576, 1),
    SUP_F_INT_OR(sup_visited, group, "group", 0, 1048576, 1),
    SUP_F_INTS(sup_visited, ranks, "ranks", false, 0, 1048576),
    SUP_F_INT_OR(sup_visited, bytes, "bytes", 0, SUP_INT_MAX, 0),
    SUP_F_INT_OR(sup_visited, number, "number", 0, SUP_INT_MAX, 0),
    SUP_F_INT_OR(sup_visited, records, "records", 0, SUP_INT_MAX, 1),
    SUP_F_INT_OR(sup_visited, stride, "stride", 0, SUP_INT_MAX, 0),
    SUP_F_BOOL_OR(sup_visited, cold, "cold", false),
    SUP_F_REAL_MAYBE(sup_visited, footprint, "footprint", 0, MOST),
    SUP_F_REAL_MAYBE(sup_visited, visit_s, "visit_s", 0, MOST),
    SUP_F_RECORDS(sup_visited, found, "found", true, &sup_found_record),
    SUP_F_END,
};

static sup_status check_visited(const sup_where *w, const void *object) {
    const sup_visited *v = object;
    int64_t named = 0, wanted = v->groups * v->group;
    if (v->ranks_count % 2) return sup_where_fail(w, "ranks", -1, "\"ranks\" must be pairs of first and count");
    for (size_t i = 1; i < v->ranks_count; i += 2) named += v->ranks[i];
    if (v->ranks_count && named != wanted)
        return sup_where_fail(w, "ranks", -1, "\"ranks\" names %lld processes where %lld belong", (long long)named,
                              (long long)wanted);
    if (!v->found_count) return sup_where_fail(w, "found", -1, "nothing was found");
    return SUP_OK;
}
SUP_RECORD(sup_visited_record, "visited point", sup_visited, visited_fields, check_visited);
