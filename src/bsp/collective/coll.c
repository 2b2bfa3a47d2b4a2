/* Collective operations (superstep/coll.h): the calls, and which algorithm carries one out (coll.h). */
#include "bsp/collective/coll.h"

#include <bsp.h>

/* The first that fits is taken; the last always does. */
static const bsp_coll *const ways[] = {&bsp_coll_straight, &bsp_coll_two_phase, &bsp_coll_one_phase};
enum { LAST_WAY = sizeof ways / sizeof ways[0] - 1 };

static const bsp_coll *choose(bsp_coll_kind kind, size_t nbytes, size_t count) {
    int i = 0;
    while (i < LAST_WAY && ((kind == BSP_COLL_BLOCKS && !ways[i]->blocks) || !ways[i]->fits(kind, nbytes, count))) i++;
    return ways[i];
}

static void check_root(const char *call, int root) {
    if (root < 0 || root >= bsp_nprocs())
        bsp_abort("%s: there is no process %d among %d (rank %d)", call, root, bsp_nprocs(), bsp_pid());
}

/* ---- blocks of bytes ---- */

static void broadcast(const bsp_coll *way, int root, void *data, size_t nbytes) {
    check_root("sup_bsp_broadcast", root);
    size_t area = bsp_coll_times("sup_bsp_broadcast", nbytes, 1);
    if (way->share) bsp_coll_reserve("sup_bsp_broadcast", area);
    way->broadcast(root, data, nbytes);
}

void sup_bsp_broadcast(int root, void *data, size_t nbytes) {
    broadcast(choose(BSP_COLL_BROADCAST, nbytes, nbytes), root, data, nbytes);
}

void sup_bsp_broadcast_one_phase(int root, void *data, size_t nbytes) {
    broadcast(&bsp_coll_one_phase, root, data, nbytes);
}

void sup_bsp_broadcast_two_phase(int root, void *data, size_t nbytes) {
    broadcast(&bsp_coll_two_phase, root, data, nbytes);
}

static void blocks(const char *call, bsp_coll_blocks what, int root, const void *send, size_t nbytes, void *recv) {
    check_root(call, root);
    size_t total = bsp_coll_times(call, nbytes, (size_t)bsp_nprocs());
    const bsp_coll *way = choose(BSP_COLL_BLOCKS, total, total);
    if (way->share) bsp_coll_reserve(call, what == BSP_COLL_SCATTER ? nbytes : total);
    way->blocks(what, root, send, nbytes, recv);
}

void sup_bsp_gather(int root, const void *send, size_t nbytes, void *recv) {
    blocks("sup_bsp_gather", BSP_COLL_GATHER, root, send, nbytes, recv);
}

void sup_bsp_scatter(int root, const void *send, size_t nbytes, void *recv) {
    blocks("sup_bsp_scatter", BSP_COLL_SCATTER, root, send, nbytes, recv);
}

void sup_bsp_allgather(const void *send, size_t nbytes, void *recv) {
    blocks("sup_bsp_allgather", BSP_COLL_ALLGATHER, 0, send, nbytes, recv);
}

void sup_bsp_total_exchange(const void *send, size_t nbytes, void *recv) {
    blocks("sup_bsp_total_exchange", BSP_COLL_EXCHANGE, 0, send, nbytes, recv);
}

/* ---- vectors and operators ---- */

/* Chooses, and makes room for the vectors. */
static const bsp_coll *prepare(bsp_coll_vector *v) {
    size_t nbytes = bsp_coll_times(v->call, v->fold.element, v->count);
    const bsp_coll *way = choose(BSP_COLL_FOLD, nbytes, v->count);
    if (!way->share) return way;
    v->stride = bsp_coll_times(v->call, v->fold.element, way->share(v->count));
    bsp_coll_reserve(v->call, bsp_coll_times(v->call, v->stride, (size_t)bsp_nprocs()));
    return way;
}

static void reduce(int root, const sup_fold *fold, const void *send, void *recv, size_t count) {
    check_root("sup_bsp_reduce", root);
    bsp_coll_vector v = {"sup_bsp_reduce", *fold, count, 0};
    prepare(&v)->reduce(&v, send, recv, root, root);
}

static void allreduce(const sup_fold *fold, const void *send, void *recv, size_t count) {
    bsp_coll_vector v = {"sup_bsp_allreduce", *fold, count, 0};
    prepare(&v)->reduce(&v, send, recv, 0, bsp_nprocs() - 1);
}

static void scan(const sup_fold *fold, const void *send, void *recv, size_t count) {
    bsp_coll_vector v = {"sup_bsp_scan", *fold, count, 0};
    prepare(&v)->scan(&v, send, recv);
}

/* Of the program's own operator nobody knows whether it commutes. */
static sup_fold own(sup_bsp_fold fold, void *context, size_t element_nbytes) {
    return (sup_fold){.element = element_nbytes, .into = fold, .context = context};
}

void sup_bsp_reduce(int root, sup_bsp_fold fold, void *context, size_t element_nbytes, const void *send, void *recv,
                    size_t count) {
    sup_fold f = own(fold, context, element_nbytes);
    reduce(root, &f, send, recv, count);
}

void sup_bsp_allreduce(sup_bsp_fold fold, void *context, size_t element_nbytes, const void *send, void *recv,
                       size_t count) {
    sup_fold f = own(fold, context, element_nbytes);
    allreduce(&f, send, recv, count);
}

void sup_bsp_scan(sup_bsp_fold fold, void *context, size_t element_nbytes, const void *send, void *recv, size_t count) {
    sup_fold f = own(fold, context, element_nbytes);
    scan(&f, send, recv, count);
}

/* ---- the usual types ---- */

static const sup_fold *usual(int type, sup_bsp_op op) {
    static const int operators[] = {
        [SUP_BSP_SUM] = SUP_SUM, [SUP_BSP_PRODUCT] = SUP_PRODUCT, [SUP_BSP_MIN] = SUP_MIN, [SUP_BSP_MAX] = SUP_MAX};
    if ((unsigned)op >= sizeof operators / sizeof operators[0])
        bsp_abort("sup_bsp_reduce, allreduce or scan: there is no operator %d (rank %d)", (int)op, bsp_pid());
    return sup_fold_find(type, operators[op]);
}

void sup_bsp_reduce_double(int root, sup_bsp_op op, const double *send, double *recv, size_t count) {
    reduce(root, usual(SUP_TYPE_DOUBLE, op), send, recv, count);
}

void sup_bsp_reduce_int64(int root, sup_bsp_op op, const int64_t *send, int64_t *recv, size_t count) {
    reduce(root, usual(SUP_TYPE_INT64, op), send, recv, count);
}

void sup_bsp_allreduce_double(sup_bsp_op op, const double *send, double *recv, size_t count) {
    allreduce(usual(SUP_TYPE_DOUBLE, op), send, recv, count);
}

void sup_bsp_allreduce_int64(sup_bsp_op op, const int64_t *send, int64_t *recv, size_t count) {
    allreduce(usual(SUP_TYPE_INT64, op), send, recv, count);
}

void sup_bsp_scan_double(sup_bsp_op op, const double *send, double *recv, size_t count) {
    scan(usual(SUP_TYPE_DOUBLE, op), send, recv, count);
}

void sup_bsp_scan_int64(sup_bsp_op op, const int64_t *send, int64_t *recv, size_t count) {
    scan(usual(SUP_TYPE_INT64, op), send, recv, count);
}
