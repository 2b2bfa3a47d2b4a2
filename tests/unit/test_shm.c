/* The lock-free structures of the shm transport, run between threads of one process so that ThreadSanitizer sees both
 * sides: queues, matching, the three ways of moving long messages, signals, regions. */
#include "../sanitized.h"
#include "base/clock.h"
#include "net/shm/net.h"
#include "net/wait.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { MAX_RANKS = 7 };
typedef enum { DIRECT, KERNEL, STREAM } way;
typedef void body_fn(sup_net *net, int seed);

typedef struct actor {
    void *seg;
    int rank, seed;
    way how;
    body_fn *body;
} actor;

/* cmocka's assertions jump out of the test's own thread only; here a failed check ends the test program. */
#define CHECK(x)                                                                  \
    do {                                                                          \
        if (!(x)) {                                                               \
            fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #x); \
            abort();                                                              \
        }                                                                         \
    } while (0)

static void *act(void *p) {
    actor *a = p;
    sup_net *net;
    CHECK(!sup_shm_attach(a->seg, a->rank, false, a->how == DIRECT, &net));
    shm_of(net)->use_cma = a->how == KERNEL;
    net->oversubscribed = true;
    a->body(net, a->seed);
    sup_net_close(net);
    return NULL;
}

static void run(int size, way how, body_fn *body, int seed) {
    size_t bytes = sup_shm_segment_bytes(size);
    void *seg = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(seg != MAP_FAILED);
    sup_shm_segment_init(seg, size);
    pthread_t t[MAX_RANKS];
    actor a[MAX_RANKS];
    for (int i = 0; i < size; i++) {
        a[i] = (actor){seg, i, seed, how, body};
        CHECK(!pthread_create(&t[i], NULL, act, &a[i]));
    }
    for (int i = 0; i < size; i++) pthread_join(t[i], NULL);
    munmap(seg, bytes);
}

static unsigned char pattern(int from, int to, int k, size_t i) {
    return (unsigned char)(from * 31 + to * 17 + k * 7 + (int)(i * 13 + (i >> 8)));
}

static size_t length_of(int from, int to, int k, int seed) {
    static const size_t lens[] = {0, 1, 8, 55, 56, 57, 100, 4096, 16383, 16384, 16385, 50000, 200001};
    return lens[(unsigned)(from * 5 + to * 3 + k * 11 + seed) % (sizeof lens / sizeof lens[0])];
}

/* Everyone sends to everyone, itself included; receives are posted early, late, and in another order of tags. */
static void all_to_all(sup_net *net, int seed) {
    enum { K = 12 };
    int size = net->size, count = size * K;
    sup_net_req *sends = calloc((size_t)count, sizeof *sends), *recvs = calloc((size_t)count, sizeof *recvs);
    unsigned char **out = calloc((size_t)count, sizeof *out), **in = calloc((size_t)count, sizeof *in);
    CHECK(sends && recvs && out && in);
    for (int phase = 0; phase < 2; phase++) {
        bool receiving = (phase + net->rank + seed) % 2 == 0;
        for (int p = 0; p < size; p++)
            for (int k = 0; k < K; k++) {
                int at = p * K + k, tag = receiving ? K - 1 - k : k;
                size_t len = receiving ? length_of(p, net->rank, tag, seed) : length_of(net->rank, p, tag, seed);
                unsigned char *b = malloc(len + 1);
                CHECK(b);
                if (receiving) {
                    in[at] = b;
                    CHECK(!sup_net_irecv(net, p, tag, b, len, &recvs[at]));
                } else {
                    for (size_t i = 0; i < len; i++) b[i] = pattern(net->rank, p, tag, i);
                    out[at] = b;
                    CHECK(!sup_net_isend(net, p, tag, b, len, &sends[at]));
                }
            }
        CHECK(!sup_net_progress(net));
    }
    CHECK(!sup_net_wait_all(net, recvs, count));
    CHECK(!sup_net_wait_all(net, sends, count));
    for (int p = 0; p < size; p++)
        for (int k = 0; k < K; k++) {
            int at = p * K + k, tag = K - 1 - k;
            size_t len = length_of(p, net->rank, tag, seed);
            CHECK(recvs[at].length == len && recvs[at].peer == p && recvs[at].tag == tag);
            for (size_t i = 0; i < len; i++) CHECK(in[at][i] == pattern(p, net->rank, tag, i));
            free(in[at]);
            free(out[at]);
        }
    free(sends);
    free(recvs);
    free(in);
    free(out);
}

/* Thousands of messages one way before anything is received: the queue fills, the sender's backlog keeps the order. */
static void flood(sup_net *net, int seed) {
    enum { N = 3000 };
    (void)seed;
    int to = (net->rank + 1) % net->size, from = (net->rank + net->size - 1) % net->size;
    sup_net_req *r = calloc(N, sizeof *r);
    uint64_t *v = calloc(N, sizeof *v);
    CHECK(r && v);
    for (uint64_t i = 0; i < N; i++) {
        v[i] = i * 3 + (uint64_t)net->rank;
        CHECK(!sup_net_isend(net, to, 5, &v[i], sizeof v[i], &r[i]));
    }
    for (uint64_t i = 0; i < N; i++) {
        sup_net_req q;
        uint64_t got = 0;
        CHECK(!sup_net_irecv(net, i % 2 ? from : SUP_NET_ANY, 5, &got, sizeof got, &q));
        CHECK(!sup_net_wait(net, &q));
        CHECK(got == i * 3 + (uint64_t)from && q.peer == from);
    }
    CHECK(!sup_net_wait_all(net, r, N));
    free(r);
    free(v);
}

static void truncation_and_cancel(sup_net *net, int seed) {
    (void)seed;
    static const size_t lens[] = {9, 1000, 100000};
    int to = (net->rank + 1) % net->size, from = (net->rank + net->size - 1) % net->size;
    for (int k = 0; k < 3; k++) {
        size_t len = lens[k];
        unsigned char *big = malloc(len), small[8] = {0};
        CHECK(big);
        memset(big, 40 + k, len);
        sup_net_req s, r;
        CHECK(!sup_net_isend(net, to, 1, big, len, &s));
        CHECK(!sup_net_irecv(net, from, 1, small, 5, &r));
        CHECK(sup_net_wait(net, &r) == SUP_ETRUNC);
        CHECK(r.length == 5 && small[4] == 40 + k && small[5] == 0);
        CHECK(!sup_net_wait(net, &s));
        free(big);
    }
    sup_net_req r;
    int x;
    CHECK(!sup_net_irecv(net, from, 2, &x, sizeof x, &r));
    CHECK(!sup_net_cancel(net, &r));
    CHECK(r.done);
    CHECK(sup_net_cancel(net, &r) == SUP_EBUSY);
    CHECK(sup_net_isend(net, net->size, 0, &x, sizeof x, &r) == SUP_EINVAL);
    CHECK(sup_net_irecv(net, 0, -1, &x, sizeof x, &r) == SUP_EINVAL);
}

static void regions(sup_net *net, int seed) {
    enum { WORDS = 5000 };
    int size = net->size, right = (net->rank + 1) % size;
    for (int round = 0; round < (SANITIZED ? 1 : 3); round++) {
        uint64_t *src = calloc(WORDS, sizeof *src), back[WORDS / 10];
        CHECK(src);
        sup_net_region *a, *b;
        CHECK(!sup_net_region_alloc(net, WORDS * sizeof *src, &a));
        CHECK(!sup_net_region_alloc(net, 2 * WORDS * sizeof *src, &b));
        for (int i = 0; i < WORDS; i++) CHECK(((uint64_t *)a->base)[i] == 0 && ((uint64_t *)b->base)[i] == 0);
        CHECK(!shm_barrier(shm_of(net)));
        for (int i = 0; i < WORDS; i++) src[i] = (uint64_t)(net->rank * WORDS + i + seed + round);
        uint64_t *theirs = sup_net_direct(net, a, right);
        uintptr_t there = sup_net_region_there(net, b, right);
        memcpy(theirs, src, WORDS * sizeof *src);
        CHECK(!sup_net_copy_to(net, right, (void *)(there + 8), src, (WORDS - 1) * sizeof *src));
        CHECK(sup_net_copy_to(net, size, (void *)there, src, 1) == SUP_EINVAL);
        CHECK(!shm_barrier(shm_of(net)));
        int left = (net->rank + size - 1) % size;
        for (int i = 0; i < WORDS - 1; i++) {
            CHECK(((uint64_t *)a->base)[i] == (uint64_t)(left * WORDS + i + seed + round));
            CHECK(((uint64_t *)b->base)[i + 1] == (uint64_t)(left * WORDS + i + seed + round));
        }
        CHECK(!sup_net_copy_from(net, right, back, (void *)(there + 80), sizeof back));
        for (int i = 0; i < WORDS / 10; i++) CHECK(back[i] == src[i + 9]);
        CHECK(theirs[3] == src[3]);
        sup_net_region_free(net, b);
        sup_net_region_free(net, a);
        free(src);
    }
}

static void signals(sup_net *net, int seed) {
    (void)seed;
    int right = (net->rank + 1) % net->size, left = (net->rank + net->size - 1) % net->size;
    for (uint64_t v = 1; v <= 2000; v++) {
        int slot = (int)(v % SUP_NET_SLOTS);
        uint64_t got = 0;
        CHECK(!sup_net_signal(net, right, slot, v));
        CHECK(!sup_net_await(net, left, slot, v, &got));
        CHECK(got >= v && sup_net_peek(net, left, slot) >= v);
    }
    CHECK(sup_net_signal(net, right, SUP_NET_SLOTS, 1) == SUP_EINVAL);
    CHECK(sup_net_await(net, -1, 0, 1, NULL) == SUP_EINVAL);
}

/* A process that dies must free those who wait for it: in an await, in a receive, in a barrier. */
static void failure_frees_waiters(sup_net *net, int seed) {
    shm_net *n = shm_of(net);
    int who, cause;
    CHECK(!sup_net_failure(net, &who, &cause));
    if (net->rank) CHECK(!sup_net_signal(net, 0, 4, 1));
    if (net->rank == 0) {
        for (int i = 1; i < net->size; i++) CHECK(!sup_net_await(net, i, 4, 1, NULL));
        sup_shm_segment_set_failure(n->seg, 1, 9);
        sup_shm_segment_set_failure(n->seg, 0, 15); /* the first one is the cause, a later one does not replace it */
    } else if (seed % 2) {
        CHECK(sup_net_await(net, 0, 3, 1, NULL) == SUP_EPEER);
    } else {
        char b;
        sup_net_req r;
        CHECK(!sup_net_irecv(net, 0, 3, &b, 1, &r));
        CHECK(sup_net_wait(net, &r) == SUP_EPEER);
    }
    CHECK(sup_net_failure(net, &who, &cause) == SUP_EPEER && who == 1 && cause == 9);
}

static const int sizes[] = {1, 2, 3, 4, 7};

static void everywhere(body_fn *body) {
    for (int s = 0; s < 5; s++)
        for (int how = DIRECT; how <= STREAM; how++) run(sizes[s], (way)how, body, s + how);
}

static void messages(void **state) {
    (void)state;
    everywhere(all_to_all);
}
static void floods(void **state) {
    (void)state;
    everywhere(flood);
}
static void cut_messages(void **state) {
    (void)state;
    everywhere(truncation_and_cancel);
}
static void one_sided(void **state) {
    (void)state;
    everywhere(regions);
}
static void flags(void **state) {
    (void)state;
    for (int s = 0; s < 5; s++) run(sizes[s], DIRECT, signals, s); /* however regions are reached */
}
static void failures(void **state) {
    (void)state;
    for (int seed = 0; seed < 2; seed++)
        for (int s = 1; s < 5; s++) run(sizes[s], DIRECT, failure_frees_waiters, seed);
}

/* By which protocol a long message moves: `cost` in ns per byte, by protocol; returns that of the last of `count`. */
static int learn(shm_net *n, shm_peer *p, size_t len, const double cost[SHM_PROTOCOLS], int count) {
    int taken = -1;
    for (int i = 0; i < count; i++) {
        taken = shm_choose_protocol(n, p, len);
        shm_learn_protocol(p, taken, sup_clock_now() - 1e-9 * cost[taken] * (double)len, len);
    }
    return taken;
}

static void protocols_are_learned(void **state) {
    (void)state;
    enum { LEN = 1 << 20, LONG = 100000 };
    shm_net n = {.use_cma = true};
    shm_peer p = {0};
    const double both[] = {10, 12, 6}, equal[] = {10, 9.5, 9.7}, busy[] = {10, 12, 60};
    assert_int_equal(learn(&n, &p, LEN, both, 20), SHM_BY_BOTH);
    assert_int_equal(learn(&n, &p, LEN / 4, equal, 20), SHM_BY_STREAM); /* nothing to win: the first stays */
    /* every message but the rare second chances takes the best */
    int others = 0;
    for (int i = 0; i < LONG; i++) others += learn(&n, &p, LEN, both, 1) != SHM_BY_BOTH;
    assert_true(others > 0 && others < LONG / 200);
    /* one that was interrupted changes nothing; a sender that has got slow does */
    const double once[] = {10, 12, 1e6};
    learn(&n, &p, LEN, once, 1);
    assert_int_equal(learn(&n, &p, LEN, both, 20), SHM_BY_BOTH);
    assert_int_equal(learn(&n, &p, LEN, busy, 100), SHM_BY_STREAM);
    assert_int_equal(learn(&n, &p, 3 * (LEN / 4), both, 20), SHM_BY_BOTH); /* sizes learn for themselves */
    n.use_cma = false;
    assert_int_equal(learn(&n, &p, LEN, both, 1), SHM_BY_STREAM);
}

static void limits(void **state) {
    (void)state;
    sup_diag d;
    int fd;
    assert_int_equal(sup_shm_segment_bytes(0), 0);
    assert_int_equal(sup_shm_segment_bytes(SUP_SHM_MAX_PROCS + 1), 0);
    assert_int_equal(sup_shm_segment_create(0, &d, &fd), SUP_EINVAL);
    assert_int_equal(sup_shm_segment_create(SUP_SHM_MAX_PROCS + 1, &d, &fd), SUP_EINVAL);
    sup_launch l = {.segment_fd = 0, .rank = 0, .size = 1};
    sup_net *net;
    int null = -1;
    l.segment_fd = null;
    assert_int_equal(sup_shm_open(&l, &d, &net), SUP_ENOTSUP);
    FILE *f = tmpfile();
    l.segment_fd = fileno(f);
    assert_int_equal(sup_shm_open(&l, &d, &net), SUP_EMISMATCH);
    fclose(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages),     cmocka_unit_test(floods),
        cmocka_unit_test(cut_messages), cmocka_unit_test(one_sided),
        cmocka_unit_test(flags),        cmocka_unit_test(failures),
        cmocka_unit_test(limits),       cmocka_unit_test(protocols_are_learned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
