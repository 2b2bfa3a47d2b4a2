/* One point of a rate: seconds per unit of a kernel at one footprint, on one class of core, with so many cores active
 * (term Tcomp, stage measure; the method of BSP §4.1). */
#ifndef SUP_MEASURE_COMP_POINT_H
#define SUP_MEASURE_COMP_POINT_H

#include "measure/session.h"

#include <superstep/kernel.h>

typedef struct sup_comp_setting {
    const sup_kernel *kernel;
    const int *cpus; /* one for each active core, those of the class first; NULL: not pinned */
    int active;
    int counted; /* how many of them are of the class */
} sup_comp_setting;

typedef struct sup_comp_effort {
    double seconds;  /* what the point may cost on an idle machine, set-up of the memory apart */
    double batch_s;  /* length of the longest sample */
    size_t samples;  /* of each iteration count, at least; the limit is twice as many */
    double patience; /* times `seconds`: what a busy machine may make of it; 0: as usual */
    bool longer;     /* instead the check: samples as short as it takes, then a run 2^12 times as long, or `seconds` */
} sup_comp_effort;

typedef struct sup_comp_point {
    double bytes;   /* footprint that was really visited */
    double unit_s;  /* seconds per unit */
    double ci_s;    /* half width of the 95 % interval */
    double length;  /* longer: iterations, as a multiple of those of the longest sample */
    double said_s;  /* longer: what those samples make of unit_s; NaN: nothing */
    int64_t n;      /* samples */
    int64_t reruns; /* outliers measured again */
    bool noisy; /* many batches were disturbed, or of the session's: it may be too slow, by more than its samples say */
    double shared; /* of the samples that count: taken while somebody shared a core, as far as is known */
} sup_comp_point;

#define SUP_COMP_LONGER 4096.0 /* length of a run of the check, BSP §4.1 */

/* The real thing; replaceable, so that the choice of points can be tested on made-up machines. */
typedef struct sup_comp_bench {
    sup_status (*measure)(void *context, sup_session *session, const sup_comp_setting *setting, size_t bytes,
                          const sup_comp_effort *effort, sup_diag *diag, sup_comp_point *out);
    void *context;
} sup_comp_bench;

/* SUP_ENOMEM, SUP_EINVAL: this size is not to be had. SUP_EINTR: the user said stop. */
sup_status sup_comp_measure(void *unused, sup_session *session, const sup_comp_setting *setting, size_t bytes,
                            const sup_comp_effort *effort, sup_diag *diag, sup_comp_point *out);

#endif
