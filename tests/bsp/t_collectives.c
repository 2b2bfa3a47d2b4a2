/* superstep/coll.h against what the definitions say, for every root, on both sides of the change of algorithm. */
#include "tap.h"
#include "topics.h"

#include <bsp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <superstep/coll.h>

static const size_t sizes[] = {0,     1,     3,     8, 1000, SUP_BSP_TWO_PHASE_BYTES - 1, SUP_BSP_TWO_PHASE_BYTES,
                               30011, 70003, 270001};
enum { SIZES = sizeof sizes / sizeof *sizes, LONGEST = 270001 };

static unsigned char byte_of(int owner, size_t i) { return (unsigned char)((size_t)owner * 37 + i * 11 + i / 253); }

static void fill(unsigned char *p, size_t n, int owner) {
    for (size_t i = 0; i < n; i++) p[i] = byte_of(owner, i);
}

static void broadcasts(void) {
    unsigned char *data = malloc(LONGEST + 1);
    void (*const variants[])(int, void *, size_t) = {sup_bsp_broadcast, sup_bsp_broadcast_one_phase,
                                                     sup_bsp_broadcast_two_phase};
    size_t wrong = 0;
    RULE("broadcast: everybody has the root's bytes, and not one more");
    for (int variant = 0; variant < 3; variant++)
        for (int root = 0; root < bsp_nprocs(); root++)
            for (int k = 0; k < SIZES; k++) {
                if (sizes[k] > 30011 && root != bsp_nprocs() - 1) continue;
                memset(data, 0, sizes[k]);
                data[sizes[k]] = 0x99;
                if (bsp_pid() == root) fill(data, sizes[k], root);
                variants[variant](root, data, sizes[k]);
                for (size_t i = 0; i < sizes[k]; i++) wrong += data[i] != byte_of(root, i);
                wrong += data[sizes[k]] != 0x99;
            }
    EXPECT(wrong == 0);
    free(data);
}

static void blocks(void) {
    int p = bsp_nprocs(), s = bsp_pid();
    unsigned char *one = malloc(LONGEST), *all = malloc((size_t)p * LONGEST), *back = malloc((size_t)p * LONGEST);
    size_t wrong = 0;

    RULE("gather and scatter: blocks lie in order of rank, and one undoes the other");
    for (int root = 0; root < p; root++)
        for (int k = 0; k < SIZES; k++) {
            size_t n = sizes[k];
            if (n > 30011 && root != p - 1) continue;
            fill(one, n, s);
            sup_bsp_gather(root, one, n, s == root ? all : NULL);
            for (int r = 0; r < p && s == root; r++)
                for (size_t i = 0; i < n; i++) wrong += all[(size_t)r * n + i] != byte_of(r, i);
            memset(one, 0, n);
            sup_bsp_scatter(root, s == root ? all : NULL, n, one);
            for (size_t i = 0; i < n; i++) wrong += one[i] != byte_of(s, i);
        }
    EXPECT(wrong == 0);

    RULE("allgather: a gather to everybody");
    for (int k = 0; k < SIZES; k++) {
        size_t n = sizes[k];
        fill(one, n, s);
        sup_bsp_allgather(one, n, all);
        for (int r = 0; r < p; r++)
            for (size_t i = 0; i < n; i++) wrong += all[(size_t)r * n + i] != byte_of(r, i);
    }
    EXPECT(wrong == 0);

    RULE("total exchange: block j of process i becomes block i of process j");
    for (int k = 0; k < SIZES; k++) {
        size_t n = sizes[k];
        for (int r = 0; r < p; r++) fill(all + (size_t)r * n, n, s * p + r);
        sup_bsp_total_exchange(all, n, back);
        for (int r = 0; r < p; r++)
            for (size_t i = 0; i < n; i++) wrong += back[(size_t)r * n + i] != byte_of(r * p + s, i);
    }
    EXPECT(wrong == 0);
    free(one), free(all), free(back);
}

static int64_t value(int rank, size_t i) { return (int64_t)((rank * 7 + (int)i * 3) % 11) - 4; }

static int64_t expected(sup_bsp_op op, int upto, size_t i) {
    int64_t x = value(0, i);
    for (int r = 1; r <= upto; r++) {
        int64_t y = value(r, i);
        if (op == SUP_BSP_SUM) x += y;
        if (op == SUP_BSP_PRODUCT) x = (int64_t)((uint64_t)x * (uint64_t)y);
        if (op == SUP_BSP_MIN) x = y < x ? y : x;
        if (op == SUP_BSP_MAX) x = y > x ? y : x;
    }
    return x;
}

static size_t try_vectors(sup_bsp_op op, size_t n) {
    int p = bsp_nprocs(), s = bsp_pid(), root = (int)(n % (size_t)p);
    size_t wrong = 0;
    int64_t *x = malloc((n + 1) * sizeof *x), *y = malloc((n + 1) * sizeof *y);
    double *d = malloc((n + 1) * sizeof *d), *e = malloc((n + 1) * sizeof *e);
    for (size_t i = 0; i < n; i++) x[i] = value(s, i), d[i] = (double)x[i];
    sup_bsp_reduce_int64(root, op, x, s == root ? y : NULL, n);
    sup_bsp_reduce_double(root, op, d, s == root ? e : NULL, n);
    for (size_t i = 0; i < n && s == root; i++)
        wrong += y[i] != expected(op, p - 1, i) || e[i] != (double)expected(op, p - 1, i);
    sup_bsp_allreduce_int64(op, x, y, n);
    sup_bsp_allreduce_double(op, d, e, n);
    for (size_t i = 0; i < n; i++) wrong += y[i] != expected(op, p - 1, i) || e[i] != (double)expected(op, p - 1, i);
    sup_bsp_scan_int64(op, x, x, n); /* in place */
    sup_bsp_scan_double(op, d, e, n);
    for (size_t i = 0; i < n; i++) wrong += x[i] != expected(op, s, i) || e[i] != (double)expected(op, s, i);
    free(x), free(y), free(d), free(e);
    return wrong;
}

/* 2×2 matrices modulo a prime: associative, not commutative. */
static void matrix_product(void *accumulator, const void *operand, size_t count, void *context) {
    int64_t *a = accumulator, modulus = *(int64_t *)context;
    const int64_t *b = operand;
    for (size_t i = 0; i < count; i++, a += 4, b += 4) {
        int64_t c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                        a[2] * b[1] + a[3] * b[3]};
        for (int k = 0; k < 4; k++) a[k] = c[k] % modulus;
    }
}

static void own_operator(size_t n) {
    int64_t modulus = 10007, *x = malloc(n * 4 * sizeof *x), *y = malloc(n * 4 * sizeof *y);
    int p = bsp_nprocs(), s = bsp_pid();
    size_t wrong = 0;
    RULE("an operator of one's own is applied in order of rank: it need not be commutative");
    for (size_t i = 0; i < 4 * n; i++) x[i] = (int64_t)(i * 5 + (size_t)s * 3 + 1) % 97;
    sup_bsp_allreduce(matrix_product, &modulus, 4 * sizeof *x, x, y, n);
    sup_bsp_scan(matrix_product, &modulus, 4 * sizeof *x, x, x, n);
    for (size_t i = 0; i < n; i++) {
        int64_t a[4], b[4], upto[4];
        for (int r = 0; r < p; r++) {
            for (size_t k = 0; k < 4; k++) b[k] = (int64_t)((4 * i + k) * 5 + (size_t)r * 3 + 1) % 97;
            if (r == 0)
                memcpy(a, b, sizeof a);
            else
                matrix_product(a, b, 1, &modulus);
            if (r == s) memcpy(upto, a, sizeof a);
        }
        wrong += memcmp(a, y + 4 * i, sizeof a) != 0 || memcmp(upto, x + 4 * i, sizeof a) != 0;
    }
    EXPECT(wrong == 0);
    free(x), free(y);
}

/* What is asked for in the superstep that a call ends and in the next one, with the buffers of the call. */
static void neighbours(void) {
    static const size_t lengths[] = {100, 20000, 100000};
    int p = bsp_nprocs(), s = bsp_pid(), next = (s + 1) % p;
    size_t longest = 100000, early = 0, late = 0, got = 0;
    unsigned char *send = malloc(longest), *all = malloc((size_t)p * longest), *other = malloc(longest);
    bsp_push_reg(send, longest);
    bsp_push_reg(all, (size_t)p * longest);
    bsp_sync();
    RULE("an unbuffered put of the next superstep does not change what a collective operation reads");
    for (int turn = 0; turn < 12; turn++) {
        size_t n = lengths[turn % 3];
        fill(send, n, s + turn);
        memset(other, 0xee, n);
        sup_bsp_allgather(send, n, all);
        bsp_hpput(next, other, send, 0, n);
        for (int r = 0; r < p; r++)
            for (size_t i = 0; i < n; i++) late += all[(size_t)r * n + i] != byte_of(r + turn, i);
        bsp_sync();
    }
    EXPECT(late == 0);
    RULE("puts and gets of the superstep that a collective operation ends come before its result");
    for (int turn = 0; turn < 3; turn++) {
        size_t n = lengths[turn];
        fill(send, n, s);
        memset(all, 0x11, n);
        memset(other, 0xee, n);
        bsp_sync();
        bsp_put(next, other, all, 0, n);
        sup_bsp_allgather(send, n, all);
        for (int r = 0; r < p; r++)
            for (size_t i = 0; i < n; i++) early += all[(size_t)r * n + i] != byte_of(r, i);
        memset(all, 0x11, n);
        bsp_sync();
        bsp_get(next, all, 0, other, n);
        sup_bsp_broadcast(0, all, n);
        for (size_t i = 0; i < n; i++) got += other[i] != 0x11;
        bsp_sync();
    }
    EXPECT(early == 0 && got == 0);
    bsp_pop_reg(send);
    bsp_pop_reg(all);
    bsp_sync();
    free(send), free(all), free(other);
}

void topic_collectives(void) {
    size_t wrong = 0;
    broadcasts();
    blocks();
    RULE("reduce, allreduce and scan: sum, product, minimum and maximum, element by element");
    for (int op = SUP_BSP_SUM; op <= SUP_BSP_MAX; op++)
        for (size_t n = 0; n < 20000; n = n * 5 + 1) wrong += try_vectors((sup_bsp_op)op, n);
    EXPECT(wrong == 0);
    own_operator(3);
    own_operator(700);
    own_operator(3000);
    neighbours();

    RULE("a NaN anywhere makes the minimum of doubles NaN");
    double x = bsp_pid() == bsp_nprocs() / 2 ? NAN : 1.0, y = 0.0;
    sup_bsp_allreduce_double(SUP_BSP_MIN, &x, &y, 1);
    EXPECT(isnan(y));

    RULE("the buffer of the collective operations can be given back and is taken again when needed");
    sup_bsp_release();
    x = 1.0;
    sup_bsp_allreduce_double(SUP_BSP_SUM, &x, &y, 1);
    EXPECT(y == (double)bsp_nprocs());
    sup_bsp_release();
    sup_bsp_release();
}
