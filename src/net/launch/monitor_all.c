/* What is done to all processes of a run, and what is said about it, to the user or by the monitor around a rank to the
 * launcher: for those who watch and those who end them. */
#include "net/launch/monitor_run.h"

#include "base/text.h"
#include "net/launch/rank_direct.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void sup_monitor_write_line(sup_monitor *m, const char *line) {
    if (m->output)
        sup_output_say(m->output, line);
    else
        dprintf(STDERR_FILENO, "%s\n", line); /* in one write: nothing comes between */
}

void sup_monitor_say(sup_monitor *m, const char *format, ...) {
    char text[700];
    int used = snprintf(text, sizeof text, "%s: ", m->opt->name ? m->opt->name : "superstep");
    if (used < 0 || (size_t)used >= sizeof text) used = 0;
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, args);
    va_end(args);
    sup_monitor_write_line(m, sup_text_make_plain(text));
}

void sup_monitor_signal_all(sup_monitor *m, int sig) {
    for (int i = 0; i < m->opt->size; i++)
        if (m->pids[i] > 0) kill(m->pids[i], sig);
}

void sup_monitor_ask_all(sup_monitor *m) {
    sup_monitor_signal_all(m, SIGTERM);
    sup_monitor_signal_all(m, SIGCONT); /* a stopped process would not see it */
}

void sup_monitor_kill_all(sup_monitor *m) {
    sup_monitor_signal_all(m, SIGKILL);
    sup_tree_signal(&m->tree, SIGKILL);
    m->killed = true;
    m->kill_at = m->again_at = 0;
    if (m->give_up_at <= 0) m->give_up_at = sup_monitor_now() + SUP_MONITOR_GIVE_UP_S;
}

bool sup_monitor_has_begun(sup_monitor *m) {
    char byte;
    if (m->notice[0] < 0) return true;
    m->began = m->began || read(m->notice[0], &byte, 1) > 0;
    return m->began;
}

int sup_monitor_exit_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

/* ---- to the launcher ----------------------------------------------------------------------------------------------*/

long long sup_monitor_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

void sup_monitor_report(sup_monitor *m, const char *text) {
    char line[SUP_RANK_REPORT_MOST];
    snprintf(line, sizeof line, "%s%s", m->opt->report, text);
    sup_text_make_plain(line);
    if (m->opt->direct <= 0 || !sup_direct_send(m->opt->direct, line, NULL)) sup_monitor_write_line(m, line);
}

void sup_monitor_report_failure(sup_monitor *m, const char *text) {
    char line[SUP_RANK_REPORT_MOST - SUP_RANK_REPORT_BEGIN];
    snprintf(line, sizeof line, "failed %d %lld %s%s", m->exit_code, m->reaped_us, text ? "superstep: " : "",
             text ? text : "");
    sup_monitor_report(m, line);
}

void sup_monitor_report_end(sup_monitor *m) {
    if (m->opt->report && !m->exit_code) sup_monitor_report(m, "ended");
}
