/* Measuring over a transport: P processes of this program, started by `superstep run` in a child, so that pinning,
 * launchers of MPI and the end of everything are those of any run. The processes get the profile so far in a file and
 * leave it with more in it in another; progress and the wish to stop pass through files too, which work on every
 * transport. The child is in a process group of its own: an interrupt on the terminal reaches us alone. */
#include "base/file.h"
#include "cli/measure.h"
#include "cli/run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LATE_S 60.0           /* past its time; then something hangs */
#define LEAVE_S 3.0           /* to end once all is written: an MPI does not always come back from its last call */
#define CALIBRATION_SHARE 0.2 /* of a transport's time */
#define LAUNCHES 3            /* in which curves are measured */
#define LAUNCHES_S 8.0        /* with less time for them: one */
#define FIRST_SHARE 0.6       /* of that time for the first, which finds out which sizes matter */

const char *sup_cli_net(size_t index) {
    static const char *const nets[SUP_MEASURE_NETS] = {"shm", "openmpi", "mpich"};
    return index < SUP_MEASURE_NETS ? nets[index] : NULL;
}

/* Into the order of the table, each once. */
int sup_measuring_nets(sup_measuring *m) {
    bool all = !m->nets || sup_option_has(m->nets, "all"), none = m->nets && sup_option_has(m->nets, "none");
    if (m->nets && (all || none) && strchr(m->nets, ','))
        return sup_cli_usage(m->verb, "--net: all and none stand alone, not in \"%.64s\"", m->nets);
    const char *net;
    for (size_t i = 0; !none && (net = sup_cli_net(i)); i++) {
        if (!all && !sup_option_has(m->nets, net)) continue;
        m->net_asked[m->net_count] = !all;
        m->net[m->net_count++] = net;
    }
    return 0;
}

/* ---- the child ---- */

static void redirect(const sup_measuring *m) {
    char path[SUP_MEASURE_PATH];
    int in = open("/dev/null", O_RDONLY);
    int out = open(sup_measuring_path(m->folder, SUP_MEASURE_LOG, path), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
        _exit(SUP_EXIT_SYSTEM);
    close(in);
    close(out);
}

/* What processes are started for. */
typedef enum aim { CURVES, BARRIERS, STEPS, OTHER_STEPS } aim;

static void run_child(const sup_measuring *m, const char *net, double seconds, aim what) {
    char size[16], budget[32], how[96], self[4096], trace[SUP_MEASURE_PATH], verb[] = "run";
    static char why[SUP_MEASURE_PATH];
    char *argv[32];
    int n = 0;
    bool steps = what == STEPS || what == OTHER_STEPS;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) _exit(SUP_EXIT_SYSTEM);
    self[length] = 0;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sup_bar_release();
    signal(SIGINT, SIG_DFL); /* a shell that put us into the background has it ignored */
    redirect(m);
    sup_cli_also_in(sup_measuring_path(m->folder, SUP_MEASURE_WHY, why));
    snprintf(size, sizeof size, "%d", m->placement.count);
    snprintf(budget, sizeof budget, "%.3f", seconds);
    snprintf(how, sizeof how, "curves%s%s%s,%.32s", m->exhaustive ? ",exhaustive" : "", m->cold ? ",cold" : "",
             m->rdma ? ",rdma" : "", m->setups ? m->setups : "");
    sup_measuring_path(m->folder, SUP_MEASURE_TRACE, trace);
    const char *const options[][2] = {{"-n", size},          {"--net", net},
                                      {"--place", m->place}, {"--hosts", m->hosts_file},
                                      {"--rsh", m->rsh},     {"--trace", steps ? trace : NULL}};
    argv[n++] = verb;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        for (int k = 0; k < 2 && options[i][1]; k++) argv[n++] = (char *)options[i][k];
    argv[n++] = (char *)"--";
    argv[n++] = self;
    argv[n++] = (char *)(steps ? "__steps" : "__measure");
    if (!steps) argv[n++] = (char *)m->folder;
    argv[n++] = budget;
    if (what == BARRIERS)
        argv[n++] = (char *)"calibration";
    else if (what == OTHER_STEPS)
        argv[n++] = (char *)"others";
    else if (what == CURVES)
        argv[n++] = how;
    argv[n] = NULL;
    int code = sup_verb_run.run(n, argv);
    fflush(NULL);
    _exit(code);
}

/* ---- watching it ---- */

/* "0.25 pairs": what rank 0 says about itself. */
static void read_progress(const sup_measuring *m, const char *net, double *fraction, char *text, size_t size) {
    char path[SUP_MEASURE_PATH], line[256], *end;
    if (!sup_file_first_line(sup_measuring_path(m->folder, SUP_MEASURE_PROGRESS, path), line, sizeof line)) return;
    double value = strtod(line, &end);
    if (end == line || !(value >= 0.0 && value <= 1.0)) return;
    *fraction = value;
    snprintf(text, size, "%s:%s", net, end);
}

static void ask_to_stop(const sup_measuring *m) {
    char path[SUP_MEASURE_PATH];
    int file = open(sup_measuring_path(m->folder, SUP_MEASURE_STOP, path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) close(file);
}

/* The notes are the last thing that rank 0 writes. */
static bool has_written(const sup_measuring *m) {
    char path[SUP_MEASURE_PATH];
    return access(sup_measuring_path(m->folder, SUP_MEASURE_NOTES, path), R_OK) == 0;
}

typedef struct ending {
    bool late;    /* it had to be ended, and has left nothing */
    bool written; /* it has left everything, however it ended */
} ending;

/* Status as waitpid gives it. */
static int watch(sup_measuring *m, const char *net, pid_t pid, double seconds, ending *how) {
    struct timespec nap = {.tv_nsec = 50000000};
    double begin = sup_session_spent(m->session), fraction = 0.0, written_s = INFINITY;
    char text[256];
    int status = 0, asked = 0;
    snprintf(text, sizeof text, "%s: starting processes", net);
    for (;;) {
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid) return status;
        if (got < 0 && errno != EINTR) return -1;
        read_progress(m, net, &fraction, text, sizeof text);
        if (sup_session_tick(m->session, fmin(fraction, 0.999), text) && !asked) {
            ask_to_stop(m);
            asked = 1;
        }
        double spent = sup_session_spent(m->session);
        bool overdue = spent - begin > seconds + LATE_S, stays = spent - written_s > LEAVE_S;
        if (isinf(written_s) && has_written(m)) written_s = spent;
        if (asked < 2 && (sup_bar_interrupts() > 1 || overdue || stays)) {
            *how = (ending){.late = overdue && !stays, .written = stays};
            kill(-pid, SIGTERM);
            asked = 2;
        }
        nanosleep(&nap, NULL);
    }
}

/* ---- what it leaves ---- */

static int take_profile(sup_measuring *m) {
    char path[SUP_MEASURE_PATH];
    sup_profile *more = NULL;
    sup_diag diag;
    if (sup_profile_read(sup_measuring_path(m->folder, SUP_MEASURE_OUT, path), false, &diag, &more))
        return sup_cli_fail_diag(m->verb, &diag);
    sup_profile_free(m->profile);
    m->profile = more;
    return 0;
}

/* One child's life. */
static int run_once(sup_measuring *m, int which, double from, double to, double seconds, aim what) {
    const char *net = m->net[which];
    char path[SUP_MEASURE_PATH], text[600];
    sup_diag diag;
    ending how = {0};
    m->failed = false;
    sup_measuring_remove(m, false);
    if (sup_profile_write(m->profile, sup_measuring_path(m->folder, SUP_MEASURE_IN, path), &diag))
        return sup_cli_fail_diag(m->verb, &diag);
    sup_session_stage(m->session, from, to, INFINITY);
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) return sup_cli_fail(m->verb, SUP_EXIT_SYSTEM, "cannot start a process: %s", strerror(errno));
    if (pid == 0) run_child(m, net, seconds, what);
    setpgid(pid, pid);
    int status = watch(m, net, pid, seconds, &how);
    if (sup_bar_interrupts() > 1) return 0;
    if (status == 0 && (what == STEPS || what == OTHER_STEPS)) {
        sup_measuring_path(m->folder, SUP_MEASURE_TRACE, path);
        sup_status st =
            what == STEPS ? sup_measuring_steps(m, path, &diag) : sup_trace_read(path, false, &diag, &m->compared);
        return st ? sup_cli_fail_diag(m->verb, &diag) : 0;
    }
    if (status == 0 || how.written) {
        /* of several launches for curves the last makes the remarks */
        sup_measuring_take_notes(m, what == CURVES ? SUP_NOTES_COUNTS : SUP_NOTES_COUNTS | SUP_NOTES_REMARKS);
        return take_profile(m);
    }
    sup_measuring_reason(m, status, text, sizeof text);
    if (how.late) snprintf(text, sizeof text, "did not end in time");
    m->failed = true;
    if (m->launch > 0) { /* what the earlier ones found is there */
        sup_session_warn(m->session, SUP_WARNING_LAUNCH_FAILED,
                         &(sup_about){.transport = net, .reason = text, .number = {m->launch + 1}});
        return 0;
    }
    m->complete = m->complete && !m->net_asked[which];
    if (m->net_asked[which])
        return sup_cli_fail(m->verb,
                            WIFEXITED(status) && WEXITSTATUS(status) <= SUP_EXIT_SYSTEM ? WEXITSTATUS(status)
                                                                                        : SUP_EXIT_SYSTEM,
                            "--net %s: %s", net, text);
    sup_session_warn(m->session, SUP_WARNING_NOT_MEASURED, &(sup_about){.transport = net, .reason = text});
    return 0;
}

/* Curves, in several launches of the processes: measure/launches.h says why. The user may stop after any of them. */
static int measure_curves(sup_measuring *m, int which, double from, double to, double seconds) {
    char path[SUP_MEASURE_PATH];
    int launches = seconds < LAUNCHES_S ? 1 : LAUNCHES, code = 0;
    double over_s = sup_session_spent(m->session) + seconds;
    unlink(sup_measuring_path(m->folder, SUP_MEASURE_LAUNCHES, path));
    for (int k = 0; k < launches && !code; k++) {
        double left = over_s - sup_session_spent(m->session), middle = from + (to - from) * FIRST_SHARE;
        double step = (to - middle) / (LAUNCHES - 1), at = k ? middle + step * (k - 1) : from;
        double mine = k + 1 == launches ? left : k ? left / (launches - k) : FIRST_SHARE * left;
        if (k && (sup_session_stopped(m->session) || mine < SUP_MEASURE_LEAST_S / 2.0)) break;
        double end = launches == 1 ? to : k ? at + step : middle;
        m->launch = k;
        code = run_once(m, which, at, end, fmax(mine, SUP_MEASURE_LEAST_S / 2.0), CURVES);
        if (m->failed) break;
    }
    m->launch = 0;
    sup_measuring_take_notes(m, SUP_NOTES_REMARKS);
    return code;
}

/* What was measured is then held against barriers and whole supersteps of other processes, started anew each time: how
 * a run's memory happens to lie is part of what a prediction cannot know. */
int sup_measuring_net(sup_measuring *m, int which, double from, double to, double seconds) {
    enum { RUNS = 5 };
    bool calibrated = !strcmp(m->net[which], "shm") && m->processes > 1;
    double each = calibrated ? fmin(1.2, CALIBRATION_SHARE * seconds / RUNS) : 0.0,
           bar = (to - from) * CALIBRATION_SHARE / RUNS;
    double end = to - (calibrated ? RUNS * bar : 0.0), over_s = sup_session_spent(m->session) + seconds;
    int code = measure_curves(m, which, from, end, seconds - RUNS * each);
    for (int k = 0; k < RUNS && calibrated; k++) {
        double at = end + bar * k;
        if (code || sup_session_stopped(m->session) || sup_session_spent(m->session) > over_s) break;
        code = run_once(m, which, at, at + bar / 3, each / 3, BARRIERS);
        if (!code && !m->placement.oversubscribed && !sup_session_stopped(m->session))
            code = run_once(m, which, at + bar / 3, at + bar, each * 2 / 3, STEPS);
    }
    bool compare = m->compare && !m->compared && !m->placement.oversubscribed;
    if (!code && calibrated && compare && !sup_session_stopped(m->session))
        code = run_once(m, which, to, to, fmin(1.0, each), OTHER_STEPS);
    return code;
}
