/* bench/bsp: what a superstep costs, beside MPI's own calls and beside the bare limits, in one run.
 *
 *     shm              libbsp over shared memory
 *     openmpi, mpich   libbsp over that MPI, and in other processes that MPI's own calls
 *     bare             flags and memcpy in shared memory (bsp_bare.c)
 *
 * All are started once and asked for batches in turn, one group at a time (groups.h). Floors are those of two
 * processes, each on a core of its own; --procs N compares without them. Times in absolute terms are floors on the
 * processor they were set for, a Neoverse-V1, and elsewhere only something to compare with. */
#include "bsp_bare.h"
#include "bsp_kinds.h"
#include "groups.h"
#include "harness.h"

#include "base/clock.h"
#include "machine/cpu_model.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHM, OPENMPI, MPICH, OPENMPI_RAW, MPICH_RAW, BARE, ONE_EACH };
enum { SHM4 = ONE_EACH, OPENMPI4, MPICH4, OPENMPI4_RAW, MPICH4_RAW, GROUPS };
enum { RACES = 9, CONTENDERS_MAX = 12 };

/* ---- workers -----------------------------------------------------------------------------------------------------*/

static char crowd[] = "crowd", crowded[] = "SUPERSTEP_OVERSUBSCRIBED=1";

static bool is_crowd(const bench_group *g) { return strchr(g->name, '4') != NULL; }

static bool start_shm(bench_group *g, const char *socket_path) {
    char worker[PATH_MAX], size[16];
    if (!bench_beside("bsp-worker", worker, sizeof worker)) return false;
    snprintf(size, sizeof size, "%d", g->size);
    const char *const argv[] = {BENCH_SUPERSTEP,
                                "run",
                                "-n",
                                size,
                                "--net",
                                "shm",
                                worker,
                                socket_path,
                                g->name,
                                is_crowd(g) ? crowd : NULL,
                                NULL};
    return bench_group_exec(g, is_crowd(g) ? 2 : 0, argv, NULL);
}

static bool start_under(bench_group *g, const char *program, const char *socket_path) {
    char worker[PATH_MAX], size[16];
    if (!bench_beside(program, worker, sizeof worker)) return false;
    snprintf(size, sizeof size, "%d", g->size);
    const char *const argv[] = {
        BENCH_WITH_MPI, g->how, size, worker, socket_path, g->name, is_crowd(g) ? crowd : NULL, NULL};
    char *const environment[] = {is_crowd(g) ? crowded : NULL, NULL};
    return bench_group_exec(g, is_crowd(g) ? 2 : 0, argv, environment);
}

/* Built together with our transport over that MPI. */
static void raw_name(const bench_group *g, char out[32]) { snprintf(out, 32, "bsp-raw-%s", g->how); }

static bool start_mpi(bench_group *g, const char *socket_path) {
    char raw[32], found[PATH_MAX];
    raw_name(g, raw);
    return bench_beside(raw, found, sizeof found) && start_under(g, "bsp-worker", socket_path);
}

static bool start_raw(bench_group *g, const char *socket_path) {
    char program[32];
    raw_name(g, program);
    return start_under(g, program, socket_path);
}

/* The progress threads of libbsp over MPI wake a thousand times a second: those processes are stopped between batches,
 * or nobody else would have a batch undisturbed. */
static bench_group groups[GROUPS] = {
    [SHM] = {.name = "shm", .size = 2, .start = start_shm},
    [OPENMPI] = {.name = "openmpi", .size = 2, .start = start_mpi, .how = "openmpi", .halt = true},
    [MPICH] = {.name = "mpich", .size = 2, .start = start_mpi, .how = "mpich", .halt = true},
    [OPENMPI_RAW] = {.name = "openmpi-raw", .size = 2, .start = start_raw, .how = "openmpi"},
    [MPICH_RAW] = {.name = "mpich-raw", .size = 2, .start = start_raw, .how = "mpich"},
    [BARE] = {.name = "bare", .size = 2, .start = bsp_bare_start},
    [SHM4] = {.name = "shm-4", .size = 4, .start = start_shm},
    [OPENMPI4] = {.name = "openmpi-4", .size = 4, .start = start_mpi, .how = "openmpi", .halt = true},
    [MPICH4] = {.name = "mpich-4", .size = 4, .start = start_mpi, .how = "mpich", .halt = true},
    [OPENMPI4_RAW] = {.name = "openmpi-raw-4", .size = 4, .start = start_raw, .how = "openmpi"},
    [MPICH4_RAW] = {.name = "mpich-raw-4", .size = 4, .start = start_raw, .how = "mpich"},
};

/* ---- races -------------------------------------------------------------------------------------------------------*/

static struct {
    bench *b;
    bool floors, absolute; /* two processes; and a Neoverse-V1 */
    double end_s;
    int left; /* races to come, this one included */
} run;

/* What was run in a race: group and kind, and its time in µs, or failed or absent. */
typedef struct entry {
    int group, kind;
    bench_value us;
} entry;

/* A race has its share of the time that is left. */
static void race(entry *list, int count, size_t size, long times) {
    bench_task tasks[CONTENDERS_MAX];
    bench_contender c[CONTENDERS_MAX] = {0};
    int where[CONTENDERS_MAX], n = 0;
    for (int i = 0; i < count; i++) {
        where[i] = -1;
        list[i].us = bench_group_missing(&groups[list[i].group]);
        if (!groups[list[i].group].up) continue;
        where[i] = n;
        tasks[n] = (bench_task){&groups[list[i].group], list[i].kind, size, times};
        c[n] = (bench_contender){.name = groups[list[i].group].name, .batch = bench_groups_batch, .context = &tasks[n]};
        n++;
    }
    double now = sup_clock_now();
    run.b->deadline_s = now + (run.end_s - now) / run.left--;
    bench_race(run.b, c, n);
    for (int i = 0; i < count; i++)
        if (where[i] >= 0) list[i].us = bench_scaled(c[where[i]].time_s, 1e6);
}

static bench_value find(const entry *list, int count, int group, int kind) {
    for (int i = 0; i < count; i++)
        if (list[i].group == group && list[i].kind == kind) return list[i].us;
    return BENCH_FAILED;
}

static void row(const char *what, const char *who, bench_value us, bench_value reference, const char *name,
                const char *floor) {
    char text[64];
    snprintf(text, sizeof text, "%s, %s", what, who);
    bench_row(run.b, text, us, "us", reference, name, run.floors ? floor : NULL);
}

/* What such a machine must do; of another it says nothing. */
static void absolute(const char *what, const char *who, bench_value us, double limit) {
    char text[64];
    snprintf(text, sizeof text, "%s, %s", what, who);
    if (run.floors && run.absolute) bench_row(run.b, text, us, "us", bench_exact(limit), "Neoverse-V1 floor", "<= 1.0");
}

/* ---- rows --------------------------------------------------------------------------------------------------------*/

static void sync_rows(void) {
    entry e[] = {{SHM, BSP_SYNC, {0}},          {OPENMPI, BSP_SYNC, {0}},
                 {MPICH, BSP_SYNC, {0}},        {OPENMPI_RAW, RAW_BARRIER, {0}},
                 {MPICH_RAW, RAW_BARRIER, {0}}, {BARE, BARE_BARRIER, {0}}};
    race(e, 6, 0, 0);
    row("sync", "shm", e[0].us, e[5].us, "flag barrier", "<= 2.0");
    row("sync", "shm", e[0].us, bench_least(e[3].us, e[4].us), "MPI_Barrier, better MPI", "<= 1.0");
    absolute("sync", "shm", e[0].us, 0.25);
    row("sync", "openmpi", e[1].us, e[3].us, "MPI_Barrier", "<= 3.0");
    row("sync", "mpich", e[2].us, e[4].us, "MPI_Barrier", NULL);
}

static void crowd_rows(void) {
    const char *what = "sync, 4 on 2 cores";
    entry e[] = {{SHM4, BSP_SYNC, {0}},
                 {OPENMPI4, BSP_SYNC, {0}},
                 {MPICH4, BSP_SYNC, {0}},
                 {OPENMPI4_RAW, RAW_BARRIER, {0}},
                 {MPICH4_RAW, RAW_BARRIER, {0}}};
    race(e, 5, 0, 0);
    row(what, "shm", e[0].us, bench_least(e[3].us, e[4].us), "MPI_Barrier, better MPI", NULL);
    absolute(what, "shm", e[0].us, 12);
    row(what, "openmpi", e[1].us, e[3].us, "MPI_Barrier", NULL);
    absolute(what, "openmpi", e[1].us, 45);
    row(what, "mpich", e[2].us, e[4].us, "MPI_Barrier", NULL);
}

/* One put, buffered or not, against MPI_Put and messages. `bare_kind` below 0: none. */
typedef struct put_case {
    const char *what;
    int kind, bare_kind;
    size_t size;
    const char *bare_name, *bare_floor;
    const char *fence_floor;         /* shm against the better MPI_Put and fence */
    const char *openmpi_fence_floor; /* over Open MPI against its own */
    double absolute_us;
} put_case;

static const char *const fence_name = "MPI_Put+fence";

static void mpi_put_rows(const put_case *p, const entry *e, int n, const char *who, int group, const char *floor) {
    int raw = group + OPENMPI_RAW - OPENMPI;
    bench_value us = find(e, n, group, p->kind);
    row(p->what, who, us, find(e, n, raw, RAW_PUT), fence_name, floor);
    row(p->what, who, us, find(e, n, raw, RAW_PUT_ALLOC), "MPI_Put+fence, MPI's memory", NULL);
    row(p->what, who, us, find(e, n, raw, RAW_MESSAGE), "Isend/Irecv", NULL);
}

static void put_rows(const put_case *p) {
    entry e[CONTENDERS_MAX] = {{SHM, p->kind, {0}},
                               {OPENMPI, p->kind, {0}},
                               {MPICH, p->kind, {0}},
                               {OPENMPI_RAW, RAW_PUT, {0}},
                               {MPICH_RAW, RAW_PUT, {0}},
                               {OPENMPI_RAW, RAW_PUT_ALLOC, {0}},
                               {MPICH_RAW, RAW_PUT_ALLOC, {0}},
                               {OPENMPI_RAW, RAW_MESSAGE, {0}},
                               {MPICH_RAW, RAW_MESSAGE, {0}},
                               {BARE, p->bare_kind, {0}}};
    int n = p->bare_kind < 0 ? 9 : 10;
    race(e, n, p->size, 1);
    if (n == 10) row(p->what, "shm", e[0].us, e[9].us, p->bare_name, p->bare_floor);
    row(p->what, "shm", e[0].us, bench_least(e[3].us, e[4].us), "MPI_Put+fence, better MPI", p->fence_floor);
    row(p->what, "shm", e[0].us, bench_least(e[5].us, e[6].us), "the same, MPI's memory", NULL);
    row(p->what, "shm", e[0].us, bench_least(e[7].us, e[8].us), "Isend/Irecv, better MPI", NULL);
    absolute(p->what, "shm", e[0].us, p->absolute_us);
    mpi_put_rows(p, e, n, "openmpi", OPENMPI, p->openmpi_fence_floor);
    mpi_put_rows(p, e, n, "mpich", MPICH, NULL);
}

/* Data that nobody has changed or reads stay in the cache of the process that puts: what it takes to bring new data to
 * a process that needs them is this. */
static void used_rows(void) {
    const char *what = "put 1 MB, used";
    entry e[] = {{SHM, BSP_PUT_USED, {0}},
                 {OPENMPI, BSP_PUT_USED, {0}},
                 {MPICH, BSP_PUT_USED, {0}},
                 {OPENMPI_RAW, RAW_PUT_USED, {0}},
                 {MPICH_RAW, RAW_PUT_USED, {0}}};
    race(e, 5, 1 << 20, 1);
    row(what, "shm", e[0].us, bench_least(e[3].us, e[4].us), "MPI_Put+fence, better MPI", NULL);
    row(what, "openmpi", e[1].us, e[3].us, fence_name, "<= 1.5");
    row(what, "mpich", e[2].us, e[4].us, fence_name, NULL);
}

static void many_put_rows(void) {
    entry e[] = {{SHM, BSP_PUT, {0}},       {SHM, BSP_HPPUT, {0}},       {OPENMPI, BSP_PUT, {0}},
                 {OPENMPI, BSP_HPPUT, {0}}, {MPICH, BSP_PUT, {0}},       {MPICH, BSP_HPPUT, {0}},
                 {BARE, BARE_LOG, {0}},     {OPENMPI_RAW, RAW_PUT, {0}}, {MPICH_RAW, RAW_PUT, {0}}};
    race(e, 9, 8, BSP_COUNT_MAX);
    row("10^4 puts", "shm", e[0].us, e[6].us, "log and replay", "<= 1.7");
    row("10^4 puts", "shm", e[0].us, bench_least(e[7].us, e[8].us), "MPI_Put+fence, better MPI", NULL);
    absolute("10^4 puts", "shm", e[0].us, 55);
    row("10^4 hpputs", "shm", e[1].us, e[6].us, "log and replay", NULL);
    row("10^4 hpputs", "shm", e[1].us, e[0].us, "puts", NULL);
    row("10^4 puts", "openmpi", e[2].us, e[7].us, fence_name, NULL);
    absolute("10^4 puts", "openmpi", e[2].us, 130);
    row("10^4 hpputs", "openmpi", e[3].us, e[2].us, "puts", "<= 1.05"); /* no slower, as far as a clock can tell */
    row("10^4 puts", "mpich", e[4].us, e[8].us, fence_name, NULL);
    row("10^4 hpputs", "mpich", e[5].us, e[4].us, "puts", NULL);
}

static void many_get_rows(void) {
    entry e[] = {{SHM, BSP_GET, {0}},   {OPENMPI, BSP_GET, {0}},     {MPICH, BSP_GET, {0}},
                 {BARE, BARE_LOG, {0}}, {OPENMPI_RAW, RAW_GET, {0}}, {MPICH_RAW, RAW_GET, {0}}};
    race(e, 6, 8, BSP_COUNT_MAX);
    row("10^4 gets", "shm", e[0].us, e[3].us, "log and replay", "<= 2.5");
    row("10^4 gets", "shm", e[0].us, bench_least(e[4].us, e[5].us), "MPI_Get+fence, better MPI", NULL);
    absolute("10^4 gets", "shm", e[0].us, 80);
    row("10^4 gets", "openmpi", e[1].us, e[4].us, "MPI_Get+fence", NULL);
    absolute("10^4 gets", "openmpi", e[1].us, 260);
    row("10^4 gets", "mpich", e[2].us, e[5].us, "MPI_Get+fence", NULL);
}

static void many_send_rows(void) {
    entry e[] = {{SHM, BSP_SEND, {0}},
                 {OPENMPI, BSP_SEND, {0}},
                 {MPICH, BSP_SEND, {0}},
                 {OPENMPI_RAW, RAW_MESSAGE, {0}},
                 {MPICH_RAW, RAW_MESSAGE, {0}}};
    race(e, 5, 16, BSP_COUNT_MAX);
    row("10^4 sends", "shm", e[0].us, bench_least(e[3].us, e[4].us), "Isend/Irecv, better MPI", NULL);
    absolute("10^4 sends", "shm", e[0].us, 130);
    row("10^4 sends", "openmpi", e[1].us, e[3].us, "Isend/Irecv", NULL);
    absolute("10^4 sends", "openmpi", e[1].us, 150);
    row("10^4 sends", "mpich", e[2].us, e[4].us, "Isend/Irecv", NULL);
}

/* ---- the whole ---------------------------------------------------------------------------------------------------*/

/* Takes --procs N out of the arguments. 0: not given; below 0: wrong. */
static int take_procs(int *argc, char **argv) {
    for (int i = 1; i < *argc; i++) {
        if (strcmp(argv[i], "--procs") != 0) continue;
        int n = i + 1 < *argc ? atoi(argv[i + 1]) : 0;
        if (n < 2 || n > BENCH_GROUP_MAX) return -1;
        memmove(&argv[i], &argv[i + 2], (size_t)(*argc - i - 1) * sizeof *argv);
        *argc -= 2;
        return n;
    }
    return 0;
}

static const put_case puts_of_one[] = {
    {"put 8 B", BSP_PUT, -1, 8, NULL, NULL, "<= 0.35", "<= 1.2", 0.40},
    {"put 1 MB", BSP_PUT, BARE_STAGED, 1 << 20, "staged copy", "<= 1.1", NULL, "<= 1.5", 60},
    {"hpput 1 MB", BSP_HPPUT, BARE_COPY, 1 << 20, "memcpy", "<= 1.15", NULL, "<= 1.1", 29},
};

int main(int argc, char **argv) {
    bench b;
    char model[128] = "";
    int procs = take_procs(&argc, argv);
    if (procs < 0 || procs > bench_cores()) {
        fprintf(stderr, "bench_bsp: --procs N: N is 2 to %d, each process on a core of its own (there are %d)\n",
                BENCH_GROUP_MAX, bench_cores());
        return 2;
    }
    int rc = bench_begin(&b, "bsp", argc, argv);
    if (rc >= 0) {
        fprintf(rc ? stderr : stdout, "  --procs N   processes, 2 to %d; floors are those of 2\n", BENCH_GROUP_MAX);
        return rc;
    }
    for (int i = 0; procs && i < ONE_EACH; i++) groups[i].size = procs;
    sup_cpu_model_read("/proc/cpuinfo", model, sizeof model);
    run.b = &b;
    run.floors = groups[SHM].size == 2 && bench_cores() >= 2;
    run.absolute = strstr(model, "Neoverse-V1") != NULL;
    if (!bench_groups_start(groups, GROUPS)) {
        fprintf(stderr, "bench_bsp: cannot make its socket in /tmp\n");
        return 1;
    }
    run.end_s = b.deadline_s;
    run.left = RACES;
    sync_rows();
    for (size_t i = 0; i < sizeof puts_of_one / sizeof puts_of_one[0]; i++) put_rows(&puts_of_one[i]);
    used_rows();
    many_put_rows();
    many_get_rows();
    many_send_rows();
    crowd_rows();
    bench_groups_stop(groups, GROUPS);
    return bench_end(&b);
}
