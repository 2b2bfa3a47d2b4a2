/* A rate as far as it is known: seconds per unit at each footprint that was visited, and which footprint to visit next
 * (term Tcomp, stage measure; BSP §4.2, with the segments chosen by the data).
 *
 *     sup_comp_curve c = {0};
 *     sup_comp_curve_add(&c, asked, &timing);
 *     size_t next = sup_comp_curve_next(&c);                  0: nothing more is worth it
 *     sup_comp_curve_store(&c, file_curve, diag);             fit and points, into a profile
 */
#ifndef SUP_MEASURE_COMP_CURVE_H
#define SUP_MEASURE_COMP_CURVE_H

#include "base/number/curve.h"
#include "base/number/measured.h"
#include "measure/lab/trial.h"

enum { SUP_COMP_SPOTS = 48 };

typedef struct sup_comp_spot {
    double bytes; /* visited */
    size_t asked; /* memory to ask for to get there */
    sup_timing timing;
} sup_comp_spot;

typedef struct sup_comp_curve {
    sup_comp_spot spots[SUP_COMP_SPOTS]; /* ascending */
    size_t count;
    size_t asked[SUP_COMP_SPOTS]; /* all of them: kernels round sizes, and two may have led to one spot */
    size_t asked_count;
} sup_comp_curve;

/* What has no time above 0, and what there is no room for, is left out. Of two that visited the same bytes the one with
 * more batches counts. */
void sup_comp_curve_add(sup_comp_curve *curve, size_t asked, const sup_timing *timing);

/* The size to ask for whose rate the others foretell worst; 0: they foretell everything. */
size_t sup_comp_curve_next(const sup_comp_curve *curve);
/* The largest relative half width of any spot, and where. */
double sup_comp_curve_worst(const sup_comp_curve *curve, double *bytes);

/* Fit and points into a profile's curve. */
sup_status sup_comp_curve_store(const sup_comp_curve *curve, sup_file_curve *file, sup_diag *diag);

#endif
