/* A team: the same kernel on several cores at once, a copy of the data each (term Tcomp, stage measure). This is how
 * contention for caches and memory gets into a rate (BSP §4.1 for the conditions: pinned, prefaulted, locked).
 *
 *     worker 0   ..wait..|== batch ==|=load=|      all begin together; who is done keeps the load up (uncounted)
 *     worker 1   ..wait..|=== batch ===|           until the last one is done
 *
 * Worker 0 is the calling thread; its affinity is put back when the team is closed. */
#ifndef SUP_MEASURE_COMP_TEAM_H
#define SUP_MEASURE_COMP_TEAM_H

#include "base/clock.h"
#include "base/sampler.h"
#include "base/status.h"
#include "profile/warning.h"

#include <superstep/kernel.h>

#include <stdbool.h>

typedef struct sup_team_options {
    const sup_kernel *kernel;
    size_t bytes;           /* memory of each worker */
    const int *cpus;        /* one a worker; NULL: not pinned */
    int count;              /* workers */
    int counted;            /* times of the first so many count: the others are of another class of core. 0: all */
    const sup_clock *clock; /* NULL: the machine's */
    const sup_watch *watch; /* of worker 0; NULL: its own */
} sup_team_options;

typedef struct sup_team sup_team;

/* SUP_ENOMEM: no memory for the data; SUP_EINVAL: the kernel refused so little memory, or described impossible work. A
 * pin that is refused is not a failure, see sup_team_warning. */
sup_status sup_team_open(const sup_team_options *options, sup_diag *diag, sup_team **out);
void sup_team_close(sup_team *team);

/* Can what a kernel's set-up says of its work be true, with so much memory? */
bool sup_work_possible(const sup_kernel_work *work, size_t bytes);

/* What set-up said; the same for all. */
const sup_kernel_work *sup_team_work(const sup_team *team);
/* Units of an iteration, on average over a pass. */
double sup_team_units(const sup_team *team);
/* True: the conditions were not as wished (pinned, memory locked), and *out says how. */
bool sup_team_warning(const sup_team *team, sup_warning_code *out);

/* Iterations that bring the data back into the caches after somebody else had the core. */
void sup_team_set_warm(sup_team *team, uint64_t iterations);

/* All workers do that many iterations. *seconds: of one worker, the mean over those that count, for work of exactly
 * iterations × sup_team_units. SUP_EBUSY: one of them was switched out, or shared its core with somebody; *seconds is
 * there all the same. */
sup_status sup_team_run(sup_team *team, uint64_t iterations, double *seconds);
/* Batches that had to wait because somebody shared a core (base/pace.h). */
uint64_t sup_team_held(const sup_team *team);
/* Batches that count although somebody shared a core, because repeating them has not helped. */
uint64_t sup_team_shared(const sup_team *team);

#endif
