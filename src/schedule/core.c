/* A power of two of the ranks, for algorithms that halve and double; the others work through their neighbours (walk.h).
 * All folds join neighbours in the order of ranks. */
#include "schedule/walk.h"

sup_core sup_core_of(int64_t processes, int64_t rank, int64_t keep) {
    sup_core core = {.size = sup_power_below(processes), .keep = keep, .other = -1};
    core.extra = processes - core.size;
    if (rank >= 2 * core.extra) {
        core.index = rank - core.extra;
        return core;
    }
    core.other = rank ^ 1;
    core.index = sup_core_rank(&core, rank / 2) == rank ? rank / 2 : -1;
    return core;
}

int64_t sup_core_rank(const sup_core *core, int64_t index) {
    if (index >= core->extra) return index + core->extra;
    return core->keep == 2 * index ? 2 * index : 2 * index + 1;
}

void sup_core_fold_in(sup_walk *walk, const sup_core *core, int to, int64_t at) {
    int64_t bytes = walk->job->bytes;
    if (core->other >= 0 && core->index < 0) sup_walk_send(walk, core->other, SUP_IN, 0, bytes);
    if (core->other >= 0 && core->index >= 0) {
        sup_walk_receive(walk, core->other, SUP_TEMP, at, bytes);
        sup_walk_fold(walk, SUP_TEMP, at, to, 0, bytes, core->other < walk->rank);
    }
    if (core->extra) walk->stage++;
}

sup_piece sup_core_part(const sup_job *job, const sup_core *core, int64_t index, int64_t mask) {
    int64_t first = 0, count = core->size;
    for (int64_t bit = 1; bit < mask; bit *= 2) {
        count /= 2;
        if (index & bit) first += count;
    }
    return sup_job_parts(job, core->size, first, count);
}

void sup_core_halve(sup_walk *walk, const sup_core *core, int to, int64_t at) {
    const sup_job *job = walk->job;
    for (int64_t mask = 1; mask < core->size; mask *= 2, walk->stage++) {
        int64_t partner = core->index ^ mask, peer = sup_core_rank(core, partner);
        sup_piece mine = sup_core_part(job, core, core->index, 2 * mask);
        sup_piece theirs = sup_core_part(job, core, partner, 2 * mask);
        sup_walk_receive(walk, peer, SUP_TEMP, at, mine.bytes);
        sup_walk_send(walk, peer, to, theirs.at, theirs.bytes);
        sup_walk_fold(walk, SUP_TEMP, at, to, mine.at, mine.bytes, partner < core->index);
    }
}
