/* All-to-all: Bruck's; blocks travel by the binary digits of their distance, in a logarithm of stages. */
#include "schedule/algorithms.h"

/* All blocks by distance, and those that go out; those that come in find room in OUT. */
static int64_t temp(const sup_job *job, int64_t rank) {
    (void)rank;
    return job->processes > 1 ? (job->processes + job->processes / 2) * job->bytes : 0;
}

/* Blocks whose distance has this digit, in runs: to where they lie packed in TEMP, or back from where they came in.
 * Says how many bytes they are. */
static int64_t pack(sup_walk *w, int64_t digit, bool back) {
    int64_t bytes = w->job->bytes, packed = 0;
    for (int64_t i = digit; i < w->processes; i += 2 * digit) {
        int64_t run = (digit < w->processes - i ? digit : w->processes - i) * bytes;
        if (back)
            sup_walk_copy(w, SUP_OUT, packed, SUP_TEMP, i * bytes, run);
        else
            sup_walk_copy(w, SUP_TEMP, i * bytes, SUP_TEMP, w->processes * bytes + packed, run);
        packed += run;
    }
    return packed;
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t count = job->processes, bytes = job->bytes, out_at = count * bytes;
    if (count == 1) {
        sup_walk_copy(&w, SUP_IN, 0, SUP_OUT, 0, bytes);
        return w.status;
    }
    sup_walk_copy(&w, SUP_IN, rank * bytes, SUP_TEMP, 0, (count - rank) * bytes);
    sup_walk_copy(&w, SUP_IN, 0, SUP_TEMP, (count - rank) * bytes, rank * bytes);
    for (int64_t digit = 1; digit < count; digit *= 2, w.stage++) {
        int64_t packed = pack(&w, digit, false);
        sup_walk_receive(&w, sup_turn(rank, -digit, count), SUP_OUT, 0, packed);
        sup_walk_send(&w, sup_turn(rank, digit, count), SUP_TEMP, out_at, packed);
        pack(&w, digit, true);
    }
    for (int64_t i = 0; i < count && !w.status; i++)
        sup_walk_copy(&w, SUP_TEMP, i * bytes, SUP_OUT, sup_turn(rank, -i, count) * bytes, bytes);
    return w.status;
}

const sup_algorithm sup_alltoall_bruck = {
    .operation = SUP_ALLTOALL,
    .name = "bruck",
    .summary = "Bruck's, in a logarithm of stages",
    .traits = SUP_ALGORITHM_ALIKE,
    .temp = temp,
    .walk = walk,
};
