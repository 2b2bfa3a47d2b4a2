/* Starting and watching the processes of one machine: shared by `superstep run` and by a BSP program that is run
 * directly and parts into processes itself.
 *
 * The monitor is the parent of all P processes and is none of them. It owns the shared segment (a memfd: nothing to
 * clean up whatever happens), pins each child before it runs, forwards SIGINT/SIGTERM/SIGHUP, and when one child dies
 * by a signal or exits non-zero it records the fact in the segment, names rank and cause on stderr, and ends the others
 * (SIGTERM, then SIGKILL within 2 s). A child dies with its monitor (PR_SET_PDEATHSIG). A guard (monitor_guard.h)
 * watches the monitor, and the other way round. */
#ifndef SUP_NET_LAUNCH_MONITOR_H
#define SUP_NET_LAUNCH_MONITOR_H

#include "base/status.h"
#include "net/net.h"

#include <stdbool.h>

typedef struct sup_monitor_options {
    int size;
    const int *cores;       /* core of each rank (logical CPU number of the OS), -1 = do not pin; NULL = pin nobody */
    bool oversubscribed;    /* more processes than cores */
    bool prefix;            /* label each output line with "[rank] " */
    const char *name;       /* who speaks in messages: "superstep" or the program's name */
    const sup_launch *tell; /* plan, trace, check, engine, deadlock to pass on; NULL: nothing but rank and size, over
                             * shm. With a net other than "auto" and "shm" there is no segment, and with one of MPI's
                             * the one process (size 1) is passed on as it is: rank tell->rank of a run that MPI
                             * started, or MPI's own launcher if that is -1 */
    const char *program;    /* where the program is, if not where argv[0] says */
    const char *report;     /* around a rank of an MPI: what its reports begin with (net/launch/rank_report.h) */
    int daemon;             /* … a pidfd of what started it; 0: our parent did */
    int direct; /* … the way to the launcher (net/launch/rank_direct.h), which gets what the program writes to; 0: it
                 * is carried by MPI's daemons */
    int ranks;  /* around MPI's own launcher: how many will report, with all that they write */
    bool here;  /* … and all are on this machine */
    bool ends_count;  /* … and if all of them report that they ended well, its own status 1 does not count */
    const char *host; /* named in messages beside the rank; NULL: everything is on this machine */
    bool *began;      /* of sup_monitor_exec: was the first process's transport opened? NULL: nobody asks */
    int apart;        /* if not, but all went well: the exit code, for the program has more rights than we; 0: theirs */
} sup_monitor_options;

/* Where the program `name` is, searched in PATH if it has no slash. SUP_ENOENT: there is none; SUP_EPERM: it is there
 * and cannot be executed. */
sup_status sup_program_find(const char *name, sup_diag *diag, char *path, size_t size);

/* Starts argv[0] (searched in PATH) `size` times with the launcher's variables set, waits for all, returns in
 * *exit_code what the shell would see: the program's status (the first non-zero one by time), 128 + signal for a death
 * by signal. SUP_ENOENT, SUP_EPERM: no such program, or not one (nothing was started).
 *
 * Rank 0 has the caller's stdin (the caller keeps none of it), the others /dev/null. With one process, output goes
 * where the caller's goes, but through an MPI. With more it passes through the monitor so that lines stay whole: a line
 * is written when its end is there, or, if it does not end (a prompt), after a tenth of a second; then the others hold
 * theirs back for up to a second. Whatever the processes started and left behind is ended when the last of them is
 * gone. */
sup_status sup_monitor_exec(const sup_monitor_options *opt, char *const argv[], sup_diag *diag, int *exit_code);

/* Parts the calling process into `size` processes. Returns SUP_OK in each child, with launch filled in as a launched
 * process would read it. The caller itself becomes the monitor's guard and never returns: it ends with the children's
 * exit code, without running atexit handlers. Open streams are flushed first. Output goes where the caller's goes
 * (unless a prefix is wanted); stdin is rank 0's. On failure returns in one process alone: the caller, or what goes on
 * in its place behind the guard. */
sup_status sup_monitor_part(const sup_monitor_options *opt, sup_diag *diag, sup_launch *launch);

#endif
