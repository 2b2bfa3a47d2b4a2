/* Which collective algorithm holds where no plan says (defaults.h), on any machine. Inside a host memory that all
 * share; over several hosts that, and messages between the first of each; else messages: trees and doubling where the
 * number of messages counts, rings, pipelines and halving where bytes do. A row that does not work for the processes
 * (not a power of two, no memory in common) is passed over: the next is tried. Long blocks go from memory to memory
 * where that is quicker (schedule/shared.h); where the kernel does not do it "direct" is as "shared".
 * "mpi" works in MPI programs only: there,
 * of what goes between hosts, scatter, gather, all-to-all and scans are the library's, which is not slower at them. */
#include "plan/defaults.h"

#include "schedule/shared.h"

#define KB INT64_C(1024)
#define ANY 0, -1
/* For blocks of so many bytes each and more. */
#define EACH(bytes, ...) .from = (bytes), .to = -1, .choice = "direct", .each = true, __VA_ARGS__

const sup_default_choice sup_default_choices[] = {
    {SUP_BROADCAST, ANY, "shared"},
    {SUP_BROADCAST, 0, 32 * KB, "hosts binomial"},
    {SUP_BROADCAST, 32 * KB, -1, "hosts pipeline/32K"},
    {SUP_BROADCAST, 0, 32 * KB, "binomial"},
    {SUP_BROADCAST, 32 * KB, 512 * KB, "scatter-doubling"},
    {SUP_BROADCAST, 32 * KB, -1, "scatter-ring"},
    {SUP_BROADCAST, ANY, "binomial"},

    {SUP_SCATTER, EACH(SUP_SHARED_DIRECT, .most = 0)},
    {SUP_SCATTER, ANY, "shared"},
    {SUP_SCATTER, ANY, "mpi"},
    {SUP_SCATTER, 0, 32 * KB, "hosts binomial"},
    {SUP_SCATTER, ANY, "hosts linear"},
    {SUP_SCATTER, 0, 32 * KB, "binomial"},
    {SUP_SCATTER, ANY, "linear"},

    {SUP_GATHER, EACH(SUP_SHARED_DIRECT, .least = SUP_SHARED_GATHER_DIRECT)},
    {SUP_GATHER, ANY, "shared"},
    {SUP_GATHER, ANY, "mpi"},
    {SUP_GATHER, 0, 32 * KB, "hosts binomial"},
    {SUP_GATHER, ANY, "hosts linear"},
    {SUP_GATHER, 0, 32 * KB, "binomial"},
    {SUP_GATHER, ANY, "linear"},

    {SUP_ALLGATHER, EACH(SUP_SHARED_ALLGATHER_DIRECT, .most = SUP_SHARED_ALLGATHER_FEW)},
    {SUP_ALLGATHER, ANY, "shared"},
    {SUP_ALLGATHER, 0, 64 * KB, "hosts doubling"},
    {SUP_ALLGATHER, 0, 64 * KB, "hosts bruck"},
    {SUP_ALLGATHER, ANY, "hosts ring"},
    {SUP_ALLGATHER, 0, 64 * KB, "doubling"},
    {SUP_ALLGATHER, 0, 64 * KB, "bruck"},
    {SUP_ALLGATHER, 64 * KB, 512 * KB, "neighbour"},
    {SUP_ALLGATHER, ANY, "ring"},

    {SUP_REDUCE, ANY, "shared"},
    {SUP_REDUCE, 0, 64 * KB, "hosts binomial"},
    {SUP_REDUCE, 64 * KB, -1, "hosts scatter-gather"},
    {SUP_REDUCE, 64 * KB, -1, "scatter-gather"},
    {SUP_REDUCE, ANY, "binomial"},

    {SUP_ALLREDUCE, ANY, "shared"},
    {SUP_ALLREDUCE, 0, 16 * KB, "hosts doubling"},
    {SUP_ALLREDUCE, 16 * KB, 512 * KB, "hosts rabenseifner"},
    {SUP_ALLREDUCE, 16 * KB, -1, "hosts ring"},
    {SUP_ALLREDUCE, 0, 16 * KB, "doubling"},
    {SUP_ALLREDUCE, 16 * KB, 512 * KB, "rabenseifner"},
    {SUP_ALLREDUCE, 16 * KB, -1, "ring"},
    {SUP_ALLREDUCE, ANY, "doubling"},

    {SUP_REDUCE_SCATTER, ANY, "shared"},
    {SUP_REDUCE_SCATTER, 0, 512 * KB, "hosts halving"},
    {SUP_REDUCE_SCATTER, ANY, "hosts ring"},
    {SUP_REDUCE_SCATTER, 0, 512 * KB, "halving"},
    {SUP_REDUCE_SCATTER, ANY, "ring"},

    {SUP_ALLTOALL, EACH(SUP_SHARED_DIRECT, .most = 0)},
    {SUP_ALLTOALL, ANY, "shared"},
    {SUP_ALLTOALL, ANY, "mpi"},
    {SUP_ALLTOALL, 0, 2 * KB, "hosts bruck"},
    {SUP_ALLTOALL, 2 * KB, 64 * KB, "hosts linear"},
    {SUP_ALLTOALL, ANY, "hosts pairwise"},
    {SUP_ALLTOALL, 0, 2 * KB, "bruck"},
    {SUP_ALLTOALL, 2 * KB, 64 * KB, "linear"},
    {SUP_ALLTOALL, ANY, "pairwise"},

    {SUP_SCAN, ANY, "shared"},
    {SUP_SCAN, ANY, "mpi"},
    {SUP_SCAN, ANY, "hosts doubling"},
    {SUP_SCAN, ANY, "doubling"},
    {SUP_EXSCAN, ANY, "shared"},
    {SUP_EXSCAN, ANY, "mpi"},
    {SUP_EXSCAN, ANY, "hosts doubling"},
    {SUP_EXSCAN, ANY, "doubling"},

    {SUP_BARRIER, ANY, "shared"},
    {SUP_BARRIER, ANY, "hosts dissemination"},
    {SUP_BARRIER, ANY, "dissemination"},
    {0, ANY, NULL},
};

bool sup_default_is_for(const sup_default_choice *row, int64_t processes) {
    return processes >= row->least && (!row->most || processes <= row->most);
}

int64_t sup_default_border(const sup_default_choice *row, int64_t processes, int64_t bytes) {
    return row->each && bytes > 0 ? bytes * processes : bytes;
}
