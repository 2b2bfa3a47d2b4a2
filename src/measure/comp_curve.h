/* A rate while it is being measured: its points, how well each is known, and which size to measure next (term Tcomp,
 * stage measure; BSP §4.2, with the segments chosen by the data).
 *
 *     sup_comp_curve c = {0};
 *     sup_comp_curve_add(&c, asked, &point);
 *     sup_comp_choice next = sup_comp_curve_next(&c);         worth most: the size, and how uncertain it is
 *     sup_comp_curve_fit(&c, diag, &fitted);
 *     sup_comp_curve_clear(&c);
 */
#ifndef SUP_MEASURE_COMP_CURVE_H
#define SUP_MEASURE_COMP_CURVE_H

#include "base/curve.h"
#include "base/measured.h"
#include "machine/topology.h"
#include "measure/comp_point.h"

/* A footprint that was measured, once or several times (each with memory of its own). */
typedef struct sup_comp_spot {
    double bytes;                     /* visited */
    size_t asked;                     /* memory to ask for to get there again; 0 unknown: the point is from a file */
    double weight, weighted, squares; /* Σ1/ci², Σy/ci², Σy²/ci² */
    int visits, tries;
    int64_t n, reruns;
    double shared; /* Σ/ci² of what neighbours may have added, relatively: more visits do not average that away */
} sup_comp_spot;

typedef struct sup_comp_curve {
    sup_comp_spot *spots; /* ascending */
    size_t count, room;
    bool busy; /* others used the machine during a visit; they may have been there, unnoticed, during the others */
} sup_comp_curve;

typedef struct sup_comp_choice {
    size_t bytes;    /* to ask for; 0: nothing is worth measuring */
    double relative; /* how uncertain the curve is there: half width of the interval, or what the fit cannot explain */
    bool again;      /* a spot that was measured before */
} sup_comp_choice;

void sup_comp_curve_clear(sup_comp_curve *curve);
sup_status sup_comp_curve_add(sup_comp_curve *curve, size_t asked, const sup_comp_point *point);
/* The points of a profile that is being resumed. */
sup_status sup_comp_curve_load(sup_comp_curve *curve, const sup_points *points);

double sup_comp_spot_value(const sup_comp_spot *spot);
/* Half width of the 95 % interval; visits that disagree more than their own intervals say widen it. */
double sup_comp_spot_ci(const sup_comp_spot *spot);
/* Is there a spot within a factor of the size? */
bool sup_comp_curve_has(const sup_comp_curve *curve, double bytes, double factor);

/* Counts a try at the spot that was asked for, so that a hopeless one is not asked for for ever. */
void sup_comp_curve_tried(sup_comp_curve *curve, const sup_comp_choice *choice);
sup_comp_choice sup_comp_curve_next(const sup_comp_curve *curve);
/* The largest relative half width of any spot, and where. */
double sup_comp_curve_worst(const sup_comp_curve *curve, double *bytes);

sup_status sup_comp_curve_fit(const sup_comp_curve *curve, sup_diag *diag, sup_curve **out);
/* Fit and points into a profile's curve. */
sup_status sup_comp_curve_store(const sup_comp_curve *curve, sup_file_curve *file, sup_diag *diag);

#endif
