/* O and L of every ordered pair in a profile (pairs.h): the table, its check, and how far the two directions of a pair
 * differ. */
#include "profile/pairs.h"

#include <inttypes.h>
#include <math.h>

static const sup_field each_fields[] = {
    SUP_F_REALS(sup_pair_each, overhead_s, "overhead_s", false, 0, 1e9),
    SUP_F_REALS(sup_pair_each, overhead_ci, "overhead_ci", false, 0, 1e9),
    SUP_F_REALS(sup_pair_each, latency_s, "latency_s", false, 0, 1e9),
    SUP_F_REALS(sup_pair_each, latency_ci, "latency_ci", false, 0, 1e9),
    SUP_F_END,
};
SUP_RECORD(sup_pair_each_record, "pairs one by one", sup_pair_each, each_fields, NULL);

static sup_status wrong_length(const sup_where *w, const sup_pairs *p, const char *name, size_t count, size_t wanted) {
    return sup_where_fail(w, "each", -1, "\"each\" has %zu entries in \"%s\"; %" PRId64 " processes need %zu", count,
                          name, p->processes, wanted);
}

sup_status sup_pairs_check_each(const sup_where *w, const sup_pairs *p) {
    const sup_pair_each *e = p->each;
    if (!e) return SUP_OK;
    if (p->processes > SUP_PAIRS_EACH_MAX)
        return sup_where_fail(w, "each", -1, "\"each\" of %" PRId64 " processes; at most %d have it", p->processes,
                              SUP_PAIRS_EACH_MAX);
    size_t wanted = (size_t)p->processes * (size_t)p->processes;
    if (e->overhead_s_count && e->overhead_s_count != wanted)
        return wrong_length(w, p, "overhead_s", e->overhead_s_count, wanted);
    if (e->latency_s_count && e->latency_s_count != wanted)
        return wrong_length(w, p, "latency_s", e->latency_s_count, wanted);
    if (e->overhead_ci_count && e->overhead_ci_count != e->overhead_s_count)
        return wrong_length(w, p, "overhead_ci", e->overhead_ci_count, e->overhead_s_count);
    if (e->latency_ci_count && e->latency_ci_count != e->latency_s_count)
        return wrong_length(w, p, "latency_ci", e->latency_ci_count, e->latency_s_count);
    return SUP_OK;
}

bool sup_pairs_asymmetry(const sup_pairs *p, sup_pair_quantity what, sup_asymmetry *out) {
    const sup_pair_each *e = p->each;
    const double *value = e ? what == SUP_PAIR_OVERHEAD ? e->overhead_s : e->latency_s : NULL;
    const double *ci = e ? what == SUP_PAIR_OVERHEAD ? e->overhead_ci : e->latency_ci : NULL;
    size_t count = e ? what == SUP_PAIR_OVERHEAD ? e->overhead_s_count : e->latency_s_count : 0;
    size_t cis = e ? what == SUP_PAIR_OVERHEAD ? e->overhead_ci_count : e->latency_ci_count : 0;
    double most = 0.0;
    *out = (sup_asymmetry){0};
    for (int64_t i = 0; i < p->processes && count; i++)
        for (int64_t j = 0; j < p->processes; j++) {
            int64_t at = i * p->processes + j, back = j * p->processes + i;
            double a = value[at], b = value[back];
            if (i == j || b <= 0.0 || a < b || (a == b && i > j)) continue;
            double unsure = cis ? ci[at] + ci[back] : 0.0;
            bool differs = a - b > unsure && a > b * (1.0 + SUP_PAIRS_ALIKE), first = differs && !out->differ;
            out->pairs++;
            out->differ += differs;
            if (!first && (out->differ && !differs)) continue;
            if (!first && a / b <= most) continue;
            most = a / b;
            out->i = i;
            out->j = j;
            out->there = a;
            out->back = b;
        }
    return out->pairs > 0;
}
