/* What kernels reach at their best and from memory (Tcomp), once for the table and for the facts on top of the page, so
 * that both say the same. */
#ifndef SUP_REPORT_RATES_H
#define SUP_REPORT_RATES_H

#include "report/page/tables.h"

/* Seconds of a unit on each core, and the footprint of each core; NaN: not measured. */
typedef struct sup_reached {
    double best_s, best_at;     /* where the kernel is quickest */
    double memory_s, memory_at; /* the largest footprint, if that of all active cores is 1.3 times the last cache */
} sup_reached;

sup_reached sup_rate_reached(const sup_profile *profile, const sup_kernel_rate *rate);

/* Of all active cores together, a second; NaN where the kernel has no such thing. */
double sup_rate_bytes(const sup_kernel_profile *kernel, const sup_kernel_rate *rate, double unit_s);
double sup_rate_flops(const sup_kernel_profile *kernel, const sup_kernel_rate *rate, double unit_s);

#endif
