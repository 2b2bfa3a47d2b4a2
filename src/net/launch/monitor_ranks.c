/* The ranks of a run that an MPI's launcher has started, for the monitor around that launcher, and what the monitor
 * around a rank tells it. On other hosts, ranks are out of sight: the process around each reports to us through the
 * stderr of the launcher (rank_report.h). On this one we also see when the last of them is gone; a launcher that then
 * stays has lost its way. */
#include "net/launch/monitor_run.h"

#include "net/launch/rank_direct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LAUNCHER_GRACE_S 1.5 /* for an MPI launcher to end the others by itself */
#define LAUNCHER_END_S 1.2   /* … to end itself when they have ended, and */
#define LAUNCHER_TERM_S .6   /* … when we have asked it to */
#define LOOK_AGAIN_S 1.0

/* ---- what a rank says ---------------------------------------------------------------------------------------------*/

/* Somebody says to be a rank that has said so before: which of the two is the program cannot be known. What was heard
 * so far may have been the program too, so all that is left is how MPI's launcher ends, or has ended. */
static void doubt(sup_monitor *m, int rank) {
    sup_monitor_say(m,
                    "the program writes what looks like reports of Superstep about rank %d: none is believed from here "
                    "on, and the status of the run is that of MPI's launcher",
                    rank);
    sup_monitor_forget_handlers(m);
    if (!m->heard || m->killed) return;
    m->heard = m->failed = false;
    m->exit_code = m->alive ? 0 : sup_monitor_exit_code(m->own_status);
    if (!m->asked) m->kill_at = 0;
}

/* The status of the run is that of the rank that failed first: others may fail because it is gone, and their reports
 * overtake its own. Clocks of other hosts are not ours to compare. */
static const char *heard_of_failure(sup_monitor *m, const sup_rank_report *report) {
    if (m->asked) return NULL;
    if (!m->heard) m->kill_at = sup_monitor_now() + LAUNCHER_GRACE_S;
    if (!m->heard || (m->opt->here && report->at_us < m->heard_us)) {
        m->exit_code = report->status;
        m->heard_us = report->at_us;
    }
    m->failed = m->heard = true; /* the launcher may have ended already: its last words come after its status */
    return *report->text ? report->text : NULL;
}

enum { ENDS, SPEAKS }; /* what is awaited of a descriptor */

static bool watch(sup_monitor *m, int fd, int what) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)what << 32 | (uint32_t)fd};
    if (fd >= 0 && m->ranks_fd >= 0 && !epoll_ctl(m->ranks_fd, EPOLL_CTL_ADD, fd, &event)) return true;
    if (fd >= 0) close(fd);
    return false;
}

static void one_is_gone(sup_monitor *m) {
    if (++m->ranks_gone == m->opt->ranks && m->alive) m->launcher_end_at = sup_monitor_now() + LAUNCHER_END_S;
}

/* The process around a rank of this machine. One that is gone by now needs no watching. */
static void watch_rank(sup_monitor *m, int pid) {
    m->hellos++;
    if (!m->opt->here || pid <= 0) return;
    if (!watch(m, (int)syscall(SYS_pidfd_open, pid, 0), ENDS)) one_is_gone(m);
}

bool sup_monitor_take(void *monitor, const char *line, sup_output_report *out) {
    sup_monitor *m = monitor;
    sup_rank_report report = sup_rank_reports_take(m->reports, line);
    switch (report.kind) {
    case SUP_RANK_REPORT_DOUBT: doubt(m, report.rank); return false;
    case SUP_RANK_REPORT_NONE: return false;
    case SUP_RANK_REPORT_HELLO: watch_rank(m, report.pid); break;
    case SUP_RANK_REPORT_OUTPUT:
        *out = (sup_output_report){.rank = report.rank, .errors = report.errors, .bytes = report.bytes};
        break;
    case SUP_RANK_REPORT_FAILED: out->shown = heard_of_failure(m, &report); break;
    case SUP_RANK_REPORT_HANDLING: sup_monitor_heard_of_handler(m, true); break;
    case SUP_RANK_REPORT_HANDLED: sup_monitor_heard_of_handler(m, false); break;
    case SUP_RANK_REPORT_ENDED:
    case SUP_RANK_REPORT_OTHER: break;
    }
    return true;
}

void sup_monitor_ranks_come(sup_monitor *m) {
    char line[SUP_RANK_REPORT_BEGIN + 32];
    int ends[2];
    size_t mark = strlen(SUP_RANK_REPORT_MARK);
    int fd = sup_direct_receive(m->direct_fd, line, sizeof line, ends);
    if (fd < 0) return;
    sup_rank_report report = {.kind = SUP_RANK_REPORT_NONE};
    if (!strncmp(line, SUP_RANK_REPORT_MARK, mark)) report = sup_rank_reports_take(m->reports, line + mark);
    if (report.kind == SUP_RANK_REPORT_DOUBT) doubt(m, report.rank);
    if (report.kind == SUP_RANK_REPORT_HELLO) watch_rank(m, report.pid);
    if (report.kind == SUP_RANK_REPORT_HELLO && sup_output_attach(m->output, report.rank, ends)) {
        watch(m, fd, SPEAKS);
        return;
    }
    close(fd);
    close(ends[0]);
    close(ends[1]);
}

/* False: it has no more to say. */
static bool listen_to(sup_monitor *m, int fd) {
    char line[SUP_RANK_REPORT_MOST];
    int more;
    size_t mark = strlen(SUP_RANK_REPORT_MARK);
    while ((more = sup_direct_more(fd, line, sizeof line)) > 0) {
        sup_output_report report = {0};
        if (strncmp(line, SUP_RANK_REPORT_MARK, mark) || !sup_monitor_take(m, line + mark, &report)) continue;
        if (report.shown) sup_output_say_last(m->output, report.shown);
    }
    return more == 0;
}

void sup_monitor_ranks_speak(sup_monitor *m) {
    struct epoll_event events[32];
    int count = m->ranks_fd >= 0 ? epoll_wait(m->ranks_fd, events, 32, 0) : 0;
    for (int i = 0; i < count; i++) {
        int fd = (int)(uint32_t)events[i].data.u64, what = (int)(events[i].data.u64 >> 32);
        if (what == SPEAKS && listen_to(m, fd)) continue;
        close(fd); /* which takes it out, too */
        if (what == ENDS) one_is_gone(m);
    }
}

char *sup_monitor_hear(void *monitor, const char *line) { return sup_said_hear(&((sup_monitor *)monitor)->said, line); }

/* ---- when they are gone -------------------------------------------------------------------------------------------*/

/* Processes that ranks have started through the MPI (MPI_Comm_spawn) may go on for longer than they, and the launcher
 * with them; and what it has carried has to reach the reader. */
void sup_monitor_end_launcher(sup_monitor *m) {
    static const char *const launchers[] = {"orterun",
                                            "prterun",
                                            "prte",
                                            "orted",
                                            "prted",
                                            "mpirun",
                                            "mpiexec",
                                            "mpirun.openmpi",
                                            "mpiexec.openmpi",
                                            "mpiexec.hydra",
                                            "mpiexec.mpich",
                                            "mpirun.mpich",
                                            "hydra_pmi_proxy",
                                            NULL};
    double now = sup_monitor_now();
    m->launcher_end_at = 0;
    if (!m->alive || m->killed || m->kill_at > 0) return;
    if (!sup_output_empty(m->output) || sup_tree_has_others(&m->tree, m->launcher, launchers)) {
        m->launcher_end_at = now + LOOK_AGAIN_S;
        return;
    }
    m->launcher_ended = true;
    sup_monitor_ask_all(m);
    m->kill_at = now + LAUNCHER_TERM_S;
}

/* Open MPI 4.1 may take a process that has called MPI_Finalize for one that has not, on a busy machine, and then ends
 * the run with status 1 (its issues 7833 and 12607). So each rank says how it ended, and that counts. No status but 1
 * is taken for that: any other comes from a rank. */
static void judge_status(sup_monitor *m) {
    int ended = sup_rank_reports_ended(m->reports);
    bool all = ended == m->opt->ranks, openmpi = !strcmp(m->opt->tell->net, "openmpi");
    if (!m->exit_code || m->heard || m->asked) return;
    if (all && (m->launcher_ended || (openmpi && m->opt->ends_count && m->exit_code == 1))) {
        m->exit_code = 0;
    } else if (m->launcher_ended) { /* the output is closed by now */
        m->exit_code = 1;
        dprintf(STDERR_FILENO,
                "superstep: the launcher of MPI did not end when its processes had, and was ended (%d of %d ended "
                "well)\n",
                ended, m->opt->ranks);
    } else if (ended && openmpi && m->opt->ends_count) {
        dprintf(STDERR_FILENO,
                "superstep: Open MPI ended the run with status %d, but no process reported a failure (%d of %d ended "
                "well)\n",
                m->exit_code, ended, m->opt->ranks);
    } else if ((openmpi && !m->said.spoken) ||
               !m->hellos) { /* MPI_Abort: Open MPI 4.1 loses its message now and then */
        dprintf(STDERR_FILENO, "superstep: %s ended the run with status %d%s\n", openmpi ? "Open MPI" : "MPICH",
                m->exit_code, m->hellos ? " (MPI_Abort, or an error of the MPI's)" : " before a process was started");
    }
}

void sup_monitor_judge_launcher(sup_monitor *m) {
    if (!m->reports) return;
    judge_status(m);
    char *rest = sup_said_rest(&m->said, m->heard || m->asked || !m->exit_code);
    if (rest) dprintf(STDERR_FILENO, "%s\n", rest);
    free(rest);
}
