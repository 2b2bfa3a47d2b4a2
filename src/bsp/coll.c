/* Collective operations (superstep/coll.h): the calls, and which algorithm carries one out (coll.h). */
#include "bsp/coll.h"

#include <bsp.h>

extern const bsp_coll bsp_coll_one_phase, bsp_coll_two_phase;

/* The first that fits is taken. */
static const bsp_coll *const algorithms[] = {&bsp_coll_two_phase, &bsp_coll_one_phase};

static const bsp_coll *choose(size_t nbytes, size_t count) {
    size_t i = 0;
    while (!algorithms[i]->fits(nbytes, count)) i++;
    return algorithms[i];
}

static void check_root(const char *call, int root) {
    if (root < 0 || root >= bsp_nprocs())
        bsp_abort("%s: there is no process %d among %d (rank %d)", call, root, bsp_nprocs(), bsp_pid());
}

/* ---- blocks of bytes ---- */

static void broadcast(const bsp_coll *algorithm, int root, void *data, size_t nbytes) {
    check_root("sup_bsp_broadcast", root);
    bsp_coll_reserve("sup_bsp_broadcast", bsp_coll_times("sup_bsp_broadcast", nbytes, 1));
    algorithm->broadcast(root, data, nbytes);
}

void sup_bsp_broadcast(int root, void *data, size_t nbytes) { broadcast(choose(nbytes, nbytes), root, data, nbytes); }

void sup_bsp_broadcast_one_phase(int root, void *data, size_t nbytes) {
    broadcast(&bsp_coll_one_phase, root, data, nbytes);
}

void sup_bsp_broadcast_two_phase(int root, void *data, size_t nbytes) {
    broadcast(&bsp_coll_two_phase, root, data, nbytes);
}

void sup_bsp_gather(int root, const void *send, size_t nbytes, void *recv) {
    check_root("sup_bsp_gather", root);
    size_t total = bsp_coll_times("sup_bsp_gather", nbytes, (size_t)bsp_nprocs());
    bsp_coll_reserve("sup_bsp_gather", total);
    bsp_coll_put(root, send, (size_t)bsp_pid() * nbytes, nbytes);
    const unsigned char *filled = bsp_coll_sync();
    if (bsp_pid() == root) bsp_coll_copy(recv, filled, total);
}

void sup_bsp_scatter(int root, const void *send, size_t nbytes, void *recv) {
    check_root("sup_bsp_scatter", root);
    bsp_coll_times("sup_bsp_scatter", nbytes, (size_t)bsp_nprocs());
    bsp_coll_reserve("sup_bsp_scatter", nbytes);
    if (bsp_pid() == root)
        for (int i = 0; i < bsp_nprocs(); i++)
            bsp_coll_put(i, (const unsigned char *)send + (size_t)i * nbytes, 0, nbytes);
    bsp_coll_copy(recv, bsp_coll_sync(), nbytes);
}

void sup_bsp_allgather(const void *send, size_t nbytes, void *recv) {
    size_t total = bsp_coll_times("sup_bsp_allgather", nbytes, (size_t)bsp_nprocs());
    bsp_coll_reserve("sup_bsp_allgather", total);
    for (int i = 0; i < bsp_nprocs(); i++) bsp_coll_put(i, send, (size_t)bsp_pid() * nbytes, nbytes);
    bsp_coll_copy(recv, bsp_coll_sync(), total);
}

void sup_bsp_total_exchange(const void *send, size_t nbytes, void *recv) {
    size_t total = bsp_coll_times("sup_bsp_total_exchange", nbytes, (size_t)bsp_nprocs());
    bsp_coll_reserve("sup_bsp_total_exchange", total);
    for (int i = 0; i < bsp_nprocs(); i++)
        bsp_coll_put(i, (const unsigned char *)send + (size_t)i * nbytes, (size_t)bsp_pid() * nbytes, nbytes);
    bsp_coll_copy(recv, bsp_coll_sync(), total);
}

/* ---- vectors and operators ---- */

/* Chooses, and makes room for the vectors. */
static const bsp_coll *prepare(bsp_coll_vector *v) {
    size_t nbytes = bsp_coll_times(v->call, v->element, v->count);
    const bsp_coll *algorithm = choose(nbytes, v->count);
    v->stride = bsp_coll_times(v->call, v->element, algorithm->share(v->count));
    bsp_coll_reserve(v->call, bsp_coll_times(v->call, v->stride, (size_t)bsp_nprocs()));
    return algorithm;
}

void sup_bsp_reduce(int root, sup_bsp_fold fold, void *context, size_t element_nbytes, const void *send, void *recv,
                    size_t count) {
    check_root("sup_bsp_reduce", root);
    bsp_coll_vector v = {"sup_bsp_reduce", fold, context, element_nbytes, count, 0};
    prepare(&v)->reduce(&v, send, recv, root, root);
}

void sup_bsp_allreduce(sup_bsp_fold fold, void *context, size_t element_nbytes, const void *send, void *recv,
                       size_t count) {
    bsp_coll_vector v = {"sup_bsp_allreduce", fold, context, element_nbytes, count, 0};
    prepare(&v)->reduce(&v, send, recv, 0, bsp_nprocs() - 1);
}

void sup_bsp_scan(sup_bsp_fold fold, void *context, size_t element_nbytes, const void *send, void *recv, size_t count) {
    bsp_coll_vector v = {"sup_bsp_scan", fold, context, element_nbytes, count, 0};
    prepare(&v)->scan(&v, send, recv);
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
