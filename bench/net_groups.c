/* Starting, ordering about and ending the groups of bench/net. Every worker dials a socket of the coordinator; when the
 * coordinator is gone, however it ended, the workers read end-of-file and end too. */
#include "net_groups.h"

#include "base/clock.h"
#include "harness.h"
#include "net/launch.h"
#include "net/shm.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_S = 20, STOP_S = 5 };

static char folder[] = "/tmp/bench_net.XXXXXX";
static char path[64];

/* ---- workers -----------------------------------------------------------------------------------------------------*/

static int shm_worker(const net_group *g, int rank, int segment_fd) {
    sup_launch launch;
    sup_launch_init(&launch);
    launch.launched = true;
    launch.rank = launch.local_rank = rank;
    launch.size = launch.local_size = g->size;
    launch.segment_fd = segment_fd;
    launch.oversubscribed = g->size > 2;
    snprintf(launch.net, sizeof launch.net, "shm");
    net_worker w = {.rank = rank, .size = g->size, .crowded = g->size > 2};
    sup_diag diag = {0};
    if (sup_net_open(&launch, &diag, &w.net)) {
        fprintf(stderr, "bench_net: shm: %s\n", diag.text);
        return 1;
    }
    int rc = net_worker_serve(&w, path, g->name);
    sup_net_close(w.net);
    return rc;
}

static int bare_worker(const net_group *g, int rank, void *line) {
    net_worker w = {.rank = rank, .size = g->size, .line = line};
    return net_worker_serve(&w, path, g->name);
}

static bool start_forked(net_group *g) {
    int fd = -1;
    void *line = NULL;
    sup_diag diag = {0};
    if (g->net && sup_shm_segment_create(g->size, &diag, &fd)) {
        fprintf(stderr, "bench_net: shm: %s\n", diag.text);
        return false;
    }
    if (!g->net) {
        line = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (line == MAP_FAILED) return false;
    }
    for (int rank = 0; rank < g->size; rank++) {
        pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            bench_pin(rank % 2);
            _exit(g->net ? shm_worker(g, rank, fd) : bare_worker(g, rank, line));
        }
        if (pid > 0) g->pid[g->pids++] = pid;
    }
    if (fd >= 0) close(fd);
    if (line) munmap(line, 4096);
    return g->pids == g->size;
}

/* The MPI workers lie beside this program. */
static bool start_mpi(net_group *g) {
    char worker[PATH_MAX], size[16];
    ssize_t n = readlink("/proc/self/exe", worker, sizeof worker - 32);
    if (n <= 0) return false;
    worker[n] = '\0';
    char *slash = strrchr(worker, '/');
    snprintf(slash + 1, sizeof worker - (size_t)(slash + 1 - worker), "net-%s", g->net);
    if (access(worker, X_OK) != 0) return false;
    snprintf(size, sizeof size, "%d", g->size);
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDONLY);
        dup2(null, 0);
        dup2(2, 1);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        /* What its manual advises where processes share cores; otherwise it could not compete at all. */
        if (g->size > 2) setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
        execl(BENCH_WITH_MPI, BENCH_WITH_MPI, g->net, size, worker, path, g->name, g->net, (char *)NULL);
        _exit(127);
    }
    if (pid > 0) g->pid[g->pids++] = pid;
    return pid > 0;
}

/* ---- coming up ---------------------------------------------------------------------------------------------------*/

static int listen_here(void) {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/socket", folder);
    memcpy(a.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 64) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static void greet(net_group *groups, int count, int fd) {
    net_hello hello;
    struct timeval patience = {.tv_sec = START_S};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    bool whole = recv(fd, &hello, sizeof hello, MSG_WAITALL) == (ssize_t)sizeof hello;
    patience.tv_sec = 60; /* longer than any batch: a worker that hangs is given up */
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    hello.group[sizeof hello.group - 1] = '\0';
    for (int i = 0; whole && i < count; i++) {
        net_group *g = &groups[i];
        if (strcmp(g->name, hello.group) != 0 || hello.rank < 0 || hello.rank >= g->size || g->fd[hello.rank] >= 0)
            continue;
        g->fd[hello.rank] = fd;
        return;
    }
    close(fd);
}

static bool complete(const net_group *g) {
    for (int i = 0; i < g->size; i++)
        if (g->fd[i] < 0) return false;
    return true;
}

static bool launcher_gone(net_group *g) {
    int status;
    if (g->pids && waitpid(g->pid[0], &status, WNOHANG) == g->pid[0]) g->pids = 0;
    return g->pids == 0;
}

/* One at a time: MPI's start-up is heavy. */
static bool await_group(net_group *groups, int count, net_group *g, int listener) {
    double end = sup_clock_now() + START_S;
    while (!complete(g) && sup_clock_now() < end) {
        struct pollfd p = {.fd = listener, .events = POLLIN};
        if (poll(&p, 1, 100) > 0) greet(groups, count, accept4(listener, NULL, NULL, SOCK_CLOEXEC));
        if (!complete(g) && g->net && strcmp(g->net, "shm") != 0 && launcher_gone(g)) break;
    }
    return complete(g);
}

bool net_groups_start(net_group *groups, int count) {
    signal(SIGPIPE, SIG_IGN);
    int listener = listen_here();
    for (int i = 0; i < count; i++) {
        net_group *g = &groups[i];
        for (int k = 0; k < NET_GROUP_MAX; k++) g->fd[k] = -1;
        bool forked = !g->net || !strcmp(g->net, "shm");
        if (listener >= 0 && (forked ? start_forked(g) : start_mpi(g))) g->up = await_group(groups, i + 1, g, listener);
        if (!g->up) fprintf(stderr, "bench_net: %s is left out: it did not start\n", g->name);
    }
    if (listener >= 0) close(listener);
    unlink(path);
    rmdir(folder);
    return listener >= 0;
}

/* ---- orders ------------------------------------------------------------------------------------------------------*/

bool net_groups_batch(void *task, long reps, double *seconds, bool *disturbed) {
    const net_task *t = task;
    net_group *g = t->group;
    net_order order = {.kind = t->kind, .size = (int64_t)t->size, .reps = reps};
    *disturbed = false;
    for (int i = 0; i < g->size && g->up; i++)
        g->up = send(g->fd[i], &order, sizeof order, MSG_NOSIGNAL) == (ssize_t)sizeof order;
    for (int i = 0; i < g->size && g->up; i++) {
        net_report r;
        g->up = recv(g->fd[i], &r, sizeof r, MSG_WAITALL) == (ssize_t)sizeof r && !r.failed;
        if (g->up && i == 0) *seconds = r.seconds;
        if (g->up && r.disturbed) *disturbed = true;
    }
    return g->up;
}

void net_groups_stop(net_group *groups, int count) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < groups[i].size; k++)
            if (groups[i].fd[k] >= 0) close(groups[i].fd[k]);
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
