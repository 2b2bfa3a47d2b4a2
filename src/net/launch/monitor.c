/* The monitor: the parent of all processes of one machine, and none of them. Set-up and tear-down; monitor_start.c
 * makes the processes, monitor_watch.c waits for them, monitor_output.c keeps their lines apart.
 *
 * Nothing that it makes has a name (a memfd, pipes, a signalfd), so nothing is left whatever way it ends. */
#include "net/launch/launch.h"
#include "net/launch/monitor_run.h"
#include "net/launch/rank_direct.h"
#include "net/shm/shm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- finding the program ------------------------------------------------------------------------------------------*/

static sup_status is_program(const char *path) {
    struct stat st;
    if (stat(path, &st)) return errno == EACCES ? SUP_EPERM : SUP_ENOENT;
    return S_ISREG(st.st_mode) && !access(path, X_OK) ? SUP_OK : SUP_EPERM;
}

static sup_status search(const char *name, char *path, size_t size) {
    const char *list = getenv("PATH");
    sup_status best = SUP_ENOENT;
    if (!list) list = "/usr/local/bin:/usr/bin:/bin";
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ":");
        int n = snprintf(path, size, "%.*s%s%s", (int)length, at, length ? "/" : "./", name);
        if (n > 0 && (size_t)n < size) {
            sup_status status = is_program(path);
            if (status == SUP_OK) return SUP_OK;
            if (status == SUP_EPERM) best = SUP_EPERM;
        }
        at += length;
        if (!*at) return best;
    }
}

sup_status sup_program_find(const char *name, sup_diag *diag, char *path, size_t size) {
    if (!*name) return sup_diag_set(diag, SUP_ENOENT, NULL, 0, "the name of the program is empty");
    sup_status status;
    if (strchr(name, '/')) {
        if (strlen(name) >= size) return sup_diag_set(diag, SUP_ENOENT, name, 0, "no such program");
        status = is_program(name);
        if (status == SUP_OK) memcpy(path, name, strlen(name) + 1);
    } else {
        status = search(name, path, size);
    }
    if (status == SUP_ENOENT)
        return sup_diag_set(diag, status, name, 0, strchr(name, '/') ? "no such program" : "no such program in PATH");
    if (status == SUP_EPERM) return sup_diag_set(diag, status, name, 0, "not an executable program");
    return status;
}

/* ---- set-up -------------------------------------------------------------------------------------------------------*/

/* A pipe that came to lie on 0, 1 or 2 would be taken for what it is not. */
static void fill_standard_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_WRONLY : O_RDONLY) < 0) return;
}

/* Who the processes are in the whole run. */
static void number(sup_monitor *m) {
    const sup_launch *tell = m->opt->tell;
    m->foreign = tell && (!strcmp(tell->net, "openmpi") || !strcmp(tell->net, "mpich"));
    if (!m->foreign) return;
    m->first_rank = tell->rank;
    m->outside = tell->rank >= 0 && tell->size > 1 ? tell->size - 1 : 0;
}

static sup_status open_segment(sup_monitor *m, sup_diag *diag) {
    bool alone = m->opt->tell && !strcmp(m->opt->tell->net, "self");
    if (alone || m->foreign) return SUP_OK;
    sup_status status = sup_shm_segment_create(m->opt->size, diag, &m->segment_fd);
    if (status) return status;
    m->segment_bytes = sup_shm_segment_head_bytes(m->opt->size);
    m->segment = mmap(NULL, m->segment_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m->segment_fd, 0);
    if (m->segment != MAP_FAILED) return SUP_OK;
    m->segment = NULL;
    close(m->segment_fd);
    m->segment_fd = -1;
    return sup_diag_errno(diag, SUP_ENOMEM, NULL, "cannot map the shared segment");
}

static void close_segment(sup_monitor *m) {
    if (m->segment) munmap(m->segment, m->segment_bytes);
    if (m->segment_fd >= 0) close(m->segment_fd);
}

/* Two pipes a process: the usual limit of 1024 descriptors ends at 500 processes. */
static void raise_file_limit(sup_monitor *m) {
    getrlimit(RLIMIT_NOFILE, &m->old_files);
    struct rlimit all = m->old_files;
    all.rlim_cur = all.rlim_max;
    setrlimit(RLIMIT_NOFILE, &all);
}

static sup_status take_signals(sup_monitor *m, sup_diag *diag) {
    static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD, SIGURG};
    sigset_t set;
    struct sigaction now;
    sigemptyset(&set);
    sigemptyset(&m->ignored);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (!sigaction(ours[i], NULL, &now) && now.sa_handler == SIG_IGN) sigaddset(&m->ignored, ours[i]);
        if (ours[i] != SIGHUP || !sigismember(&m->ignored, SIGHUP)) sigaddset(&set, ours[i]); /* nohup(1) is obeyed */
    }
    sigprocmask(SIG_BLOCK, &set, &m->old_mask);
    /* with SIGCHLD ignored, as some parents leave it, children vanish without a status */
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &plain, &m->old_child);
    m->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (m->signal_fd >= 0) return SUP_OK;
    sup_diag_errno(diag, SUP_EIO, NULL, "cannot watch signals");
    sigaction(SIGCHLD, &m->old_child, NULL);
    sigprocmask(SIG_SETMASK, &m->old_mask, NULL);
    return SUP_EIO;
}

static void give_signals_back(sup_monitor *m) {
    close(m->signal_fd);
    sigaction(SIGCHLD, &m->old_child, NULL);
    sigprocmask(SIG_SETMASK, &m->old_mask, NULL);
}

/* Around a rank: mpirun, or its daemon on this host. A process that dies with its parent (PR_SET_PDEATHSIG) would die
 * with one thread of it. */
static int open_parent(void) { return (int)syscall(SYS_pidfd_open, getppid(), 0); }

static sup_status prepare(sup_monitor *m, sup_diag *diag) {
    int size = m->opt->size;
    number(m);
    m->begin = sup_leftover_begin();
    sup_status status = open_segment(m, diag);
    if (status) return status;
    bool launcher = m->first_rank < 0;
    if (launcher && m->opt->ranks > 0) status = sup_rank_reports_create(m->opt->ranks, diag, &m->reports);
    if (status) goto close_the_segment;
    bool pipes = m->opt->prefix || m->opt->report || launcher || (m->exec && size > 1);
    sup_output_how how = {.first = m->first_rank,
                          .prefix = m->opt->prefix,
                          .carry = m->opt->report,
                          .mark = m->reports ? SUP_RANK_REPORT_MARK : NULL,
                          .ranks = m->reports ? m->opt->ranks : 0,
                          .says_out = m->reports && !strcmp(m->opt->tell->net, "mpich"),
                          .take = sup_monitor_take,
                          .hear = sup_monitor_hear,
                          .context = m};
    if (pipes && (status = sup_output_create(size, &how, diag, &m->output))) goto free_reports;
    m->pids = calloc((size_t)size, sizeof *m->pids);
    m->polls = calloc(SUP_MONITOR_POLLS + (m->output ? sup_output_poll_max(m->output) : 0), sizeof *m->polls);
    status = SUP_ENOMEM;
    if (!m->pids || !m->polls) {
        sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory to watch %d processes", size);
        goto free_lists;
    }
    status = take_signals(m, diag);
    if (status) goto free_lists;
    raise_file_limit(m);
    sup_tree_init(&m->tree);
    prctl(PR_GET_CHILD_SUBREAPER, &m->old_reaper);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    m->ranks_fd = m->reports ? epoll_create1(EPOLL_CLOEXEC) : -1;
    m->direct_fd = m->reports ? sup_direct_listen() : -1;
    m->guard_fd = sup_guard_take();
    m->guarded = m->guard_fd >= 0;
    m->parent_fd = m->opt->daemon > 0 ? m->opt->daemon : m->foreign && m->first_rank >= 0 ? open_parent() : -1;
    return SUP_OK;

free_lists:
    free(m->pids);
    free(m->polls);
    sup_output_free(m->output);
free_reports:
    sup_rank_reports_free(m->reports);
close_the_segment:
    close_segment(m);
    return status;
}

static void dismantle(sup_monitor *m) {
    prctl(PR_SET_CHILD_SUBREAPER, m->old_reaper);
    sup_tree_clear(&m->tree);
    setrlimit(RLIMIT_NOFILE, &m->old_files);
    if (m->parent_fd >= 0) close(m->parent_fd);
    if (m->guard_fd >= 0) close(m->guard_fd);
    if (m->ranks_fd >= 0) close(m->ranks_fd);
    if (m->direct_fd >= 0) close(m->direct_fd);
    sup_said_free(&m->said);
    give_signals_back(m);
    free(m->pids);
    free(m->polls);
    sup_output_free(m->output);
    sup_rank_reports_free(m->reports);
    close_segment(m);
}

/* From here on the monitor writes what others may have stopped reading, and reads nothing itself: who feeds rank 0
 * shall notice when rank 0 is gone. */
static void settle_down(const sup_monitor *m) {
    signal(SIGPIPE, SIG_IGN);
    if (m->guarded) sup_guard_leave_group();
    if (m->guarded && m->launcher) sup_guard_note_launcher(!strcmp(m->opt->tell->net, "openmpi"), m->launcher);
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    dup2(fd, STDIN_FILENO);
    close(fd);
}

static sup_status check(const sup_monitor_options *opt, sup_diag *diag) {
    if (opt->size >= 1 && opt->size <= SUP_SHM_MAX_PROCS) return SUP_OK;
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%d processes: 1 to %d are possible on one machine", opt->size,
                        SUP_SHM_MAX_PROCS);
}

static void open_notice(sup_monitor *m) {
    m->notice[0] = m->notice[1] = -1;
    bool asked = m->opt->began || m->opt->apart;
    if (asked && pipe2(m->notice, O_CLOEXEC | O_NONBLOCK)) m->notice[0] = m->notice[1] = -1;
}

static void close_notice(sup_monitor *m) {
    if (m->notice[0] < 0) return;
    if (m->opt->began) *m->opt->began = sup_monitor_has_begun(m);
    close(m->notice[0]);
    close(m->notice[1]);
}

/* ---- the two calls ------------------------------------------------------------------------------------------------*/

sup_status sup_monitor_exec(const sup_monitor_options *opt, char *const argv[], sup_diag *diag, int *exit_code) {
    sup_monitor m = {.opt = opt, .exec = true, .self = getpid(), .segment_fd = -1};
    char path[4096];
    bool child;
    sup_status status = check(opt, diag);
    if (!status) status = sup_program_find(opt->program ? opt->program : argv[0], diag, path, sizeof path);
    if (status) return status;
    fill_standard_descriptors();
    status = prepare(&m, diag);
    if (status) return status;
    open_notice(&m);
    status = sup_monitor_start(&m, path, argv, diag, &child, NULL);
    if (!status) {
        settle_down(&m);
        sup_monitor_watch(&m);
        *exit_code = m.exit_code;
    }
    close_notice(&m);
    dismantle(&m);
    return status;
}

/* What the caller had open is the processes' now: held here, a pipe among it would never end. */
static void close_the_rest(const sup_monitor *m) {
    int keep[] = {m->signal_fd, m->segment_fd, m->guard_fd};
    int low = 3;
    if (m->output) return; /* its descriptors are many, and this is for people who look at the output */
    while (low <= keep[0] || low <= keep[1] || low <= keep[2]) {
        if (low != keep[0] && low != keep[1] && low != keep[2]) close(low);
        low++;
    }
    close_range((unsigned)low, ~0u, 0);
}

sup_status sup_monitor_part(const sup_monitor_options *opt, sup_diag *diag, sup_launch *launch) {
    bool child;
    sup_launch mine;
    sup_status status = check(opt, diag);
    if (status) return status;
    fill_standard_descriptors();
    sup_guard_part(opt->name ? opt->name : "superstep", false);
    sup_monitor m = {.opt = opt, .self = getpid(), .segment_fd = -1, .notice = {-1, -1}};
    status = prepare(&m, diag);
    if (status) return status;
    fflush(NULL); /* or each process would write the buffers again */
    status = sup_monitor_start(&m, "this program", NULL, diag, &child, &mine);
    if (status) {
        dismantle(&m);
        return status;
    }
    if (child) {
        if (m.segment) munmap(m.segment, m.segment_bytes);
        *launch = mine;
        return SUP_OK;
    }
    settle_down(&m);
    close_the_rest(&m);
    sup_monitor_watch(&m);
    /* a shell that runs this in a loop stops it only if the program itself ended by the interrupt */
    if (m.asked_signal && m.exit_code == 128 + m.asked_signal) {
        signal(m.asked_signal, SIG_DFL);
        give_signals_back(&m);
        raise(m.asked_signal);
    }
    _exit(m.exit_code);
}
