/* Computation of a recorded program from what the profile knows of that very program (superstep measure --program)
 * instead of the recording. Term Tcomp; stage "model". */
#ifndef SUP_MODEL_EQUATION_PROGRAM_KERNELS_H
#define SUP_MODEL_EQUATION_PROGRAM_KERNELS_H

#include "base/number/curve.h"
#include "profile/profile.h"
#include "program/program.h"

/* Seconds of a site at size n, 90 % interval. Between two sizes along log n; beyond them as the law goes on, with an
 * interval that grows. */
sup_prediction sup_program_site_at(const sup_program_times *program, const sup_program_site *site, double n);

/* Replaces the computation of those steps of `program`, made from the trace, whose call sites the profile knows, with
 * the same arguments but for the size, on as many processes. What is predicted is the time of the slowest process,
 * averaged over the supersteps of the site; how processes and supersteps differ from each other stays as recorded.
 * Returns how many steps; note: what is to be said about it, or "". */
size_t sup_program_kernels(const sup_profile *profile, const sup_trace *trace, sup_program *program, char *note,
                           size_t size);

#endif
