/* The rates that a measurement of computation is to produce, and their place in the profile (term Tcomp, stage
 * measure): one job for each kernel, class of core and number of active cores, with the footprints to begin with. */
#ifndef SUP_MEASURE_COMP_SET_H
#define SUP_MEASURE_COMP_SET_H

#include "machine/topology/topology.h"
#include "machine/usable.h"
#include "measure/campaign/session.h"
#include "measure/comp/team.h"
#include "measure/lab/trial.h"

enum { SUP_COMP_GRID = 3 * SUP_CACHE_DEPTH_MAX + 2 };

typedef struct sup_comp_kernel {
    const sup_kernel *kernel;
    const char *source; /* file of a user's kernel, NULL: ours */
} sup_comp_kernel;

typedef struct sup_comp_options {
    const sup_topology *topology; /* needed */
    const sup_usable *usable;     /* needed: which cores may be used */
    const sup_comp_kernel *kernels;
    size_t kernel_count;
    bool deep; /* all footprints */
} sup_comp_options;

typedef struct sup_comp_job {
    sup_comp_kernel kernel;
    int core_class;
    const char *kind; /* its name in the profile; NULL where all cores are alike */
    sup_comp_setting setting;
    bool end;                   /* one core, or all: the numbers of active cores that say most */
    bool all;                   /* all */
    size_t least, most;         /* footprints */
    size_t grid[SUP_COMP_GRID]; /* to begin with, what says most first: beyond all caches, inside the first, … */
    int grid_count;
    int base_count; /* so many of them are what the check on longer runs looks at; those after them are beside caches */
} sup_comp_job;

typedef struct sup_comp_set {
    sup_comp_job *jobs;
    size_t count;
    int **orders; /* cpus of each class, those of the class first */
    int order_count, cpu_count;
} sup_comp_set;

/* Makes the jobs; notes kernels that are unavailable. SUP_ENOTSUP: none of them can run here. */
sup_status sup_comp_set_make(sup_session *session, const sup_comp_options *options, sup_diag *diag, sup_comp_set *out);
void sup_comp_set_free(sup_comp_set *set);

/* The trial of a job at a footprint, and the job of a trial; NULL: of none. */
sup_trial sup_comp_trial(const sup_comp_job *job, sup_trial_kind kind, size_t bytes);
const sup_comp_job *sup_comp_set_find(const sup_comp_set *set, const sup_trial *trial);

#endif
