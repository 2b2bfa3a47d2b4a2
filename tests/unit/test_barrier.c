/* The barrier interpreter between threads: nobody leaves before everybody has come, and everybody learns all bits. */
#include "coll/barrier.h"
#include "net/shm.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { MAX_RANKS = 16, ROUNDS = 300, EDGES = 3 };

typedef struct actor {
    void *seg;
    int rank, kind;
    _Atomic int *arrived;
} actor;

#define CHECK(x)                                                                  \
    do {                                                                          \
        if (!(x)) {                                                               \
            fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #x); \
            abort();                                                              \
        }                                                                         \
    } while (0)

/* Everyone to 0, 0 to 1, 1 to everyone: a barrier that is none of the built-in ones. */
static sup_status odd_barrier(sup_net *net, sup_barrier **out) {
    int stage[4 * MAX_RANKS], from[4 * MAX_RANKS], to[4 * MAX_RANKS];
    size_t n = 0;
    for (int i = 1; i < net->size; i++) stage[n] = 0, from[n] = i, to[n++] = 0;
    if (net->size > 1) stage[n] = 1, from[n] = 0, to[n++] = 1;
    for (int i = 0; i < net->size; i++)
        if (i != 1 && net->size > 1) stage[n] = 2, from[n] = 1, to[n++] = i;
    return sup_barrier_from_edges(net, net->size, 3, n, stage, from, to, 10, out);
}

static void *act(void *p) {
    actor *a = p;
    sup_net *net;
    sup_barrier *b;
    CHECK(!sup_shm_attach(a->seg, a->rank, false, true, &net));
    net->oversubscribed = true;
    CHECK(
        !(a->kind == EDGES ? odd_barrier(net, &b) : sup_barrier_new(net, net->size, (sup_barrier_kind)a->kind, 4, &b)));
    for (int r = 0; r < ROUNDS; r++) {
        unsigned all = 0, mine = r % net->size == a->rank ? 1u << (r % 8) : 0;
        atomic_fetch_add(&a->arrived[r], 1);
        CHECK(!sup_barrier_run(b, mine, &all));
        CHECK(atomic_load(&a->arrived[r]) == net->size);
        CHECK(all ==
              1u << (r % 8)); /* exactly one process set a bit: seen by all, and not mixed with another round's */
    }
    sup_barrier_free(b);
    sup_net_close(net);
    return NULL;
}

static void run(int size, int kind) {
    size_t bytes = sup_shm_segment_bytes(size);
    void *seg = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(seg != MAP_FAILED);
    sup_shm_segment_init(seg, size);
    _Atomic int arrived[ROUNDS] = {0};
    pthread_t t[MAX_RANKS];
    actor a[MAX_RANKS];
    for (int i = 0; i < size; i++) {
        a[i] = (actor){seg, i, kind, arrived};
        assert_int_equal(pthread_create(&t[i], NULL, act, &a[i]), 0);
    }
    for (int i = 0; i < size; i++) pthread_join(t[i], NULL);
    munmap(seg, bytes);
}

static void all_patterns_all_sizes(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 16};
    for (int k = SUP_BARRIER_DISSEMINATION; k <= EDGES; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) run(sizes[s], k);
}

static void wrong_edges_are_refused(void **state) {
    (void)state;
    sup_launch l = {.net = "self", .segment_fd = -1};
    sup_net *net;
    sup_barrier *b;
    assert_int_equal(sup_net_open(&l, NULL, &net), SUP_OK);
    int stage = 0, from = 0, to = 1;
    assert_int_equal(sup_barrier_from_edges(net, net->size, 1, 1, &stage, &from, &to, 0, &b), SUP_EINVAL);
    to = 0, stage = 1;
    assert_int_equal(sup_barrier_from_edges(net, net->size, 1, 1, &stage, &from, &to, 0, &b), SUP_EINVAL);
    assert_int_equal(sup_barrier_new(net, 1, SUP_BARRIER_TREE, SUP_NET_SLOTS - 1, &b), SUP_EINVAL);
    sup_net_close(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_patterns_all_sizes),
        cmocka_unit_test(wrong_edges_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
