/* Starting and watching the processes of one launch (start.h). Stage "measure". */
#include "measure/launch/start.h"

#include "base/clock.h"
#include "base/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LATE_S 60.0  /* past its time; then something hangs */
#define ASKED_S 15.0 /* after it was asked to stop */
#define LEAVE_S 3.0  /* to end once the result is written: an MPI does not always come back from its last call */
#define DIE_S 5.0    /* to end after SIGTERM */
#define LOOK_MS 50
enum { ARGUMENTS = 40, PATH = 4096 + 64, EXIT_NO_START = 127 };

typedef struct names {
    char request[PATH], result[PATH], progress[PATH], stop[PATH], why[PATH], log[PATH];
} names;

static void name(const char *folder, names *n) {
    snprintf(n->request, PATH, "%.4000s/request", folder);
    snprintf(n->result, PATH, "%.4000s/request.result", folder);
    snprintf(n->progress, PATH, "%.4000s/request.progress", folder);
    snprintf(n->stop, PATH, "%.4000s/request.stop", folder);
    snprintf(n->why, PATH, "%.4000s/request.why", folder);
    snprintf(n->log, PATH, "%.4000s/request.log", folder);
}

static void forget(const names *n) {
    const char *const all[] = {n->request, n->result, n->progress, n->stop, n->why, n->log};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) unlink(all[i]);
}

/* ---- the child ---- */

static void redirect(const char *log) {
    int in = open("/dev/null", O_RDONLY), out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
        _exit(EXIT_NO_START);
    close(in);
    close(out);
}

static void become(const sup_order *order, const names *n, pid_t parent) {
    const char *argv[ARGUMENTS];
    int count = 0;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(EXIT_NO_START);
    signal(SIGINT, SIG_DFL); /* a shell that put us into the background has it ignored */
    redirect(n->log);
    argv[count++] = order->tool;
    if (order->options) {
        argv[count++] = "run";
        for (const char *const *o = order->options; *o && count < ARGUMENTS - 8; o++) argv[count++] = *o;
        if (order->trace) argv[count++] = "--trace";
        if (order->trace) argv[count++] = order->trace;
        argv[count++] = "--";
        argv[count++] = order->tool;
    }
    argv[count++] = "__measure";
    argv[count++] = n->request;
    argv[count++] = order->request->target;
    argv[count] = NULL;
    execv(order->tool, (char *const *)argv);
    dprintf(STDERR_FILENO, "cannot start %s: %s\n", order->tool, strerror(errno));
    _exit(EXIT_NO_START);
}

/* ---- watching it ---- */

/* "0.25 pairs": what rank 0 says about itself. */
static void read_progress(const names *n, char *text, size_t size) {
    char line[256], *end;
    if (!sup_file_first_line(n->progress, line, sizeof line)) return;
    double value = strtod(line, &end);
    if (end == line || !(value >= 0.0 && value <= 1.0)) return;
    snprintf(text, size, "%s", end + (*end == ' '));
}

static void ask_to_stop(const names *n) {
    int file = open(n->stop, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) close(file);
}

typedef struct watching {
    const sup_order *order;
    const names *names;
    pid_t pid;
    double begin_s, asked_s, written_s, ended_s; /* when; NaN: not yet */
    bool late, at_once;
} watching;

static double seconds_since(double then, double now) { return isnan(then) ? 0.0 : now - then; }

/* What is to be done about it now. */
static void judge(watching *w) {
    char text[256] = "starting processes";
    double now = sup_clock_now();
    read_progress(w->names, text, sizeof text);
    sup_wish wish = w->order->look(w->order->context, text);
    if (wish != SUP_WISH_ON && isnan(w->asked_s)) {
        ask_to_stop(w->names);
        w->asked_s = now;
    }
    if (isnan(w->written_s) && access(w->names->result, R_OK) == 0) w->written_s = now;
    bool overdue = now - w->begin_s > w->order->request->seconds + LATE_S || seconds_since(w->asked_s, now) > ASKED_S;
    bool stays = seconds_since(w->written_s, now) > LEAVE_S;
    if (isnan(w->ended_s) && (wish == SUP_WISH_NOW || overdue || stays)) {
        w->late = overdue && isnan(w->written_s);
        w->at_once = wish == SUP_WISH_NOW;
        kill(-w->pid, SIGTERM);
        w->ended_s = now;
    }
    if (seconds_since(w->ended_s, now) > DIE_S) kill(-w->pid, SIGKILL);
}

/* Status as waitpid gives it. A descriptor of the process says at once when it ends. */
static int watch(watching *w) {
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, w->pid, 0), .events = POLLIN};
    int status = -1;
    for (pid_t got = 0; got != w->pid;) {
        judge(w);
        poll(&end, 1, LOOK_MS);
        got = waitpid(w->pid, &status, WNOHANG);
        if (got < 0 && errno != EINTR) break;
    }
    if (end.fd >= 0) close(end.fd);
    return status;
}

/* ---- what it leaves ---- */

/* A line of the log is one of the tool's own messages, or of a launcher's. */
static void find_reason(const names *n, int status, char *text, size_t size) {
    char line[600];
    if (sup_file_first_line(n->why, text, size)) return;
    if (sup_file_first_line(n->log, line, sizeof line)) {
        const char *own = strncmp(line, "superstep", 9) ? NULL : strstr(line, ": ");
        snprintf(text, size, "%s", own ? own + 2 : line);
    } else if (WIFSIGNALED(status)) {
        snprintf(text, size, "killed by signal %d", WTERMSIG(status));
    } else {
        snprintf(text, size, "ended with status %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
}

static void take_result(const names *n, const watching *w, int status, sup_outcome *out) {
    sup_diag diag = {0};
    bool written = access(n->result, R_OK) == 0;
    out->interrupted = w->at_once && !written;
    out->code = WIFEXITED(status) && !w->late ? WEXITSTATUS(status) : -1;
    if (written && !sup_result_load(n->result, &diag, &out->result))
        out->done = true;
    else if (written)
        sup_diag_format(&diag, out->why, sizeof out->why);
    else if (w->late)
        snprintf(out->why, sizeof out->why, "did not end in time");
    else
        find_reason(n, status, out->why, sizeof out->why);
}

sup_status sup_order_run(const sup_order *order, sup_diag *diag, sup_outcome *out) {
    names n;
    *out = (sup_outcome){.code = -1};
    sup_record_init(&sup_result_record, &out->result);
    name(order->folder, &n);
    sup_status status = sup_request_save(order->request, n.request, diag);
    if (status) return status;
    watching w = {.order = order, .names = &n, .asked_s = NAN, .written_s = NAN, .ended_s = NAN};
    w.begin_s = sup_clock_now();
    fflush(NULL);
    pid_t self = getpid();
    w.pid = fork();
    if (w.pid < 0) return sup_diag_errno(diag, SUP_EIO, NULL, "cannot start a process");
    if (w.pid == 0) become(order, &n, self);
    setpgid(w.pid, w.pid);
    int ended = watch(&w);
    out->wall_s = sup_clock_now() - w.begin_s;
    take_result(&n, &w, ended, out);
    forget(&n);
    return SUP_OK;
}
