/* bench/coll: an MPI program as any user has one, which calls collective operations on buffers of its own: before each
 * call it writes its data anew and all meet, behind it reads what has come; only the call is timed. (Who calls again
 * and again with the same buffers measures the cache.) It knows nothing of Superstep; arguments SOCKET GROUP [free].
 * Run with the preload library it makes the same calls. free: it stays where the kernel puts it, among more processes
 * than cores. */
#include "coll_kinds.h"
#include "harness.h"
#include "worker.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct buffers {
    char *in, *out;
    size_t room; /* of each */
    int size;
    int *counts, *places; /* blocks of an irregular operation */
    int rank;
    double seconds; /* of a batch, in calls */
} buffers;

/* Made before the clock runs: the repetitions that come before a timed batch ask for the same. */
static bool reserve(buffers *b, const bench_order *o) {
    size_t need = (size_t)o->size * (coll_has_blocks(o->kind) ? (size_t)b->size : 1) + 64;
    if (need <= b->room) return true;
    free(b->in);
    free(b->out);
    b->in = malloc(need);
    b->out = malloc(need);
    b->room = b->in && b->out ? need : 0;
    if (!b->room) return false;
    memset(b->in, 0, need);
    memset(b->out, 0, need);
    return true;
}

static int call(const buffers *b, int kind, int n) {
    MPI_Comm w = MPI_COMM_WORLD;
    int doubles = n / (int)sizeof(double);
    switch (kind) {
    case COLL_BARRIER: return MPI_Barrier(w);
    case COLL_BCAST: return MPI_Bcast(b->out, n, MPI_BYTE, 0, w);
    case COLL_ALLREDUCE: return MPI_Allreduce(b->in, b->out, doubles, MPI_DOUBLE, MPI_SUM, w);
    case COLL_ALLGATHER: return MPI_Allgather(b->in, n, MPI_BYTE, b->out, n, MPI_BYTE, w);
    case COLL_REDUCE: return MPI_Reduce(b->in, b->out, doubles, MPI_DOUBLE, MPI_SUM, 0, w);
    case COLL_ALLTOALL: return MPI_Alltoall(b->in, n, MPI_BYTE, b->out, n, MPI_BYTE, w);
    case COLL_REDUCE_SCATTER: return MPI_Reduce_scatter(b->in, b->out, b->counts, MPI_DOUBLE, MPI_SUM, w);
    case COLL_GATHER: return MPI_Gather(b->in, n, MPI_BYTE, b->out, n, MPI_BYTE, 0, w);
    case COLL_SCATTER: return MPI_Scatter(b->in, n, MPI_BYTE, b->out, n, MPI_BYTE, 0, w);
    case COLL_SCAN: return MPI_Scan(b->in, b->out, doubles, MPI_DOUBLE, MPI_SUM, w);
    case COLL_ALLGATHERV: return MPI_Allgatherv(b->in, n, MPI_BYTE, b->out, b->counts, b->places, MPI_BYTE, w);
    case COLL_ALLTOALLV:
        return MPI_Alltoallv(b->in, b->counts, b->places, MPI_BYTE, b->out, b->counts, b->places, MPI_BYTE, w);
    default: return MPI_ERR_ARG;
    }
}

static void write_anew(char *at, size_t bytes, long seed) {
    for (size_t i = 0; i + sizeof(double) <= bytes; i += sizeof(double))
        *(double *)(void *)(at + i) = (double)(seed + (long)i);
}

static void read_all(const char *at, size_t bytes) {
    static volatile double sink;
    double sum = 0;
    for (size_t i = 0; i + sizeof(double) <= bytes; i += 64) sum += *(const double *)(const void *)(at + i);
    sink = sink + sum;
}

static bool once(buffers *b, int kind, int n, long i) {
    size_t all = (size_t)n * (size_t)b->size, in = coll_sends_all(kind) ? all : (size_t)n;
    size_t out = coll_gets_all(kind) ? all : (size_t)n;
    if (kind == COLL_BCAST)
        write_anew(b->out, out, b->rank ? 0 : i);
    else if (kind != COLL_SCATTER || !b->rank)
        write_anew(b->in, in, b->rank + i);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    bool ok = call(b, kind, n) == MPI_SUCCESS;
    b->seconds += MPI_Wtime() - begin;
    read_all(b->out, out);
    return ok;
}

static bool batch(void *context, const bench_order *order, long reps) {
    buffers *b = context;
    int n = (int)order->size;
    if (!reserve(b, order)) return false;
    for (int i = 0; i < b->size; i++) {
        b->counts[i] = order->kind == COLL_REDUCE_SCATTER ? n / (int)sizeof(double) : n;
        b->places[i] = i * n;
    }
    bool ok = true;
    b->seconds = 0;
    for (long i = 0; i < reps && ok; i++) ok = once(b, order->kind, n, i);
    return ok;
}

int main(int argc, char **argv) {
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: %s SOCKET GROUP [free] (started by bench_coll)\n", argv[0]);
        return 2;
    }
    if (argc != 4) bench_pin_by_mpi(); /* before MPI starts, so that its memory is where its process is */
    MPI_Init(&argc, &argv);
    buffers b = {0};
    MPI_Comm_size(MPI_COMM_WORLD, &b.size);
    b.counts = calloc(2 * (size_t)b.size, sizeof *b.counts);
    if (!b.counts) MPI_Abort(MPI_COMM_WORLD, 1);
    b.places = b.counts + b.size;
    bench_worker w = {.sharing = argc == 4 ? BENCH_CROWD : BENCH_ALONE,
                      .batch = batch,
                      .context = &b,
                      .seconds = &b.seconds};
    MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
    b.rank = w.rank;
    int rc = bench_serve(&w, argv[1], argv[2]);
    MPI_Finalize();
    free(b.in);
    free(b.out);
    free(b.counts);
    return rc;
}
