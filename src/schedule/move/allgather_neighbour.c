/* Allgather: neighbours exchange, left and right by turns, the two blocks that came last. For even numbers of ranks.
 * Ranks 2q and 2q + 1 begin with pair q; then 2q gets pairs q - 1, q + 1, q - 2, …, the other one the mirror image. */
#include "schedule/algorithms.h"

static bool fits(const sup_job *job) { return job->processes % 2 == 0; }

/* Both blocks of a pair: one message where they are one piece on both sides. */
static void pass(sup_walk *w, int64_t pair, int64_t peer, bool send) {
    sup_piece block[2] = {sup_job_out(w->job, 2 * pair), sup_job_out(w->job, 2 * pair + 1)};
    int messages = 2;
    if (!sup_job_uneven(w->job)) {
        block[0].bytes *= 2;
        messages = 1;
    }
    for (int k = 0; k < messages; k++)
        (send ? sup_walk_send : sup_walk_receive)(w, peer, SUP_OUT, block[k].at, block[k].bytes);
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t count = job->processes, pair = rank / 2, side = rank % 2 ? 1 : -1;
    sup_piece own = sup_job_out(job, rank);
    sup_walk_copy(&w, SUP_IN, 0, SUP_OUT, own.at, own.bytes);
    sup_piece theirs = sup_job_out(job, rank ^ 1);
    sup_walk_receive(&w, rank ^ 1, SUP_OUT, theirs.at, theirs.bytes);
    sup_walk_send(&w, rank ^ 1, SUP_OUT, own.at, own.bytes);
    int64_t last = pair;
    for (int64_t s = 1; s < count / 2 && !w.status; s++) {
        w.stage = (int)s;
        int64_t away = side * ((s + 1) / 2);
        int64_t peer = s % 2 ? sup_turn(rank, side, count) : rank ^ 1;
        int64_t next = sup_turn(pair, s % 2 ? away : -away, count / 2);
        pass(&w, next, peer, false);
        pass(&w, last, peer, true);
        last = next;
    }
    return w.status;
}

const sup_algorithm sup_allgather_neighbour = {
    .operation = SUP_ALLGATHER,
    .name = "neighbour",
    .summary = "neighbour exchange; even numbers",
    .traits = SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_ALIKE,
    .fits = fits,
    .walk = walk,
};
