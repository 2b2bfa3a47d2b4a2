/* A worker's conversation with the coordinator, and the clock around a batch. */
#include "worker.h"

#include "base/clock.h"
#include "harness.h"
#include "net/net.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static double process_cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool disturbed(bench_sharing sharing, const sup_usage *usage, double all_cpu_s) {
    if (sharing == BENCH_CROWD) return false;
    if (sharing == BENCH_ALONE) return sup_usage_disturbed(usage, true);
    sup_usage whole = *usage;
    whole.cpu_s = all_cpu_s;
    whole.involuntary = 0; /* by a thread of our own, as the time shows */
    return sup_usage_disturbed(&whole, true);
}

/* A tenth as many repetitions first: all are awake and warm when the clock starts. */
static bench_report execute(const bench_worker *w, const bench_order *o) {
    sup_usage_mark mark;
    sup_usage usage;
    bench_report r = {0};
    bool ok = w->batch(w->context, o, (long)(o->reps / 10 + 1));
    double cpu = process_cpu(), own = w->own_s ? *w->own_s : 0;
    sup_usage_begin(&mark);
    ok = ok && w->batch(w->context, o, (long)o->reps);
    sup_usage_end(&mark, &usage);
    r.seconds = w->own_s ? *w->own_s - own : usage.wall_s;
    r.failed = !ok;
    r.disturbed = disturbed(w->sharing, &usage, process_cpu() - cpu);
    return r;
}

static int dial(const char *path) {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || strlen(path) >= sizeof a.sun_path) return -1;
    memcpy(a.sun_path, path, strlen(path) + 1);
    if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0) return fd;
    close(fd);
    return -1;
}

bool bench_pin_by_mpi(void) {
    sup_launch launch;
    sup_launch_read(&launch);
    return launch.launched && launch.rank >= 0 && bench_pin(launch.rank);
}

int bench_serve(const bench_worker *w, const char *socket_path, const char *group) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the coordinator may have stopped us: then nobody reads end-of-file */
    int fd = dial(socket_path), rc = 1;
    if (fd < 0) {
        fprintf(stderr, "bench: %s: no coordinator at %s: %s\n", group, socket_path, strerror(errno));
        return rc;
    }
    bench_hello hello = {.rank = w->rank, .pid = getpid()};
    snprintf(hello.group, sizeof hello.group, "%s", group);
    if (send(fd, &hello, sizeof hello, MSG_NOSIGNAL) == (ssize_t)sizeof hello) {
        bench_order order;
        rc = 0;
        while (recv(fd, &order, sizeof order, MSG_WAITALL) == (ssize_t)sizeof order) {
            bench_report r = execute(w, &order);
            if (send(fd, &r, sizeof r, MSG_NOSIGNAL) != (ssize_t)sizeof r) break;
        }
    }
    close(fd);
    return rc;
}
