/* Making the processes of a run: all of them or none.
 *
 * A process pins itself, ties its life to the monitor's, arranges its descriptors and then runs the program. What goes
 * wrong on the way comes back through one pipe that exec closes: end of file means that everybody is on its way. */
#include "machine/place/pin.h"
#include "net/launch/launch.h"
#include "net/launch/monitor_run.h"
#include "net/launch/rank_direct.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct report {
    enum { PIN_FAILED, START_FAILED } what;
    int rank, error;
} report;

static void send_report(int fd, int what, int rank) {
    report r = {.what = what, .rank = rank, .error = errno};
    if (write(fd, &r, sizeof r) < 0) return; /* the monitor is gone, and we with it */
}

static int set_input(int rank) {
    if (rank == 0) return 0;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || dup2(fd, STDIN_FILENO) < 0) return -1;
    if (fd != STDIN_FILENO) close(fd);
    return 0;
}

static void tell(const sup_monitor *m, int rank, sup_launch *l) {
    if (m->opt->tell)
        *l = *m->opt->tell;
    else
        sup_launch_init(l);
    if (m->foreign) return;
    l->launched = true;
    if (m->segment_fd >= 0) snprintf(l->net, sizeof l->net, "shm");
    l->rank = l->local_rank = rank;
    l->size = l->local_size = m->opt->size;
    l->segment_fd = m->segment_fd;
    l->oversubscribed = m->opt->oversubscribed;
}

/* Is there a terminal that may send signals to the group of the run, or stop it? */
static bool has_terminal(void) {
    int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return false;
    close(fd);
    return true;
}

/* The kernel (sched_autogroup_enabled) gives each session one share of the machine, which is cut over the cores where
 * it has somebody: of a core that one other program wants as well, sixteen processes of one session get a sixteenth
 * each where that gets the rest. A process with a session of its own gets a half. A terminal's jobs stay together, and
 * so do processes that share cores with each other: to yield means nothing to another session. */
static void leave_session(const sup_monitor *m) {
    bool alike = m->exec && m->segment_fd >= 0 && m->opt->size > 1;
    if (alike && !m->opt->oversubscribed && !has_terminal()) (void)setsid();
}

/* In the new process. Returns 0, or -1 with errno. */
static int settle(const sup_monitor *m, int rank, const sup_output_ends *ends, int report_fd) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != m->self) _exit(0); /* it died before the line above */
    leave_session(m);
    setrlimit(RLIMIT_NOFILE, &m->old_files);
    sigaction(SIGCHLD, &m->old_child, NULL);
    if (m->opt->cores && m->opt->cores[rank] >= 0 && sup_pin_self(m->opt->cores[rank], NULL))
        send_report(report_fd, PIN_FAILED, rank);
    if (set_input(rank)) return -1;
    if (ends && ends->out >= 0 && dup2(ends->out, STDOUT_FILENO) < 0) return -1;
    if (ends && dup2(ends->err, STDERR_FILENO) < 0) return -1;
    return 0;
}

static _Noreturn void become(const sup_monitor *m, int rank, const char *path, char *const argv[], int report_fd) {
    sup_launch launch;
    tell(m, rank, &launch);
    launch.notice_fd = rank == 0 ? m->notice[1] : -1;
    bool ready = sup_launch_export(&launch) == SUP_OK;
    if (!ready) errno = ENOMEM;
    if (ready && launch.notice_fd >= 0) ready = !fcntl(launch.notice_fd, F_SETFD, 0);
    if (ready && m->segment_fd >= 0) ready = !fcntl(m->segment_fd, F_SETFD, 0);
    if (ready) {
        sigprocmask(SIG_SETMASK, &m->old_mask, NULL);
        execvp(path, argv);
    }
    send_report(report_fd, START_FAILED, rank);
    _exit(127);
}

static void stop_all(sup_monitor *m) {
    for (int i = 0; i < m->opt->size; i++) {
        if (m->pids[i] <= 0) continue;
        kill(m->pids[i], SIGKILL);
        while (waitpid(m->pids[i], NULL, 0) < 0 && errno == EINTR) continue;
        m->pids[i] = 0;
    }
    m->alive = 0;
}

/* Until everybody is on its way. */
static sup_status read_reports(sup_monitor *m, int fd, const char *path, sup_diag *diag) {
    report r;
    bool warned = false;
    for (;;) {
        ssize_t n = read(fd, &r, sizeof r);
        if (n < 0 && errno == EINTR) continue;
        if (n != (ssize_t)sizeof r) return SUP_OK;
        if (r.what == START_FAILED) {
            sup_status status = r.error == ENOENT ? SUP_ENOENT : r.error == EACCES ? SUP_EPERM : SUP_EIO;
            return sup_diag_set(diag, status, path, 0, "cannot start: %s", strerror(r.error));
        }
        if (!warned && !(m->foreign && m->first_rank > 0)) /* once a run */
            sup_monitor_say(m, "cannot pin process %d to core %d (%s); going on unpinned", r.rank,
                            m->opt->cores[r.rank], strerror(r.error));
        warned = true;
    }
}

/* A process made by parting keeps nothing of the monitor's. */
static void shed(sup_monitor *m) {
    close(m->signal_fd);
    if (m->parent_fd >= 0) close(m->parent_fd);
    if (m->guard_fd >= 0) close(m->guard_fd);
    sup_output_free(m->output);
    sup_tree_clear(&m->tree);
    free(m->pids);
    free(m->polls);
    sigprocmask(SIG_SETMASK, &m->old_mask, NULL);
}

/* Around a rank of an MPI: what it will write to goes to the launcher, if there is a way. */
static sup_status say_hello(sup_monitor *m, int rank, sup_diag *diag) {
    char hello[SUP_RANK_REPORT_BEGIN + 32];
    int ends[2];
    if (!m->opt->report || m->opt->direct <= 0) return SUP_OK;
    snprintf(hello, sizeof hello, "%shello %d", m->opt->report, (int)m->self);
    sup_output_part_with(m->output, rank, ends);
    bool sent = sup_direct_send(m->opt->direct, hello, ends);
    close(ends[0]);
    close(ends[1]);
    return sent ? SUP_OK : sup_diag_errno(diag, SUP_EIO, NULL, "cannot reach superstep run");
}

/* One process. In it, *child is true when parting. */
static sup_status start_one(sup_monitor *m, int rank, const char *path, char *const argv[], int report_fd,
                            sup_diag *diag, bool *child) {
    sup_output_ends ends;
    sup_status status = m->output ? sup_output_open(m->output, rank, diag, &ends) : SUP_OK;
    if (status) return status;
    status = say_hello(m, rank, diag);
    if (status) {
        sup_output_ends_close(&ends);
        return status;
    }
    pid_t pid = fork();
    if (pid == 0) {
        if (settle(m, rank, m->output ? &ends : NULL, report_fd)) {
            send_report(report_fd, START_FAILED, rank);
            _exit(127);
        }
        if (m->exec) become(m, rank, path, argv, report_fd);
        if (m->output) sup_output_ends_close(&ends);
        *child = true;
        return SUP_OK;
    }
    int error = errno;
    if (m->output) sup_output_ends_close(&ends);
    if (pid < 0)
        return sup_diag_set(diag, SUP_EIO, NULL, 0, "cannot start process %d of %d: %s", rank + 1, m->opt->size,
                            strerror(error));
    m->pids[rank] = pid;
    if (m->first_rank < 0) m->launcher = pid;
    m->alive++;
    return SUP_OK;
}

sup_status sup_monitor_start(sup_monitor *m, const char *path, char *const argv[], sup_diag *diag, bool *child,
                             sup_launch *launch) {
    int reports[2];
    if (pipe2(reports, O_CLOEXEC)) return sup_diag_errno(diag, SUP_EIO, NULL, "cannot make a pipe");
    sup_status status = SUP_OK;
    *child = false;
    for (int rank = 0; rank < m->opt->size && !status; rank++) {
        status = start_one(m, rank, path, argv, reports[1], diag, child);
        if (!*child) continue;
        tell(m, rank, launch);
        close(reports[0]);
        close(reports[1]);
        shed(m);
        return SUP_OK;
    }
    close(reports[1]);
    if (!status) status = read_reports(m, reports[0], path, diag);
    close(reports[0]);
    if (status) stop_all(m);
    return status;
}
