/* bench/coll: collective operations of MPI programs that have our library loaded, beside the MPI libraries' own.
 *
 *     loaded openmpi, loaded mpich     coll_mpi.c under `superstep run --mpi`
 *     Open MPI, MPICH                  the same program under its launcher alone
 *
 *     bench_coll [--only OPERATION] [--set NAME] …
 *
 * Each of ours is compared with the better of the two libraries at every size: none may take more than 1 / 0.97 of its
 * time, an all-to-all of 64 KiB to 1 MiB 1 / 1.3. Behind the sizes of an operation comes the geometric mean over them,
 * with a floor of its own. The data are written anew before each call. Sets as in bench_barrier: processes on cores of
 * their own, and hosts joined by links of 1 Gbit/s. */
#include "coll_kinds.h"
#include "groups.h"
#include "harness.h"
#include "hosts.h"

#include "base/clock.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOADED_OPENMPI, LOADED_MPICH, OPENMPI, MPICH, GROUPS };
enum { SETS_FLOORS = 4 };
#define BLOCKS_MOST ((size_t)16 << 20) /* bytes of all blocks of one process */
#define NO_LOSS "<= 1.0309"
#define DIRECT "<= 0.769" /* all-to-all of long blocks */

/* Floors of the mean for P = 2, 4, 8, 16: what ours may take of theirs. */
static const struct {
    const char *name;
    const char *floor[SETS_FLOORS];
} operations[COLL_KINDS] = {
    [COLL_BARRIER] = {"barrier", {"<= 1.0", "<= 1.0", "<= 1.0", "<= 1.0"}},
    [COLL_BCAST] = {"broadcast", {"<= 1.0", "<= 0.667", "<= 0.4348", "<= 0.4545"}},
    [COLL_ALLREDUCE] = {"allreduce", {"<= 1.0", "<= 0.769", "<= 0.625", "<= 0.5556"}},
    [COLL_ALLGATHER] = {"allgather", {"<= 1.0", "<= 0.714", "<= 0.625", "<= 0.5556"}},
    [COLL_REDUCE] = {"reduce", {"<= 1.0", "<= 0.833", "<= 0.833", "<= 0.833"}},
    [COLL_ALLTOALL] = {"alltoall", {"<= 1.0", "<= 0.833", "<= 0.833", "<= 0.833"}},
    [COLL_REDUCE_SCATTER] = {"reduce-scatter", {"<= 1.0", "<= 0.833", "<= 0.833", "<= 0.833"}},
    [COLL_GATHER] = {"gather", {"<= 1.0", "<= 0.833", "<= 0.833", "<= 0.833"}},
    [COLL_SCATTER] = {"scatter", {"<= 1.0", "<= 0.833", "<= 0.833", "<= 0.833"}},
    [COLL_SCAN] = {"scan", {"<= 1.0", "<= 0.833", "<= 0.833", "<= 0.833"}},
    [COLL_ALLGATHERV] = {"allgatherv", {"<= 1.0", "<= 0.833", "<= 0.833", "<= 0.833"}},
    [COLL_ALLTOALLV] = {"alltoallv", {"<= 1.0", "<= 0.833", "<= 0.833", "<= 0.833"}},
};

typedef struct set {
    const char *name;
    int processes;
    int hosts; /* 0: on cores of their own */
    int floor; /* which of the operation's; -1: not slower in the mean */
} set;

static const set sets[] = {
    {"P = 2", 2, 0, 0},   {"P = 4", 4, 0, 1},        {"P = 8", 8, 0, 2},
    {"P = 16", 16, 0, 3}, {"2 hosts x 2", 4, 2, -1}, {"4 hosts x 2", 8, 4, -1},
};

static const size_t near_sizes[] = {8, 128, 1 << 10, 8 << 10, 64 << 10, 256 << 10, 512 << 10, 1 << 20, 8 << 20};
static const size_t far_sizes[] = {8, 1 << 10, 64 << 10, 1 << 20};
static const size_t quick_sizes[] = {8, 64 << 10};
static const size_t no_sizes[] = {0};

static const set *now;       /* the set whose groups are started */
static const char *only_set; /* NULL: all */
static const char *only_operation;
static bench_hosts hosts; /* those of that set */

/* ---- workers ---- */

static bool start_with_us(bench_group *g, bool loaded, const char *worker, const char *socket_path) {
    char size[16];
    const char *argv[32];
    int n = 0;
    snprintf(size, sizeof size, "%d", g->size);
    if (now->hosts) argv[n++] = hosts.script, argv[n++] = "run", argv[n++] = hosts.folder;
    argv[n++] = BENCH_SUPERSTEP, argv[n++] = "run", argv[n++] = "-n", argv[n++] = size;
    argv[n++] = "--net", argv[n++] = g->how;
    argv[n++] = "--plan", argv[n++] = "none";
    if (loaded) argv[n++] = "--mpi";
    if (now->hosts) argv[n++] = "--hosts", argv[n++] = hosts.file, argv[n++] = "--rsh", argv[n++] = hosts.rsh;
    if (now->hosts) argv[n++] = "--place", argv[n++] = "none";
    argv[n++] = "--", argv[n++] = worker, argv[n++] = socket_path, argv[n++] = g->name;
    if (now->hosts) argv[n++] = "free"; /* hosts that are one machine each have all cores */
    argv[n] = NULL;
    return bench_group_exec(g, 0, argv, NULL);
}

static bool start(bench_group *g, const char *socket_path) {
    char program[32], worker[PATH_MAX], size[16];
    bool loaded = strncmp(g->name, "loaded", 6) == 0;
    snprintf(program, sizeof program, "coll-%s", g->how);
    if (!bench_beside(program, worker, sizeof worker)) return false; /* there if its MPI was, when this was built */
    if (loaded || now->hosts) return start_with_us(g, loaded, worker, socket_path);
    snprintf(size, sizeof size, "%d", g->size);
    const char *const argv[] = {BENCH_WITH_MPI, g->how, size, worker, socket_path, g->name, NULL};
    return bench_group_exec(g, 0, argv, NULL);
}

static const bench_group kinds[GROUPS] = {
    [LOADED_OPENMPI] = {.name = "loaded-openmpi", .start = start, .how = "openmpi"},
    [LOADED_MPICH] = {.name = "loaded-mpich", .start = start, .how = "mpich"},
    [OPENMPI] = {.name = "bare-openmpi", .start = start, .how = "openmpi"},
    [MPICH] = {.name = "bare-mpich", .start = start, .how = "mpich"},
};

/* ---- rows ---- */

static void race(bench *b, bench_group *groups, int operation, size_t size, bench_value us[GROUPS]) {
    bench_task tasks[GROUPS];
    bench_contender list[GROUPS] = {0};
    int where[GROUPS], n = 0;
    for (int i = 0; i < GROUPS; i++) {
        us[i] = bench_group_missing(&groups[i]);
        where[i] = -1;
        if (!groups[i].up) continue;
        where[i] = n;
        tasks[n] = (bench_task){&groups[i], operation, size, 0};
        list[n] = (bench_contender){.name = groups[i].name, .batch = bench_groups_batch, .context = &tasks[n]};
        n++;
    }
    bench_race(b, list, n);
    for (int i = 0; i < GROUPS; i++)
        if (where[i] >= 0) us[i] = bench_scaled(list[where[i]].time_s, 1e6);
}

typedef struct mean {
    double low, median; /* sums of logarithms */
    int count;
    bool failed;
} mean;

static void add(mean *m, bench_value v) {
    m->failed |= !bench_there(v);
    if (!bench_there(v)) return;
    m->low += log(v.low);
    m->median += log(v.median);
    m->count++;
}

static bench_value mean_of(const mean *m) {
    if (m->failed || !m->count) return BENCH_FAILED;
    return (bench_value){exp(m->low / m->count), exp(m->median / m->count)};
}

static const char *text_of(size_t bytes, char text[24]) {
    if (bytes >= 1 << 20)
        snprintf(text, 24, "%zu MiB", bytes >> 20);
    else if (bytes >= 1 << 10)
        snprintf(text, 24, "%zu KiB", bytes >> 10);
    else
        snprintf(text, 24, "%zu B", bytes);
    return text;
}

static const size_t *sizes_of(const bench *b, int operation, size_t *count) {
    if (operation == COLL_BARRIER) return *count = 1, no_sizes;
    if (b->quick) return *count = sizeof quick_sizes / sizeof *quick_sizes, quick_sizes;
    if (now->hosts) return *count = sizeof far_sizes / sizeof *far_sizes, far_sizes;
    return *count = sizeof near_sizes / sizeof *near_sizes, near_sizes;
}

static void run_operation(bench *b, bench_group *groups, int operation) {
    mean ours[2] = {0}, theirs[2] = {0};
    bench_value us[GROUPS];
    char name[96], text[24];
    size_t count;
    const size_t *sizes = sizes_of(b, operation, &count);
    for (size_t k = 0; k < count; k++) {
        if (coll_has_blocks(operation) && sizes[k] * (size_t)now->processes > BLOCKS_MOST) continue;
        race(b, groups, operation, sizes[k], us);
        bench_value best = bench_least(us[OPENMPI], us[MPICH]);
        for (int i = LOADED_OPENMPI; i <= LOADED_MPICH; i++) {
            if (groups[i].absent) continue;
            snprintf(name, sizeof name, "%s, %s %s, %s", now->name, operations[operation].name, kinds[i].how,
                     text_of(sizes[k], text));
            bool moves_all = operation == COLL_ALLTOALL || operation == COLL_ALLTOALLV;
            bool direct = moves_all && !now->hosts && sizes[k] >= 64 << 10 && sizes[k] <= 1 << 20;
            bench_row(b, name, us[i], "us", best, "better MPI", direct ? DIRECT : NO_LOSS);
            add(&ours[i], us[i]);
            add(&theirs[i], best);
        }
    }
    for (int i = LOADED_OPENMPI; i <= LOADED_MPICH; i++) {
        if (groups[i].absent) continue;
        snprintf(name, sizeof name, "%s, %s %s, mean", now->name, operations[operation].name, kinds[i].how);
        bench_row(b, name, mean_of(&ours[i]), "us", mean_of(&theirs[i]), "better MPI",
                  now->floor < 0 ? "<= 1.0" : operations[operation].floor[now->floor]);
    }
}

static bool wanted(const bench *b, int operation) {
    if (only_operation) return !strcmp(only_operation, operations[operation].name);
    return !b->quick || operation <= COLL_ALLGATHER || operation == COLL_ALLTOALL;
}

static void run_set(bench *b, const set *s) {
    bench_group groups[GROUPS];
    now = s;
    if (s->hosts && !bench_hosts_make(&hosts, s->hosts)) {
        fprintf(stderr, "bench: %s: no hosts can be made here\n", s->name);
        return;
    }
    memcpy(groups, kinds, sizeof groups);
    for (int i = 0; i < GROUPS; i++) groups[i].size = s->processes;
    double end = b->deadline_s;
    int left = 0;
    for (int i = 0; i < COLL_KINDS; i++) left += wanted(b, i);
    if (bench_groups_start(groups, GROUPS))
        for (int i = 0; i < COLL_KINDS; i++) {
            if (!wanted(b, i)) continue;
            double begin = sup_clock_now();
            b->deadline_s = begin + (end - begin) / left--;
            run_operation(b, groups, i);
        }
    bench_groups_stop(groups, GROUPS);
    if (s->hosts) bench_hosts_remove(&hosts);
}

static bool possible(const bench *b, const set *s) {
    if (only_set) return !strcmp(only_set, s->name);
    if (b->quick && (s->hosts || s->processes > 2)) return false;
    return s->hosts || bench_cores() >= s->processes;
}

/* Takes its own options out of the list. */
static int own_options(int argc, char **argv) {
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--only") && i + 1 < argc)
            only_operation = argv[++i];
        else if (!strcmp(argv[i], "--set") && i + 1 < argc)
            only_set = argv[++i];
        else
            argv[kept++] = argv[i];
    }
    argv[kept] = NULL;
    return kept;
}

int main(int argc, char **argv) {
    bench b;
    int left = 0;
    argc = own_options(argc, argv);
    int rc = bench_begin(&b, "coll", argc, argv);
    if (rc >= 0) return rc;
    double end = b.deadline_s;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) left += possible(&b, &sets[i]);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (!possible(&b, &sets[i])) continue;
        double begin = sup_clock_now();
        b.deadline_s = begin + (end - begin) / left--;
        run_set(&b, &sets[i]);
    }
    return bench_end(&b);
}
