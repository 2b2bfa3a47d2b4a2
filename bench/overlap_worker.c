/* bench/overlap: a BSP program of two processes on two hosts; arguments SOCKET GROUP.
 *
 * Its work is an amount and not a time: steps of a random number generator, each depending on the last. Work that only
 * watched a clock would seem to go on while a progress thread has the core. */
#include "harness.h"
#include "overlap_kinds.h"
#include "worker.h"

#include <bsp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct context {
    int other;
    unsigned char *src, *dst;
    uint64_t state;
} context;

static void work(context *c, long steps) {
    uint64_t s = c->state;
    for (long i = 0; i < steps; i++) s = s * 6364136223846793005ull + 1442695040888963407ull;
    c->state = s;
    __asm__ volatile("" ::"r"(s));
}

static bool batch(void *context_, const bench_order *o, long reps) {
    context *c = context_;
    size_t size = (size_t)o->size;
    if (o->size < 1 || size > OVERLAP_BYTES_MAX || o->count < 0) return false;
    for (long i = 0; i < reps; i++) {
        if (o->kind != OVERLAP_COMP) bsp_hpput(c->other, c->src, c->dst, 0, size);
        if (o->kind != OVERLAP_COMM) work(c, (long)o->count);
        bsp_sync();
    }
    return o->kind == OVERLAP_COMP || c->dst[size - 1] == (unsigned char)(c->other + 1);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s SOCKET GROUP (started by bench_overlap)\n", argv[0]);
        return 2;
    }
    bool pinned = bench_pin_by_mpi();
    bsp_begin(2);
    if (!pinned) bench_pin(bsp_pid());
    int me = bsp_pid();
    context c = {1 - me, malloc(OVERLAP_BYTES_MAX), malloc(OVERLAP_BYTES_MAX), 1};
    if (bsp_nprocs() != 2 || !c.src || !c.dst) bsp_abort("bench_overlap: two processes and their memory are needed\n");
    memset(c.src, me + 1, OVERLAP_BYTES_MAX);
    memset(c.dst, 0, OVERLAP_BYTES_MAX);
    bsp_push_reg(c.dst, OVERLAP_BYTES_MAX);
    bsp_sync();
    bench_worker w = {me, BENCH_CROWD, batch, &c};
    int rc = bench_serve(&w, argv[1], argv[2]);
    bsp_pop_reg(c.dst);
    bsp_end();
    free(c.dst);
    free(c.src);
    return rc;
}
