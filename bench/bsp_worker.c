/* bench/bsp: a BSP program on whatever transport it is started; arguments SOCKET GROUP, and "crowd" where there are
 * more processes than cores; or "free": then they also stay where the kernel puts them. All memory it communicates is
 * from malloc inside bsp_begin and bsp_end: heap memory. */
#include "bsp_kinds.h"
#include "harness.h"
#include "worker.h"

#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct context {
    int next, before;
    unsigned char *src, *dst;
    volatile unsigned sum; /* of what was used */
} context;

static void put(const context *c, size_t size, long count) {
    for (long i = 0; i < count; i++) {
        size_t at = (size_t)i * size;
        bsp_put(c->next, c->src + at, c->dst, at, size);
    }
}

static void hpput(const context *c, size_t size, long count) {
    for (long i = 0; i < count; i++) {
        size_t at = (size_t)i * size;
        bsp_hpput(c->next, c->src + at, c->dst, at, size);
    }
}

static void get(const context *c, size_t size, long count) {
    for (long i = 0; i < count; i++) {
        size_t at = (size_t)i * size;
        bsp_get(c->before, c->src, at, c->dst + at, size);
    }
}

static void send_all(const context *c, size_t size, long count) {
    for (long i = 0; i < count; i++) bsp_send(c->next, NULL, c->src + (size_t)i * size, size);
}

/* False: not as many as there should be. */
static bool drain(const context *c, size_t size, long count) {
    size_t packets;
    bsp_qsize(&packets, (size_t *)NULL);
    for (size_t i = 0; i < packets; i++) bsp_move(c->dst + i * size, size);
    return packets == (size_t)count;
}

/* What arrived last is what the process before has there. */
static bool arrived(const context *c, size_t bytes) {
    return !bytes || c->dst[bytes - 1] == (unsigned char)(c->before + 1);
}

static bool batch(void *context_, const bench_order *o, long reps) {
    context *c = context_;
    size_t size = (size_t)o->size;
    long count = (long)o->count;
    bool ok = true;
    if (o->size < 0 || count < 0 || count > BSP_COUNT_MAX || (count && size > BSP_BYTES_MAX / (size_t)count))
        return false;
    for (long i = 0; i < reps; i++) {
        switch (o->kind) {
        case BSP_SYNC: break;
        case BSP_PUT_USED: bsp_use_source(c->src, size * (size_t)count); /* fall through */
        case BSP_PUT: put(c, size, count); break;
        case BSP_HPPUT: hpput(c, size, count); break;
        case BSP_GET: get(c, size, count); break;
        case BSP_SEND: send_all(c, size, count); break;
        default: return false;
        }
        bsp_sync();
        if (o->kind == BSP_PUT_USED) c->sum = bsp_use_arrived(c->dst, size * (size_t)count);
        if (o->kind == BSP_SEND) ok = drain(c, size, count) && ok;
    }
    return ok && (o->kind == BSP_SYNC || arrived(c, size * (size_t)count));
}

int main(int argc, char **argv) {
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: %s SOCKET GROUP [crowd] (started by bench_bsp)\n", argv[0]);
        return 2;
    }
    bool pinned = (argc == 4 && !strcmp(argv[3], "free")) || bench_pin_by_mpi();
    bsp_begin(bsp_nprocs());
    if (!pinned) bench_pin(bsp_pid());
    int p = bsp_nprocs(), me = bsp_pid();
    context c = {(me + 1) % p, (me + p - 1) % p, malloc(BSP_BYTES_MAX), malloc(BSP_BYTES_MAX), 0};
    if (!c.src || !c.dst) bsp_abort("bench_bsp: no memory\n");
    memset(c.src, me + 1, BSP_BYTES_MAX);
    memset(c.dst, 0, BSP_BYTES_MAX);
    bsp_push_reg(c.src, BSP_BYTES_MAX);
    bsp_push_reg(c.dst, BSP_BYTES_MAX);
    bsp_sync();
    bool threads = strncmp(argv[2], "shm", 3) != 0; /* MPI needs a progress thread */
    bench_worker w = {me, argc == 4 ? BENCH_CROWD : threads ? BENCH_THREADS : BENCH_ALONE, batch, &c};
    int rc = bench_serve(&w, argv[1], argv[2]);
    bsp_pop_reg(c.dst);
    bsp_pop_reg(c.src);
    bsp_end();
    free(c.dst);
    free(c.src);
    return rc;
}
