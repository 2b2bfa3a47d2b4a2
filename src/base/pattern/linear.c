/* Linear: everyone signals member 0; released in one stage, too (BSP §5.3). */
#include "base/pattern/pattern.h"

int sup_pattern_linear_stages(int64_t processes, int radix) {
    (void)radix;
    return processes > 1;
}

bool sup_pattern_linear_run(const sup_pattern *p, int stage, size_t index, sup_pattern_run *out) {
    (void)stage;
    *out = (sup_pattern_run){.count = p->processes - 1, .from = 1, .from_step = 1, .to = 0, .to_step = 0};
    return index == 0;
}

const sup_generator sup_generator_linear = {.name = "linear",
                                            .effect = SUP_PATTERN_GATHERS,
                                            .barrier = true,
                                            .stages = sup_pattern_linear_stages,
                                            .run = sup_pattern_linear_run};
