/* Measuring computation (term Tcomp, stage measure; BSP ch. 4): seconds per unit of each kernel over the footprint
 * (from an eighth of L1 to four times the last cache), for each class of core, with 1, 2, 4, … all cores active. Fills
 * the sections `kernels` and (r only) `classic` of a profile.
 *
 *     sup_measure_comp_options o = {.topology = topology, .usable = usable};
 *     sup_comp_summary summary;
 *     status = sup_measure_comp(session, &o, profile, diag);
 *
 * A coarse pass over everything, then rounds that go where the result is least certain, until everything is certain
 * enough or the session's stage is out of time; then the check on longer runs. Kernels that the profile has already
 * are refined, not measured anew. */
#ifndef SUP_MEASURE_COMP_H
#define SUP_MEASURE_COMP_H

#include "machine/topology.h"
#include "machine/usable.h"
#include "measure/comp_point.h"
#include "measure/session.h"
#include "profile/profile.h"

/* How it went, for the summary of what is uncertain and why. */
typedef struct sup_comp_summary {
    size_t curves, certain;  /* rates, and those that are as certain as wanted everywhere */
    double worst_relative;   /* of the least certain point */
    double worst_bytes;      /* its footprint */
    char worst_kernel[64];   /* and kernel */
    int worst_active;        /* and active cores */
    size_t points;           /* measured, this time */
    bool out_of_time;        /* it would have gone on */
    double worst_prediction; /* largest relative error of a check; NaN none made */
} sup_comp_summary;

typedef struct sup_comp_kernel {
    const sup_kernel *kernel;
    const char *source; /* file of a user's kernel, NULL: ours */
} sup_comp_kernel;

typedef struct sup_measure_comp_options {
    const sup_topology *topology; /* needed */
    const sup_usable *usable;     /* needed: which cores may be used */
    const sup_comp_kernel *kernels;
    size_t kernel_count;         /* 0: all of ours */
    double wanted_relative;      /* half width of an interval that is certain enough; 0: 0.02 */
    bool no_check;               /* leave out the check on longer runs */
    const sup_comp_bench *bench; /* NULL: measure; for tests */
    sup_comp_summary *summary;   /* written if not NULL, also after SUP_EINTR */
} sup_measure_comp_options;

/* SUP_EINTR: the progress callback said stop; the profile has what was measured so far. SUP_ETIMEOUT: the time of the
 * stage was too short to measure anything. SUP_EINVAL, SUP_ENOMEM. A kernel that is unavailable, or fails at some size,
 * becomes a warning of the session. */
sup_status sup_measure_comp(sup_session *session, const sup_measure_comp_options *options, sup_profile *profile,
                            sup_diag *diag);

#endif
