/* Watching the processes of a run until they are gone, and seeing to it that they go.
 *
 * Everything is an event of one poll: signals (a signalfd, SIGCHLD among them), output, the end of whoever started us
 * around a rank, and dates: asking again, SIGKILL after the grace that follows SIGTERM, and giving up on a process that
 * not even SIGKILL ends. monitor_request.c has what follows a signal that asks us to end. */
#include "base/text.h"
#include "net/launch/monitor_run.h"
#include "net/shm/shm.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_S 0.8 /* from SIGTERM to SIGKILL when a process failed */
#define GIVE_UP_S SUP_MONITOR_GIVE_UP_S
#define ORPHAN_GRACE_S .3
#define STUCK_S .4 /* that a reader who takes nothing keeps us if somebody asked us to end */
#define OURS SUP_MONITOR_POLLS
#define HEAR_S .2  /* for the guard to say what it has heard: far more than it needs, if it is not stopped */
#define DRAIN_S .2 /* quiet time after which a pipe that somebody still holds is given up */

/* ---- ending -------------------------------------------------------------------------------------------------------*/

static void describe(int status, char *text, size_t size) {
    if (WIFSIGNALED(status))
        snprintf(text, size, "killed by signal %d (%s%s)", WTERMSIG(status), strsignal(WTERMSIG(status)),
                 WCOREDUMP(status) ? ", core dumped" : "");
    else
        snprintf(text, size, "ended with status %d", WEXITSTATUS(status));
}

/* A report, if a launcher of MPI is in between. */
static void say_as_failure(sup_monitor *m, const char *text) {
    if (m->opt->report)
        sup_monitor_report_failure(m, text);
    else
        sup_monitor_say(m, "%s", text);
}

static void say_failure(sup_monitor *m, int rank, int status) {
    char who[320], what[128], then[48] = "";
    int others = m->alive + m->outside;
    if (m->asked || m->launcher_ended || m->orphaned) return;   /* the user knows why, or we do */
    if (m->output && sup_output_reader_left(m->output)) return; /* so does he who closed the pipe */
    if (WIFEXITED(status) && !others) { /* nothing follows from it; the program has said what it has to say */
        if (m->opt->report) say_as_failure(m, NULL);
        return;
    }
    describe(status, what, sizeof what);
    if (others) snprintf(then, sizeof then, "; ending the other %d", others);
    if (m->first_rank < 0)
        snprintf(who, sizeof who, "the launcher of MPI was");
    else if (m->opt->host)
        snprintf(who, sizeof who, "rank %d (host %s)", m->first_rank + rank, m->opt->host);
    else
        snprintf(who, sizeof who, "rank %d", m->first_rank + rank);
    char text[700];
    snprintf(text, sizeof text, "%s %s%s", who, what, then);
    say_as_failure(m, text);
}

/* What has more rights than its caller does not hear the launcher, and then each process is a program of its own. */
static void judge_apart(sup_monitor *m) {
    char text[700];
    if (!m->opt->apart || m->exit_code || sup_monitor_has_begun(m)) return;
    m->exit_code = m->opt->apart;
    snprintf(
        text, sizeof text,
        "%.300s did not join the run: it has more rights than its caller (setuid, setgid or file capabilities), so "
        "its processes went on as separate programs",
        m->opt->program ? m->opt->program : "the program");
    say_as_failure(m, text);
}

static void fail(sup_monitor *m, int rank, int status) {
    bool signalled = WIFSIGNALED(status);
    m->failed = true;
    m->exit_code = sup_monitor_exit_code(status);
    /* MPI's launchers have codes of their own for being interrupted */
    if (m->first_rank < 0 && m->asked) m->exit_code = 128 + m->asked_signal;
    if (m->segment) sup_shm_segment_set_failure(m->segment, rank, signalled ? WTERMSIG(status) : 1000 + m->exit_code);
    /* a program may end with any status it likes: the others have closed the transport, and end by themselves */
    bool over = !signalled && m->segment && sup_shm_segment_closed(m->segment);
    if (!over) say_failure(m, rank, status);
    if (m->killed) return;
    m->kill_at = sup_monitor_now() + GRACE_S;
    if (over) return;
    sup_monitor_ask_all(m);
}

/* ---- events -------------------------------------------------------------------------------------------------------*/

static void on_signals(sup_monitor *m);

/* The guard was killed, and nobody waits for anything of ours, nor for whoever reads slowly; or, around a rank, the
 * daemon of its MPI has ended the group of the rank, and carries what the rank wrote before. */
static void on_guard_gone(sup_monitor *m) {
    close(m->guard_fd);
    m->guard_fd = -1;
    m->guarded = m->hearing = false;
    if (!m->opt->report) m->orphaned = true;
    if (m->asked < 2) m->asked = m->opt->report ? 1 : 2;
    if (!m->killed) sup_monitor_kill_all(m);
}

/* A signal to the whole group may have ended a rank before the guard passed it on to us: then the user knows why, and
 * we do not say it. */
static void hear_guard(sup_monitor *m) {
    struct pollfd fds[] = {{.fd = m->signal_fd, .events = POLLIN}, {.fd = m->guard_fd, .events = POLLIN}};
    if (!m->guarded || m->asked) return;
    m->hearing = true;
    sup_guard_ask();
    for (double end = sup_monitor_now() + HEAR_S; m->hearing && !m->asked && sup_monitor_now() < end;)
        if (poll(fds, 2, 10) > 0) fds[1].revents ? on_guard_gone(m) : on_signals(m);
    m->hearing = false;
}

/* Takes all that have ended. Where several failed at once, a death by signal is more likely the cause than an exit. */
static void reap(sup_monitor *m) {
    int status, bad_rank = -1, bad_status = 0;
    m->reaped_us = sup_monitor_us();
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        int rank = 0;
        while (rank < m->opt->size && m->pids[rank] != pid) rank++;
        if (rank == m->opt->size) continue; /* an orphan that came to us */
        m->pids[rank] = 0;
        m->alive--;
        m->own_status = status;
        if (!status && m->segment) sup_shm_segment_set_gone(m->segment, rank);
        if (status && (bad_rank < 0 || (WIFSIGNALED(status) && !WIFSIGNALED(bad_status)))) {
            bad_rank = rank;
            bad_status = status;
        }
    }
    if (bad_rank < 0 || m->failed || m->hearing) return;
    hear_guard(m);
    fail(m, bad_rank, bad_status);
}

static void on_signals(sup_monitor *m) {
    struct signalfd_siginfo info;
    bool child = false, answered = false;
    while (read(m->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        switch (info.ssi_signo) {
        case SIGCHLD: child = true; break;
        case SIGURG: answered = true; break;
        case SIGUSR1:
        case SIGUSR2:
            if (!sup_monitor_reached_group(m, &info)) sup_monitor_signal_all(m, (int)info.ssi_signo);
            break;
        default: sup_monitor_request(m, &info); break;
        }
    }
    if (child) reap(m);
    if (answered) m->hearing = false;
}

/* mpirun or its like on this host was killed, and nobody waits for the rank. */
static void on_parent_gone(sup_monitor *m) {
    close(m->parent_fd);
    m->parent_fd = -1;
    m->orphaned = true;
    if (m->killed) return;
    sup_monitor_ask_all(m);
    m->kill_at = sup_monitor_now() + GRACE_S;
}

/* One turn of the loop: waits up to `most_s` (negative: for ever) for something to happen. */
static void turn(sup_monitor *m, double most_s) {
    double now = sup_monitor_now();
    int timeout = -1;
    double dates[] = {most_s < 0 ? 0 : now + most_s, m->again_at, m->kill_at > 0 ? m->kill_at : m->give_up_at,
                      m->launcher_end_at};
    for (int i = 0; i < 4; i++)
        if (dates[i] > 0) sup_monitor_wake_at(dates[i], now, &timeout);
    m->polls[0] = (struct pollfd){.fd = m->signal_fd, .events = POLLIN};
    m->polls[1] = (struct pollfd){.fd = m->parent_fd, .events = POLLIN};
    m->polls[2] = (struct pollfd){.fd = m->ranks_fd, .events = POLLIN};
    m->polls[3] = (struct pollfd){.fd = m->guard_fd, .events = POLLIN};
    m->polls[4] = (struct pollfd){.fd = m->direct_fd, .events = POLLIN};
    size_t count = m->output ? sup_output_poll(m->output, m->polls + OURS, &timeout) : 0;
    int ready = poll(m->polls, OURS + count, timeout);
    if (ready < 0)
        for (size_t i = 0; i < OURS + count; i++) m->polls[i].revents = 0;
    if (ready > 0 && m->polls[4].revents) sup_monitor_ranks_come(m); /* what they say otherwise comes later */
    if (m->output) sup_output_move(m->output, m->polls + OURS, count);
    if (ready > 0 && m->polls[0].revents) on_signals(m);
    if (ready > 0 && m->polls[1].revents) on_parent_gone(m);
    if (ready > 0 && m->polls[3].revents && m->guard_fd >= 0) on_guard_gone(m);
    if (ready > 0 && m->polls[2].revents) sup_monitor_ranks_speak(m);
    if (m->launcher_end_at > 0 && sup_monitor_now() >= m->launcher_end_at) sup_monitor_end_launcher(m);
    if (m->again_at > 0 && sup_monitor_now() >= m->again_at) {
        m->again_at = 0;
        sup_monitor_ask_all(m);
    }
    if (m->kill_at > 0 && sup_monitor_now() >= m->kill_at) sup_monitor_kill_all(m);
}

/* ---- the end ------------------------------------------------------------------------------------------------------*/

static bool none_left(sup_monitor *m) {
    reap(m); /* also lest they stay for whoever adopts them after us */
    return sup_tree_is_empty(&m->tree);
}

static void end_orphans(sup_monitor *m) {
    double start = sup_monitor_now(), most = m->alive > 0 ? ORPHAN_GRACE_S : GIVE_UP_S; /* some were given up */
    for (int sig = SIGTERM; !none_left(m) && sup_monitor_now() < start + most; sig = 0) {
        bool last = m->killed || sup_monitor_now() >= start + ORPHAN_GRACE_S;
        sup_tree_signal(&m->tree, last ? SIGKILL : sig);
        turn(m, 0.02);
    }
}

/* Asked to end, we do not wait for a reader who has stopped reading. */
static bool is_stuck(const sup_monitor *m, double start) {
    double last = sup_output_last_written(m->output);
    return m->asked && !sup_output_empty(m->output) && sup_monitor_now() > (last > start ? last : start) + STUCK_S;
}

static void flush(sup_monitor *m, double start) {
    while (!sup_output_empty(m->output) && m->asked < 2 && !is_stuck(m, start)) turn(m, 0.05);
}

/* Everything that was written reaches its reader, unless he asks us twice to stop. */
static void drain(sup_monitor *m) {
    if (!m->output) return;
    double start = sup_monitor_now();
    while (sup_output_reading(m->output) && m->asked < 2 && !is_stuck(m, start)) {
        double last = sup_output_last_read(m->output);
        /* a full sink keeps us from reading: that is not silence */
        if (sup_output_empty(m->output) && sup_monitor_now() > (last > start ? last : start) + DRAIN_S) break;
        turn(m, 0.02);
    }
    sup_monitor_ranks_speak(m); /* what they said before the launcher ended */
    sup_output_stop_reading(m->output);
    flush(m, start);
    sup_monitor_report_end(m);
    flush(m, start);
}

/* Daemons of MPI that are alive clear up themselves, but know nothing of MPICH's and UCX's files. */
static void clear_leftovers(const sup_monitor *m) {
    if (!m->foreign) return;
    bool openmpi = !strcmp(m->opt->tell->net, "openmpi");
    bool daemon = m->first_rank >= 0 && !m->orphaned && openmpi;
    if (!daemon && (m->exit_code || m->killed || m->asked || m->orphaned))
        sup_leftover_clear(openmpi, m->launcher, m->begin);
}

void sup_monitor_watch(sup_monitor *m) {
    reap(m); /* some may have ended before the first SIGCHLD could be seen */
    while (m->alive > 0) {
        turn(m, -1);
        if (m->alive > 0 && m->killed && m->give_up_at > 0 && sup_monitor_now() >= m->give_up_at) {
            sup_monitor_say(m, "%d processes do not end even when killed; leaving them", m->alive);
            break;
        }
    }
    sup_monitor_report_handler(m, false);
    judge_apart(m);
    end_orphans(m);
    clear_leftovers(m);
    drain(m);
    sup_monitor_judge_launcher(m);
    /* hydra ends with 0 when it is asked to end */
    if (m->first_rank < 0 && m->asked && !m->handled && !m->exit_code) m->exit_code = 128 + m->asked_signal;
    int error = m->output ? sup_output_error(m->output) : 0;
    if (!error) return;
    dprintf(STDERR_FILENO, "%s: cannot write the output: %s\n", m->opt->name ? m->opt->name : "superstep",
            strerror(error));
    if (!m->exit_code) m->exit_code = 1;
}
