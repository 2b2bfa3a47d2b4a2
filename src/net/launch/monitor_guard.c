/* The guard of a run.
 *
 *     shell ── guard ── monitor ── rank 0, rank 1, …
 *              waits     does all the work
 *
 * Whoever is killed by SIGKILL can clear nothing away, and what the ranks have started may have left their group and
 * session. So there are two, both subreapers: if the guard is gone the monitor ends everything below itself, and if the
 * monitor is gone the guard does. Once everybody runs the monitor has a process group of its own, so that a SIGKILL to
 * the group of the run (kill -KILL %1, timeout -k) leaves one of the two. The ranks stay in the group where there is a
 * terminal, whose foreground group it is: rank 0 may read from it, and is stopped and goes on with the guard.
 *
 * The same around each rank of an MPI, whose daemons end a rank by a SIGKILL to its group: what the rank has written
 * until then is in the monitor, and is passed on.
 *
 * The guard passes on every signal that the monitor did not get itself, with a note of whether the terminal sent it. A
 * rank may die of such a signal before the monitor has it; so it asks first: SIGURG, which comes after all others that
 * wait, and which the guard returns. */
#include "net/launch/monitor_guard.h"
#include "net/launch/monitor_leftover.h"
#include "net/launch/monitor_output.h"
#include "net/launch/monitor_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define GIVE_UP_S 5.0 /* processes that outlive SIGKILL are left to the kernel */
enum { FROM_SOMEBODY, FROM_TERMINAL /* or whoever else reaches the whole group */ };

/* In memory that both share; written by the monitor. */
typedef struct note {
    bool openmpi;
    pid_t launcher; /* 0 none */
} note;

typedef struct guard {
    const char *name;
    bool grouped; /* what our parent sends us it sends to our group */
    pid_t worker;
    note *note;
    struct timespec begin;
    sup_tree tree;
    sigset_t set, old_mask;
    struct sigaction old_child;
    int old_reaper;
} guard;

static pid_t guarding; /* in the monitor: who; 0 nobody */
static int guard_fd = -1;
static note *noted;

/* ---- the guard ----------------------------------------------------------------------------------------------------*/

/* SIGHUP is the terminal's to its session's first process alone, when it goes. */
static bool reached_worker(const guard *g, const siginfo_t *info) {
    if (info->si_code != SI_KERNEL || getpgid(g->worker) != getpgrp()) return false;
    return info->si_signo != SIGHUP || getsid(0) != getpid();
}

static void pass_on(const guard *g, const siginfo_t *info) {
    bool alone = info->si_signo == SIGHUP && getsid(0) == getpid();
    bool terminal = info->si_code == SI_KERNEL && !alone;
    if (g->grouped && info->si_code == SI_USER && info->si_pid == getppid() && getpgrp() == getpid()) terminal = true;
    if (reached_worker(g, info)) return;
    union sigval value = {.sival_int = terminal ? FROM_TERMINAL : FROM_SOMEBODY};
    if (sigqueue(g->worker, info->si_signo, value)) kill(g->worker, info->si_signo);
}

/* Returns how the monitor ended. */
static int await(const guard *g) {
    for (;;) {
        siginfo_t info;
        int status;
        if (sigwaitinfo(&g->set, &info) < 0) continue;
        if (info.si_signo == SIGURG) kill(g->worker, SIGURG); /* all that came before it was passed on */
        if (info.si_signo != SIGURG && info.si_signo != SIGCHLD) pass_on(g, &info);
        /* also others that the caller had, lest they stay for whoever adopts them */
        for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
            if (pid == g->worker) return status;
    }
}

/* The ranks die with the monitor; what they started is below us now. */
static void end_all(guard *g) {
    double start = sup_monitor_now();
    while (!sup_tree_is_empty(&g->tree) && sup_monitor_now() < start + GIVE_UP_S) {
        sup_tree_signal(&g->tree, SIGKILL);
        usleep(10000);
        while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    }
}

static _Noreturn void end_by(int sig, const sigset_t *mask) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none); /* the monitor's is there */
    signal(sig, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    raise(sig);
    _exit(128 + sig);
}

static _Noreturn void end_like(guard *g, int status) {
    if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
    int sig = WTERMSIG(status);
    end_all(g);
    /* a monitor ends so if it is asked to: before it listens, or for the shell to see */
    if (sigismember(&g->set, sig)) {
        sigdelset(&g->old_mask, sig);
        end_by(sig, &g->old_mask);
    }
    if (g->note && g->note->launcher > 0) sup_leftover_clear(g->note->openmpi, g->note->launcher, g->begin);
    dprintf(STDERR_FILENO, "%s: the process that watches the run was killed by signal %d (%s); the run was ended\n",
            g->name, sig, strsignal(sig));
    _exit(128 + sig);
}

/* What the caller had open is the run's now: held here, a pipe among it would never end. */
static void drop_descriptors(void) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
    }
    close_range(3, ~0u, 0);
}

/* ---- parting ------------------------------------------------------------------------------------------------------*/

static void take_signals(guard *g) {
    static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD, SIGURG};
    struct sigaction now, plain = {.sa_handler = SIG_DFL};
    sigemptyset(&g->set);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        bool ignored = !sigaction(ours[i], NULL, &now) && now.sa_handler == SIG_IGN;
        if (ours[i] != SIGHUP || !ignored) sigaddset(&g->set, ours[i]); /* nohup(1) is obeyed */
    }
    sigprocmask(SIG_BLOCK, &g->set, &g->old_mask);
    sigaction(SIGCHLD, &plain, &g->old_child);
}

static void give_back(guard *g, bool reaper) {
    sigaction(SIGCHLD, &g->old_child, NULL);
    sigprocmask(SIG_SETMASK, &g->old_mask, NULL);
    if (reaper) prctl(PR_SET_CHILD_SUBREAPER, g->old_reaper);
    sup_tree_clear(&g->tree);
}

void sup_guard_part(const char *name, bool grouped) {
    guard g = {.name = name, .grouped = grouped, .begin = sup_leftover_begin()};
    pid_t self = getpid();
    guarding = 0; /* of a rank that parts again it was another one */
    guard_fd = -1;
    noted = NULL;
    int fd = (int)syscall(SYS_pidfd_open, self, 0);
    if (fd < 0) return;
    void *memory = mmap(NULL, sizeof *g.note, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    g.note = memory == MAP_FAILED ? NULL : memory;
    fflush(NULL); /* or both would write the buffers */
    sup_tree_init(&g.tree);
    prctl(PR_GET_CHILD_SUBREAPER, &g.old_reaper);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    take_signals(&g);
    g.worker = fork();
    if (g.worker > 0) {
        signal(SIGPIPE, SIG_IGN);
        drop_descriptors();
        end_like(&g, await(&g));
    }
    give_back(&g, g.worker < 0);
    if (g.worker < 0) {
        close(fd);
        if (g.note) munmap(g.note, sizeof *g.note);
        return;
    }
    guarding = self;
    guard_fd = fd; /* it was opened by the guard itself: should that be gone by now, it says so */
    noted = g.note;
}

/* ---- the monitor's side -------------------------------------------------------------------------------------------*/

int sup_guard_take(void) {
    int fd = guard_fd;
    guard_fd = -1;
    return fd;
}

/* Output goes to the terminal from the background then, whatever stty tostop says. */
void sup_guard_leave_group(void) {
    if (!setpgid(0, 0)) signal(SIGTTOU, SIG_IGN);
}

void sup_guard_note_launcher(bool openmpi, pid_t launcher) {
    if (noted) *noted = (note){.openmpi = openmpi, .launcher = launcher};
}

void sup_guard_ask(void) {
    if (guarding) kill(guarding, SIGURG);
}

bool sup_guard_passed(const struct signalfd_siginfo *info, bool *terminal) {
    if (!guarding || info->ssi_code != SI_QUEUE || (pid_t)info->ssi_pid != guarding) return false;
    *terminal = info->ssi_int == FROM_TERMINAL;
    return true;
}
