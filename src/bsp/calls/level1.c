/* Oxford's level-1 library (bsp_level1.h) on top of our collectives. Its operators write their result apart from their
 * operands and take the size by address; ours fold into the first operand. */
#include <bsp_level1.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <superstep/coll.h>

/* Operators and orders are written with pointers to their own type, and called with pointers to void: the same to every
 * machine, and a sanitizer need not mind. */
#if defined(__clang__)
#define ANY_POINTERS __attribute__((no_sanitize("function")))
#else
#define ANY_POINTERS
#endif

static size_t size_of(const char *call, int nbytes) {
    if (nbytes < 0) bsp_abort("%s: negative size (rank %d)", call, bsp_pid());
    return (size_t)nbytes;
}

static void *scratch_of(const char *call, size_t count, size_t nbytes) {
    void *p = calloc(count, nbytes ? nbytes : 1);
    if (!p) bsp_abort("%s: no memory for %zu bytes (rank %d)", call, count * nbytes, bsp_pid());
    return p;
}

/* ---- blocks of bytes ---- */

void bsp_bcast(int root, const void *src, void *dst, int nbytes) {
    size_t n = size_of("bsp_bcast", nbytes);
    if (bsp_pid() == root && n) memmove(dst, src, n);
    sup_bsp_broadcast(root, dst, n);
}

void bsp_gather(int root, const void *src, void *dst, int nbytes) {
    sup_bsp_gather(root, src, size_of("bsp_gather", nbytes), dst);
}

void bsp_scatter(int root, const void *src, void *dst, int nbytes) {
    sup_bsp_scatter(root, src, size_of("bsp_scatter", nbytes), dst);
}

/* ---- operators ---- */

typedef struct operation {
    bsp_operator op;
    void *result;
    int nbytes;
} operation;

static ANY_POINTERS void apply(void *accumulator, const void *operand, size_t count, void *context) {
    operation *o = context;
    if (!count || !o->nbytes) return;
    int nbytes = o->nbytes; /* the program gets its address */
    o->op(o->result, accumulator, (void *)(uintptr_t)operand, &nbytes);
    memcpy(accumulator, o->result, (size_t)o->nbytes);
}

static operation operation_of(const char *call, bsp_operator op, int nbytes) {
    if (!op) bsp_abort("%s: no operator given (rank %d)", call, bsp_pid());
    return (operation){op, scratch_of(call, 1, size_of(call, nbytes)), nbytes};
}

void(bsp_fold)(bsp_operator op, const void *src, void *dst, int nbytes) {
    operation o = operation_of("bsp_fold", op, nbytes);
    sup_bsp_allreduce(apply, &o, (size_t)nbytes, src, dst, 1);
    free(o.result);
}

void(bsp_scan)(bsp_operator op, const void *src, void *dst, int nbytes) {
    operation o = operation_of("bsp_scan", op, nbytes);
    sup_bsp_scan(apply, &o, (size_t)nbytes, src, dst, 1);
    free(o.result);
}

/* ---- sorting ---- */

typedef int less_than(void *x, void *y, int *nbytes);

/* Merges the sorted runs [0, half) and [half, count) of `from` into `to`; the first goes first where neither is less.
 */
static ANY_POINTERS void merge(less_than *less, char *from, char *to, size_t half, size_t count, int nbytes) {
    size_t n = (size_t)nbytes;
    for (size_t i = 0, j = half, k = 0; k < count; k++) {
        int size = nbytes;
        bool second = i == half || (j < count && less(from + j * n, from + i * n, &size));
        memcpy(to + k * n, from + (second ? j++ : i++) * n, n);
    }
}

/* Sorts `count` items at `items`, with room for as many at `room`. */
static void merge_sort(less_than *less, char *items, char *room, size_t count, int nbytes) {
    if (count < 2) return;
    size_t half = count / 2, n = (size_t)nbytes;
    merge_sort(less, items, room, half, nbytes);
    merge_sort(less, items + half * n, room, count - half, nbytes);
    memcpy(room, items, count * n);
    merge(less, room, items, half, count, nbytes);
}

void(bsp_sort)(less_than *less, const void *src, void *dst, int nbytes) {
    size_t p = (size_t)bsp_nprocs(), n = size_of("bsp_sort", nbytes);
    if (!less) bsp_abort("bsp_sort: no order given (rank %d)", bsp_pid());
    char *items = NULL;
    if (bsp_pid() == 0) items = scratch_of("bsp_sort", 2 * p, n);
    sup_bsp_gather(0, src, n, items);
    if (items && n) merge_sort(less, items, items + p * n, p, nbytes);
    sup_bsp_scatter(0, items, n, dst);
    free(items);
}
