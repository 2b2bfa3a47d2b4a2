/* The barrier interpreter between threads: nobody leaves before everybody has come, and everybody learns all bits; all
 * generators, radices and levels, released by signals or by one word that all read, waiting or in steps. */
#include "coll/messages/barrier.h"
#include "net/shm/shm.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { MAX_RANKS = 16, ROUNDS = 100 };

typedef sup_pattern make_pattern(const void *what, int64_t size);

typedef struct actor {
    void *seg;
    int rank;
    make_pattern *make;
    const void *what;
    _Atomic int *arrived;
} actor;

#define CHECK(x)                                                                  \
    do {                                                                          \
        if (!(x)) {                                                               \
            fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #x); \
            abort();                                                              \
        }                                                                         \
    } while (0)

static bool well(sup_status st) {
    CHECK(!st);
    return true;
}

/* Everyone to 0, 0 to 1, 1 to everyone: a barrier that no generator makes. */
static sup_pattern odd_barrier(const void *what, int64_t size) {
    bool common = what != NULL;
    sup_pattern_edge *edges = calloc(4 * MAX_RANKS, sizeof *edges);
    size_t n = 0;
    CHECK(edges);
    for (int64_t i = 1; i < size; i++) edges[n++] = (sup_pattern_edge){i, 0, 0, false};
    if (size > 1) edges[n++] = (sup_pattern_edge){0, 1, 1, false};
    for (int64_t i = 0; i < size; i++)
        if (i != 1 && size > 1) edges[n++] = (sup_pattern_edge){1, i, 2, false, common && i % 3};
    sup_pattern out;
    CHECK(!sup_pattern_from_edges(size, 3, edges, n, &out));
    return out;
}

static sup_pattern of_kind(const void *what, int64_t size) {
    return sup_pattern_of(*(const sup_pattern_kind *)what, size);
}

/* Pairs, then pairs of the first of these, then the rest. */
static sup_pattern of_levels(const void *what, int64_t size) {
    const sup_pattern_kind *kind = what;
    sup_pattern_level levels[] = {{kind[0], 2, 1}, {kind[1], 2, 1}, {kind[0], 0, 1}};
    sup_pattern out;
    CHECK(!sup_pattern_from_levels(size, levels, 3, &out));
    return out;
}

/* Some wait while others go in steps. */
static void meet(sup_barrier *b, bool steps, unsigned mine, unsigned *all) {
    if (!steps) {
        CHECK(!sup_barrier_run(b, mine, all));
        return;
    }
    sup_wait w = SUP_WAIT_INIT;
    bool done = false;
    CHECK(!sup_barrier_start(b, mine));
    while (well(sup_barrier_try(b, &done, all)) && !done) sup_net_pause(b->net, &w);
    sup_net_waited(b->net, &w);
}

static void *act(void *p) {
    actor *a = p;
    sup_net *net;
    sup_barrier *b;
    CHECK(!sup_shm_attach(a->seg, a->rank, false, true, &net));
    net->oversubscribed = true;
    net->patience = SUP_PATIENCE_CROWD;
    sup_net_group everybody = sup_net_group_first(net, net->size);
    sup_pattern pattern = a->make(a->what, net->size);
    CHECK(!sup_barrier_new(&everybody, &pattern, 4, &b));
    sup_pattern_free(&pattern);
    for (int r = 0; r < ROUNDS; r++) {
        unsigned all = 0, mine = r % net->size == a->rank ? 1u << (r % 8) : 0;
        atomic_fetch_add(&a->arrived[r], 1);
        meet(b, (r + a->rank) % 3 == 0, mine, &all);
        CHECK(atomic_load(&a->arrived[r]) == net->size);
        CHECK(all ==
              1u << (r % 8)); /* exactly one process set a bit: seen by all, and not mixed with another round's */
    }
    sup_barrier_free(b);
    sup_net_close(net);
    return NULL;
}

static void run(int size, make_pattern *make, const void *what) {
    size_t bytes = sup_shm_segment_bytes(size);
    void *seg = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(seg != MAP_FAILED);
    sup_shm_segment_init(seg, size);
    _Atomic int arrived[ROUNDS] = {0};
    pthread_t t[MAX_RANKS];
    actor a[MAX_RANKS];
    for (int i = 0; i < size; i++) {
        a[i] = (actor){seg, i, make, what, arrived};
        assert_int_equal(pthread_create(&t[i], NULL, act, &a[i]), 0);
    }
    for (int i = 0; i < size; i++) pthread_join(t[i], NULL);
    munmap(seg, bytes);
}

static void all_patterns_all_sizes(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 16};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        run(sizes[s], odd_barrier, NULL);
        run(sizes[s], odd_barrier, "common");
        for (size_t g = 0; sup_generators[g]; g++)
            if (sup_generators[g]->barrier)
                run(sizes[s], of_kind, &(sup_pattern_kind){sup_generators[g], sup_generators[g]->radix});
    }
}

static void radices(void **state) {
    (void)state;
    for (size_t g = 0; sup_generators[g]; g++)
        for (int radix = 2; sup_generators[g]->barrier && radix <= 5 && radix <= sup_generators[g]->radix_most; radix++)
            if (radix != sup_generators[g]->radix) run(7, of_kind, &(sup_pattern_kind){sup_generators[g], radix});
}

static void levels(void **state) {
    (void)state;
    static const char *const words[] = {"tree", "linear", "flags", "dissemination"};
    enum { WORDS = sizeof words / sizeof words[0] };
    for (int i = 0; i < WORDS; i++) {
        sup_pattern_kind kinds[2];
        assert_true(sup_pattern_kind_read(words[i], &kinds[0]) &&
                    sup_pattern_kind_read(words[(i + 1) % WORDS], &kinds[1]));
        run(7, of_levels, kinds);
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
        cmocka_unit_test(radices),
        cmocka_unit_test(levels),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
