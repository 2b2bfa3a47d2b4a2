/* Ring: a token goes from member 1 to the right, each member adding itself, until the last hands it to member 0, which
 * then knows of all; released the same way back. 2·(P − 1) stages of one signal each: what a barrier costs that never
 * signals two at once, and the way round for machines on which only neighbours are near. */
#include "base/pattern/pattern.h"

static int stages(int64_t processes, int radix) {
    (void)radix;
    return (int)(processes - 1);
}

static bool run(const sup_pattern *p, int stage, size_t index, sup_pattern_run *out) {
    int64_t from = stage + 1;
    *out = (sup_pattern_run){.count = 1, .from = from, .to = from + 1 < p->processes ? from + 1 : 0};
    return index == 0;
}

const sup_generator sup_generator_ring = {
    .name = "ring", .effect = SUP_PATTERN_GATHERS, .barrier = true, .stages = stages, .run = run};
