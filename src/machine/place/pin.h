/* Pinning of the calling thread to cpus. Failure is for the caller to mention once and to go on: a run that may not
 * be pinned is slower, not wrong. */
#ifndef SUP_MACHINE_PLACE_PIN_H
#define SUP_MACHINE_PLACE_PIN_H

#include "base/status.h"

/* SUP_EPERM: not permitted; SUP_EINVAL: no such cpu, or not one of those the control group leaves; SUP_ENOTSUP: the
 * kernel cannot. The diag says it in words, and errno is the kernel's. Threads that the process has, or that others of
 * them start, are not touched. */
sup_status sup_pin_self(int cpu, sup_diag *diag);
/* The same for a set of cpus, any of which will do (the cores under one cache, say). */
sup_status sup_pin_self_to(const int *cpus, int count, sup_diag *diag);

#endif
