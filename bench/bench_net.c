/* bench/net: latency and bandwidth of every transport, beside raw MPI in the same processes and beside the bare limit.
 *
 *     shm        our shared-memory transport                  floors at 8 B and 1 MB against the better MPI
 *     openmpi    our MPI transport; raw: the same library     floor at 8 B against raw
 *     mpich      the same with MPICH
 *     bare       two processes on a cache line; memcpy
 *
 * All are started once and asked for batches in turn, one group at a time (groups.h). Latency is half a round trip;
 * bandwidth is size over that. */
#include "groups.h"
#include "harness.h"
#include "net_worker.h"

#include "net/launch/launch.h"
#include "net/shm/shm.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SHM, OPENMPI, MPICH, BARE, SHM4, OPENMPI4, MPICH4, GROUPS };

/* ---- workers -----------------------------------------------------------------------------------------------------*/

static int shm_worker(const bench_group *g, int rank, const char *socket_path, void *context) {
    sup_launch launch;
    sup_launch_init(&launch);
    launch.launched = true;
    launch.rank = launch.local_rank = rank;
    launch.size = launch.local_size = g->size;
    launch.segment_fd = *(int *)context;
    launch.oversubscribed = g->size > 2;
    snprintf(launch.net, sizeof launch.net, "shm");
    net_worker w = {.rank = rank, .size = g->size};
    sup_diag diag = {0};
    if (sup_net_open(&launch, &diag, &w.net)) {
        fprintf(stderr, "bench_net: shm: %s\n", diag.text);
        return 1;
    }
    int rc = net_worker_serve(&w, socket_path, g->name);
    sup_net_close(w.net);
    return rc;
}

static bool start_shm(bench_group *g, const char *socket_path) {
    int fd = -1;
    sup_diag diag = {0};
    if (sup_shm_segment_create(g->size, &diag, &fd)) {
        fprintf(stderr, "bench_net: shm: %s\n", diag.text);
        return false;
    }
    bool started = bench_group_fork(g, socket_path, 2, shm_worker, &fd);
    close(fd);
    return started;
}

static int bare_worker(const bench_group *g, int rank, const char *socket_path, void *line) {
    net_worker w = {.rank = rank, .size = g->size, .line = line};
    return net_worker_serve(&w, socket_path, g->name);
}

static bool start_bare(bench_group *g, const char *socket_path) {
    void *line = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (line == MAP_FAILED) return false;
    bool started = bench_group_fork(g, socket_path, 2, bare_worker, line);
    munmap(line, 4096);
    return started;
}

/* The MPI workers lie beside this program. */
static bool start_mpi(bench_group *g, const char *socket_path) {
    char name[32], worker[PATH_MAX], size[16];
    snprintf(name, sizeof name, "net-%s", g->how);
    if (!bench_beside(name, worker, sizeof worker)) return false;
    snprintf(size, sizeof size, "%d", g->size);
    const char *const argv[] = {BENCH_WITH_MPI, g->how, size, worker, socket_path, g->name, g->how, NULL};
    /* What its manual advises where processes share cores; otherwise it could not compete at all. */
    char *const crowded[] = {g->size > 2 ? (char *)"OMPI_MCA_mpi_yield_when_idle=1" : NULL, NULL};
    return bench_group_exec(g, 0, argv, crowded);
}

static bench_group groups[GROUPS] = {
    [SHM] = {.name = "shm", .size = 2, .start = start_shm},
    [OPENMPI] = {.name = "openmpi", .size = 2, .start = start_mpi, .how = "openmpi"},
    [MPICH] = {.name = "mpich", .size = 2, .start = start_mpi, .how = "mpich"},
    [BARE] = {.name = "bare", .size = 2, .start = start_bare},
    [SHM4] = {.name = "shm-4", .size = 4, .start = start_shm},
    [OPENMPI4] = {.name = "openmpi-4", .size = 4, .start = start_mpi, .how = "openmpi"},
    [MPICH4] = {.name = "mpich-4", .size = 4, .start = start_mpi, .how = "mpich"},
};

/* ---- races -------------------------------------------------------------------------------------------------------*/

/* The contenders of one race, in this order. */
enum { C_SHM, C_OPENMPI, C_OPENMPI_RAW, C_MPICH, C_MPICH_RAW, C_BARE, CONTENDERS };
static const char *const names[CONTENDERS] = {"shm", "openmpi", "raw Open MPI", "mpich", "raw MPICH", "bare"};

/* Times of one repetition, in the order above; failed or absent where there is none. */
static void race(bench *b, int first_group, int kind, int raw_kind, int bare_kind, size_t size, bench_value *time) {
    const int group[CONTENDERS] = {first_group,     first_group + 1, first_group + 1,
                                   first_group + 2, first_group + 2, BARE};
    const int kinds[CONTENDERS] = {kind, kind, raw_kind, kind, raw_kind, bare_kind};
    bench_task tasks[CONTENDERS];
    bench_contender list[CONTENDERS] = {0};
    int where[CONTENDERS], n = 0;
    for (int i = 0; i < CONTENDERS; i++) {
        where[i] = -1;
        time[i] = kinds[i] < 0 ? BENCH_ABSENT : bench_group_missing(&groups[group[i]]);
        if (kinds[i] < 0 || !groups[group[i]].up) continue;
        where[i] = n;
        tasks[n] = (bench_task){&groups[group[i]], kinds[i], size, 1};
        list[n] = (bench_contender){.name = names[i], .batch = bench_groups_batch, .context = &tasks[n]};
        n++;
    }
    bench_race(b, list, n);
    for (int i = 0; i < CONTENDERS; i++)
        if (where[i] >= 0) time[i] = list[where[i]].time_s;
}

/* The faster raw MPI, or -1. */
static int better_mpi(const bench_value *t) {
    if (!bench_there(t[C_OPENMPI_RAW])) return bench_there(t[C_MPICH_RAW]) ? C_MPICH_RAW : -1;
    return !bench_there(t[C_MPICH_RAW]) || t[C_OPENMPI_RAW].low <= t[C_MPICH_RAW].low ? C_OPENMPI_RAW : C_MPICH_RAW;
}

static void size_text(size_t size, char *out, size_t room) {
    if (size >= 1 << 20)
        snprintf(out, room, "%zu MB", size >> 20);
    else if (size >= 1 << 10)
        snprintf(out, room, "%zu KB", size >> 10);
    else
        snprintf(out, room, "%zu B", size);
}

static void latency_row(bench *b, const char *what, const bench_value *t, int i, int reference, double scale,
                        const char *floor) {
    char name[64];
    snprintf(name, sizeof name, "%s, %s", what, names[i]);
    bench_row(b, name, bench_scaled(t[i], scale), "us",
              reference < 0 ? BENCH_ABSENT : bench_scaled(t[reference], scale),
              reference < 0 ? "an MPI" : names[reference], floor);
}

static void bandwidth_row(bench *b, const char *what, const bench_value *t, int i, int reference, size_t size,
                          const char *floor) {
    char name[64];
    snprintf(name, sizeof name, "%s, %s", what, names[i]);
    bench_row(b, name, bench_rate((double)size * 1e-9, t[i]), "GB/s",
              reference < 0 ? BENCH_ABSENT : bench_rate((double)size * 1e-9, t[reference]),
              reference < 0         ? "an MPI"
              : reference == C_BARE ? "memcpy"
                                    : names[reference],
              floor);
}

/* A message of one size: latency below 64 KB, bandwidth from there on, where memcpy is the limit. */
static void message_rows(bench *b, size_t size) {
    bench_value t[CONTENDERS];
    char text[24], what[40];
    bool small = size < 65536;
    race(b, SHM, NET_PINGPONG, RAW_PINGPONG, small ? -1 : BARE_COPY, size, t);
    for (int i = 0; i < C_BARE; i++) t[i] = bench_scaled(t[i], 0.5);
    size_text(size, text, sizeof text);
    snprintf(what, sizeof what, "%s %s", small ? "latency" : "bandwidth", text);
    int best = better_mpi(t);
    if (small) {
        latency_row(b, what, t, C_SHM, best, 1e6, size == 8 ? "<= 0.8" : NULL);
        latency_row(b, what, t, C_OPENMPI, C_OPENMPI_RAW, 1e6, size == 8 ? "<= 1.15" : NULL);
        latency_row(b, what, t, C_MPICH, C_MPICH_RAW, 1e6, size == 8 ? "<= 1.15" : NULL);
    } else {
        bandwidth_row(b, what, t, C_SHM, best, size, size == 1 << 20 ? ">= 1.0" : NULL);
        bandwidth_row(b, what, t, C_OPENMPI, C_OPENMPI_RAW, size, NULL);
        bandwidth_row(b, what, t, C_MPICH, C_MPICH_RAW, size, NULL);
        bandwidth_row(b, what, t, best >= 0 ? best : C_SHM, C_BARE, size, NULL);
        if (best >= 0) bandwidth_row(b, what, t, C_SHM, C_BARE, size, NULL);
    }
}

/* There and back: the other side of the coin is the time a cache line takes. */
static void flag_rows(bench *b) {
    bench_value t[CONTENDERS];
    race(b, SHM, NET_FLAG, RAW_PINGPONG, BARE_LINE, 8, t);
    latency_row(b, "flag round trip", t, C_SHM, C_BARE, 1e6, NULL);
    latency_row(b, "flag round trip", t, C_OPENMPI, C_OPENMPI_RAW, 1e6, NULL);
    latency_row(b, "flag round trip", t, C_MPICH, C_MPICH_RAW, 1e6, NULL);
    bench_row(b, "flag round trip, bare", bench_scaled(t[C_BARE], 1e6), "us", BENCH_ABSENT, NULL, NULL);
}

static void barrier_rows(bench *b) {
    bench_value t[CONTENDERS];
    const char *what = "barrier, 4 on 2 cores";
    race(b, SHM4, NET_BARRIER, RAW_BARRIER, -1, 0, t);
    latency_row(b, what, t, C_SHM, better_mpi(t), 1e6, "<= 1.0");
    latency_row(b, what, t, C_OPENMPI, C_OPENMPI_RAW, 1e6, NULL);
    latency_row(b, what, t, C_MPICH, C_MPICH_RAW, 1e6, NULL);
}

int main(int argc, char **argv) {
    static const size_t sizes[] = {8,        1 << 20,  1,         64,      512,      4 << 10,
                                   32 << 10, 64 << 10, 256 << 10, 4 << 20, 16 << 20, 64 << 20};
    bench b;
    int rc = bench_begin(&b, "net", argc, argv);
    if (rc >= 0) return rc;
    if (!bench_groups_start(groups, GROUPS)) {
        fprintf(stderr, "bench_net: cannot make its socket in /tmp\n");
        return 1;
    }
    /* those with a floor first: should time run out, the others have fewer rounds */
    message_rows(&b, sizes[0]);
    message_rows(&b, sizes[1]);
    flag_rows(&b);
    barrier_rows(&b);
    for (size_t i = 2; i < sizeof sizes / sizeof sizes[0]; i++) message_rows(&b, sizes[i]);
    bench_groups_stop(groups, GROUPS);
    return bench_end(&b);
}
