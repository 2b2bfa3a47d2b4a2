/* Ranges in the tables of a plan: from … below to, -1 above: no limit. For the readers of plans. */
#ifndef SUP_PLAN_RANGE_H
#define SUP_PLAN_RANGE_H

#include "base/file/record.h"

#include <inttypes.h>

/* A range that holds nothing is a slip of somebody's hand. */
static inline sup_status sup_plan_check_range(const sup_where *w, const char *key, int64_t from, int64_t to) {
    if (to < 0 || from < to) return SUP_OK;
    return sup_where_fail(w, key, -1, "the range %" PRId64 " to %" PRId64 " is empty", from, to);
}

static inline bool sup_plan_ranges_meet(int64_t from, int64_t to, int64_t other_from, int64_t other_to) {
    return (to < 0 || other_from < to) && (other_to < 0 || from < other_to);
}

#endif
