/* Pairwise: a tournament. In stage s the winners of the stage before meet in pairs, the loser signals the winner and
 * drops out; who wins is settled beforehand, so that the arrival is that of a tree. The champion, member 0, then
 * releases everybody in one stage, by one word that all read where memory is shared (Hensgen, Finkel, Manber, Int. J.
 * Parallel Programming 17(1), 1988). With a larger radix that many meet in a game and one of them goes on.
 *
 *     P = 4:   1→0 3→2 │ 2→0 │ 0→1 0→2 0→3
 */
#include "base/pattern/pattern.h"

/* Those that lost to the champion itself have been waiting for its signal, unless that was in the last game: each of
 * them is a run (even indices), and so are those between it and the next. */
static bool release(const sup_pattern *p, size_t index, sup_pattern_run *out) {
    int others = p->radix - 1, nth = (int)(index / 2), game = nth / others, next = (nth + 1) / others;
    if (game >= p->generated) return false;
    int64_t loser = sup_pattern_power(p->radix, game) * (nth % others + 1);
    int64_t end = sup_pattern_power(p->radix, next) * ((nth + 1) % others + 1);
    if (loser >= p->processes) return false;
    if (end > p->processes) end = p->processes;
    bool lost = index % 2 == 0;
    *out = (sup_pattern_run){.count = lost ? 1 : end - loser - 1,
                             .to = lost ? loser : loser + 1,
                             .to_step = 1,
                             .waiting = lost && game < p->generated - 1,
                             .common = true};
    return true;
}

const sup_generator sup_generator_pairwise = {.name = "pairwise",
                                              .effect = SUP_PATTERN_GATHERS,
                                              .barrier = true,
                                              .common_release = true,
                                              .radix = 2,
                                              .radix_most = SUP_PATTERN_RADIX_MAX,
                                              .stages = sup_pattern_log,
                                              .run = sup_pattern_tree_run,
                                              .release = release};
