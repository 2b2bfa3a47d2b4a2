/* Starting and watching the processes of one launch (start.h). Stage "measure". */
#include "measure/launch/start.h"

#include "base/clock.h"
#include "base/file/file.h"
#include "measure/campaign/turns.h"

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

#define LATE_S 60.0  /* past its time, or its turn; then something hangs */
#define ASKED_S 15.0 /* after it was asked to stop */
#define LEAVE_S 3.0  /* to end once the result is written: an MPI does not always come back from its last call */
#define DIE_S 5.0    /* to end after SIGTERM */
#define LOOK_MS 50
enum { ARGUMENTS = 40, PATH = 4096 + 64, EXIT_NO_START = 127 };

typedef struct names {
    char request[PATH], result[PATH], progress[PATH], stop[PATH], why[PATH], log[PATH], turns[PATH], told[PATH];
} names;

static void name(const sup_order *order, names *n) {
    char number[16] = "";
    if (order->number) snprintf(number, sizeof number, "-%d", order->number);
    snprintf(n->request, PATH, "%.4000s/request%s", order->folder, number);
    struct {
        char *path;
        const char *what;
    } all[] = {{n->result, "result"}, {n->progress, "progress"},  {n->stop, "stop"},        {n->why, "why"},
               {n->log, "log"},       {n->turns, SUP_TURNS_FILE}, {n->told, SUP_TURNS_TOLD}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        snprintf(all[i].path, PATH, "%.4040s.%s", n->request, all[i].what);
}

static void forget(const names *n) {
    const char *const all[] = {n->request, n->result, n->progress, n->stop, n->why, n->log, n->turns, n->told};
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

struct sup_running {
    sup_order order; /* its request only while it is started */
    names names;
    sup_turns turns; /* file -1: it measures at once */
    pid_t pid;
    int end, status; /* a descriptor of the process; how it has ended, -1: not known */
    bool ended, late, at_once;
    double begin_s, due_s, asked_s, written_s, told_end_s; /* when; NaN: not yet */
};

static double seconds_since(double then, double now) { return isnan(then) ? 0.0 : now - then; }

/* What is to be done about it now. */
static void judge(sup_running *r) {
    char text[256] = "starting processes";
    double now = sup_clock_now();
    read_progress(&r->names, text, sizeof text);
    sup_wish wish = r->order.look(r->order.context, text);
    if (wish != SUP_WISH_ON && isnan(r->asked_s)) {
        ask_to_stop(&r->names);
        r->asked_s = now;
    }
    if (isnan(r->written_s) && access(r->names.result, R_OK) == 0) r->written_s = now;
    bool overdue = now > r->due_s || seconds_since(r->asked_s, now) > ASKED_S;
    bool stays = seconds_since(r->written_s, now) > LEAVE_S;
    if (isnan(r->told_end_s) && (wish == SUP_WISH_NOW || overdue || stays)) {
        r->late = overdue && isnan(r->written_s);
        r->at_once = wish == SUP_WISH_NOW;
        kill(-r->pid, SIGTERM);
        r->told_end_s = now;
    }
    if (seconds_since(r->told_end_s, now) > DIE_S) kill(-r->pid, SIGKILL);
}

/* Until it waits for its turn, or somebody wishes it to end, or it has ended. A descriptor of the process says at once
 * when it does, and so does what tells of waiting. */
static void watch(sup_running *r, double seconds, bool to_its_end) {
    struct pollfd what[2] = {{.fd = r->end, .events = POLLIN}, {.fd = r->turns.told, .events = POLLIN}};
    r->due_s = sup_clock_now() + seconds + LATE_S;
    while (!r->ended) {
        judge(r);
        if (!to_its_end && (!isnan(r->asked_s) || !isnan(r->told_end_s))) return;
        poll(what, to_its_end ? 1 : 2, LOOK_MS);
        pid_t got = waitpid(r->pid, &r->status, WNOHANG);
        r->ended = got == r->pid || (got < 0 && errno != EINTR);
        if (!to_its_end && sup_turns_told(&r->turns)) return;
    }
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

static void take_result(const sup_running *r, sup_outcome *out) {
    sup_diag diag = {0};
    const names *n = &r->names;
    bool written = access(n->result, R_OK) == 0;
    out->interrupted = r->at_once && !written;
    out->code = WIFEXITED(r->status) && !r->late ? WEXITSTATUS(r->status) : -1;
    out->wall_s = sup_clock_now() - r->begin_s;
    if (written && !sup_result_load(n->result, &diag, &out->result))
        out->done = true;
    else if (written)
        sup_diag_format(&diag, out->why, sizeof out->why);
    else if (r->late)
        snprintf(out->why, sizeof out->why, "did not end in time");
    else
        find_reason(n, r->status, out->why, sizeof out->why);
}

/* ---- all of it ---- */

static void start(sup_running *r) {
    fflush(NULL);
    pid_t self = getpid();
    r->begin_s = sup_clock_now();
    r->pid = fork();
    if (r->pid == 0) become(&r->order, &r->names, self);
    if (r->pid < 0) return;
    setpgid(r->pid, r->pid);
    r->end = (int)syscall(SYS_pidfd_open, r->pid, 0);
}

static void drop(sup_running *r) {
    forget(&r->names);
    if (r->end >= 0) close(r->end);
    free(r);
}

static sup_status start_with(const sup_order *order, bool in_turns, sup_diag *diag, sup_running **out) {
    sup_running *r = malloc(sizeof *r);
    if (!r) return sup_diag_no_memory(diag);
    *r = (sup_running){.order = *order,
                       .turns = {.file = -1, .told = -1},
                       .pid = -1,
                       .end = -1,
                       .status = -1,
                       .asked_s = NAN,
                       .written_s = NAN,
                       .told_end_s = NAN};
    name(order, &r->names);
    sup_status status = sup_request_save(order->request, r->names.request, diag);
    if (!status && in_turns) status = sup_turns_open(r->names.request, diag, &r->turns);
    if (!status) start(r);
    if (!status && r->pid < 0) status = sup_diag_errno(diag, SUP_EIO, NULL, "cannot start a process");
    if (status) {
        sup_turns_leave(&r->turns);
        drop(r);
        return status;
    }
    *out = r;
    return SUP_OK;
}

sup_status sup_running_start(const sup_order *order, sup_diag *diag, sup_running **out) {
    return start_with(order, true, diag, out);
}

bool sup_running_ready(sup_running *r) {
    watch(r, 0.0, false);
    return !r->ended && isnan(r->asked_s) && isnan(r->told_end_s);
}

bool sup_running_turn(sup_running *r, double seconds) {
    if (sup_turns_give(&r->turns, seconds)) return false;
    watch(r, seconds, false);
    return !r->ended && isnan(r->asked_s) && isnan(r->told_end_s);
}

void sup_running_over(sup_running *r) { sup_turns_end(&r->turns); }

void sup_running_end(sup_running **running, sup_outcome *out) {
    sup_running *r = *running;
    *out = (sup_outcome){.code = -1};
    sup_record_init(&sup_result_record, &out->result);
    sup_turns_end(&r->turns);
    watch(r, 0.0, true);
    take_result(r, out);
    drop(r);
    *running = NULL;
}

sup_status sup_order_run(const sup_order *order, sup_diag *diag, sup_outcome *out) {
    sup_running *r = NULL;
    *out = (sup_outcome){.code = -1};
    sup_record_init(&sup_result_record, &out->result);
    sup_status status = start_with(order, false, diag, &r);
    if (status) return status;
    watch(r, order->request->seconds, true);
    take_result(r, out);
    drop(r);
    return SUP_OK;
}
