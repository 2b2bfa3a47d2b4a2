/* What the files of the monitor share: monitor.c (the two calls), monitor_start.c (making the processes),
 * monitor_watch.c (until they are gone) and monitor_ranks.c (those that an MPI's launcher has started). */
#ifndef SUP_NET_LAUNCH_MONITOR_RUN_H
#define SUP_NET_LAUNCH_MONITOR_RUN_H

#include "net/launch/monitor.h"
#include "net/launch/monitor_guard.h"
#include "net/launch/monitor_leftover.h"
#include "net/launch/monitor_output.h"
#include "net/launch/monitor_said.h"
#include "net/launch/monitor_tree.h"
#include "net/launch/rank_report.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#define SUP_MONITOR_POLLS \
    5 /* descriptors that the monitor waits for itself: signals, two parents, ranks of an MPI twice */

typedef struct sup_monitor {
    const sup_monitor_options *opt;
    bool exec;                 /* processes run a program (or else go on from where the caller was) */
    bool foreign;              /* an MPI launcher has numbered the processes, not we */
    int first_rank;            /* of the whole run; -1: not a rank of it */
    int outside;               /* ranks that are not ours to watch */
    sup_rank_reports *reports; /* around MPI's own launcher; NULL none */
    sup_said said;             /* … what it says itself */
    int ranks_fd;              /* … an epoll of the processes around its ranks on this machine and of what they say */
    int direct_fd;             /* … where they bring what they write to; -1 nowhere */
    int hellos, ranks_gone;
    double launcher_end_at; /* … it should have ended by itself by then; 0: it may stay */
    bool launcher_ended;    /* … it had not, and we ended it */
    pid_t self;
    int segment_fd; /* -1: none (self) */
    int notice[2];  /* pipe from the first process, -1: none */
    bool began;     /* it has said so */
    void *segment;
    size_t segment_bytes;
    pid_t launcher;        /* MPI's, even when it is gone; 0 none */
    struct timespec begin; /* of the run, see monitor_leftover.h */
    bool orphaned;         /* MPI's daemon on this host is gone, the one around a rank is not */
    pid_t *pids;           /* 0: gone, or never was */
    int alive;
    sup_output *output; /* NULL: the processes write where we would */
    sup_tree tree;
    int old_reaper;
    int signal_fd;
    int parent_fd; /* a pidfd of who started the process around a rank; -1 nobody to look at */
    int guard_fd;  /* … of our guard */
    bool guarded;  /* by another process, monitor_guard.h */
    sigset_t old_mask;
    struct sigaction old_child;
    struct rlimit old_files;
    struct pollfd *polls;
    /* how it goes */
    int exit_code;
    bool failed;      /* one failed, the others are being ended */
    int asked;        /* signals that asked us to end */
    bool hearing;     /* whether the guard has one for us */
    sigset_t ignored; /* signals that were ignored when we came */
    int asked_signal; /* the first of them */
    double asked_at;  /* when it came */
    bool handled;     /* some programs have a handler for that */
    int handling;     /* ranks whose programs have a handler for that and are still there */
    double again_at;  /* ask again then; 0 not planned */
    double kill_at;   /* SIGKILL then; 0 not planned */
    bool killed;
    bool heard;          /* a rank reported its failure */
    long long heard_us;  /* … when it failed */
    long long reaped_us; /* when we last looked who has ended */
    int own_status;      /* MPI's launcher's, as wait(2) gives it */
    double give_up_at;   /* processes that outlive SIGKILL are left to the kernel */
} sup_monitor;

/* monitor_start.c: all processes or none. In a process made by parting returns with *child true and launch filled. */
sup_status sup_monitor_start(sup_monitor *m, const char *path, char *const argv[], sup_diag *diag, bool *child,
                             sup_launch *launch);

/* monitor_watch.c */
void sup_monitor_watch(sup_monitor *m);
/* monitor_ranks.c, around an MPI's launcher: what its stderr has, see monitor_output.h */
bool sup_monitor_take(void *monitor, const char *line, sup_output_report *out);
char *sup_monitor_hear(void *monitor, const char *line);
void sup_monitor_ranks_come(sup_monitor *m);   /* direct_fd has something */
void sup_monitor_ranks_speak(sup_monitor *m);  /* ranks_fd has something */
void sup_monitor_end_launcher(sup_monitor *m); /* it is launcher_end_at */
void sup_monitor_judge_launcher(sup_monitor *m);
/* monitor_request.c: a signal that asks us to end, and the time that follows it. */
struct signalfd_siginfo;
void sup_monitor_request(sup_monitor *m, const struct signalfd_siginfo *info);
bool sup_monitor_reached_group(const sup_monitor *m, const struct signalfd_siginfo *info);
/* From around a rank to the launcher: its program has a handler and will end when it likes; or it has ended. */
void sup_monitor_report_handler(sup_monitor *m, bool handles);
void sup_monitor_heard_of_handler(sup_monitor *m, bool handles);
void sup_monitor_forget_handlers(sup_monitor *m);
/* monitor_all.c */
int sup_monitor_exit_code(int status); /* of what wait(2) gives */
#define SUP_MONITOR_GIVE_UP_S 5.0      /* from SIGKILL to leaving */
void sup_monitor_signal_all(sup_monitor *m, int sig);
/* SIGTERM, also for those that are stopped. */
void sup_monitor_ask_all(sup_monitor *m);
void sup_monitor_kill_all(sup_monitor *m);
/* Has the first process opened its transport? Without a pipe one cannot tell, and says yes. */
bool sup_monitor_has_begun(sup_monitor *m);
void sup_monitor_write_line(sup_monitor *m, const char *line);
/* "name: text" on stderr, between the lines of the processes. */
void sup_monitor_say(sup_monitor *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* monitor_all.c, around a rank, to the launcher: with the time of that in microseconds */
long long sup_monitor_us(void);
void sup_monitor_report(sup_monitor *m, const char *text);
void sup_monitor_report_failure(sup_monitor *m, const char *text);
void sup_monitor_report_end(sup_monitor *m);

#endif
