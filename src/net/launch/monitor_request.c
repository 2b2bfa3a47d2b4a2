/* A signal that asks a run to end, and what follows.
 *
 *     at once   the processes get it, if they have not got it already as members of a group
 *     1 s       whoever is still there is asked again, by SIGTERM
 *     1.5 s     SIGKILL
 *
 * Processes that have a handler for the signal decide themselves when they end: a program may have something to save.
 * The launchers of MPI have handlers too, and lose a signal that comes while they start, so they do not count; there,
 * the process around each rank reports that its program has one. A second request ends everything at once. */
#include "net/launch/monitor_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define SAME_REQUEST_S .3 /* timeout(1) and some shells send a signal to the process and to its group */
#define AGAIN_S 1.0
#define KILL_S 1.5

/* Has the process a handler? A line of /proc/PID/status: "SigCgt:\t0000000000004002". */
static bool catches(pid_t pid, int sig) {
    char path[64], line[256];
    unsigned long long mask = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file) return false;
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, "SigCgt:", 7)) mask = strtoull(line + 7, NULL, 16);
    fclose(file);
    return mask >> (sig - 1) & 1;
}

static bool all_catch(const sup_monitor *m, int sig) {
    if (m->first_rank < 0) return false;
    for (int i = 0; i < m->opt->size; i++)
        if (m->pids[i] > 0 && !catches(m->pids[i], sig)) return false;
    return true;
}

static void set_dates(sup_monitor *m, double now) {
    if (m->killed) return;
    m->again_at = now + AGAIN_S;
    if (m->kill_at <= 0 || m->kill_at > now + KILL_S) m->kill_at = now + KILL_S;
}

/* Open MPI's launcher leaves no time to a program anyway. */
void sup_monitor_report_handler(sup_monitor *m, bool handles) {
    if (!m->opt->report || strcmp(m->opt->tell->net, "mpich") || m->handling == handles) return;
    m->handling = handles;
    sup_monitor_report(m, handles ? "handling" : "handled");
}

/* Once the last of them is gone, the launcher of MPI has no reason to stay either. */
void sup_monitor_heard_of_handler(sup_monitor *m, bool handles) {
    m->handling += handles ? 1 : -1;
    m->handled = true;
    if (!m->asked || m->killed) return;
    if (m->handling > 0)
        m->again_at = m->kill_at = 0;
    else
        set_dates(m, sup_monitor_now());
}

void sup_monitor_forget_handlers(sup_monitor *m) {
    m->handling = 0;
    m->handled = false;
    if (m->asked) set_dates(m, sup_monitor_now());
}

static bool from_terminal(const struct signalfd_siginfo *info) {
    bool terminal;
    return sup_guard_passed(info, &terminal) ? terminal : info->ssi_code == SI_KERNEL;
}

/* From the terminal a signal reaches the whole foreground group; MPICH's daemon sends it to the group of each rank. To
 * send it on would be to send it twice. */
bool sup_monitor_reached_group(const sup_monitor *m, const struct signalfd_siginfo *info) {
    if (from_terminal(info)) return true;
    bool rank = m->foreign && m->first_rank >= 0 && !strcmp(m->opt->tell->net, "mpich");
    return rank && getpgrp() == m->self && (pid_t)info->ssi_pid == getppid();
}

void sup_monitor_request(sup_monitor *m, const struct signalfd_siginfo *info) {
    double now = sup_monitor_now();
    int sig = (int)info->ssi_signo;
    if (from_terminal(info) && sigismember(&m->ignored, sig)) return; /* a job in the background */
    if (m->asked && now < m->asked_at + SAME_REQUEST_S && sig == m->asked_signal) return;
    if (m->asked++) {
        sup_monitor_kill_all(m);
        return;
    }
    m->asked_at = now;
    m->asked_signal = sig;
    bool caught = all_catch(m, sig);
    if (!sup_monitor_reached_group(m, info)) sup_monitor_signal_all(m, sig);
    if (caught)
        sup_monitor_report_handler(m, true);
    else
        set_dates(m, now);
}
