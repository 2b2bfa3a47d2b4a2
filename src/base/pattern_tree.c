/* Tree: in stage s the members with bit s set and all lower bits clear signal the one without it (BSP §5.3). */
#include "base/pattern.h"

static bool run(const sup_pattern *p, int stage, size_t index, sup_pattern_run *out) {
    int64_t step = (int64_t)1 << stage, count = (p->processes - step - 1) / (2 * step) + 1;
    *out = (sup_pattern_run){.count = count, .from = step, .from_step = 2 * step, .to = 0, .to_step = 2 * step};
    return index == 0;
}

const sup_generator sup_generator_tree = {
    .name = "tree", .effect = SUP_PATTERN_GATHERS, .barrier = true, .stages = sup_pattern_log, .run = run};
