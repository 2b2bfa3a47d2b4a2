/* Starting, ordering about and ending groups of workers. Every worker dials a socket of the coordinator; when the
 * coordinator is gone, however it ended, the workers read end-of-file and end too. */
#include "groups.h"

#include "base/clock.h"
#include "harness.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_S = 20, STOP_S = 5 };

static char folder[32];
static char path[64];

/* ---- processes ---------------------------------------------------------------------------------------------------*/

bool bench_group_fork(bench_group *g, const char *socket_path, int cores, bench_body *body, void *context) {
    for (int rank = 0; rank < g->size; rank++) {
        pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            bench_pin(rank % cores);
            _exit(body(g, rank, socket_path, context));
        }
        if (pid > 0) g->pid[g->pids++] = pid;
    }
    return g->pids == g->size;
}

bool bench_group_exec(bench_group *g, int cores, const char *const argv[], char *const environment[]) {
    g->launched = true;
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDONLY);
        dup2(null, 0);
        dup2(2, 1);
        /* stopped workers would not follow a polite request that their launcher passes on */
        prctl(PR_SET_PDEATHSIG, g->halt ? SIGKILL : SIGTERM);
        if (cores > 0) bench_confine(cores);
        for (int i = 0; environment && environment[i]; i++) putenv(environment[i]);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    if (pid > 0) g->pid[g->pids++] = pid;
    return pid > 0;
}

bool bench_beside(const char *name, char *out, size_t room) {
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return false;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    return snprintf(out, room, "%s/%s", self, name) < (int)room && access(out, X_OK) == 0;
}

/* ---- coming up ---------------------------------------------------------------------------------------------------*/

static int listen_here(void) {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(folder, sizeof folder, "/tmp/bench.XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/socket", folder);
    memcpy(a.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 64) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static void greet(bench_group *groups, int count, int fd) {
    bench_hello hello;
    struct timeval patience = {.tv_sec = START_S};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    bool whole = recv(fd, &hello, sizeof hello, MSG_WAITALL) == (ssize_t)sizeof hello;
    patience.tv_sec = 60; /* longer than any batch: a worker that hangs is given up */
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    hello.group[sizeof hello.group - 1] = '\0';
    for (int i = 0; whole && i < count; i++) {
        bench_group *g = &groups[i];
        if (strcmp(g->name, hello.group) != 0 || hello.rank < 0 || hello.rank >= g->size || g->fd[hello.rank] >= 0)
            continue;
        g->fd[hello.rank] = fd;
        g->worker[hello.rank] = hello.pid;
        return;
    }
    close(fd);
}

static bool complete(const bench_group *g) {
    for (int i = 0; i < g->size; i++)
        if (g->fd[i] < 0) return false;
    return true;
}

static bool launcher_gone(bench_group *g) {
    enum { NOT_INSTALLED = 77 }; /* tests/net/with-mpi */
    int status;
    if (g->pids && waitpid(g->pid[0], &status, WNOHANG) == g->pid[0]) {
        g->pids = 0;
        g->absent = g->how && WIFEXITED(status) && WEXITSTATUS(status) == NOT_INSTALLED;
    }
    return g->pids == 0;
}

static void signal_workers(const bench_group *g, int number) {
    for (int i = 0; i < g->size; i++)
        if (g->worker[i] > 0) kill(g->worker[i], number);
}

/* One at a time: MPI's start-up is heavy. */
static bool await_group(bench_group *groups, int count, bench_group *g, int listener) {
    double end = sup_clock_now() + START_S;
    while (!complete(g) && sup_clock_now() < end) {
        struct pollfd p = {.fd = listener, .events = POLLIN};
        if (poll(&p, 1, 100) > 0) greet(groups, count, accept4(listener, NULL, NULL, SOCK_CLOEXEC));
        if (!complete(g) && g->launched && launcher_gone(g)) break;
    }
    if (complete(g) && g->halt) signal_workers(g, SIGSTOP);
    return complete(g);
}

bool bench_groups_start(bench_group *groups, int count) {
    signal(SIGPIPE, SIG_IGN);
    int listener = listen_here();
    for (int i = 0; i < count; i++) {
        bench_group *g = &groups[i];
        for (int k = 0; k < BENCH_GROUP_MAX; k++) g->fd[k] = -1;
        if (listener >= 0 && g->size <= BENCH_GROUP_MAX) {
            if (g->start(g, path))
                g->up = await_group(groups, i + 1, g, listener);
            else
                g->absent = g->how != NULL;
        }
        if (!g->up) fprintf(stderr, "bench: %s %s\n", g->name, g->absent ? "is not to be had here" : "did not start");
    }
    if (listener >= 0) close(listener);
    unlink(path);
    rmdir(folder);
    return listener >= 0;
}

bench_value bench_group_missing(const bench_group *g) { return g->absent ? BENCH_ABSENT : BENCH_FAILED; }

/* ---- orders ------------------------------------------------------------------------------------------------------*/

bool bench_groups_batch(void *task, long reps, double *seconds, bool *disturbed) {
    const bench_task *t = task;
    bench_group *g = t->group;
    bench_order order = {.kind = t->kind, .size = (int64_t)t->size, .count = t->count, .reps = reps};
    *disturbed = false;
    if (g->halt) signal_workers(g, SIGCONT);
    for (int i = 0; i < g->size && g->up; i++)
        g->up = send(g->fd[i], &order, sizeof order, MSG_NOSIGNAL) == (ssize_t)sizeof order;
    for (int i = 0; i < g->size && g->up; i++) {
        bench_report r;
        g->up = recv(g->fd[i], &r, sizeof r, MSG_WAITALL) == (ssize_t)sizeof r && !r.failed;
        if (g->up && (i == 0 || r.seconds > *seconds)) *seconds = r.seconds;
        if (g->up && r.disturbed) *disturbed = true;
    }
    if (g->halt && g->up) signal_workers(g, SIGSTOP);
    if (!g->up) fprintf(stderr, "bench: %s failed, and is not run any more\n", g->name);
    return g->up;
}

void bench_groups_stop(bench_group *groups, int count) {
    for (int i = 0; i < count; i++) {
        if (groups[i].halt) signal_workers(&groups[i], SIGCONT);
        for (int k = 0; k < groups[i].size; k++)
            if (groups[i].fd[k] >= 0) close(groups[i].fd[k]);
    }
    double end = sup_clock_now() + STOP_S;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < groups[i].pids; k++) {
            pid_t pid = groups[i].pid[k];
            while (waitpid(pid, NULL, WNOHANG) == 0) {
                if (sup_clock_now() > end) kill(pid, SIGKILL);
                usleep(10000);
            }
        }
}
