/* Butterfly, recursive doubling: in stage s the members i and i xor 2^s signal each other (Brooks, Int. J. Parallel
 * Programming 15(4), 1986). Where the number of processes is no power of two, those beyond the greatest power below it
 * first signal a member each that stands in for them, and are released by it in a last stage.
 *
 *     P = 6:   4→0 5→1 │ 0↔1 2↔3 │ 0↔2 1↔3 │ 0→4 1→5
 */
#include "base/pattern/pattern.h"

static int doublings(int64_t processes) {
    int k = 0;
    while (processes >> (k + 1)) k++;
    return k;
}

static int stages(int64_t processes, int radix) {
    (void)radix;
    int k = doublings(processes);
    return processes > (int64_t)1 << k ? k + 2 : k;
}

/* Pairs at distance `far` among 2^doublings members: in whole stretches or in strides, whichever makes fewer runs; half
 * of them upwards, half downwards. */
static bool pairs(int64_t power, int64_t far, int64_t index, sup_pattern_run *out) {
    int64_t blocks = power / (2 * far), halves = blocks < far ? blocks : far, k = index % halves;
    if (index >= 2 * halves) return false;
    *out = blocks < far ? (sup_pattern_run){.count = far, .from = k * 2 * far, .from_step = 1, .to_step = 1}
                        : (sup_pattern_run){.count = blocks, .from = k, .from_step = 2 * far, .to_step = 2 * far};
    out->to = out->from + far;
    if (index >= halves) {
        out->to = out->from;
        out->from += far;
    }
    return true;
}

static bool run(const sup_pattern *p, int stage, size_t index, sup_pattern_run *out) {
    int k = doublings(p->processes);
    int64_t power = (int64_t)1 << k, extra = p->processes - power;
    int folded = extra > 0;
    if (stage >= folded && stage < folded + k) return pairs(power, (int64_t)1 << (stage - folded), (int64_t)index, out);
    bool release = stage > 0;
    *out = (sup_pattern_run){.count = extra,
                             .from = release ? 0 : power,
                             .from_step = 1,
                             .to = release ? power : 0,
                             .to_step = 1,
                             .waiting = release}; /* since its signal it did nothing */
    return index == 0;
}

const sup_generator sup_generator_butterfly = {
    .name = "butterfly", .effect = SUP_PATTERN_SPREADS, .barrier = true, .stages = stages, .run = run};
