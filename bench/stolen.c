/* Runs a command while something else takes a share of every core, as on a machine whose host gives part of its time
 * to others:
 *
 *     stolen 30 bench/repeatability build/src/cli/superstep
 *
 * A process on each core computes for some milliseconds and then sleeps until it has had no more than that share
 * (percent) of the time; the lengths vary, so that nothing keeps step with them. The exit status is that of the
 * command.
 */
#include "harness.h"

#include "base/clock.h"
#include "base/number/random.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CORES_MAX = 1024 };
#define BURST_S 0.006

static void sleep_for(double seconds) {
    nanosleep(&(struct timespec){.tv_sec = (time_t)seconds,
                                 .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))},
              NULL);
}

/* 0.5 to 1.5 times the mean. */
static double varied(double mean, sup_random *random) {
    return mean * (0.5 + (double)(sup_random_next(random) >> 11) * 0x1p-53);
}

static double own_cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void take(int core, double share, pid_t parent) {
    sup_random random = {.state = (uint64_t)core + 1};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bench_pin(core);
    double begin = sup_clock_now(), had = own_cpu();
    while (getppid() == parent) {
        double end = own_cpu() + varied(BURST_S, &random);
        while (own_cpu() < end) {
        }
        double early = (own_cpu() - had) / share - (sup_clock_now() - begin);
        if (early > 0) sleep_for(early);
    }
    _exit(0);
}

static int run(char **command) {
    pid_t pid = fork();
    if (pid == 0) {
        execvp(command[0], command);
        fprintf(stderr, "stolen: %s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid < 0 ? 1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv) {
    double share = argc > 2 ? strtod(argv[1], NULL) / 100 : 0;
    if (!(share > 0 && share < 1)) {
        fprintf(stderr, "usage: stolen PERCENT COMMAND [ARGUMENT]...\n");
        return 2;
    }
    int cores = bench_cores(), started = 0;
    pid_t load[CORES_MAX], parent = getpid();
    for (; started < cores && started < CORES_MAX; started++) {
        load[started] = fork();
        if (load[started] == 0) take(started, share, parent);
        if (load[started] < 0) break;
    }
    int rc = started == cores || started == CORES_MAX ? run(argv + 2) : 1;
    for (int i = 0; i < started; i++) kill(load[i], SIGKILL);
    for (int i = 0; i < started; i++) waitpid(load[i], NULL, 0);
    return rc;
}
