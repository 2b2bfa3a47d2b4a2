/* bench/barrier: bsp_sync and MPI_Barrier of programs that have our library loaded, beside MPI_Barrier itself.
 *
 *     sync shm, sync openmpi, …    an empty superstep of libbsp over that transport
 *     preload openmpi, …           MPI_Barrier of barrier_mpi.c under `superstep run --mpi`
 *     Open MPI, MPICH              MPI_Barrier of the same program under its launcher alone
 *
 * A set is a number of processes and where they are: two on two cores, as many as there are cores, four on two cores,
 * and hosts, that is network namespaces joined by links of 1 Gbit/s (tests/cluster). Groups of a set are started
 * together and asked for batches in turn (groups.h). Ratios are ours / theirs. */
#include "groups.h"
#include "harness.h"
#include "hosts.h"

#include "base/clock.h"
#include "bsp_kinds.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SYNC_SHM, SYNC_OPENMPI, SYNC_MPICH, LOADED_OPENMPI, LOADED_MPICH, OPENMPI, MPICH, GROUPS };

/* What ours may take at most of what theirs does: "<= 0.5" is twice as fast. NULL: no floor. */
typedef struct floors {
    const char *shm_openmpi, *shm_mpich, *sync_openmpi, *sync_mpich, *loaded_openmpi, *loaded_mpich;
} floors;

typedef struct set {
    const char *name;
    int processes;
    int cores; /* of this machine that there must be; 0: hosts */
    int hosts;
    bool crowd; /* more processes than cores */
    floors floors;
} set;

#define NOT_SLOWER "<= 1.05"

static const set sets[] = {
    {"P = 2", 2, 2, 0, false, {"<= 0.5", "<= 0.2", "<= 1.1", NOT_SLOWER, "<= 0.588", "<= 0.333"}},
    {"P = 4 on 2 cores", 4, 2, 0, true, {"<= 0.667", "<= 0.001", NOT_SLOWER, NOT_SLOWER, "<= 0.667", "<= 0.001"}},
    {"P = 4", 4, 4, 0, false, {"<= 0.5", NOT_SLOWER, "<= 1.1", NOT_SLOWER, "<= 0.588", "<= 0.333"}},
    {"P = 8", 8, 8, 0, false, {"<= 0.4545", NOT_SLOWER, "<= 1.1", NOT_SLOWER, "<= 0.588", "<= 0.333"}},
    {"P = 16", 16, 16, 0, false, {"<= 0.4167", NOT_SLOWER, "<= 1.1", NOT_SLOWER, "<= 0.588", "<= 0.333"}},
    {"2 hosts x 2", 4, 0, 2, true, {NULL, NULL, "<= 0.667", NOT_SLOWER, "<= 0.667", NOT_SLOWER}},
    {"4 hosts x 2", 8, 0, 4, true, {NULL, NULL, "<= 0.667", NOT_SLOWER, "<= 0.667", NOT_SLOWER}},
};

static const set *now;    /* the set whose groups are started */
static bench_hosts hosts; /* those of that set */

/* ---- workers ---- */

/* `superstep run`, on this machine or on the hosts; loaded: with the preload library. */
static bool start_with_us(bench_group *g, const char *net, bool loaded, const char *program, const char *socket_path) {
    char worker[PATH_MAX], size[16];
    const char *argv[32];
    int n = 0;
    if (!bench_beside(program, worker, sizeof worker)) return false;
    snprintf(size, sizeof size, "%d", g->size);
    if (now->hosts) argv[n++] = hosts.script, argv[n++] = "run", argv[n++] = hosts.folder;
    argv[n++] = BENCH_SUPERSTEP, argv[n++] = "run", argv[n++] = "-n", argv[n++] = size;
    argv[n++] = "--net", argv[n++] = net;
    if (loaded) argv[n++] = "--mpi";
    if (now->hosts) argv[n++] = "--hosts", argv[n++] = hosts.file, argv[n++] = "--rsh", argv[n++] = hosts.rsh;
    if (now->hosts) argv[n++] = "--place", argv[n++] = "none";
    argv[n++] = "--", argv[n++] = worker, argv[n++] = socket_path, argv[n++] = g->name;
    if (now->crowd) argv[n++] = now->hosts ? "free" : "crowd"; /* hosts that are one machine each have all cores */
    argv[n] = NULL;
    return bench_group_exec(g, now->crowd && !now->hosts ? 2 : 0, argv, NULL);
}

/* Programs of an MPI are there if it was, when this was built. */
static void program_of(const char *mpi, char out[32]) { snprintf(out, 32, "barrier-%s", mpi); }

static bool start_sync(bench_group *g, const char *socket_path) {
    char built[32], found[PATH_MAX];
    if (!g->how) return start_with_us(g, "shm", false, "bsp-worker", socket_path);
    program_of(g->how, built);
    return bench_beside(built, found, sizeof found) && start_with_us(g, g->how, false, "bsp-worker", socket_path);
}

static bool start_loaded(bench_group *g, const char *socket_path) {
    char program[32];
    program_of(g->how, program);
    return start_with_us(g, g->how, true, program, socket_path);
}

static bool start_bare(bench_group *g, const char *socket_path) {
    char program[32], worker[PATH_MAX], size[16];
    program_of(g->how, program);
    if (now->hosts) return start_with_us(g, g->how, false, program, socket_path);
    if (!bench_beside(program, worker, sizeof worker)) return false;
    snprintf(size, sizeof size, "%d", g->size);
    const char *const argv[] = {
        BENCH_WITH_MPI, g->how, size, worker, socket_path, g->name, now->crowd ? "crowd" : NULL, NULL};
    return bench_group_exec(g, now->crowd ? 2 : 0, argv, NULL);
}

/* The progress threads of libbsp over MPI wake by themselves. */
static const bench_group kinds[GROUPS] = {
    [SYNC_SHM] = {.name = "shm", .start = start_sync},
    [SYNC_OPENMPI] = {.name = "openmpi", .start = start_sync, .how = "openmpi", .halt = true},
    [SYNC_MPICH] = {.name = "mpich", .start = start_sync, .how = "mpich", .halt = true},
    [LOADED_OPENMPI] = {.name = "loaded-openmpi", .start = start_loaded, .how = "openmpi"},
    [LOADED_MPICH] = {.name = "loaded-mpich", .start = start_loaded, .how = "mpich"},
    [OPENMPI] = {.name = "bare-openmpi", .start = start_bare, .how = "openmpi"},
    [MPICH] = {.name = "bare-mpich", .start = start_bare, .how = "mpich"},
};

/* ---- a set ---- */

static void row(bench *b, const char *who, const bench_value *us, int ours, int theirs, const char *floor) {
    char name[96];
    snprintf(name, sizeof name, "%s, %s", now->name, who);
    bench_row(b, name, us[ours], "us", us[theirs], theirs == OPENMPI ? "Open MPI" : "MPICH", floor);
}

static void rows(bench *b, const bench_value *us) {
    const floors *f = &now->floors;
    if (!now->hosts) {
        row(b, "bsp_sync shm", us, SYNC_SHM, OPENMPI, f->shm_openmpi);
        row(b, "bsp_sync shm", us, SYNC_SHM, MPICH, f->shm_mpich);
    }
    row(b, "preload", us, LOADED_OPENMPI, OPENMPI, f->loaded_openmpi);
    row(b, "preload", us, LOADED_MPICH, MPICH, f->loaded_mpich);
    row(b, "bsp_sync openmpi", us, SYNC_OPENMPI, OPENMPI, f->sync_openmpi);
    row(b, "bsp_sync mpich", us, SYNC_MPICH, MPICH, f->sync_mpich);
}

static void race(bench *b, bench_group *groups) {
    bench_task tasks[GROUPS];
    bench_contender list[GROUPS] = {0};
    bench_value us[GROUPS];
    int where[GROUPS], n = 0;
    for (int i = 0; i < GROUPS; i++) {
        us[i] = bench_group_missing(&groups[i]);
        where[i] = -1;
        if (!groups[i].up) continue;
        where[i] = n;
        tasks[n] = (bench_task){&groups[i], BSP_SYNC, 0, 0};
        list[n] = (bench_contender){.name = groups[i].name, .batch = bench_groups_batch, .context = &tasks[n]};
        n++;
    }
    bench_race(b, list, n);
    for (int i = 0; i < GROUPS; i++)
        if (where[i] >= 0) us[i] = bench_scaled(list[where[i]].time_s, 1e6);
    rows(b, us);
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
    int first = s->hosts ? SYNC_SHM + 1 : SYNC_SHM; /* shared memory ends with the host */
    if (bench_groups_start(groups + first, GROUPS - first)) race(b, groups);
    bench_groups_stop(groups + first, GROUPS - first);
    if (s->hosts) bench_hosts_remove(&hosts);
}

static bool possible(const set *s) { return s->hosts || bench_cores() >= s->cores; }

int main(int argc, char **argv) {
    bench b;
    int rc = bench_begin(&b, "barrier", argc, argv), left = 0;
    if (rc >= 0) return rc;
    double end = b.deadline_s;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) left += possible(&sets[i]);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (!possible(&sets[i])) continue;
        double begin = sup_clock_now();
        b.deadline_s = begin + (end - begin) / left--;
        run_set(&b, &sets[i]);
    }
    return bench_end(&b);
}
