/* bench/start: how long it takes from `superstep run` to its end, for a BSP program that begins, meets once and ends,
 * beside one that does nothing (`true`) under the same launcher. What lies between the two is the runtime's.
 *
 *     2       each process on its core
 *     100     more than cores
 *     1000    the most that are in use on one machine; everything that is done for each pair shows here
 *
 * Launcher, processes and their ends are all part of the time, so that it is wall-clock time that counts. */
#include "groups.h"
#include "harness.h"

#include "base/clock.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct start {
    const char *processes, *program;
} start;

static bool run_once(const start *s) {
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0) _exit(127);
        execl(BENCH_SUPERSTEP, BENCH_SUPERSTEP, "run", "--net", "shm", "-n", s->processes, s->program, (char *)NULL);
        _exit(127);
    }
    int status;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool batch(void *context, long reps, double *seconds, bool *disturbed) {
    double begin = sup_clock_now();
    for (long r = 0; r < reps; r++)
        if (!run_once(context)) return false;
    *seconds = sup_clock_now() - begin;
    *disturbed = false; /* the processes are not this one's to ask */
    return true;
}

static void race(bench *b, const char *processes, const char *worker, double limit_ms) {
    char name[64];
    start ours = {processes, worker}, nothing = {processes, "true"};
    bench_contender c[] = {{.name = "BSP", .batch = batch, .context = &ours, .max_reps = 4},
                           {.name = "true", .batch = batch, .context = &nothing, .max_reps = 4}};
    bench_race(b, c, 2);
    snprintf(name, sizeof name, "start and end, %s processes", processes);
    bench_row(b, name, bench_scaled(c[0].time_s, 1e3), "ms", bench_scaled(c[1].time_s, 1e3), "true", NULL);
    if (limit_ms <= 0) return;
    snprintf(name, sizeof name, "start and end, %s processes", processes);
    bench_row(b, name, bench_scaled(c[0].time_s, 1e3), "ms", bench_exact(limit_ms), "limit", "<= 1.0");
}

int main(int argc, char **argv) {
    bench b;
    int rc = bench_begin(&b, "start", argc, argv);
    if (rc >= 0) return rc;
    char worker[PATH_MAX] = "start-worker";
    bench_beside("start-worker", worker, sizeof worker); /* where it is not, starting it fails */
    race(&b, "2", worker, 0);
    race(&b, "100", worker, 0);
    race(&b, "1000", worker, 3000);
    return bench_end(&b);
}
