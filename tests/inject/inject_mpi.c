/* An MPI program that knows nothing of the preloaded library, in one process of which something fails (inject.h):
 *
 *     LD_PRELOAD=… mpirun … inject_mpi fatal|return VICTIM N LASTING
 *
 * What it prints is for the driver (sweep.py): "RANK STATUS CALLS"; the status is the first error class that a
 * collective operation ended with (return), 0 if none did, less its sign as ours are. */
#include "inject.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, COUNT = 3000, TIMES = 3 };

static int rank, size, *in, *out, counts[MOST], places[MOST];
static MPI_Datatype gaps;

static void expect(bool fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "inject_mpi: rank %d: wrong %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void fill(void) {
    for (int i = 0; i < size * 2 * COUNT; i++) {
        in[i] = rank + 1;
        out[i] = -1;
    }
}

/* One of each kind, of built-in types and of one with gaps. */
static int one(MPI_Comm comm, int k, int n) {
    int code = MPI_SUCCESS, all = size * (size + 1) / 2;
    fill();
    for (int i = 0; i < size; i++) {
        counts[i] = n;
        places[i] = i * n;
    }
    switch (k) {
    case 0: code = MPI_Barrier(comm); break;
    case 1:
        code = MPI_Bcast(in, n, MPI_INT, size - 1, comm);
        if (!code) expect(in[0] == size && in[n - 1] == size, "broadcast");
        break;
    case 2:
        code = MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, comm);
        if (!code) expect(out[0] == all && out[n - 1] == all, "allreduce");
        break;
    case 3:
        code = MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, comm);
        if (!code) expect(out[0] == 1 && out[size * n - 1] == size, "allgather");
        break;
    case 4:
        code = MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, comm);
        if (!code) expect(out[0] == 1 && out[size * n - 1] == size, "alltoall");
        break;
    case 5:
        code = MPI_Bcast(in, n, gaps, 0, comm);
        if (!code) expect(in[0] == 1 && in[1] == rank + 1 && in[2] == 1, "broadcast of a type with gaps");
        break;
    case 6:
        code = MPI_Gatherv(in, n, MPI_INT, out, counts, places, MPI_INT, 0, comm);
        if (!code && !rank) expect(out[0] == 1 && out[size * n - 1] == size, "gatherv");
        break;
    case 7:
        code = MPI_Allgather(in, n, gaps, out, n, MPI_INT, comm);
        if (!code) expect(out[0] == 1 && out[size * n - 1] == size, "allgather of a type with gaps");
        break;
    case 8:
        code = MPI_Reduce(in, out, n, MPI_INT, MPI_MAX, 0, comm);
        if (!code && !rank) expect(out[0] == size && out[n - 1] == size, "reduce");
        break;
    case 9:
        code = MPI_Scan(in, out, n, MPI_INT, MPI_SUM, comm);
        if (!code) expect(out[0] == (rank + 1) * (rank + 2) / 2, "scan");
        break;
    case 10:
        code = MPI_Alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, comm);
        if (!code) expect(out[0] == 1 && out[size * n - 1] == size, "alltoallv");
        break;
    default:
        code = MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, size - 1, comm);
        if (!code) expect(out[0] == size && out[n - 1] == size, "scatter");
    }
    return code;
}

static int run(MPI_Comm comm) {
    static const int lengths[] = {2, 400, COUNT};
    int first = MPI_SUCCESS;
    for (int t = 0; t < TIMES; t++)
        for (int l = 0; l < 3; l++)
            for (int k = 0; k < 12; k++) {
                int code = one(comm, k, lengths[l]);
                if (!first) first = code;
            }
    return first;
}

int main(int argc, char **argv) {
    MPI_Comm second;
    if (argc < 5) return 2;
    const char *number = getenv("OMPI_COMM_WORLD_RANK");
    if (!number) number = getenv("PMI_RANK");
    bool victim = number && atoi(number) == atoi(argv[2]), returns = !strcmp(argv[1], "return");
    long n = atol(argv[3]);
    if (victim) inject_arm(n, atoi(argv[4]));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    in = malloc((size_t)size * 2 * COUNT * sizeof *in);
    out = malloc((size_t)size * 2 * COUNT * sizeof *out);
    if (!in || !out) return 2;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gaps);
    MPI_Type_commit(&gaps);
    if (returns) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    int code = run(MPI_COMM_WORLD), other = run(second), class = 0;
    long calls = inject_disarm();
    /* What failed says so to all: on both communicators, whichever operation it was. */
    if (!code) code = other;
    if (code) MPI_Error_class(code, &class);
    MPI_Comm_free(&second);
    MPI_Type_free(&gaps);
    printf("%d %d %ld\n", rank, -class, victim ? calls : 0);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
