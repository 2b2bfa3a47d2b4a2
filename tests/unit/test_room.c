/* Rooms of shared memory between threads: random sequences of operations, back to back, with roots, lengths and radices
 * of all kinds, while some members are late and others run ahead; rooms one after the other on one net; and what
 * happens when a process dies in the middle. Members wait as where processes exceed cores; as those that have a core
 * of their own; and asleep for a second at a time, so that a wake-up that is lost costs as much each time, and the test
 * ends by its time limit. */
#include "../sanitized.h"
#include "coll/room/room.h"
#include "net/shm/shm.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MANY_RANKS = 18, MAX_RANKS = 7, SLOT = 8, MOST_BYTES = 600000, CALLS = SANITIZED ? 60 : 150 };

#define CHECK(x)                                                                  \
    do {                                                                          \
        if (!(x)) {                                                               \
            fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #x); \
            abort();                                                              \
        }                                                                         \
    } while (0)

/* ---- a fold that neither commutes nor can be bracketed otherwise ---- */

static void left_into(void *accumulator, const void *operand, size_t count, void *context) {
    uint64_t *a = accumulator;
    const uint64_t *b = operand;
    (void)context;
    for (size_t i = 0; i < count; i++) a[i] = a[i] * 31 + b[i];
}

static void left_to(void *to, const void *first, const void *second, size_t count, void *context) {
    uint64_t *t = to;
    const uint64_t *a = first, *b = second;
    (void)context;
    for (size_t i = 0; i < count; i++) t[i] = a[i] * 31 + b[i];
}

static const sup_fold folds[] = {{.element = 8, .into = left_into, .to = left_to}, {.element = 8, .into = left_into}};

/* ---- what is asked ---- */

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

/* Word k of the vector that member i brings to a call. */
static uint64_t word(uint64_t call, int member, size_t k) { return mix(call * 1000003 + (uint64_t)member * 7919 + k); }

static size_t draw_words(uint64_t r) {
    static const size_t most[] = {3, 14, 40, 512, 600, 5000, 20000, MOST_BYTES / 8};
    return mix(r) % most[r % (sizeof most / sizeof most[0])];
}

typedef struct actor {
    void *seg;
    int rank, size, calls;
    uint64_t seed;
    uint64_t *in, *out;
    enum { CROWD, ALONE, ASLEEP } waits;
} actor;

/* Members 0 … last folded from the left. */
static uint64_t folded(uint64_t call, int last, size_t k) {
    uint64_t sum = word(call, 0, k);
    for (int i = 1; i <= last; i++) sum = sum * 31 + word(call, i, k);
    return sum;
}

/* Groups of four folded from the left, then what comes of them: reductions of more than eight members whose vectors are
 * longer than a line and no longer than a page. */
static uint64_t in_groups(uint64_t call, int size, size_t k) {
    uint64_t sum = 0;
    for (int first = 0; first < size; first += 4) {
        uint64_t partial = word(call, first, k);
        for (int i = first + 1; i < size && i < first + 4; i++) partial = partial * 31 + word(call, i, k);
        sum = first ? sum * 31 + partial : partial;
    }
    return sum;
}

static uint64_t reduced(uint64_t call, int size, size_t words, size_t k) {
    return size > 8 && words > 14 && words <= 512 ? in_groups(call, size, k) : folded(call, size - 1, k);
}

static void check_result(const actor *a, const sup_coll_call *call, uint64_t id, int self, int size) {
    size_t n = (size_t)call->bytes / 8;
    const uint64_t *out = call->out;
    int op = call->operation;
    for (size_t k = 0; k < n; k++) {
        uint64_t untouched = call->in == call->out ? word(id, self, k) : 0;
        if (op == SUP_BROADCAST) CHECK(out[k] == word(id, call->root, k));
        if (op == SUP_ALLREDUCE) CHECK(out[k] == folded(id, size - 1, k));
        if (op == SUP_REDUCE) CHECK(out[k] == (self == call->root ? reduced(id, size, n, k) : untouched));
        if (op == SUP_SCAN) CHECK(out[k] == folded(id, self, k));
        if (op == SUP_EXSCAN) CHECK(out[k] == (self ? folded(id, self - 1, k) : untouched));
    }
    (void)a;
}

static const int operations[] = {SUP_BROADCAST, SUP_REDUCE,  SUP_ALLREDUCE, SUP_SCAN,
                                 SUP_EXSCAN,    SUP_BARRIER, SUP_BROADCAST, SUP_ALLREDUCE};

static void one_call(const actor *a, sup_room *room, int self, int size, uint64_t id) {
    uint64_t r = mix(a->seed + id);
    size_t n = draw_words(r >> 8);
    static const int64_t segments[] = {0, 0, 1000, 100000};
    sup_choice choice = {.radix = (int)(r >> 16) % 4, .segment_bytes = segments[(r >> 20) % 4]};
    bool in_place = (r >> 24) % 2;
    sup_coll_call call = {.operation = operations[r % (sizeof operations / sizeof operations[0])],
                          .root = (int)((r >> 32) % (uint64_t)size),
                          .in = in_place ? a->out : a->in,
                          .out = a->out,
                          .bytes = (int64_t)(8 * n),
                          .fold = &folds[(r >> 28) % 2]};
    bool brings = call.operation != SUP_BROADCAST || self == call.root;
    memset(a->out, 0, 8 * n);
    uint64_t *in = call.operation == SUP_BROADCAST || in_place ? a->out : a->in;
    for (size_t k = 0; k < n && brings; k++) in[k] = word(id, self, k);
    if (mix(r + (uint64_t)self) % 8 == 0)
        for (int i = 0; i < 20; i++) sched_yield(); /* late */
    CHECK(!sup_room_run(room, &call, (r >> 40) % 2 ? &choice : NULL));
    if (call.operation == SUP_BARRIER) return;
    check_result(a, &call, id, self, size);
}

static sup_net *attach(const actor *a) {
    sup_net *net;
    CHECK(!sup_shm_attach(a->seg, a->rank, false, true, &net));
    net->oversubscribed = a->waits != ALONE;
    if (a->waits == CROWD) net->patience = SUP_PATIENCE_CROWD;
    if (a->waits == ASLEEP) net->patience = (sup_patience){.nap_ns = 999999999, .nap_max_ns = 999999999};
    return net;
}

static void *act(void *p) {
    actor *a = p;
    sup_net *net = attach(a);
    a->in = calloc(1, MOST_BYTES);
    a->out = calloc(1, MOST_BYTES);
    CHECK(a->in && a->out);
    sup_net_group everybody = sup_net_group_first(net, net->size);
    sup_room *room;
    CHECK(!sup_room_open(&everybody, SLOT, &room));
    for (int i = 0; i < a->calls; i++) one_call(a, room, net->rank, net->size, (uint64_t)i);
    sup_room_close(room);
    free(a->in);
    free(a->out);
    sup_net_close(net);
    return NULL;
}

/* All, then every other one, in another order every time: rooms of different members on the same slot, and each member
 * is the first one in turn. */
static void *move_about(void *p) {
    actor *a = p;
    sup_net *net = attach(a);
    a->in = calloc(1, MOST_BYTES);
    a->out = calloc(1, MOST_BYTES);
    CHECK(a->in && a->out);
    for (int round = 0; round < 40; round++) {
        int ranks[MAX_RANKS], count = 0, self = -1;
        for (int k = 0; k < net->size; k++) {
            int i = (k + round / 2) % net->size;
            if (round % 2 && i % 2) continue;
            if (i == net->rank) self = count;
            ranks[count++] = i;
        }
        sup_net_group group;
        sup_room *room;
        CHECK(!sup_net_group_of(net, ranks, count, &group));
        CHECK(self >= 0 || sup_room_open(&group, SLOT, &room) == SUP_EINVAL);
        if (self >= 0) {
            CHECK(!sup_room_open(&group, SLOT, &room));
            for (int i = 0; i < round % 3; i++) one_call(a, room, self, count, (uint64_t)(100 * round + i));
            sup_room_close(room);
        }
        sup_net_group_free(&group);
    }
    free(a->in);
    free(a->out);
    sup_net_close(net);
    return NULL;
}

static void *new_segment(int size, size_t *bytes) {
    *bytes = sup_shm_segment_bytes(size);
    void *seg = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(seg != MAP_FAILED);
    sup_shm_segment_init(seg, size);
    return seg;
}

static void run_waiting(int waits, int size, void *(*what)(void *), uint64_t seed, int calls) {
    size_t bytes;
    void *seg = new_segment(size, &bytes);
    pthread_t t[MANY_RANKS];
    actor a[MANY_RANKS];
    for (int i = 0; i < size; i++) {
        a[i] = (actor){.seg = seg, .rank = i, .size = size, .seed = seed, .calls = calls, .waits = waits};
        assert_int_equal(pthread_create(&t[i], NULL, what, &a[i]), 0);
    }
    for (int i = 0; i < size; i++) pthread_join(t[i], NULL);
    munmap(seg, bytes);
}

static void run(int size, void *(*what)(void *), uint64_t seed, int calls) {
    run_waiting(CROWD, size, what, seed, calls);
}

static void random_sequences(void **state) {
    (void)state;
    for (int size = 1; size <= MAX_RANKS; size++) run(size, act, (uint64_t)size << 32, CALLS);
}

/* So many that reductions form groups, the last of them whole or not. */
static void many_members(void **state) {
    (void)state;
    for (int size = 9; size <= MANY_RANKS; size += 3) run(size, act, (uint64_t)size << 32, CALLS / 4);
}

static void members_with_cores_of_their_own(void **state) {
    (void)state;
    run_waiting(ALONE, 2, act, 5, CALLS);
}

/* Those who sleep for one word are woken by its writer and by each other. */
static void sleepers_are_woken(void **state) {
    (void)state;
    for (int size = 2; size <= MANY_RANKS; size += 4) run_waiting(ASLEEP, size, act, (uint64_t)size << 32, CALLS / 3);
}

static void rooms_one_after_the_other(void **state) {
    (void)state;
    for (int size = 1; size <= MAX_RANKS; size += 3) run(size, move_about, 77, 0);
}

/* Lines of a file of this process that name the memory of a room; of a folder: links. */
static int rooms_mapped(void) {
    char line[512];
    int n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) n += strstr(line, "superstep-room") != NULL;
    fclose(f);
    return n;
}

static int rooms_open(void) {
    int n = 0;
    for (int fd = 0; fd < 256; fd++) {
        char path[64], target[256] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (readlink(path, target, sizeof target - 1) > 0) n += strstr(target, "superstep-room") != NULL;
    }
    return n;
}

static void nothing_is_left(void **state) {
    (void)state;
    assert_int_equal(rooms_mapped(), 0);
    sup_launch l = {.net = "self", .segment_fd = -1};
    sup_net *net;
    sup_room *room;
    assert_int_equal(sup_net_open(&l, NULL, &net), SUP_OK);
    sup_net_group alone = sup_net_group_first(net, 1);
    assert_int_equal(sup_room_open(&alone, SUP_NET_SLOTS, &room), SUP_EINVAL);
    assert_int_equal(sup_room_open(&alone, SLOT, &room), SUP_OK);
    assert_int_equal(rooms_mapped(), 1);
    assert_int_equal(rooms_open(), 0);
    assert_int_equal(sup_room_run(room, &(sup_coll_call){.operation = SUP_OPERATIONS}, NULL), SUP_ENOTSUP);
    sup_room_close(room);
    assert_int_equal(rooms_mapped(), 0);
    sup_net_close(net);
}

/* ---- between processes ---- */

enum { SIZE = 3 };

/* All end well, but for one that is killed. */
static void await_all(const pid_t *child, int killed) {
    int status;
    for (int k = 0; k < SIZE; k++) {
        int i = killed < 0 ? k : (killed + k) % SIZE; /* the dead one first: somebody has to bury it */
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        if (i == killed)
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        else
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

/* One cannot open files: nobody has a room, and the next one is had by all. */
static void try_to_open(void *seg, int rank, bool cannot) {
    struct rlimit usual, none;
    uint64_t out[3] = {0};
    sup_net *net;
    sup_room *room;
    CHECK(!sup_shm_attach(seg, rank, false, false, &net));
    sup_net_group everybody = sup_net_group_first(net, net->size);
    CHECK(!getrlimit(RLIMIT_NOFILE, &usual));
    none = (struct rlimit){0, usual.rlim_max};
    CHECK(!cannot || !setrlimit(RLIMIT_NOFILE, &none));
    CHECK(sup_room_open(&everybody, SLOT, &room) == SUP_ENOTSUP);
    CHECK(!setrlimit(RLIMIT_NOFILE, &usual));
    CHECK(!sup_room_open(&everybody, SLOT, &room));
    sup_coll_call call = {.operation = SUP_BROADCAST, .root = 1, .out = out, .bytes = sizeof out};
    for (int k = 0; k < 3 && rank == 1; k++) out[k] = word(1, 1, (size_t)k);
    CHECK(!sup_room_run(room, &call, NULL));
    for (int k = 0; k < 3; k++) CHECK(out[k] == word(1, 1, (size_t)k));
    sup_room_close(room);
    _exit(0);
}

static void all_have_it_or_none(void **state) {
    (void)state;
    for (int unable = 0; unable < SIZE; unable++) {
        size_t bytes;
        void *seg = new_segment(SIZE, &bytes);
        pid_t child[SIZE];
        for (int i = 0; i < SIZE; i++) {
            child[i] = fork();
            assert_true(child[i] >= 0);
            if (!child[i]) try_to_open(seg, i, i == unable);
        }
        await_all(child, -1);
        munmap(seg, bytes);
    }
}

enum { LAST_CALL = 40 };

/* Goes on until somebody is gone. */
static void live_and_die(void *seg, int rank, int operation, bool dies) {
    static uint64_t in[4000], out[4000];
    sup_net *net;
    sup_room *room;
    CHECK(!sup_shm_attach(seg, rank, false, false, &net));
    sup_net_group everybody = sup_net_group_first(net, net->size);
    CHECK(!sup_room_open(&everybody, SLOT, &room));
    sup_status st = SUP_OK;
    for (int i = 0; !st; i++) {
        sup_coll_call call = {.operation = operation,
                              .root = i % net->size,
                              .in = in,
                              .out = out,
                              .bytes = i % 3 == 0 ? 8 : (int64_t)sizeof in / (1 + i % 7) / 8 * 8,
                              .fold = &folds[0]};
        if (dies && i == LAST_CALL) raise(SIGKILL);
        st = sup_room_run(room, &call, NULL);
    }
    CHECK(st == SUP_EPEER);
    CHECK(sup_room_run(room, &(sup_coll_call){.operation = SUP_BARRIER}, NULL) == SUP_EPEER);
    sup_room_close(room);
    _exit(0);
}

static void the_dead_are_not_waited_for(void **state) {
    (void)state;
    static const int with[SIZE] = {SUP_BROADCAST, SUP_ALLREDUCE, SUP_SCAN};
    for (int k = 0; k < SIZE; k++) {
        size_t bytes;
        void *seg = new_segment(SIZE, &bytes);
        pid_t child[SIZE];
        for (int i = 0; i < SIZE; i++) {
            child[i] = fork();
            assert_true(child[i] >= 0);
            if (!child[i]) live_and_die(seg, i, with[k], i == k);
        }
        await_all(child, k);
        munmap(seg, bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sequences),
        cmocka_unit_test(many_members),
        cmocka_unit_test(members_with_cores_of_their_own),
        cmocka_unit_test(sleepers_are_woken),
        cmocka_unit_test(rooms_one_after_the_other),
        cmocka_unit_test(nothing_is_left),
        cmocka_unit_test(all_have_it_or_none),
        cmocka_unit_test(the_dead_are_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
