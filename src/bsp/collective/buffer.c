/* The buffer of the collective operations (coll.h). It has two halves, used in turn from sync to sync: a process that
 * is ahead writes into the half of the next superstep while a slower one still reads the half of the last, and it
 * cannot be two ahead. That is what makes the unbuffered hpput legal here, and with it one copy enough.
 *
 *     area   [ half 0: written before sync k, read after it ][ half 1: the same for sync k+1 ] */
#include "bsp/collective/area.h"
#include "bsp/collective/coll.h"

#include <bsp.h>
#include <stdlib.h>
#include <string.h>
#include <superstep/coll.h>

enum { LEAST_HALF = 4096 };

size_t bsp_coll_times(const char *call, size_t a, size_t b) {
    size_t product;
    if (__builtin_mul_overflow(a, b, &product) || product > PTRDIFF_MAX / 4)
        bsp_abort("%s: %zu times %zu bytes are more than memory can hold (rank %d)", call, a, b, bsp_pid());
    return product;
}

void bsp_coll_reserve(const char *call, size_t need) {
    if (sup_bsp_coll_area.base && need <= sup_bsp_coll_area.half) return;
    size_t half = 2 * sup_bsp_coll_area.half > need ? 2 * sup_bsp_coll_area.half : need;
    half = half < LEAST_HALF ? LEAST_HALF : (half + 63) / 64 * 64;
    unsigned char *base = malloc(2 * half);
    if (!base) bsp_abort("%s: no memory for a buffer of %zu bytes (rank %d)", call, 2 * half, bsp_pid());
    if (sup_bsp_coll_area.base) bsp_pop_reg(sup_bsp_coll_area.base);
    bsp_push_reg(base, 2 * half);
    bsp_sync();
    free(sup_bsp_coll_area.base);
    sup_bsp_coll_area.base = base;
    sup_bsp_coll_area.half = half;
    sup_bsp_coll_area.turn = 0;
}

void bsp_coll_put(int pid, const void *src, size_t offset, size_t nbytes) {
    bsp_hpput(pid, src, sup_bsp_coll_area.base, (size_t)sup_bsp_coll_area.turn * sup_bsp_coll_area.half + offset,
              nbytes);
}

unsigned char *bsp_coll_sync(void) {
    bsp_sync();
    unsigned char *filled = sup_bsp_coll_area.base + (size_t)sup_bsp_coll_area.turn * sup_bsp_coll_area.half;
    sup_bsp_coll_area.turn ^= 1;
    return filled;
}

void bsp_coll_copy(void *dst, const void *src, size_t nbytes) {
    if (nbytes) memcpy(dst, src, nbytes);
}

void sup_bsp_release(void) {
    if (!sup_bsp_coll_area.base) return;
    bsp_pop_reg(sup_bsp_coll_area.base);
    bsp_sync();
    sup_bsp_coll_reset();
}

size_t bsp_coll_block_start(size_t count, int k) {
    size_t p = (size_t)bsp_nprocs(), i = (size_t)k, rest = count % p;
    return i * (count / p) + (i < rest ? i : rest);
}

size_t bsp_coll_block_count(size_t count, int k) {
    return bsp_coll_block_start(count, k + 1) - bsp_coll_block_start(count, k);
}

void bsp_coll_fold(const bsp_coll_vector *v, unsigned char *operands, int first, int last, size_t count) {
    for (int i = first + 1; i <= last && count > 0; i++)
        v->fold.into(operands + (size_t)first * v->stride, operands + (size_t)i * v->stride, count, v->fold.context);
}
