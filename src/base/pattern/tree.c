/* Tree: in stage s the first of every radix·radix^s members is signalled by those radix^s, 2·radix^s, … behind it; with
 * radix 2 those with bit s set and all lower bits clear signal the one without it (BSP §5.3). */
#include "base/pattern/pattern.h"

bool sup_pattern_tree_run(const sup_pattern *p, int stage, size_t index, sup_pattern_run *out) {
    if (index + 1 >= (size_t)p->radix) return false;
    int64_t step = sup_pattern_power(p->radix, stage), next = step * p->radix, from = step * ((int64_t)index + 1);
    if (from >= p->processes) return false;
    *out = (sup_pattern_run){
        .count = (p->processes - from - 1) / next + 1, .from = from, .from_step = next, .to = 0, .to_step = next};
    return true;
}

const sup_generator sup_generator_tree = {.name = "tree",
                                          .effect = SUP_PATTERN_GATHERS,
                                          .barrier = true,
                                          .radix = 2,
                                          .radix_most = SUP_PATTERN_RADIX_MAX,
                                          .stages = sup_pattern_log,
                                          .run = sup_pattern_tree_run};
