/* The rates that a measurement of computation is to produce, and their place in the profile (term Tcomp, stage
 * measure): one job for each kernel, class of core and number of active cores. Internal to comp*.c. */
#ifndef SUP_MEASURE_COMP_SET_H
#define SUP_MEASURE_COMP_SET_H

#include "measure/comp.h"
#include "measure/comp_curve.h"

typedef struct sup_comp_job {
    sup_comp_kernel kernel;
    int core_class;
    const char *kind; /* its name in the profile; NULL where all cores are alike */
    sup_comp_setting setting;
    size_t least, most; /* footprints */
    sup_comp_curve curve;
    double prediction_error, prediction_length, long_run_error; /* NaN: not checked */
} sup_comp_job;

typedef struct sup_comp_set {
    sup_comp_job *jobs;
    size_t count;
    int **orders; /* cpus of each class, those of the class first */
    int order_count, cpu_count;
} sup_comp_set;

/* Makes the jobs; notes kernels that are unavailable. Loads what the profile has. */
sup_status sup_comp_set_make(sup_session *session, const sup_measure_comp_options *options, const sup_profile *profile,
                             sup_diag *diag, sup_comp_set *out);
void sup_comp_set_free(sup_comp_set *set);

/* What a profile has of a kernel, if anything. */
sup_kernel_rate *sup_comp_rate(const sup_kernel_profile *kernel, const char *kind, int64_t active);

/* Writes all rates that have points, and the classic r, into the profile. */
sup_status sup_comp_set_store(const sup_comp_set *set, const sup_measure_comp_options *options, sup_profile *profile,
                              sup_diag *diag);

#endif
