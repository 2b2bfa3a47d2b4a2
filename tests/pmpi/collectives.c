/* An MPI program that knows nothing of Superstep and compares what MPI's collective operations give with what each
 * process computes by itself. The first argument names the check, the second how often. What fails says so and ends the
 * run; what hangs is for the caller's timeout. The same program passes without the preloaded library. */
#include "collectives.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int world_rank, world_size;

enum { MOST = 300000 }; /* ints of a block, for all processes together */

bench *bench_of(MPI_Comm comm) {
    bench *b = calloc(1, sizeof *b);
    b->comm = comm;
    MPI_Comm_rank(comm, &b->rank);
    MPI_Comm_size(comm, &b->size);
    size_t n = 2 * MOST + 64 * (size_t)b->size * (size_t)b->size;
    b->in = calloc(n, sizeof(int));
    b->out = calloc(n, sizeof(int));
    b->counts = calloc(4 * (size_t)b->size, sizeof(int));
    CHECK(b->in && b->out && b->counts);
    b->places = b->counts + b->size;
    b->counts2 = b->places + b->size;
    b->places2 = b->counts2 + b->size;
    return b;
}

void bench_free(bench *b) {
    free(b->in);
    free(b->out);
    free(b->counts);
    free(b);
}

/* Number k of what `from` has for `to`. */
int value(const bench *b, int from, int to, int k) {
    uint32_t x = (uint32_t)(from * 7919 + to * 104729 + k * 31 + b->seed * 15485863);
    x ^= x >> 13;
    x *= 0x5bd1e995u;
    return (int)(x ^ x >> 15);
}

void fill(const bench *b, int *at, int from, int to, int n) {
    for (int k = 0; k < n; k++) at[k] = value(b, from, to, k);
}

void clear(const bench *b, int n) {
    for (int k = 0; k < n; k++) b->out[k] = -7;
}

bool holds(const bench *b, const int *at, int from, int to, int n) {
    for (int k = 0; k < n; k++)
        if (at[k] != value(b, from, to, k)) return false;
    return true;
}

/* ---- data that moves ---- */

static void broadcast(bench *b, int n) {
    for (int root = 0; root<b->size; root += b->size> 2 ? b->size - 1 : 1) {
        clear(b, n + 1);
        if (b->rank == root) fill(b, b->out, root, 0, n);
        OK(MPI_Bcast(b->out, n, MPI_INT, root, b->comm));
        CHECK(holds(b, b->out, root, 0, n) && b->out[n] == -7);
    }
}

static void gather_scatter(bench *b, int n) {
    int root = b->size / 2, me = b->rank, all = n * b->size;
    bool at_root = me == root;
    for (int in_place = 0; in_place < 2; in_place++) {
        clear(b, all + 1);
        fill(b, b->in, me, 0, n);
        if (in_place && at_root) fill(b, b->out + n * me, me, 0, n);
        OK(MPI_Gather(in_place && at_root ? MPI_IN_PLACE : b->in, n, MPI_INT, at_root ? b->out : NULL, n, MPI_INT, root,
                      b->comm));
        for (int i = 0; i < b->size && at_root; i++) CHECK(holds(b, b->out + n * i, i, 0, n));
        CHECK(b->out[at_root ? all : 0] == -7);
        clear(b, n + 1);
        for (int i = 0; i < b->size && at_root; i++) fill(b, b->in + n * i, root, i, n);
        OK(MPI_Scatter(at_root ? b->in : NULL, n, MPI_INT, in_place && at_root ? MPI_IN_PLACE : b->out, n, MPI_INT,
                       root, b->comm));
        CHECK(holds(b, in_place && at_root ? b->in + n * me : b->out, root, me, n) && b->out[n] == -7);
    }
}

static void all_moves(bench *b, int n) {
    int me = b->rank, all = n * b->size;
    for (int in_place = 0; in_place < 2; in_place++) {
        clear(b, all + 1);
        fill(b, in_place ? b->out + n * me : b->in, me, 0, n);
        OK(MPI_Allgather(in_place ? MPI_IN_PLACE : b->in, n, MPI_INT, b->out, n, MPI_INT, b->comm));
        for (int i = 0; i < b->size; i++) CHECK(holds(b, b->out + n * i, i, 0, n));
        CHECK(b->out[all] == -7);
        clear(b, all + 1);
        for (int i = 0; i < b->size; i++) fill(b, (in_place ? b->out : b->in) + n * i, me, i, n);
        OK(MPI_Alltoall(in_place ? MPI_IN_PLACE : b->in, n, MPI_INT, b->out, n, MPI_INT, b->comm));
        for (int i = 0; i < b->size; i++) CHECK(holds(b, b->out + n * i, i, me, n));
        CHECK(b->out[all] == -7);
    }
}

/* How much `from` has for `to`: nothing for some. */
static int length_of(const bench *b, int from, int to, int n) {
    return (from + 2 * to + b->seed) % 3 == 0 ? 0 : n / 2 + (from * 5 + to * 3) % (n / 2 + 1);
}

/* The blocks with gaps between them, the last first; returns one past the end. */
static int lay_out(const bench *b, bool sends, int n, bool one_sided, int *counts, int *places) {
    int at = 1;
    for (int i = b->size - 1; i >= 0; i--) {
        counts[i] = one_sided ? length_of(b, i, 0, n)
                    : sends   ? length_of(b, b->rank, i, n)
                              : length_of(b, i, b->rank, n);
        places[i] = at;
        at += counts[i] + 1;
    }
    return at;
}

static void check_gaps(const bench *b, const int *counts, const int *places) {
    for (int i = 0; i < b->size; i++) CHECK(b->out[places[i] + counts[i]] == -7 && b->out[places[i] - 1] == -7);
}

static void gatherv_scatterv(bench *b, int n) {
    int root = b->size - 1, me = b->rank, mine = length_of(b, me, 0, n);
    bool at_root = me == root;
    for (int in_place = 0; in_place < 2; in_place++) {
        bool here = in_place && at_root;
        int end = lay_out(b, true, n, true, b->counts, b->places);
        clear(b, end);
        fill(b, here ? b->out + b->places[me] : b->in, me, 0, mine);
        OK(MPI_Gatherv(here ? MPI_IN_PLACE : b->in, mine, MPI_INT, b->out, at_root ? b->counts : NULL,
                       at_root ? b->places : NULL, MPI_INT, root, b->comm));
        for (int i = 0; i < b->size && at_root; i++) CHECK(holds(b, b->out + b->places[i], i, 0, b->counts[i]));
        if (at_root) check_gaps(b, b->counts, b->places);
        clear(b, mine + 1);
        for (int i = 0; i < b->size && at_root; i++) fill(b, b->in + b->places[i], root, i, b->counts[i]);
        OK(MPI_Scatterv(b->in, at_root ? b->counts : NULL, at_root ? b->places : NULL, MPI_INT,
                        here ? MPI_IN_PLACE : b->out, mine, MPI_INT, root, b->comm));
        CHECK(holds(b, here ? b->in + b->places[me] : b->out, root, me, mine) && b->out[mine] == -7);
    }
}

static void allgatherv(bench *b, int n) {
    int me = b->rank, mine = length_of(b, me, 0, n);
    if (b->size == 1) return; /* MPICH 4.0 itself puts the only block at the beginning */
    for (int in_place = 0; in_place < 2; in_place++) {
        clear(b, lay_out(b, true, n, true, b->counts, b->places));
        fill(b, in_place ? b->out + b->places[me] : b->in, me, 0, mine);
        OK(MPI_Allgatherv(in_place ? MPI_IN_PLACE : b->in, mine, MPI_INT, b->out, b->counts, b->places, MPI_INT,
                          b->comm));
        for (int i = 0; i < b->size; i++) CHECK(holds(b, b->out + b->places[i], i, 0, b->counts[i]));
        check_gaps(b, b->counts, b->places);
    }
}

static void alltoallv(bench *b, int n) {
    int me = b->rank;
    lay_out(b, true, n, false, b->counts, b->places);
    clear(b, lay_out(b, false, n, false, b->counts2, b->places2));
    for (int i = 0; i < b->size; i++) fill(b, b->in + b->places[i], me, i, b->counts[i]);
    OK(MPI_Alltoallv(b->in, b->counts, b->places, MPI_INT, b->out, b->counts2, b->places2, MPI_INT, b->comm));
    for (int i = 0; i < b->size; i++) CHECK(holds(b, b->out + b->places2[i], i, me, b->counts2[i]));
    check_gaps(b, b->counts2, b->places2);
    /* in place: as much to each as from it */
    int at = 1;
    for (int i = 0; i < b->size; i++) {
        b->counts[i] = n / 2 + me + i;
        b->places[i] = at;
        at += b->counts[i] + 1;
    }
    clear(b, at);
    for (int i = 0; i < b->size; i++) fill(b, b->out + b->places[i], me, i, b->counts[i]);
    OK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, b->out, b->counts, b->places, MPI_INT, b->comm));
    for (int i = 0; i < b->size; i++) CHECK(holds(b, b->out + b->places[i], i, me, b->counts[i]));
    check_gaps(b, b->counts, b->places);
}

/* ---- reductions of ints ---- */

static int sum_of(const bench *b, int first, int end, int to, int k) {
    int sum = 0;
    for (int i = first; i < end; i++) sum = (int)((unsigned)sum + (unsigned)value(b, i, to, k));
    return sum;
}

static bool sums(const bench *b, const int *at, int end, int to, int n) {
    for (int k = 0; k < n; k++)
        if (at[k] != sum_of(b, 0, end, to, k)) return false;
    return true;
}

static void reductions(bench *b, int n) {
    int me = b->rank;
    for (int in_place = 0; in_place < 2; in_place++) {
        int root = in_place ? 0 : b->size / 2; /* MPICH 4.0 itself fails in place at another root than 0 */
        bool here = in_place && me == root;
        clear(b, n + 1);
        fill(b, here ? b->out : b->in, me, 0, n);
        OK(MPI_Reduce(here ? MPI_IN_PLACE : b->in, b->out, n, MPI_INT, MPI_SUM, root, b->comm));
        if (me == root) CHECK(sums(b, b->out, b->size, 0, n));
        CHECK(b->out[me == root ? n : 0] == -7);
        clear(b, n + 1);
        fill(b, in_place ? b->out : b->in, me, 0, n);
        OK(MPI_Allreduce(in_place ? MPI_IN_PLACE : b->in, b->out, n, MPI_INT, MPI_SUM, b->comm));
        CHECK(sums(b, b->out, b->size, 0, n) && b->out[n] == -7);
        fill(b, in_place ? b->out : b->in, me, 0, n);
        OK(MPI_Scan(in_place ? MPI_IN_PLACE : b->in, b->out, n, MPI_INT, MPI_SUM, b->comm));
        CHECK(sums(b, b->out, me + 1, 0, n) && b->out[n] == -7);
        fill(b, in_place ? b->out : b->in, me, 0, n);
        OK(MPI_Exscan(in_place ? MPI_IN_PLACE : b->in, b->out, n, MPI_INT, MPI_SUM, b->comm));
        CHECK((me == 0 || sums(b, b->out, me, 0, n)) && b->out[n] == -7);
    }
}

static void reduce_scatters(bench *b, int n) {
    int me = b->rank;
    for (int in_place = 0; in_place < 2; in_place++) {
        int at = 0;
        clear(b, n * b->size + 1);
        for (int i = 0; i < b->size; i++) {
            b->counts[i] = length_of(b, i, 0, n);
            fill(b, (in_place ? b->out : b->in) + at, me, i, b->counts[i]);
            at += b->counts[i];
        }
        OK(MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : b->in, b->out, b->counts, MPI_INT, MPI_SUM, b->comm));
        CHECK(sums(b, b->out, b->size, me, b->counts[me]));
        clear(b, n * b->size + 1);
        for (int i = 0; i < b->size; i++) fill(b, (in_place ? b->out : b->in) + n * i, me, i, n);
        OK(MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : b->in, b->out, n, MPI_INT, MPI_SUM, b->comm));
        CHECK(sums(b, b->out, b->size, me, n) && b->out[n * b->size] == -7);
    }
}

static void every_operation(bench *b, int n) {
    broadcast(b, n);
    gather_scatter(b, n);
    all_moves(b, n);
    gatherv_scatterv(b, n);
    allgatherv(b, n);
    alltoallv(b, n);
    reductions(b, n);
    reduce_scatters(b, n);
    b->seed++;
}

static void operations(int count) {
    static const int sizes[] = {1, 2, 3, 15, 16, 17, 100, 1000, 1025, 5000, 20000, 0};
    bench *b = bench_of(MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        for (int k = 0; sizes[k]; k++) every_operation(b, sizes[k]);
    /* large ones, which go another way */
    if (b->size <= 4) every_operation(b, MOST / b->size / 2);
    broadcast(b, MOST);
    reductions(b, MOST);
    /* nothing at all */
    OK(MPI_Bcast(NULL, 0, MPI_INT, 0, b->comm));
    OK(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, b->comm));
    OK(MPI_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, b->comm));
    bench_free(b);
}

/* ---- communicators ---- */

static void some_operations(MPI_Comm comm, int n) {
    bench *b = bench_of(comm);
    broadcast(b, n);
    all_moves(b, n);
    alltoallv(b, n);
    reductions(b, n);
    bench_free(b);
}

static void communicators(int count) {
    for (int i = 0; i < count; i++) {
        MPI_Comm part, copy, between;
        MPI_Comm_split(MPI_COMM_WORLD, i % 2 ? world_rank % 2 : 0, i % 3 ? -world_rank : world_rank, &part);
        some_operations(part, 10 + i);
        MPI_Comm_dup(part, &copy);
        some_operations(copy, 100);
        MPI_Comm_free(&part);
        some_operations(copy, 1000);
        MPI_Comm_free(&copy);
        some_operations(MPI_COMM_SELF, 10);
        if (world_size < 2) continue;
        MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &part);
        MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, (world_rank + 1) % 2, 5, &between);
        int mine = world_rank, sum = 0, want = 0;
        for (int k = (world_rank + 1) % 2; k < world_size; k += 2) want += k;
        OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, between));
        CHECK(sum == want);
        OK(MPI_Bcast(&mine, 1, MPI_INT, world_rank % 2 ? 0 : world_rank == 0 ? MPI_ROOT : MPI_PROC_NULL, between));
        CHECK(world_rank % 2 ? mine == 0 : mine == world_rank);
        MPI_Comm_free(&between);
        MPI_Comm_free(&part);
    }
}

/* More than are ours at a time, all in use at once. */
static void many(int count) {
    MPI_Comm *all = calloc((size_t)count, sizeof(MPI_Comm));
    CHECK(all);
    for (int i = 0; i < count; i++) MPI_Comm_dup(MPI_COMM_WORLD, &all[i]);
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < count; i++) {
            double one = 1, sum = 0;
            int from = i;
            OK(MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, all[i]));
            OK(MPI_Bcast(&from, 1, MPI_INT, 0, all[i]));
            CHECK(sum == world_size && from == i);
        }
    for (int i = 0; i < count; i++) MPI_Comm_free(&all[i]);
    free(all);
}

/* ---- errors: as MPI has them ---- */

static int class_of(int code) {
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    return class;
}

static int handled;
static void handler(MPI_Comm *comm, int *code, ...) {
    (void)comm, (void)code;
    handled++;
}

static void errors(int count) {
    MPI_Errhandler own;
    MPI_Comm copy;
    int word[4] = {0};
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(copy, own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < count; i++) {
        int before = handled;
        some_operations(copy, 5);
        CHECK(handled == before);
        CHECK(class_of(MPI_Bcast(word, -1, MPI_INT, 0, copy)) == MPI_ERR_COUNT && handled == before + 1);
        CHECK(class_of(MPI_Bcast(word, 1, MPI_INT, world_size, copy)) == MPI_ERR_ROOT && handled == before + 2);
        CHECK(class_of(MPI_Bcast(word, 1, MPI_INT, -5, copy)) == MPI_ERR_ROOT);
        CHECK(class_of(MPI_Bcast(word, 1, MPI_DATATYPE_NULL, 0, copy)) == MPI_ERR_TYPE);
        CHECK(class_of(MPI_Bcast(word, 1, MPI_INT, 0, MPI_COMM_NULL)) == MPI_ERR_COMM);
        CHECK(class_of(MPI_Allreduce(word, word + 1, 1, MPI_INT, MPI_OP_NULL, copy)) == MPI_ERR_OP);
        CHECK(class_of(MPI_Allreduce(word, word + 1, 1, MPI_DOUBLE, MPI_BAND, copy)) == MPI_ERR_OP);
        CHECK(class_of(MPI_Reduce(word, word + 1, 1, MPI_INT, MPI_SUM, world_size + 3, copy)) == MPI_ERR_ROOT);
#if defined(OPEN_MPI) /* MPICH 4.0 looks at some of its arguments only, and fails */
        int counts[64] = {-1};
        CHECK(class_of(MPI_Allreduce(word, word + 1, -1, MPI_INT, MPI_SUM, copy)) == MPI_ERR_COUNT);
        CHECK(MPI_Reduce_scatter(word, word + 1, counts, MPI_INT, MPI_SUM, copy) != MPI_SUCCESS);
#endif
        some_operations(copy, 5);
    }
    MPI_Comm_free(&copy);
    MPI_Errhandler_free(&own);
}

/* ---- while it waits ---- */

/* The root comes late because it sends something large to a process that already waits in the operation. */
static void progress(int count) {
    enum { LARGE = 4 << 20 };
    unsigned char *bytes = malloc(LARGE);
    int word[3];
    CHECK(bytes && world_size >= 2);
    for (int i = 0; i < count; i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        memset(bytes, world_rank == 0 ? 'a' + i : 0, LARGE);
        if (world_rank == 1) MPI_Irecv(bytes, LARGE, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (world_rank == 0) {
            usleep(20000);
            MPI_Send(bytes, LARGE, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
        }
        word[0] = world_rank + i;
        switch (i % 3) {
        case 0:
            OK(MPI_Bcast(word, 1, MPI_INT, 0, MPI_COMM_WORLD));
            CHECK(word[0] == i);
            break;
        case 1:
            OK(MPI_Allreduce(word, word + 1, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
            CHECK(word[1] == i);
            break;
        default:
            OK(MPI_Scatter(world_rank == 0 ? bytes : NULL, 4, MPI_BYTE, word, 4, MPI_BYTE, 0, MPI_COMM_WORLD));
            CHECK(((unsigned char *)word)[0] == 'a' + i);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (world_rank == 1) CHECK(bytes[0] == 'a' + i && bytes[LARGE - 1] == 'a' + i);
    }
    free(bytes);
}

typedef struct thread {
    pthread_t id;
    MPI_Comm comm;
    int count;
} thread;

static void *in_thread(void *argument) {
    thread *t = argument;
    bench *b = bench_of(t->comm);
    for (int i = 0; i < t->count; i++) every_operation(b, 1 + 50 * i);
    bench_free(b);
    return NULL;
}

static void threads(int count) {
    thread t[3];
    int level;
    MPI_Query_thread(&level);
    CHECK(level == MPI_THREAD_MULTIPLE);
    for (int i = 0; i < 3; i++) {
        t[i].count = count;
        MPI_Comm_dup(MPI_COMM_WORLD, &t[i].comm);
    }
    for (int i = 0; i < 3; i++) CHECK(!pthread_create(&t[i].id, NULL, in_thread, &t[i]));
    for (int i = 0; i < 3; i++) CHECK(!pthread_join(t[i].id, NULL));
    for (int i = 0; i < 3; i++) MPI_Comm_free(&t[i].comm);
}

/* ---- sums that round: the same bits in every run, whoever is late. The caller compares what is printed. ---- */

static uint64_t mix(uint64_t hash, const void *data, size_t bytes) {
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

static void rounding(int count) {
    enum { N = 4000 };
    static double in[N], out[N];
    static float fin[N], fout[N];
    uint64_t hash = 0xcbf29ce484222325u;
    srand((unsigned)getpid());
    for (int i = 0; i < count; i++) {
        int n = i % 4 == 0 ? 1 : i % 4 == 1 ? 10 : i % 4 == 2 ? 1000 : N;
        for (int k = 0; k < n; k++) {
            in[k] = sin(world_rank * 1.7 + k * 0.3 + i) * pow(10, (world_rank + k) % 13);
            fin[k] = (float)in[k];
        }
        if (rand() % 3 == 0) usleep((useconds_t)(rand() % 300));
        MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        hash = mix(hash, out, (size_t)n * sizeof out[0]);
        if (rand() % 3 == 0) usleep((useconds_t)(rand() % 300));
        MPI_Allreduce(fin, fout, n, MPI_FLOAT, MPI_PROD, MPI_COMM_WORLD);
        hash = mix(hash, fout, (size_t)n * sizeof fout[0]);
        memset(out, 0, sizeof out);
        MPI_Reduce(in, out, n, MPI_DOUBLE, MPI_SUM, i % world_size, MPI_COMM_WORLD);
        hash = mix(hash, out, (size_t)n * sizeof out[0]);
        MPI_Scan(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        hash = mix(hash, out, (size_t)n * sizeof out[0]);
        if (n >= world_size) {
            MPI_Reduce_scatter_block(in, out, n / world_size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            hash = mix(hash, out, (size_t)(n / world_size) * sizeof out[0]);
        }
    }
    uint64_t all = 0;
    MPI_Reduce(&hash, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (world_rank == 0) printf("bits %016llx\n", (unsigned long long)all);
}

/* One dies while the others wait for it. */
static void dies(int count) {
    double in[1000] = {0}, out[1000];
    for (int i = 0; i < count; i++) MPI_Allreduce(in, out, 1000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == world_size - 1) {
        usleep(50000);
        raise(SIGTERM);
    }
    MPI_Allreduce(in, out, 1000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* For so many milliseconds: until what decides by time has decided. */
static void lasts(int count) {
    bench *b = bench_of(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), over = 0;
    while (!over) {
        for (int i = 0; i < 20; i++) broadcast(b, 100);
        for (int i = 0; i < 20; i++) all_moves(b, 5);
        double mine = MPI_Wtime() > begin + 1e-3 * count;
        MPI_Allreduce(&mine, &over, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    }
    every_operation(b, 100);
    bench_free(b);
}

/* Between hosts MPICH's MPI_Finalize over UCX's TCP may wait for ever for one that has left already (with and without
 * us): all say goodbye to each other both ways, and give the slowest time to hear of it. */
static void part(void) {
    for (int step = 1; step < world_size; step *= 2) {
        int up = (world_rank + step) % world_size, down = (world_rank + world_size - step) % world_size;
        MPI_Sendrecv(NULL, 0, MPI_BYTE, up, 1, NULL, 0, MPI_BYTE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(NULL, 0, MPI_BYTE, down, 2, NULL, 0, MPI_BYTE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    usleep(50000);
}

static const struct {
    const char *name;
    void (*run)(int count);
} all[] = {
    {"operations", operations},
    {"types", types},
    {"derived", derived_types},
    {"some", some_members},
    {"come", come_and_go},
    {"communicators", communicators},
    {"many", many},
    {"errors", errors},
    {"progress", progress},
    {"threads", threads},
    {"rounding", rounding},
    {"lasts", lasts},
    {"dies", dies},
};

/* NAME COUNT NAME COUNT …, all in one run. */
int main(int argc, char **argv) {
    int level;
    if (argc < 3) return 2;
    if (!strcmp(argv[1], "threads"))
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* a check says where */
    for (int a = 1; a + 1 < argc; a += 2) {
        bool found = false;
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
            if (strcmp(argv[a], all[i].name) != 0) continue;
            all[i].run(atoi(argv[a + 1]));
            found = true;
        }
        CHECK(found);
    }
    part();
    MPI_Finalize();
    return 0;
}
