/* Computation that was recorded on one machine, on another: by the rates of kernels that were measured on both. */
#ifndef SUP_MODEL_PLATFORM_CARRY_H
#define SUP_MODEL_PLATFORM_CARRY_H

#include "base/number/curve.h"
#include "profile/profile.h"

typedef struct sup_carry {
    sup_prediction ratio; /* seconds here of what takes a second there; where another kernel's falls */
    size_t kernels;       /* that were compared */
} sup_carry;

/* Is it the same machine: processor and shape? A member that either side does not have is not compared. */
bool sup_carry_same(const sup_origin *a, const sup_origin *b);

/* `active`: processes of a host that compute at the same time. The median of the kernels counts, each of them at
 * several footprints that both profiles have. SUP_ENOENT: no kernel is in both. */
sup_status sup_carry_ratio(const sup_profile *there, int64_t active_there, const sup_profile *here, int64_t active_here,
                           double confidence, sup_diag *diag, sup_carry *out);

#endif
