/* Dissemination: in stage s everyone signals the member 2^s further on, around the circle (BSP §5.3). */
#include "base/pattern.h"

static bool run(const sup_pattern *p, int stage, size_t index, sup_pattern_run *out) {
    *out = (sup_pattern_run){.count = p->processes, .from = 0, .from_step = 1, .to = (int64_t)1 << stage, .to_step = 1};
    return index == 0;
}

const sup_generator sup_generator_dissemination = {
    .name = "dissemination", .effect = SUP_PATTERN_SPREADS, .barrier = true, .stages = sup_pattern_log, .run = run};
