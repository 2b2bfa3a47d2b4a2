/* A process in whose net and collective operations something fails (inject.h), if it is the victim:
 *
 *     superstep_net --part P | --net NAME   SCENE VICTIM N LASTING
 *
 * What it prints is for the driver (sweep.py): "RANK STATUS CALLS", the status being that of the scene, or of a barrier
 * after it. What is wrong ends it with 3: data, or a status that changes from one member to the other. */
#include "../../src/coll/coll.h"
#include "../../src/net/launch/launch.h"
#include "../../src/net/launch/monitor.h"
#include "inject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 40, SLOT = 8, WRONG = 3, LONG = 300000, MOST = 16 };

typedef struct world {
    sup_net *net;
    int rank, size;
    long n;
    int lasting;
    bool victim;
    long calls;
} world;

static _Noreturn void wrong(const world *w, const char *what) {
    fprintf(stderr, "superstep_net: rank %d: %s\n", w->rank, what);
    sup_net_abort(w->net, WRONG);
}

static void arm(const world *w) {
    if (w->victim) inject_arm(w->n, w->lasting);
}

static void disarm(world *w) {
    long calls = inject_disarm();
    if (w->victim && !w->calls) w->calls = calls;
}

/* ---- messages ---- */

static unsigned char value(int from, int message, size_t i) {
    return (unsigned char)(from * 7 + message * 13 + (int)(i % 251));
}

enum { MESSAGES = 40, BYTES = 60000, TAGS = 4 };
static const size_t lengths[] = {0, 40, 3000, 16000, 60000};
static size_t length_of(int m) { return lengths[(size_t)m % (sizeof lengths / sizeof lengths[0])]; }

/* No memory is no loss: with it, the same call goes on. */
static bool again(world *w, sup_status st) {
    if (st != SUP_ENOMEM || w->calls) return false;
    disarm(w);
    return w->victim;
}

/* Everybody sends to the next before anybody receives, in another order than they were sent. */
static sup_status messages(world *w) {
    int to = (w->rank + 1) % w->size, from = (w->rank + w->size - 1) % w->size;
    sup_net_req *out = calloc(MESSAGES, sizeof *out), *in = calloc(MESSAGES, sizeof *in);
    unsigned char *sent = malloc((size_t)MESSAGES * BYTES), *got = malloc((size_t)MESSAGES * BYTES);
    sup_status st = SUP_OK;
    if (!out || !in || !sent || !got) wrong(w, "no memory for the test");
    for (int m = 0; m < MESSAGES; m++)
        for (size_t i = 0; i < length_of(m); i++) sent[(size_t)m * BYTES + i] = value(w->rank, m, i);
    arm(w);
    for (int m = 0; m < MESSAGES && !st; m++) do
            st = sup_net_isend(w->net, to, TAG + m % TAGS, sent + (size_t)m * BYTES, length_of(m), &out[m]);
        while (again(w, st));
    if (!st) st = sup_net_signal(w->net, to, SLOT, 1);
    if (!st) st = sup_net_await(w->net, from, SLOT, 1, NULL);
    for (int k = 0; k < 200 && !st; k++) do
            st = sup_net_progress(w->net);
        while (again(w, st));
    for (int t = TAGS - 1; t >= 0; t--)
        for (int m = t; m < MESSAGES && !st; m += TAGS) do
                st = sup_net_irecv(w->net, from, TAG + t, got + (size_t)m * BYTES, BYTES, &in[m]);
            while (again(w, st));
    for (int m = 0; m < 2 * MESSAGES && !st; m++) do
            st = sup_net_wait(w->net, m < MESSAGES ? &in[m] : &out[m - MESSAGES]);
        while (again(w, st));
    for (int m = 0; m < MESSAGES && !st; m++) {
        if (in[m].length != length_of(m)) wrong(w, "a message of another length");
        for (size_t i = 0; i < length_of(m); i++)
            if (got[(size_t)m * BYTES + i] != value(from, m, i)) wrong(w, "other bytes");
    }
    return st;
}

/* ---- regions ---- */

static sup_status regions(world *w) {
    sup_net_region *region[3] = {NULL};
    sup_status first = SUP_OK;
    arm(w);
    for (int i = 0; i < 3; i++) {
        sup_status st = sup_net_region_alloc(w->net, (size_t)(i + 1) * 5000, &region[i]);
        if (st == SUP_ENOTSUP) return SUP_OK;
        if (st && !first) first = st;
        if (st) region[i] = NULL;
    }
    disarm(w);
    for (int i = 0; i < 3; i++)
        if (region[i]) *(int *)sup_net_direct(w->net, region[i], (w->rank + 1) % w->size) = w->rank + 10 * i;
    sup_net_region *meet = NULL; /* also: the object is usable */
    if (sup_net_region_alloc(w->net, 64, &meet)) wrong(w, "no region after one that failed");
    for (int i = 0; i < 3; i++)
        if (region[i] && *(int *)region[i]->base != (w->rank + w->size - 1) % w->size + 10 * i)
            wrong(w, "another's region");
    sup_net_region_free(w->net, meet);
    for (int i = 2; i >= 0; i--) sup_net_region_free(w->net, region[i]);
    return first;
}

/* ---- collective operations ---- */

static const char *const choices[][2] = {
    {"broadcast", "shared"},      {"broadcast", "pipeline/8K"}, {"broadcast", "hosts binomial"},
    {"reduce", "shared"},         {"reduce", "binomial"},       {"reduce", "hosts binomial"},
    {"allreduce", "shared"},      {"allreduce", "ring"},        {"allreduce", "hosts doubling"},
    {"allgather", "shared"},      {"allgather", "bruck"},       {"allgather", "hosts ring"},
    {"gather", "shared"},         {"gather", "binomial"},       {"gather", "hosts binomial"},
    {"scatter", "shared"},        {"scatter", "binomial"},      {"scatter", "hosts binomial"},
    {"alltoall", "shared"},       {"alltoall", "bruck"},        {"alltoall", "hosts pairwise"},
    {"reduce-scatter", "shared"}, {"reduce-scatter", "ring"},   {"reduce-scatter", "hosts pairwise"},
    {"scan", "shared"},           {"scan", "doubling"},         {"scan", "hosts doubling"},
    {"barrier", "shared"},        {"barrier", "dissemination"}, {"allgather", "shared/64K"},
};
enum { CHOICES = sizeof choices / sizeof choices[0] };

static bool folds(int o) {
    return o == SUP_REDUCE || o == SUP_ALLREDUCE || o == SUP_REDUCE_SCATTER || o == SUP_SCAN || o == SUP_EXSCAN;
}

/* Sums of ones, and everybody's rank where blocks move: checked at their first and last byte. */
static void check(const world *w, const sup_coll_call *c) {
    const unsigned char *out = c->out;
    size_t last = (size_t)c->bytes - 1, blocks = (size_t)w->size * (size_t)c->bytes - 1;
    bool root = c->root == w->rank;
    int sum = w->size;
    bool fine = true;
    switch (c->operation) {
    case SUP_BROADCAST: fine = out[0] == c->root + 1 && out[last] == c->root + 1; break;
    case SUP_REDUCE: sum = root ? sum : 0; /* fall through */
    case SUP_ALLREDUCE:
    case SUP_REDUCE_SCATTER: fine = !sum || (out[0] == sum && out[last] == sum); break;
    case SUP_SCAN: fine = out[0] == w->rank + 1 && out[last] == w->rank + 1; break;
    case SUP_GATHER: fine = !root || (out[0] == 1 && out[blocks] == w->size); break;
    case SUP_SCATTER: fine = out[0] == c->root + 1 && out[last] == c->root + 1; break;
    case SUP_ALLGATHER:
    case SUP_ALLTOALL: fine = out[0] == 1 && out[blocks] == w->size; break;
    default: break;
    }
    if (!fine) wrong(w, sup_operation_names[c->operation]);
}

static sup_status one(world *w, sup_coll *coll, int k, int64_t bytes, unsigned char *in, unsigned char *out) {
    sup_choice choice;
    int o = sup_operation_find(choices[k][0]);
    if (sup_choice_read(o, choices[k][1], NULL, &choice)) return SUP_OK;
    sup_coll_call c = {.operation = o, .root = k % w->size, .in = in, .out = out, .bytes = bytes, .choice = &choice};
    if (folds(o)) c.fold = sup_fold_find(SUP_TYPE_UINT8, SUP_SUM);
    if (o == SUP_BARRIER) c.bytes = 0;
    sup_job job = {.operation = o, .processes = w->size, .root = c.root, .bytes = c.bytes, .element = 1};
    if (!sup_coll_can(coll, &job, &choice)) return SUP_OK;
    memset(in, folds(o) ? 1 : w->rank + 1, (size_t)w->size * LONG);
    memset(out, o == SUP_BROADCAST && c.root == w->rank ? w->rank + 1 : 0, (size_t)w->size * LONG);
    sup_status st = sup_coll_run(coll, &c);
    if (!st) check(w, &c);
    return st;
}

/* open: what fails is the opening, else the operations. levels: as if on two hosts. */
static sup_status collectives(world *w, bool opening, bool levels) {
    static const int64_t sizes[] = {40, 5000, LONG};
    int host_of[MOST];
    for (int i = 0; i < w->size; i++) host_of[i] = i % 2;
    sup_net_group group = sup_net_group_first(w->net, w->size);
    sup_coll_options options = {.tag = TAG, .slot = SLOT, .host_of = levels ? host_of : NULL};
    sup_coll *coll = NULL;
    unsigned char *in = malloc((size_t)w->size * LONG), *out = malloc((size_t)w->size * LONG);
    if (!in || !out) wrong(w, "no memory for the test");
    if (opening) arm(w);
    sup_status st = sup_coll_open(&group, &options, NULL, &coll);
    if (opening) disarm(w);
    if (st) { /* it can be tried again */
        if (sup_coll_open(&group, &options, NULL, &coll)) wrong(w, "cannot be opened later");
        sup_coll_close(coll);
        return st;
    }
    if (!opening) arm(w);
    for (int s = 0; s < 3 && !st; s++)
        for (int k = 0; k < CHOICES && !st; k++) st = one(w, coll, k, sizes[s], in, out);
    sup_coll_call barrier = {.operation = SUP_BARRIER};
    sup_status last = sup_coll_run(coll, &barrier);
    if (st && last != st) wrong(w, "a barrier after an operation that failed ends otherwise");
    sup_coll_close(coll);
    if (last) { /* and so does a new opening */
        coll = NULL;
        disarm(w);
        if (sup_coll_open(&group, &options, NULL, &coll) != last) wrong(w, "opened again with another status");
    }
    return last;
}

int main(int argc, char **argv) {
    sup_launch launch;
    sup_diag diag = {0};
    sup_net *net;
    sup_launch_read(&launch);
    if (argc != 7) return 2;
    sup_monitor_options parts = {.size = atoi(argv[2]), .oversubscribed = true, .name = "superstep_net"};
    if (strcmp(argv[1], "--part"))
        snprintf(launch.net, sizeof launch.net, "%s", argv[2]);
    else if (sup_monitor_part(&parts, &diag, &launch))
        return 2;
    const char *far = "far-", *scene = argv[3], *rank = getenv("PMI_RANK");
    int victim = atoi(argv[4]);
    world w = {.n = atol(argv[5]), .lasting = atoi(argv[6])};
    if (!rank) rank = getenv("OMPI_COMM_WORLD_RANK");
    bool opens = !strcmp(scene, "net") && (rank ? atoi(rank) : launch.rank) == victim;
    if (!strncmp(scene, far, strlen(far))) { /* over an MPI: signals are messages, as between hosts */
        scene += strlen(far);
        inject_no_files();
    }
    if (opens) inject_arm(w.n, w.lasting);
    sup_status st = sup_net_open(&launch, &diag, &net);
    long calls = opens ? inject_disarm() : 0;
    if (st) {
        printf("%d %d %ld\n", -1, st, calls);
        fprintf(stderr, "%s\n", diag.text);
        return 4;
    }
    w.net = net;
    w.rank = sup_net_rank(net);
    w.size = sup_net_size(net);
    w.victim = w.rank == victim;
    if (!strcmp(scene, "messages")) st = messages(&w);
    if (!strcmp(scene, "regions")) st = regions(&w);
    if (!strcmp(scene, "opening")) st = collectives(&w, true, false);
    if (!strcmp(scene, "running")) st = collectives(&w, false, false);
    if (!strcmp(scene, "levels")) st = collectives(&w, false, true);
    disarm(&w);
    if (!opens) calls = w.calls;
    printf("%d %d %ld\n", w.rank, st, calls);
    fflush(stdout);
    if (st && !strcmp(scene, "messages")) wrong(&w, sup_status_text(st));
    sup_net_close(net);
    return 0;
}
