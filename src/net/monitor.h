/* Starting and watching the processes of one machine: shared by `superstep run` and by a BSP program that is run
 * directly and parts into processes itself.
 *
 * The monitor is the parent of all P processes and is none of them. It owns the shared segment (a memfd: nothing to
 * clean up whatever happens), pins each child before it runs, forwards SIGINT/SIGTERM/SIGHUP, and when one child dies
 * by a signal or exits non-zero it records the fact in the segment, names rank and cause on stderr, and ends the others
 * (SIGTERM, then SIGKILL within 2 s). A child dies with its monitor (PR_SET_PDEATHSIG). */
#ifndef SUP_NET_MONITOR_H
#define SUP_NET_MONITOR_H

#include "base/status.h"
#include "net/net.h"

#include <stdbool.h>

typedef struct sup_monitor_options {
    int size;
    const int *cores;       /* core of each rank (logical CPU number of the OS), -1 = do not pin; NULL = pin nobody */
    bool oversubscribed;    /* more processes than cores */
    bool prefix;            /* label each output line with "[rank] " */
    bool label_errors_only; /* reserved for quiet runs */
    const char *name;       /* who speaks in messages: "superstep" or the program's name */
} sup_monitor_options;

/* Starts argv[0] (searched in PATH) `size` times with the launcher's variables set, waits for all, returns in
 * *exit_code what the shell would see: the program's status (the first non-zero one by time), 128 + signal for a death
 * by signal. SUP_ENOENT: no such program (nothing was started). */
sup_status sup_monitor_exec(const sup_monitor_options *opt, char *const argv[], sup_diag *diag, int *exit_code);

/* Parts the calling process into `size` processes. Returns SUP_OK in each child, with launch filled in as a launched
 * process would read it. The caller itself becomes the monitor and never returns: it ends with the children's exit
 * code. On failure returns in the caller alone, with no child left. */
sup_status sup_monitor_part(const sup_monitor_options *opt, sup_diag *diag, sup_launch *launch);

#endif
