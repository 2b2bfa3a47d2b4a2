/* Operations with blocks in rooms of shared memory, between threads and between processes: scatter, gather, allgather,
 * alltoall and reduce-scatter, with blocks of one length and of different ones, in random order and lengths, back to
 * back, from cells, in rounds and from memory to memory, some of them in place. */
#include "coll/room/work.h"
#include "net/shm/shm.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_RANKS = 7, SLOT = 8, CALLS = 120, BLOCK_WORDS = 20000, GAP = 3 };

#define CHECK(x)                                                                  \
    do {                                                                          \
        if (!(x)) {                                                               \
            fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #x); \
            abort();                                                              \
        }                                                                         \
    } while (0)

/* A fold that neither commutes nor can be bracketed otherwise. */
static void left_into(void *accumulator, const void *operand, size_t count, void *context) {
    uint64_t *a = accumulator;
    const uint64_t *b = operand;
    (void)context;
    for (size_t i = 0; i < count; i++) a[i] = a[i] * 31 + b[i];
}

static const sup_fold fold = {.element = 8, .into = left_into};

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

/* Word k of what `from` has for `to`. */
static uint64_t word(uint64_t id, int from, int to, size_t k) {
    return mix(id * 1000003 + (uint64_t)(from * 100 + to) * 7919 + k) | 1;
}

typedef struct actor {
    void *seg;
    int rank, size;
    bool same_process;
} actor;

/* A call as it is drawn: the same on all members. */
typedef struct draw {
    uint64_t id;
    int operation, root, size;
    size_t words;
    bool differ, gaps, in_place;
} draw;

static size_t words_of(const draw *d, int from, int to) {
    if (!d->differ) return d->words;
    int block = d->operation == SUP_SCATTER || d->operation == SUP_REDUCE_SCATTER ? to : from;
    uint64_t r = mix(d->id + (uint64_t)(d->operation == SUP_ALLTOALL ? 100 * from + to + 1000 : block));
    return r % 4 == 0 ? 0 : r % (d->words + 1);
}

/* The one that block i of this buffer comes from, and goes to. */
static void ends(const draw *d, int self, bool in, int i, int *from, int *to) {
    bool rooted = d->operation == SUP_SCATTER || d->operation == SUP_GATHER;
    *from = in ? self : i;
    *to = in ? i : self;
    if (rooted && !in) *to = self;
    if (d->operation == SUP_ALLGATHER) *to = 0;
    if (d->operation == SUP_GATHER) *to = d->root;
}

/* Lays P blocks out: lengths and places in bytes; the whole in words. */
static size_t lay(const draw *d, int self, bool in, int64_t *bytes, int64_t *at) {
    size_t end = 0;
    for (int i = 0; i < d->size; i++) {
        int from, to;
        ends(d, self, in, i, &from, &to);
        if (d->gaps) end += (size_t)i % GAP;
        at[i] = (int64_t)(8 * end);
        bytes[i] = (int64_t)(8 * words_of(d, from, to));
        end += words_of(d, from, to);
    }
    return end;
}

static draw draw_call(uint64_t id, int size) {
    static const int operations[] = {SUP_SCATTER, SUP_GATHER, SUP_ALLGATHER, SUP_ALLTOALL, SUP_REDUCE_SCATTER};
    static const size_t most[] = {2, 6, 40, 300, 1500, 5000, BLOCK_WORDS};
    uint64_t r = mix(id + (uint64_t)size * 77);
    draw d = {.id = id, .operation = operations[r % 5], .root = (int)((r >> 8) % (uint64_t)size), .size = size};
    d.words = mix(r) % most[(r >> 16) % 7];
    d.differ = (r >> 24) % 2;
    d.gaps = d.differ && (r >> 25) % 2;
    d.in_place = (r >> 26) % 2;
    return d;
}

typedef struct buffers {
    uint64_t *in, *out;
    int64_t numbers[4][MAX_RANKS];
    sup_coll_call call;
} buffers;

static void fill(buffers *b, const draw *d, int self) {
    int op = d->operation;
    bool root = self == d->root,
         in_blocks = op == SUP_ALLTOALL || op == SUP_REDUCE_SCATTER || (op == SUP_SCATTER && root);
    bool out_blocks = op == SUP_ALLTOALL || op == SUP_ALLGATHER || (op == SUP_GATHER && root);
    lay(d, self, true, b->numbers[0], b->numbers[1]);
    size_t end = lay(d, self, false, b->numbers[2], b->numbers[3]);
    int64_t *n0 = b->numbers[0], *n1 = b->numbers[1], *n2 = b->numbers[2], *n3 = b->numbers[3];
    sup_coll_call *c = &b->call;
    *c = (sup_coll_call){
        .operation = op, .root = d->root, .in = b->in, .out = b->out, .bytes = (int64_t)(8 * d->words), .fold = &fold};
    if (d->differ && in_blocks) c->in_bytes = n0, c->in_at = d->gaps ? n1 : NULL;
    if (d->differ && out_blocks) c->out_bytes = n2, c->out_at = d->gaps ? n3 : NULL;
    if (d->differ && op == SUP_SCATTER && !root) c->out_bytes = &n2[d->root];
    if (d->differ && op == SUP_GATHER && !root) c->in_bytes = &n0[d->root];
    memset(b->out, 0, 8 * (out_blocks ? end : words_of(d, d->root, self)));
    if (d->in_place && out_blocks && op != SUP_ALLTOALL) c->in = b->out + n3[self] / 8;
    if (d->in_place && op == SUP_SCATTER && root) c->out = b->in + n1[self] / 8;
    uint64_t *in = (uint64_t *)(uintptr_t)c->in;
    if (in_blocks)
        for (int i = 0; i < d->size; i++)
            for (size_t k = 0; k < (size_t)n0[i] / 8; k++) in[(size_t)n1[i] / 8 + k] = word(d->id, self, i, k);
    else
        for (size_t k = 0; op != SUP_SCATTER && k < words_of(d, self, op == SUP_GATHER ? d->root : 0); k++)
            in[k] = word(d->id, self, op == SUP_GATHER ? d->root : 0, k);
}

static void check(const buffers *b, const draw *d, int self) {
    int op = d->operation;
    const uint64_t *out = b->call.out;
    if (op == SUP_SCATTER)
        for (size_t k = 0; k < words_of(d, d->root, self); k++) CHECK(out[k] == word(d->id, d->root, self, k));
    for (size_t k = 0; op == SUP_REDUCE_SCATTER && k < words_of(d, 0, self); k++) {
        uint64_t sum = word(d->id, 0, self, k);
        for (int i = 1; i < d->size; i++) sum = sum * 31 + word(d->id, i, self, k);
        CHECK(out[k] == sum);
    }
    if (op == SUP_SCATTER || op == SUP_REDUCE_SCATTER || (op == SUP_GATHER && self != d->root)) return;
    size_t end = 0;
    for (int i = 0; i < d->size; i++) {
        int from, to;
        ends(d, self, false, i, &from, &to);
        for (; end < (size_t)b->numbers[3][i] / 8; end++) CHECK(out[end] == 0); /* gaps are left alone */
        for (size_t k = 0; k < words_of(d, from, to); k++, end++) CHECK(out[end] == word(d->id, from, to, k));
    }
}

static void *act(void *p) {
    const actor *a = p;
    sup_net *net;
    CHECK(!sup_shm_attach(a->seg, a->rank, false, a->same_process, &net));
    net->oversubscribed = true;
    net->patience = SUP_PATIENCE_CROWD;
    buffers b = {.in = calloc(MAX_RANKS * (BLOCK_WORDS + GAP), 8), .out = calloc(MAX_RANKS * (BLOCK_WORDS + GAP), 8)};
    CHECK(b.in && b.out);
    sup_net_group everybody = sup_net_group_first(net, net->size);
    sup_room *room;
    CHECK(!sup_room_open(&everybody, SLOT, &room));
    for (int i = 0; i < CALLS; i++) {
        draw d = draw_call((uint64_t)i, net->size);
        static const int64_t segments[] = {0, 0, 3000, 100000};
        sup_choice choice = {.segment_bytes = segments[mix((uint64_t)i) % 4]};
        if (mix((uint64_t)i + 99) % 2) choice.algorithm = sup_algorithm_find(d.operation, "direct");
        if (i == 3 * CALLS / 4) room->direct = -1; /* as where the kernel refuses */
        fill(&b, &d, net->rank);
        if (mix((uint64_t)(i * 64 + net->rank)) % 8 == 0)
            for (int k = 0; k < 20; k++) sched_yield(); /* late */
        CHECK(!sup_room_run(room, &b.call, &choice));
        check(&b, &d, net->rank);
    }

    sup_room_close(room);
    free(b.in);
    free(b.out);
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

static void between_threads(void **state) {
    (void)state;
    for (int size = 1; size <= MAX_RANKS; size++) {
        size_t bytes;
        pthread_t t[MAX_RANKS];
        actor a[MAX_RANKS];
        void *seg = new_segment(size, &bytes);
        for (int i = 0; i < size; i++) {
            a[i] = (actor){.seg = seg, .rank = i, .size = size, .same_process = true};
            assert_int_equal(pthread_create(&t[i], NULL, act, &a[i]), 0);
        }
        for (int i = 0; i < size; i++) pthread_join(t[i], NULL);
        munmap(seg, bytes);
    }
}

/* The kernel does not write to where the root says: nobody may take that for something that all found before they
 * began. */
static void *act_unwritable(void *p) {
    enum { BLOCK = 8192 };
    const actor *a = p;
    sup_net *net;
    sup_room *room;
    CHECK(!sup_shm_attach(a->seg, a->rank, false, a->same_process, &net));
    sup_net_group everybody = sup_net_group_first(net, net->size);
    CHECK(!sup_room_open(&everybody, SLOT, &room));
    unsigned char *out = mmap(NULL, 2 * BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char in[BLOCK] = {0};
    CHECK(out != MAP_FAILED);
    sup_choice choice = {.algorithm = sup_algorithm_find(SUP_GATHER, "direct")};
    sup_coll_call call = {.operation = SUP_GATHER, .in = in, .out = out, .bytes = BLOCK};
    CHECK(choice.algorithm && !sup_room_run(room, &call, &choice) && room->direct);
    if (room->direct > 0) {
        CHECK(!mprotect(out + BLOCK, BLOCK, PROT_NONE));
        sup_status st = sup_room_run(room, &call, &choice);
        CHECK(st == SUP_EPERM);
    }
    munmap(out, 2 * BLOCK);
    sup_room_close(room);
    sup_net_close(net);
    return NULL;
}

static void in_processes(int size, void *(*what)(void *)) {
    size_t bytes;
    pid_t pid[MAX_RANKS];
    void *seg = new_segment(size, &bytes);
    for (int i = 0; i < size; i++) {
        pid[i] = fork();
        assert_true(pid[i] >= 0);
        if (pid[i]) continue;
        what(&(actor){.seg = seg, .rank = i, .size = size});
        _exit(0);
    }
    for (int i = 0; i < size; i++) {
        int status;
        assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
        assert_int_equal(status, 0);
    }
    munmap(seg, bytes);
}

static void between_processes(void **state) {
    (void)state;
    for (int size = 2; size <= MAX_RANKS; size += size == 2 ? 1 : 4) in_processes(size, act);
}

static void memory_that_cannot_be_written(void **state) {
    (void)state;
    in_processes(2, act_unwritable);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_threads),
        cmocka_unit_test(between_processes),
        cmocka_unit_test(memory_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
