/* bench/overlap: does communication go on while a program computes (BSP §6.2)?
 *
 * Two processes on two hosts, that is network namespaces with a link of 1 Gbit/s between them (tests/cluster). A
 * superstep of unbuffered puts that take T_comm, and of as much work as takes T_comp = T_comm, takes T_both:
 *
 *     T_both / max(T_comp, T_comm)  =  1: all of it overlaps    2: nothing does
 *
 * The eager engine has a floor; bulk starts to communicate at the sync and is here for comparison. */
#include "groups.h"
#include "harness.h"
#include "overlap_kinds.h"

#include "base/clock.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPENMPI_EAGER, OPENMPI_BULK, MPICH_EAGER, MPICH_BULK, GROUPS };
enum { BYTES = 4 << 20, MAX_REPS = 4 };

static const char *hosts, *rsh; /* of the cluster this runs in */

/* ---- the link ----------------------------------------------------------------------------------------------------*/

/* Runs this program again on the first of two hosts, which cluster.sh makes and removes, whatever happens; exit status
 * of that. Should this process be killed, the script is told to end. */
static int run_inside(char **argv) {
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return 1;
    self[n] = '\0';
    int count = 0, status = 1;
    while (argv[count]) count++;
    char **line = calloc((size_t)count + 6, sizeof *line);
    if (!line) return 1;
    const char *const script[] = {BENCH_CLUSTER, "with", "2", "1gbit", "--", self};
    memcpy(line, script, sizeof script);
    memcpy(line + 6, argv + 1, (size_t)count * sizeof *line - sizeof *line);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execv(line[0], line);
        _exit(127);
    }
    free(line);
    if (pid < 0 || waitpid(pid, &status, 0) != pid) return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* ---- workers -----------------------------------------------------------------------------------------------------*/

/* how: "openmpi eager". */
static bool start(bench_group *g, const char *socket_path) {
    char worker[PATH_MAX], net[16], engine[16];
    if (!bench_beside("overlap-worker", worker, sizeof worker)) return false;
    if (sscanf(g->how, "%15s %15s", net, engine) != 2) return false;
    char built[PATH_MAX], with[24]; /* is our transport over that MPI there? This is built together with it */
    snprintf(with, sizeof with, "net-%s", net);
    if (!bench_beside(with, built, sizeof built)) return false;
    const char *const argv[] = {BENCH_SUPERSTEP, "run",   "-n",    "2", "--net",   net,           "--engine", engine,
                                "--hosts",       hosts,   "--rsh", rsh, "--place", "none/cyclic", "--",       worker,
                                socket_path,     g->name, NULL};
    return bench_group_exec(g, 0, argv, NULL);
}

static bench_group groups[GROUPS] = {
    [OPENMPI_EAGER] = {.name = "openmpi eager", .size = 2, .start = start, .how = "openmpi eager", .halt = true},
    [OPENMPI_BULK] = {.name = "openmpi bulk", .size = 2, .start = start, .how = "openmpi bulk", .halt = true},
    [MPICH_EAGER] = {.name = "mpich eager", .size = 2, .start = start, .how = "mpich eager", .halt = true},
    [MPICH_BULK] = {.name = "mpich bulk", .size = 2, .start = start, .how = "mpich bulk", .halt = true},
};

/* ---- measuring ---------------------------------------------------------------------------------------------------*/

/* Median of a few batches as the race makes them, for setting the amount of work. The least would not do: what a link
 * lets through at once makes single batches faster than the race ever sees. Below 0: cannot be run. */
static double median_of(bench_task *task, long reps) {
    enum { TRIES = 7 };
    double s[TRIES];
    bool disturbed;
    for (int i = 0; i < TRIES; i++)
        if (!bench_groups_batch(task, reps, &s[i], &disturbed)) return -1;
    return bench_quantile(s, TRIES, 0.5) / (double)reps;
}

/* Steps of work that take as long as the communication; 0: cannot be found. */
static long balance(bench_group *g) {
    enum { PROBE = 1000000 };
    bench_task comm = {g, OVERLAP_COMM, BYTES, 0}, comp = {g, OVERLAP_COMP, BYTES, 20L * PROBE};
    double comm_s = median_of(&comm, MAX_REPS), comp_s = median_of(&comp, 1);
    return comm_s > 0 && comp_s > 0 ? (long)(comm_s / comp_s * 20 * PROBE) + 1 : 0;
}

static bench_value longer(bench_value a, bench_value b) {
    if (!bench_there(a) || !bench_there(b)) return BENCH_FAILED;
    return (bench_value){fmax(a.low, b.low), fmax(a.median, b.median)};
}

/* One MPI: eager and bulk groups stand next to each other. */
static void overlap_rows(bench *b, const char *mpi, bench_group *eager, bench_group *bulk) {
    char name[64];
    long steps = eager->up ? balance(eager) : 0;
    enum { COMP, COMM, BOTH, BULK_COMM, BULK_BOTH, N };
    bench_task task[N] = {[COMP] = {eager, OVERLAP_COMP, BYTES, steps},
                          [COMM] = {eager, OVERLAP_COMM, BYTES, steps},
                          [BOTH] = {eager, OVERLAP_BOTH, BYTES, steps},
                          [BULK_COMM] = {bulk, OVERLAP_COMM, BYTES, steps},
                          [BULK_BOTH] = {bulk, OVERLAP_BOTH, BYTES, steps}};
    bench_contender c[N] = {0};
    int n = bulk->up ? N : BULK_COMM;
    for (int i = 0; i < n; i++)
        c[i] = (bench_contender){.name = task[i].group->name,
                                 .batch = bench_groups_batch,
                                 .context = &task[i],
                                 .max_reps = MAX_REPS};
    for (int i = 0; i < N; i++) c[i].time_s = bench_group_missing(task[i].group);
    if (steps) bench_race(b, c, n);
    bench_value comp = bench_scaled(c[COMP].time_s, 1e3), comm = bench_scaled(c[COMM].time_s, 1e3);
    snprintf(name, sizeof name, "compute only, %s", mpi);
    bench_row(b, name, comp, "ms", BENCH_ABSENT, NULL, NULL);
    snprintf(name, sizeof name, "communicate only, %s", mpi);
    bench_row(b, name, comm, "ms", bench_exact(BYTES / 125e6 * 1e3), "1 Gbit/s", NULL);
    snprintf(name, sizeof name, "both, %s eager", mpi);
    bench_row(b, name, bench_scaled(c[BOTH].time_s, 1e3), "ms", longer(comp, comm), "the longer of them", "<= 1.25");
    bench_value alone = bench_scaled(c[BULK_COMM].time_s, 1e3);
    snprintf(name, sizeof name, "both, %s bulk", mpi);
    bench_row(b, name, bench_scaled(c[BULK_BOTH].time_s, 1e3), "ms", longer(comp, alone), "the longer of them", NULL);
}

int main(int argc, char **argv) {
    bench b;
    int rc = bench_begin(&b, "overlap", argc, argv);
    if (rc >= 0) return rc;
    hosts = getenv("CLUSTER_HOSTS");
    rsh = getenv("CLUSTER_RSH");
    if (!hosts || !rsh) {
        rc = run_inside(argv);
        if (rc == 0) return rc;
        if (rc != 77) bench_row(&b, "both, eager", BENCH_FAILED, "ms", BENCH_FAILED, "the longer of them", "<= 1.25");
        if (rc == 77)
            fprintf(stderr,
                    "bench_overlap: no rows: it needs root, network namespaces and iproute2 for a link of 1 Gbit/s\n");
        return bench_end(&b);
    }
    if (b.quick && b.rounds > 9) b.rounds = 9;
    /* a core for each process: Open MPI need not give its turn away whenever it finds nothing, as on a crowded host */
    (void)setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
    if (!bench_groups_start(groups, GROUPS)) {
        fprintf(stderr, "bench_overlap: cannot make its socket in /tmp\n");
        return 1;
    }
    double now = sup_clock_now(), end_s = b.deadline_s;
    b.deadline_s = now + 0.5 * (end_s - now); /* so that both MPIs have rounds */
    overlap_rows(&b, "openmpi", &groups[OPENMPI_EAGER], &groups[OPENMPI_BULK]);
    b.deadline_s = end_s;
    overlap_rows(&b, "mpich", &groups[MPICH_EAGER], &groups[MPICH_BULK]);
    bench_groups_stop(groups, GROUPS);
    return bench_end(&b);
}
