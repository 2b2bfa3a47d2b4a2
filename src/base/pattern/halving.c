/* Halving: the shifts of a dissemination from the longest to the shortest, as reduce-scatter goes
 * (bsp/message/count.c).
 */
#include "base/pattern/pattern.h"

static bool run(const sup_pattern *p, int stage, size_t index, sup_pattern_run *out) {
    int64_t step = (int64_t)1 << (p->generated - 1 - stage);
    *out = (sup_pattern_run){.count = p->processes, .from = 0, .from_step = 1, .to = step, .to_step = 1};
    return index == 0;
}

const sup_generator sup_generator_halving = {.name = "halving",
                                             .effect = SUP_PATTERN_SPREADS,
                                             .stages = sup_pattern_log,
                                             .run = run};
