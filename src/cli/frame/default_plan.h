/* The plans of this machine that `superstep choose --default` installs and `superstep run` finds: one file for each
 * topology, transport and number of processes. */
#ifndef SUP_CLI_FRAME_DEFAULT_PLAN_H
#define SUP_CLI_FRAME_DEFAULT_PLAN_H

#include "plan/plan.h"

#include <limits.h>

/* Where the plan for a run like this is, or would be; topology is this machine's digest. SUP_ENOENT: the environment
 * names no folder of the user. SUP_EINVAL: no such transport. */
sup_status sup_default_plan_path(const char *topology, const char *transport, int64_t processes, sup_diag *diag,
                                 char path[PATH_MAX]);

/* Puts a plan there, for the user alone to write; makes the folders. The plan's signature is this machine's.
 * SUP_EPERM: others can write there. */
sup_status sup_default_plan_install(const sup_plan *plan, sup_diag *diag, char path[PATH_MAX]);

/* Calls visit with the path of every plan of this topology that is installed, of this transport and number of
 * processes (NULL, 0: any), in order of their names. SUP_ENOMEM, SUP_EIO, or what visit returned if not SUP_OK. */
sup_status sup_default_plan_each(const char *topology, const char *transport, int64_t processes, sup_diag *diag,
                                 sup_status (*visit)(const char *path, void *context), void *context);

#endif
