/* Allgather: Bruck's; each stage doubles the blocks that a rank has, its own first, any number of ranks. */
#include "schedule/algorithms.h"

static int64_t temp(const sup_job *job, int64_t rank) {
    (void)rank;
    return job->processes > 1 ? sup_job_total(job) : 0;
}

/* The bytes of so many blocks from this rank on, around the end. */
static int64_t bytes_of(const sup_walk *w, int64_t first, int64_t blocks) {
    if (!w->job->out_bytes) return blocks * w->job->bytes;
    int64_t bytes = 0;
    for (int64_t i = 0; i < blocks; i++) bytes += w->job->out_bytes[sup_turn(first, i, w->processes)];
    return bytes;
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t count = job->processes, have = bytes_of(&w, rank, 1);
    if (count == 1) {
        sup_walk_copy(&w, SUP_IN, 0, SUP_OUT, sup_job_out(job, 0).at, have);
        return w.status;
    }
    sup_walk_copy(&w, SUP_IN, 0, SUP_TEMP, 0, have);
    for (int64_t blocks = 1; blocks < count; blocks *= 2, w.stage++) {
        int64_t more = blocks < count - blocks ? blocks : count - blocks;
        int64_t from = sup_turn(rank, blocks, count), bytes = bytes_of(&w, from, more);
        sup_walk_receive(&w, from, SUP_TEMP, have, bytes);
        sup_walk_send(&w, sup_turn(rank, -blocks, count), SUP_TEMP, 0, bytes_of(&w, rank, more));
        have += bytes;
    }
    if (!sup_job_uneven(job)) {
        int64_t top = (count - rank) * job->bytes;
        sup_walk_copy(&w, SUP_TEMP, 0, SUP_OUT, rank * job->bytes, top);
        sup_walk_copy(&w, SUP_TEMP, top, SUP_OUT, 0, rank * job->bytes);
        return w.status;
    }
    for (int64_t i = 0, at = 0; i < count && !w.status; i++) {
        sup_piece block = sup_job_out(job, sup_turn(rank, i, count));
        sup_walk_copy(&w, SUP_TEMP, at, SUP_OUT, block.at, block.bytes);
        at += block.bytes;
    }
    return w.status;
}

const sup_algorithm sup_allgather_bruck = {
    .operation = SUP_ALLGATHER,
    .name = "bruck",
    .summary = "Bruck's, in a logarithm of stages",
    .traits = SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_ALIKE,
    .temp = temp,
    .walk = walk,
};
