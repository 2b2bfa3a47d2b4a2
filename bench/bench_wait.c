/* bench/wait: waiting for each other on a machine that is idle, and on one where every core has another busy process.
 *
 *     shm, openmpi, mpich   a Jacobi step of 1024 × 1024 as a BSP program over that transport, two pinned processes
 *     … raw                 the same as an MPI program
 *     … packed              bands of columns instead of rows, whose halo is packed
 *     tile, omp             a loop over a vector on two workers, of the tile pool and of OpenMP
 *
 * While its core is shared a process has half of it: twice the idle time is what can be had at best. The busy processes
 * exist all the time and are stopped for what is measured idle. And how much of a core does a process use that waits
 * for another for half a second? */
#include "groups.h"
#include "harness.h"
#include "tile_peers.h"
#include "wait_jacobi.h"

#include "base/clock.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SHM, OPENMPI, MPICH, OPENMPI_RAW, MPICH_RAW, TWO, SHM4 = TWO, SHM8, GROUPS };
enum { CORES_MAX = 16, LONG_MS = 500 };

#ifdef BENCH_OPENMP
static const bool with_openmp = true;
#else
static const bool with_openmp = false;
#endif

/* ---- workers -----------------------------------------------------------------------------------------------------*/

static bool start_shm(bench_group *g, const char *socket_path) {
    char worker[PATH_MAX], size[16];
    if (!bench_beside("wait-worker", worker, sizeof worker)) return false;
    snprintf(size, sizeof size, "%d", g->size);
    const char *const argv[] = {BENCH_SUPERSTEP, "run", "-n", size, "--net", "shm", worker, socket_path, g->name, NULL};
    return bench_group_exec(g, 2, argv, NULL);
}

static bool start_under(bench_group *g, const char *program, const char *socket_path) {
    char worker[PATH_MAX], size[16];
    if (!bench_beside(program, worker, sizeof worker)) return false;
    snprintf(size, sizeof size, "%d", g->size);
    const char *const argv[] = {BENCH_WITH_MPI, g->how, size, worker, socket_path, g->name, NULL};
    return bench_group_exec(g, 2, argv, NULL);
}

/* Built together with our transport over that MPI. */
static void raw_name(const bench_group *g, char out[32]) { snprintf(out, 32, "wait-%s", g->how); }

static bool start_mpi(bench_group *g, const char *socket_path) {
    char raw[32], found[PATH_MAX];
    raw_name(g, raw);
    return bench_beside(raw, found, sizeof found) && start_under(g, "wait-worker", socket_path);
}

static bool start_raw(bench_group *g, const char *socket_path) {
    char program[32];
    raw_name(g, program);
    return start_under(g, program, socket_path);
}

static bench_group groups[GROUPS] = {
    [SHM] = {.name = "shm", .size = 2, .start = start_shm},
    [OPENMPI] = {.name = "openmpi", .size = 2, .start = start_mpi, .how = "openmpi", .halt = true},
    [MPICH] = {.name = "mpich", .size = 2, .start = start_mpi, .how = "mpich", .halt = true},
    [OPENMPI_RAW] = {.name = "openmpi raw", .size = 2, .start = start_raw, .how = "openmpi"},
    [MPICH_RAW] = {.name = "mpich raw", .size = 2, .start = start_raw, .how = "mpich"},
    [SHM4] = {.name = "shm, 4 processes", .size = 4, .start = start_shm},
    [SHM8] = {.name = "shm, 8 processes", .size = 8, .start = start_shm},
};

/* ---- other programs
 * ----------------------------------------------------------------------------------------------------*/

static pid_t busy[CORES_MAX];
static int busy_count;

static void load_start(void) {
    for (int core = 0; core < 2 && core < bench_cores(); core++) {
        pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            bench_pin(core);
            for (volatile unsigned n = 0;; n++) continue;
        }
        if (pid > 0) busy[busy_count++] = pid;
    }
}

static void load_signal(int number) {
    for (int i = 0; i < busy_count; i++) kill(busy[i], number);
}

static void load_end(void) {
    load_signal(SIGKILL);
    for (int i = 0; i < busy_count; i++) waitpid(busy[i], NULL, 0);
}

/* ---- rows --------------------------------------------------------------------------------------------------------*/

static void row(bench *b, const char *what, const char *how, const char *who, bench_value s, bench_value reference,
                const char *name, const char *floor) {
    char text[64];
    snprintf(text, sizeof text, "%s, %s, %s", what, how, who);
    bench_row(b, text, bench_scaled(s, 1e6), "us", bench_scaled(reference, 1e6), name, floor);
}

static void race(bench *b, int kind, int from, int to, bench_value *out) {
    bench_task tasks[GROUPS];
    bench_contender c[GROUPS] = {0};
    int where[GROUPS], n = 0;
    for (int i = from; i < to; i++) {
        where[i] = -1;
        out[i] = bench_group_missing(&groups[i]);
        if (!groups[i].up) continue;
        where[i] = n;
        tasks[n] = (bench_task){&groups[i], kind, 0, 0};
        c[n] = (bench_contender){.name = groups[i].name, .batch = bench_groups_batch, .context = &tasks[n]};
        n++;
    }
    bench_race(b, c, n);
    for (int i = from; i < to; i++)
        if (where[i] >= 0) out[i] = c[where[i]].time_s;
}

/* A batch spans several time slices of the busy ones, or a lucky one would decide. */
static void jacobi_rows(bench *b, int kind, const char *how, bool floors) {
    const char *what = kind == WAIT_PACKED ? "Jacobi 1024 packed" : "Jacobi 1024";
    bench_value s[GROUPS];
    race(b, kind, 0, TWO, s);
    bench_value mpi = bench_least(s[OPENMPI_RAW], s[MPICH_RAW]);
    for (int i = 0; i < OPENMPI_RAW; i++)
        row(b, what, how, groups[i].name, s[i], mpi, "the better MPI", floors ? "<= 1.0" : NULL);
    for (int i = OPENMPI_RAW; i < TWO; i++) row(b, what, how, groups[i].name, s[i], BENCH_ABSENT, NULL, NULL);
}

static void sync_rows(bench *b, const char *how) {
    bench_value s[GROUPS];
    race(b, WAIT_SYNC, 0, TWO, s);
    for (int i = 0; i < TWO; i++) row(b, "sync", how, groups[i].name, s[i], BENCH_ABSENT, NULL, NULL);
    race(b, WAIT_SYNC, TWO, GROUPS, s);
    for (int i = TWO; i < GROUPS; i++) row(b, "sync", how, groups[i].name, s[i], BENCH_ABSENT, NULL, NULL);
}

/* User and system time of a process so far. */
static double cpu_of(pid_t pid) {
    char path[64], text[1024];
    unsigned long user = 0, kernel = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f) return 0;
    if (!fgets(text, sizeof text, f)) text[0] = '\0';
    fclose(f);
    const char *at = strrchr(text, ')');
    if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel) != 2) return 0;
    return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

static void long_rows(bench *b) {
    for (int i = 0; i < TWO; i++) {
        bench_task t = {&groups[i], WAIT_LONG, LONG_MS, 0};
        double seconds;
        bool disturbed;
        char name[64];
        bench_value share = bench_group_missing(&groups[i]);
        double before = groups[i].up ? cpu_of(groups[i].worker[0]) : 0;
        if (groups[i].up && bench_groups_batch(&t, 3, &seconds, &disturbed)) /* one more is for warming up */
            share = bench_exact((cpu_of(groups[i].worker[0]) - before) / (4 * LONG_MS * 1e-3));
        snprintf(name, sizeof name, "core used while waiting, %s", groups[i].name);
        bench_row(b, name, share, "", bench_exact(1), "a whole core", i < OPENMPI_RAW ? "<= 0.05" : NULL);
    }
}

/* ---- the tile pool -----------------------------------------------------------------------------------------------*/

typedef struct loop {
    sup_tile *tile; /* NULL: OpenMP */
    sup_tile_work work;
    bool failed;
} loop;

static void run_loop(void *context, long reps) {
    loop *l = context;
    for (long i = 0; i < reps; i++)
        if (l->tile)
            l->failed |= sup_tile_run(l->tile, &l->work.op, NULL, NULL) != 0;
        else
            l->failed |= !tile_omp_rows("saxpy", &l->work, 2);
}

/* Not bench_timed: here others are meant to have the core, too. */
static bool loop_batch(void *context, long reps, double *seconds, bool *disturbed) {
    loop *l = context;
    run_loop(l, 1);
    double start = sup_clock_now();
    run_loop(l, reps);
    *seconds = sup_clock_now() - start;
    *disturbed = false;
    return !l->failed;
}

static void tile_rows(bench *b, const char *how) {
    loop ours = {0}, theirs = {0};
    sup_tile_options options = {.workers = 2};
    const sup_tile_case *saxpy = &sup_case_saxpy;
    bench_contender c[] = {{.name = "tile", .batch = loop_batch, .context = &ours, .time_s = BENCH_FAILED},
                           {.name = "omp", .batch = loop_batch, .context = &theirs, .time_s = BENCH_FAILED}};
    bool good = !sup_tile_open(&options, NULL, &ours.tile) && !saxpy->setup(&ours.work, 1000000) &&
                !saxpy->setup(&theirs.work, 1000000);
    if (good) bench_race(b, c, with_openmp ? 2 : 1);
    row(b, "saxpy 10^6", how, "tile", c[0].time_s, with_openmp ? c[1].time_s : BENCH_ABSENT, "OpenMP", NULL);
    sup_tile_work_free(&ours.work);
    sup_tile_work_free(&theirs.work);
    sup_tile_close(ours.tile);
}

/* ---- the whole ---------------------------------------------------------------------------------------------------*/

static void all_rows(bench *b, double end_s, bool idle) {
    const char *how = idle ? "idle" : "busy";
    double now = sup_clock_now(), share = (end_s - now) / (idle ? 2 : 1);
    load_signal(idle ? SIGSTOP : SIGCONT);
    b->batch_s = idle ? 5e-3 : 5e-2;
    b->deadline_s = now + 0.3 * share;
    jacobi_rows(b, WAIT_JACOBI, how, !idle);
    b->deadline_s = now + 0.6 * share;
    jacobi_rows(b, WAIT_PACKED, how, !idle);
    b->batch_s = idle ? 1e-3 : 2e-2;
    b->deadline_s = now + 0.8 * share;
    sync_rows(b, how);
    b->deadline_s = now + share;
    tile_rows(b, how);
}

int main(int argc, char **argv) {
    bench b;
    int rc = bench_begin(&b, "wait", argc, argv);
    if (rc >= 0) return rc;
    double end_s = b.deadline_s;
    bench_confine(2); /* with more cores some would move away from the busy ones */
    load_start();
    load_signal(SIGSTOP);
    if (!bench_groups_start(groups, GROUPS)) {
        fprintf(stderr, "bench_wait: cannot make its socket in /tmp\n");
        load_end();
        return 1;
    }
    long_rows(&b);
    all_rows(&b, end_s, true);
    all_rows(&b, end_s, false);
    load_end();
    bench_groups_stop(groups, GROUPS);
    return bench_end(&b);
}
