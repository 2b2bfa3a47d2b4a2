/* The bare limits of bench/bsp: what a sync, a put and a thousand puts cost where there is no library at all.
 *
 * Barriers are dissemination barriers on plain flags, one cache line a process and round; two processes have one round.
 * Logs and staging areas exist twice, for even and odd supersteps, so that one barrier a superstep is enough. */
#include "bsp_bare.h"

#include "bsp_kinds.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ROUNDS = 4 };

typedef struct flag {
    _Alignas(128) _Atomic uint64_t value;
} flag;

typedef struct record {
    uint64_t *address;
    uint64_t value;
} record;

/* What a process shows to the others. */
typedef struct area {
    flag flag[ROUNDS];
    _Alignas(4096) unsigned char target[BSP_BYTES_MAX];
    unsigned char stage[2][BSP_BYTES_MAX];
    record log[2][BSP_COUNT_MAX];
} area;

/* Where a log stands: in memory, because the caller of a put does not carry it around. */
typedef struct log_end {
    record *at, *end;
} log_end;

typedef struct context {
    int rank, size, rounds;
    area *area; /* of all */
    uint64_t epoch;
    unsigned char *src, *dst;
    log_end log;
} context;

static void barrier(context *c) {
    uint64_t epoch = ++c->epoch;
    for (int r = 0, step = 1; step < c->size; r++, step *= 2) {
        atomic_store_explicit(&c->area[c->rank].flag[r].value, epoch, memory_order_release);
        _Atomic uint64_t *from = &c->area[(c->rank + c->size - step) % c->size].flag[r].value;
        while (atomic_load_explicit(from, memory_order_acquire) < epoch) continue;
    }
}

static void staged(context *c, size_t size) {
    int parity = (int)(c->epoch & 1), before = (c->rank + c->size - 1) % c->size;
    memcpy(c->area[c->rank].stage[parity], c->src, size);
    barrier(c);
    memcpy(c->dst, c->area[before].stage[parity], size);
}

static void copied(context *c, size_t size) {
    memcpy(c->area[(c->rank + 1) % c->size].target, c->src, size);
    barrier(c);
}

/* Is there room, write, move on. */
static inline bool append(log_end *l, uint64_t *address, uint64_t value) {
    if (l->at == l->end) return false;
    *l->at++ = (record){address, value};
    __asm__ volatile("" ::: "memory");
    return true;
}

/* Private memory of all processes is at the same address, as they were forked: the address of ours will do. */
static void logged(context *c, long count) {
    int parity = (int)(c->epoch & 1), before = (c->rank + c->size - 1) % c->size;
    const uint64_t *src = (const uint64_t *)c->src;
    uint64_t *dst = (uint64_t *)c->dst;
    record *log = c->area[c->rank].log[parity];
    log_end *l = &c->log;
    *l = (log_end){log, log + BSP_COUNT_MAX};
    for (long i = 0; i < count && append(l, dst + i, src[i]); i++) continue;
    barrier(c);
    log = c->area[before].log[parity];
    for (long i = 0; i < count; i++) {
        *log[i].address = log[i].value;
        __asm__ volatile("" ::: "memory");
    }
}

static bool batch(void *context_, const bench_order *o, long reps) {
    context *c = context_;
    size_t size = (size_t)o->size;
    if (o->size < 0 || size > BSP_BYTES_MAX || o->count < 0 || o->count > BSP_COUNT_MAX) return false;
    for (long i = 0; i < reps; i++) switch (o->kind) {
        case BARE_BARRIER: barrier(c); break;
        case BARE_STAGED: staged(c, size); break;
        case BARE_COPY: copied(c, size); break;
        case BARE_LOG: logged(c, (long)o->count); break;
        default: return false;
        }
    return true;
}

static int body(const bench_group *g, int rank, const char *socket_path, void *shared) {
    context *c = shared;
    c->rank = rank;
    memset(c->src, rank + 1, BSP_BYTES_MAX);
    memset(&c->area[rank].target, 0, sizeof c->area->target);
    bench_worker w = {rank, BENCH_ALONE, batch, c};
    return bench_serve(&w, socket_path, g->name);
}

bool bsp_bare_start(bench_group *g, const char *socket_path) {
    context c = {.size = g->size};
    size_t bytes = (size_t)g->size * sizeof(area);
    bool started = false;
    c.src = aligned_alloc(4096, BSP_BYTES_MAX);
    c.dst = aligned_alloc(4096, BSP_BYTES_MAX);
    if (!c.src || !c.dst) goto free_private;
    memset(c.dst, 0, BSP_BYTES_MAX);
    c.area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c.area == MAP_FAILED) goto free_private;
    started = bench_group_fork(g, socket_path, g->size, body, &c);
    munmap(c.area, bytes);
free_private:
    free(c.dst);
    free(c.src);
    return started;
}
