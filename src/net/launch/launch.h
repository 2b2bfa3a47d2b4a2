/* The launcher's side of struct sup_launch (net/net.h): telling a process what it should read back. The names of the
 * variables are known in launch.c alone. */
#ifndef SUP_NET_LAUNCH_LAUNCH_H
#define SUP_NET_LAUNCH_LAUNCH_H

#include "net/net.h"

/* A process that nobody launched: net "auto", rank 0 of 1, no files, no checks. */
void sup_launch_init(sup_launch *out);

/* Sets the SUPERSTEP_ variables of this process's environment to what `launch` says and removes those for which it says
 * nothing, so that nothing of an outer run shines through. SUP_ENOMEM. */
sup_status sup_launch_export(const sup_launch *launch);

/* For a launcher, which may itself have been started inside of a run: what it starts is a run of its own. leave gives
 * what the user has set by variables (plan, trace, check, …) and nothing that an outer run said to its processes.
 * forget removes from the environment by what an MPI has told who this process is, and keeps the outer run's
 * descriptors from what is started. */
void sup_launch_leave(const sup_launch *outer, sup_launch *out);
void sup_launch_forget(const sup_launch *outer);

/* Names of the variables a launcher of other hosts must forward for what `launch` says; NULL at the end. */
#define SUP_LAUNCH_FORWARDED 7
void sup_launch_forwarded(const sup_launch *launch, const char *out[SUP_LAUNCH_FORWARDED + 1]);

/* What there is to choose from, by name; NULL at the end. */
extern const char *const sup_launch_nets[];
extern const char *const sup_launch_engines[]; /* of the BSP runtime */

#endif
