/* Collective operations (superstep/coll.h), made of BSPlib calls alone.
 *
 * All of them go through one registered buffer, the area. It has two halves, used in turn from sync to sync: a process
 * that is ahead writes into the half of the next superstep while a slower one still reads the half of the last, and it
 * cannot be two ahead. That is what makes the unbuffered hpput legal here, and with it one copy enough.
 *
 *     area   [ half 0: written before sync k, read after it ][ half 1: the same for sync k+1 ]
 *
 * Two phases: element blocks 0 … p-1 of a vector belong to processes 0 … p-1; "deal" brings block k of everybody to
 * process k. */
#include "bsp/coll_area.h"

#include <bsp.h>
#include <stdlib.h>
#include <string.h>
#include <superstep/coll.h>

enum { LEAST_HALF = 4096 };

static struct {
    unsigned char *base;
    size_t half;
    int turn;
} area;

bool sup_bsp_coll_owns(const void *addr) { return addr && addr == area.base; }

void sup_bsp_coll_reset(void) {
    free(area.base);
    area.base = NULL;
    area.half = 0;
}

static size_t times(const char *call, size_t a, size_t b) {
    size_t product;
    if (__builtin_mul_overflow(a, b, &product) || product > PTRDIFF_MAX / 4)
        bsp_abort("%s: %zu times %zu bytes are more than memory can hold (rank %d)", call, a, b, bsp_pid());
    return product;
}

static void check_root(const char *call, int root) {
    if (root < 0 || root >= bsp_nprocs())
        bsp_abort("%s: there is no process %d among %d (rank %d)", call, root, bsp_nprocs(), bsp_pid());
}

/* Makes room for `need` bytes a half. All processes come here with the same need, so all grow or none does. */
static void area_reserve(const char *call, size_t need) {
    if (area.base && need <= area.half) return;
    size_t half = 2 * area.half > need ? 2 * area.half : need;
    half = half < LEAST_HALF ? LEAST_HALF : (half + 63) / 64 * 64;
    unsigned char *base = malloc(2 * half);
    if (!base) bsp_abort("%s: no memory for a buffer of %zu bytes (rank %d)", call, 2 * half, bsp_pid());
    if (area.base) bsp_pop_reg(area.base);
    bsp_push_reg(base, 2 * half);
    bsp_sync();
    free(area.base);
    area.base = base;
    area.half = half;
    area.turn = 0;
}

static void area_put(int pid, const void *src, size_t offset, size_t nbytes) {
    bsp_hpput(pid, src, area.base, (size_t)area.turn * area.half + offset, nbytes);
}

/* Ends the superstep; the half that has just been filled, valid until the next but one. */
static unsigned char *area_sync(void) {
    bsp_sync();
    unsigned char *filled = area.base + (size_t)area.turn * area.half;
    area.turn ^= 1;
    return filled;
}

static void copy(void *dst, const void *src, size_t nbytes) {
    if (nbytes) memcpy(dst, src, nbytes);
}

void sup_bsp_release(void) {
    if (!area.base) return;
    bsp_pop_reg(area.base);
    bsp_sync();
    free(area.base);
    area.base = NULL;
    area.half = 0;
}

/* ---- blocks of bytes ---- */

void sup_bsp_broadcast_one_phase(int root, void *data, size_t nbytes) {
    check_root("sup_bsp_broadcast", root);
    area_reserve("sup_bsp_broadcast", times("sup_bsp_broadcast", nbytes, 1));
    if (bsp_pid() == root)
        for (int i = 0; i < bsp_nprocs(); i++)
            if (i != root) area_put(i, data, 0, nbytes);
    const unsigned char *filled = area_sync();
    if (bsp_pid() != root) copy(data, filled, nbytes);
}

/* First element of block `k` of `count` elements in p blocks that differ by one at most. */
static size_t block_start(size_t count, int k) {
    size_t p = (size_t)bsp_nprocs(), i = (size_t)k, rest = count % p;
    return i * (count / p) + (i < rest ? i : rest);
}

static size_t block_count(size_t count, int k) { return block_start(count, k + 1) - block_start(count, k); }

void sup_bsp_broadcast_two_phase(int root, void *data, size_t nbytes) {
    check_root("sup_bsp_broadcast", root);
    area_reserve("sup_bsp_broadcast", times("sup_bsp_broadcast", nbytes, 1));
    int p = bsp_nprocs(), s = bsp_pid();
    size_t mine = block_start(nbytes, s), n = block_count(nbytes, s);
    if (s == root)
        for (int i = 0; i < p; i++)
            area_put(i, (unsigned char *)data + block_start(nbytes, i), 0, block_count(nbytes, i));
    const unsigned char *block = area_sync();
    for (int i = 0; i < p; i++) area_put(i, block, mine, n);
    const unsigned char *filled = area_sync();
    if (s != root) copy(data, filled, nbytes);
}

void sup_bsp_broadcast(int root, void *data, size_t nbytes) {
    if (nbytes < SUP_BSP_TWO_PHASE_BYTES || bsp_nprocs() <= 2)
        sup_bsp_broadcast_one_phase(root, data, nbytes);
    else
        sup_bsp_broadcast_two_phase(root, data, nbytes);
}

void sup_bsp_gather(int root, const void *send, size_t nbytes, void *recv) {
    check_root("sup_bsp_gather", root);
    size_t total = times("sup_bsp_gather", nbytes, (size_t)bsp_nprocs());
    area_reserve("sup_bsp_gather", total);
    area_put(root, send, (size_t)bsp_pid() * nbytes, nbytes);
    const unsigned char *filled = area_sync();
    if (bsp_pid() == root) copy(recv, filled, total);
}

void sup_bsp_scatter(int root, const void *send, size_t nbytes, void *recv) {
    check_root("sup_bsp_scatter", root);
    times("sup_bsp_scatter", nbytes, (size_t)bsp_nprocs());
    area_reserve("sup_bsp_scatter", nbytes);
    if (bsp_pid() == root)
        for (int i = 0; i < bsp_nprocs(); i++) area_put(i, (const unsigned char *)send + (size_t)i * nbytes, 0, nbytes);
    copy(recv, area_sync(), nbytes);
}

void sup_bsp_allgather(const void *send, size_t nbytes, void *recv) {
    size_t total = times("sup_bsp_allgather", nbytes, (size_t)bsp_nprocs());
    area_reserve("sup_bsp_allgather", total);
    for (int i = 0; i < bsp_nprocs(); i++) area_put(i, send, (size_t)bsp_pid() * nbytes, nbytes);
    copy(recv, area_sync(), total);
}

void sup_bsp_total_exchange(const void *send, size_t nbytes, void *recv) {
    size_t total = times("sup_bsp_total_exchange", nbytes, (size_t)bsp_nprocs());
    area_reserve("sup_bsp_total_exchange", total);
    for (int i = 0; i < bsp_nprocs(); i++)
        area_put(i, (const unsigned char *)send + (size_t)i * nbytes, (size_t)bsp_pid() * nbytes, nbytes);
    copy(recv, area_sync(), total);
}

/* ---- vectors and operators ---- */

/* A vector operation: the operator and the shape of its operands. */
typedef struct vector {
    const char *call;
    sup_bsp_fold fold;
    void *context;
    size_t element, count; /* bytes of an element, elements */
    size_t stride;         /* bytes between the dealt blocks of two processes */
    bool two_phase;
} vector;

static vector vector_of(const char *call, sup_bsp_fold fold, void *context, size_t element, size_t count) {
    size_t p = (size_t)bsp_nprocs(), nbytes = times(call, element, count);
    vector v = {.call = call, .fold = fold, .context = context, .element = element, .count = count};
    v.two_phase = nbytes >= SUP_BSP_TWO_PHASE_BYTES && p > 2 && count > 1;
    v.stride = v.two_phase ? times(call, element, count / p + 1) : nbytes;
    area_reserve(call, times(call, v.stride, p));
    return v;
}

/* Adds operands of processes first … last, which lie `stride` apart at `operands`, into the one of `first`. */
static void fold_range(const vector *v, unsigned char *operands, int first, int last, size_t count) {
    for (int i = first + 1; i <= last && count > 0; i++)
        v->fold(operands + (size_t)first * v->stride, operands + (size_t)i * v->stride, count, v->context);
}

/* Block k of everybody's vector to process k; the blocks of all processes, `stride` apart in order of rank. */
static unsigned char *deal(const vector *v, const unsigned char *send) {
    for (int k = 0; k < bsp_nprocs(); k++)
        area_put(k, send + block_start(v->count, k) * v->element, (size_t)bsp_pid() * v->stride,
                 block_count(v->count, k) * v->element);
    return area_sync();
}

/* One phase: to all processes first … last, everything. */
static unsigned char *spread(const vector *v, const void *send, int first, int last) {
    for (int i = first; i <= last; i++) area_put(i, send, (size_t)bsp_pid() * v->stride, v->count * v->element);
    return area_sync();
}

/* Reduction to processes first … last, which are one or all. */
static void reduce_to(const vector *v, const void *send, void *recv, int first, int last) {
    int p = bsp_nprocs(), s = bsp_pid();
    bool receives = s >= first && s <= last;
    if (!v->two_phase) {
        unsigned char *filled = spread(v, send, first, last);
        if (!receives) return;
        fold_range(v, filled, 0, p - 1, v->count);
        copy(recv, filled, v->count * v->element);
        return;
    }
    unsigned char *blocks = deal(v, send);
    size_t n = block_count(v->count, s);
    fold_range(v, blocks, 0, p - 1, n);
    for (int i = first; i <= last; i++) area_put(i, blocks, block_start(v->count, s) * v->element, n * v->element);
    const unsigned char *filled = area_sync();
    if (receives) copy(recv, filled, v->count * v->element);
}

void sup_bsp_reduce(int root, sup_bsp_fold fold, void *context, size_t element_nbytes, const void *send, void *recv,
                    size_t count) {
    check_root("sup_bsp_reduce", root);
    vector v = vector_of("sup_bsp_reduce", fold, context, element_nbytes, count);
    reduce_to(&v, send, recv, root, root);
}

void sup_bsp_allreduce(sup_bsp_fold fold, void *context, size_t element_nbytes, const void *send, void *recv,
                       size_t count) {
    vector v = vector_of("sup_bsp_allreduce", fold, context, element_nbytes, count);
    reduce_to(&v, send, recv, 0, bsp_nprocs() - 1);
}

void sup_bsp_scan(sup_bsp_fold fold, void *context, size_t element_nbytes, const void *send, void *recv, size_t count) {
    vector v = vector_of("sup_bsp_scan", fold, context, element_nbytes, count);
    int p = bsp_nprocs(), s = bsp_pid();
    if (!v.two_phase) {
        unsigned char *filled = spread(&v, send, s, p - 1);
        fold_range(&v, filled, 0, s, count);
        copy(recv, filled, count * element_nbytes);
        return;
    }
    unsigned char *blocks = deal(&v, send);
    size_t n = block_count(count, s), nbytes = n * element_nbytes;
    unsigned char *prefix = malloc(times(v.call, v.stride, (size_t)p));
    if (!prefix) bsp_abort("sup_bsp_scan: no memory (rank %d)", s);
    for (int i = 0; i < p; i++) {
        /* The sum so far is block 0, which is folded into in place; a copy of it goes to process i. */
        if (i > 0 && n > 0) fold(blocks, blocks + (size_t)i * v.stride, n, context);
        copy(prefix + (size_t)i * v.stride, blocks, nbytes);
        area_put(i, prefix + (size_t)i * v.stride, block_start(count, s) * element_nbytes, nbytes);
    }
    copy(recv, area_sync(), count * element_nbytes);
    free(prefix);
}

/* ---- the usual types ---- */

static void fold_double(void *accumulator, const void *operand, size_t count, void *context) {
    double *a = accumulator;
    const double *b = operand;
    sup_bsp_op op = *(const sup_bsp_op *)context;
    for (size_t i = 0; i < count; i++) {
        if (op == SUP_BSP_SUM)
            a[i] += b[i];
        else if (op == SUP_BSP_PRODUCT)
            a[i] *= b[i];
        else if (b[i] != b[i] || (op == SUP_BSP_MIN ? b[i] < a[i] : b[i] > a[i]))
            a[i] = b[i];
    }
}

static void fold_int64(void *accumulator, const void *operand, size_t count, void *context) {
    int64_t *a = accumulator;
    const int64_t *b = operand;
    sup_bsp_op op = *(const sup_bsp_op *)context;
    for (size_t i = 0; i < count; i++) {
        if (op == SUP_BSP_SUM)
            a[i] = (int64_t)((uint64_t)a[i] + (uint64_t)b[i]);
        else if (op == SUP_BSP_PRODUCT)
            a[i] = (int64_t)((uint64_t)a[i] * (uint64_t)b[i]);
        else if (op == SUP_BSP_MIN ? b[i] < a[i] : b[i] > a[i])
            a[i] = b[i];
    }
}

void sup_bsp_reduce_double(int root, sup_bsp_op op, const double *send, double *recv, size_t count) {
    sup_bsp_reduce(root, fold_double, &op, sizeof *send, send, recv, count);
}

void sup_bsp_reduce_int64(int root, sup_bsp_op op, const int64_t *send, int64_t *recv, size_t count) {
    sup_bsp_reduce(root, fold_int64, &op, sizeof *send, send, recv, count);
}

void sup_bsp_allreduce_double(sup_bsp_op op, const double *send, double *recv, size_t count) {
    sup_bsp_allreduce(fold_double, &op, sizeof *send, send, recv, count);
}

void sup_bsp_allreduce_int64(sup_bsp_op op, const int64_t *send, int64_t *recv, size_t count) {
    sup_bsp_allreduce(fold_int64, &op, sizeof *send, send, recv, count);
}

void sup_bsp_scan_double(sup_bsp_op op, const double *send, double *recv, size_t count) {
    sup_bsp_scan(fold_double, &op, sizeof *send, send, recv, count);
}

void sup_bsp_scan_int64(sup_bsp_op op, const int64_t *send, int64_t *recv, size_t count) {
    sup_bsp_scan(fold_int64, &op, sizeof *send, send, recv, count);
}
