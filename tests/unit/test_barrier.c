/* The barrier interpreter between threads: nobody leaves before everybody has come, and everybody learns all bits;
 * over all ranks and over groups of them side by side. */
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

enum { MAX_RANKS = 16, ROUNDS = 300 };

/* The pattern of so many processes; NULL: odd_barrier. */
typedef struct actor {
    void *seg;
    int rank;
    const sup_generator *generator;
    _Atomic int *arrived;
} actor;

#define CHECK(x)                                                                  \
    do {                                                                          \
        if (!(x)) {                                                               \
            fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #x); \
            abort();                                                              \
        }                                                                         \
    } while (0)

/* Everyone to 0, 0 to 1, 1 to everyone: a barrier that no generator makes. */
static sup_pattern odd_barrier(int64_t size) {
    sup_pattern_edge *edges = calloc(4 * MAX_RANKS, sizeof *edges);
    size_t n = 0;
    CHECK(edges);
    for (int64_t i = 1; i < size; i++) edges[n++] = (sup_pattern_edge){i, 0, 0, false};
    if (size > 1) edges[n++] = (sup_pattern_edge){0, 1, 1, false};
    for (int64_t i = 0; i < size; i++)
        if (i != 1 && size > 1) edges[n++] = (sup_pattern_edge){1, i, 2, false};
    sup_pattern out;
    CHECK(!sup_pattern_from_edges(size, 3, edges, n, &out));
    return out;
}

static void *act(void *p) {
    actor *a = p;
    sup_net *net;
    sup_barrier *b;
    CHECK(!sup_shm_attach(a->seg, a->rank, false, true, &net));
    net->oversubscribed = true;
    sup_net_group everybody = sup_net_group_first(net, net->size);
    sup_pattern pattern = a->generator ? sup_pattern_make(a->generator, net->size) : odd_barrier(net->size);
    CHECK(!sup_barrier_new(&everybody, &pattern, 4, &b));
    sup_pattern_free(&pattern);
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

static void run(int size, const sup_generator *generator) {
    size_t bytes = sup_shm_segment_bytes(size);
    void *seg = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(seg != MAP_FAILED);
    sup_shm_segment_init(seg, size);
    _Atomic int arrived[ROUNDS] = {0};
    pthread_t t[MAX_RANKS];
    actor a[MAX_RANKS];
    for (int i = 0; i < size; i++) {
        a[i] = (actor){seg, i, generator, arrived};
        assert_int_equal(pthread_create(&t[i], NULL, act, &a[i]), 0);
    }
    for (int i = 0; i < size; i++) pthread_join(t[i], NULL);
    munmap(seg, bytes);
}

static void all_patterns_all_sizes(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 16};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        run(sizes[s], NULL);
        for (size_t g = 0; sup_generators[g]; g++)
            if (sup_generators[g]->barrier) run(sizes[s], sup_generators[g]);
    }
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    sup_launch l = {.net = "self", .segment_fd = -1};
    sup_net *net;
    sup_barrier *b;
    assert_int_equal(sup_net_open(&l, NULL, &net), SUP_OK);
    sup_net_group alone = sup_net_group_first(net, 1), outside = {.net = net, .size = 1, .self = -1};
    sup_pattern one = sup_pattern_make(&sup_generator_tree, 1), two = sup_pattern_make(&sup_generator_tree, 2);
    assert_int_equal(sup_barrier_new(&alone, &two, 0, &b), SUP_EINVAL);
    assert_int_equal(sup_barrier_new(&outside, &one, 0, &b), SUP_EINVAL);
    assert_int_equal(sup_barrier_new(&alone, &one, SUP_NET_SLOTS - 1, &b), SUP_EINVAL);
    assert_int_equal(sup_barrier_new(&alone, &one, -1, &b), SUP_EINVAL);
    sup_net_close(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_patterns_all_sizes),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
