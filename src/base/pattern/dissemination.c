/* Dissemination: in stage s everyone signals the members radix^s, 2·radix^s, … (radix − 1)·radix^s further on, around
 * the circle; with radix 2 that is one signal a stage (BSP §5.3; Hensgen, Finkel, Manber, Int. J. Parallel Programming
 * 17(1), 1988). After it everyone has heard of the radix^(s+1) − 1 before it. In the last stage distances end below the
 * number of processes: further on would be round the circle, to those that have been told. */
#include "base/pattern/pattern.h"

static bool run(const sup_pattern *p, int stage, size_t index, sup_pattern_run *out) {
    if (index + 1 >= (size_t)p->radix) return false;
    int64_t far = sup_pattern_power(p->radix, stage) * ((int64_t)index + 1);
    *out = (sup_pattern_run){.count = p->processes, .from = 0, .from_step = 1, .to = far, .to_step = 1};
    return far < p->processes;
}

const sup_generator sup_generator_dissemination = {.name = "dissemination",
                                                   .effect = SUP_PATTERN_SPREADS,
                                                   .barrier = true,
                                                   .radix = 2,
                                                   .radix_most = SUP_PATTERN_RADIX_MAX,
                                                   .stages = sup_pattern_log,
                                                   .run = run};
