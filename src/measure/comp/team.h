/* A team: the same kernel on several cores at once, a copy of the data each (term Tcomp, stage measure). This is how
 * contention for caches and memory gets into a rate (BSP §4.1 for the conditions: pinned, prefaulted, locked).
 *
 *     worker 0   ..wait..|== batch ==|=load=|      all begin together; who is done keeps the load up (uncounted)
 *     worker 1   ..wait..|=== batch ===|           until the last one is done
 *
 * A team lives as long as its process measures. It has a worker a core, and each worker keeps one piece of memory, the
 * largest that it has needed so far: to set up other data takes no page faults. Worker 0 is the calling thread; its
 * affinity is put back in the end. */
#ifndef SUP_MEASURE_COMP_TEAM_H
#define SUP_MEASURE_COMP_TEAM_H

#include "base/clock.h"
#include "base/status.h"
#include "profile/warning.h"

#include <superstep/kernel.h>

#include <stdbool.h>

typedef struct sup_comp_setting {
    const sup_kernel *kernel;
    const int *cpus; /* one for each active core, those of the class first; NULL: not pinned */
    int active;
    int counted; /* how many of them are of the class: only their times count. 0: all */
} sup_comp_setting;

typedef struct sup_team_options {
    const sup_clock *clock; /* NULL: the machine's */
    /* After each worker's part of a batch, for tests; NULL: what the kernel of the system reports. */
    bool (*disturbed)(void *context);
    void *context;
} sup_team_options;

typedef struct sup_team sup_team;

sup_status sup_team_new(const sup_team_options *options, sup_diag *diag, sup_team **out); /* options may be NULL */
void sup_team_free(sup_team *team);

/* Data of `bytes` for each worker of the setting; what was there before is put away, unless it is the same. SUP_ENOMEM:
 * no memory for the data; SUP_EINVAL: the kernel refused so little memory, or described impossible work; SUP_EIO: no
 * thread is to be had. A pin that is refused is not a failure, see sup_team_warning. */
sup_status sup_team_prepare(sup_team *team, const sup_comp_setting *setting, size_t bytes, sup_diag *diag);

/* Can what a kernel's set-up says of its work be true, with so much memory? */
bool sup_work_possible(const sup_kernel_work *work, size_t bytes);

/* What set-up said; the same for all. */
const sup_kernel_work *sup_team_work(const sup_team *team);
/* Units of an iteration, on average over a pass. */
double sup_team_units(const sup_team *team);
/* Bytes of all the memory that workers keep. */
size_t sup_team_memory(const sup_team *team);
/* True: the conditions were not as wished (pinned, memory locked), and *out says how. */
bool sup_team_warning(const sup_team *team, sup_warning_code *out);

/* Iterations that bring the data back into the caches after somebody else had the core. */
void sup_team_set_warm(sup_team *team, uint64_t iterations);

/* All workers do that many iterations. *seconds: of one worker, the mean over those that count, for work of exactly
 * iterations × sup_team_units. SUP_EBUSY: one of them was switched out, or moved to another core; *seconds is there all
 * the same. */
sup_status sup_team_run(sup_team *team, uint64_t iterations, double *seconds);

#endif
