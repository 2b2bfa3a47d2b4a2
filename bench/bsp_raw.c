/* bench/bsp: MPI's own calls, in processes that run nothing else; arguments SOCKET GROUP. */
#include "bsp_kinds.h"
#include "harness.h"
#include "worker.h"

#include "net/net.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64 };

typedef struct context {
    int size, next, before;
    unsigned char *src, *dst;
    MPI_Win own, allocated, source;
    MPI_Request request[2 * WINDOW];
    volatile unsigned sum; /* of what was used */
} context;

static void put(const context *c, MPI_Win win, int size, long count) {
    for (long i = 0; i < count; i++)
        MPI_Put(c->src + i * size, size, MPI_BYTE, c->next, (MPI_Aint)i * size, size, MPI_BYTE, win);
    MPI_Win_fence(0, win);
}

static void put_used(context *c, int size, long count) {
    size_t bytes = (size_t)size * (size_t)count;
    bsp_use_source(c->src, bytes);
    put(c, c->own, size, count);
    c->sum = bsp_use_arrived(c->dst, bytes);
    MPI_Win_fence(0, c->own);
}

static void get(const context *c, int size, long count) {
    for (long i = 0; i < count; i++)
        MPI_Get(c->dst + i * size, size, MPI_BYTE, c->before, (MPI_Aint)i * size, size, MPI_BYTE, c->source);
    MPI_Win_fence(0, c->source);
}

/* In windows, as a program would: MPIs do badly with thousands of open requests. */
static void message(context *c, int size, long count) {
    for (long at = 0; at < count; at += WINDOW) {
        long n = count - at < WINDOW ? count - at : WINDOW;
        for (long i = 0; i < n; i++)
            MPI_Irecv(c->dst + (at + i) * size, size, MPI_BYTE, c->before, 0, MPI_COMM_WORLD, &c->request[i]);
        for (long i = 0; i < n; i++)
            MPI_Isend(c->src + (at + i) * size, size, MPI_BYTE, c->next, 0, MPI_COMM_WORLD, &c->request[n + i]);
        MPI_Waitall((int)(2 * n), c->request, MPI_STATUSES_IGNORE);
    }
}

static bool batch(void *context_, const bench_order *o, long reps) {
    context *c = context_;
    int size = (int)o->size;
    long count = (long)o->count;
    if (size < 0 || count < 0 || count > BSP_COUNT_MAX || size * count > BSP_BYTES_MAX) return false;
    for (long i = 0; i < reps; i++) switch (o->kind) {
        case RAW_BARRIER: MPI_Barrier(MPI_COMM_WORLD); break;
        case RAW_PUT: put(c, c->own, size, count); break;
        case RAW_PUT_ALLOC: put(c, c->allocated, size, count); break;
        case RAW_PUT_USED: put_used(c, size, count); break;
        case RAW_GET: get(c, size, count); break;
        case RAW_MESSAGE: message(c, size, count); break;
        default: return false;
        }
    return true;
}

/* Over memory of the program; some builds of MPI cannot do that on one machine, then over memory of MPI. */
static MPI_Win window(void *base) {
    MPI_Win win;
    void *there;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = MPI_Win_create(base, BSP_BYTES_MAX, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (code != MPI_SUCCESS) {
        MPI_Win_allocate(BSP_BYTES_MAX, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &there, &win);
        memset(there, 0, BSP_BYTES_MAX);
    }
    return win;
}

int main(int argc, char **argv) {
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: %s SOCKET GROUP [crowd] (started by bench_bsp)\n", argv[0]);
        return 2;
    }
    sup_launch launch;
    sup_launch_read(&launch);
    if (launch.rank >= 0) bench_pin(launch.rank);
    MPI_Init(NULL, NULL);
    int p, me;
    void *there;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    context c = {.size = p, .next = (me + 1) % p, .before = (me + p - 1) % p};
    c.src = malloc(BSP_BYTES_MAX);
    c.dst = malloc(BSP_BYTES_MAX);
    if (!c.src || !c.dst) MPI_Abort(MPI_COMM_WORLD, 1);
    memset(c.src, me + 1, BSP_BYTES_MAX);
    memset(c.dst, 0, BSP_BYTES_MAX);
    c.own = window(c.dst);
    c.source = window(c.src);
    MPI_Win_allocate(BSP_BYTES_MAX, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &there, &c.allocated);
    memset(there, 0, BSP_BYTES_MAX);
    MPI_Win_fence(0, c.own);
    MPI_Win_fence(0, c.source);
    MPI_Win_fence(0, c.allocated);
    bench_worker w = {me, argc == 4 ? BENCH_CROWD : BENCH_ALONE, batch, &c};
    int rc = bench_serve(&w, argv[1], argv[2]);
    MPI_Win_free(&c.allocated);
    MPI_Win_free(&c.source);
    MPI_Win_free(&c.own);
    MPI_Finalize();
    free(c.dst);
    free(c.src);
    return rc;
}
