/* Binomial: a broadcast from member 0; in stage s those below 2^s tell those 2^s above them. */
#include "base/pattern/pattern.h"

static bool run(const sup_pattern *p, int stage, size_t index, sup_pattern_run *out) {
    int64_t far = (int64_t)1 << stage, left = p->processes - far;
    *out = (sup_pattern_run){.count = left < far ? left : far, .from = 0, .from_step = 1, .to = far, .to_step = 1};
    return index == 0;
}

const sup_generator sup_generator_binomial = {.name = "binomial",
                                              .effect = SUP_PATTERN_BROADCASTS,
                                              .stages = sup_pattern_log,
                                              .run = run};
