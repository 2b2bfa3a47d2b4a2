/* Parts of a vector down a binomial tree: the first half of broadcasts that scatter (walk.h). */
#include "schedule/walk.h"

void sup_walk_scatter_parts(sup_walk *walk, int64_t parts) {
    const sup_job *job = walk->job;
    int64_t v = sup_job_from_root(job, walk->rank);
    for (int64_t mask = sup_power_above(parts) / 2; mask > 0; mask /= 2, walk->stage++) {
        if (v % (2 * mask) == mask) {
            sup_piece mine = sup_job_parts(job, parts, v, sup_subtree(v, parts));
            sup_walk_receive(walk, sup_job_rank(job, v - mask), SUP_OUT, mine.at, mine.bytes);
        } else if (v % (2 * mask) == 0 && v + mask < parts) {
            sup_piece theirs = sup_job_parts(job, parts, v + mask, sup_subtree(v + mask, parts));
            sup_walk_send(walk, sup_job_rank(job, v + mask), SUP_OUT, theirs.at, theirs.bytes);
        }
    }
}
