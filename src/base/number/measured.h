/* Measured numbers and curves as files hold them: every number carries how well it is known. A key says its unit.
 *
 * A number is three: what the thing costs when nobody is in the way (calm: a low quantile of all batches), what a run
 * usually sees (typical: their median), and what one run in ten sees (bad: their 90 % quantile). Models work in calm
 * time; the interval is that of the calm value. */
#ifndef SUP_BASE_NUMBER_MEASURED_H
#define SUP_BASE_NUMBER_MEASURED_H

#include "base/file/record.h"
#include "base/number/curve.h"

/* {"value": 1.2e-6, "ci": 3e-8, "typical": 1.3e-6, "bad": 1.9e-6, "n": 30, "launches": 5} */
typedef struct sup_number {
    double value;        /* calm, ≥ 0; of files of earlier versions the median */
    double ci;           /* half width: another measurement like this one lies within in 95 of 100 cases; NaN unknown */
    double typical, bad; /* median and 90 % quantile; NaN unknown */
    int64_t n;           /* batches behind it, ≥ 1 */
    int64_t launches;    /* of processes, in which they were; 0 unknown */
    int64_t reruns;      /* earlier versions: samples measured again because they were outliers */
    int64_t rejected;    /* batches that do not count: the kernel says that something else ran */
    struct json_t *extra;
} sup_number;

/* A segment of a curve: sup_segment with room for what a later version may add. */
typedef struct sup_file_segment {
    double x_lo, x_hi, intercept, slope, residual;
    int64_t n;
    struct json_t *extra;
} sup_file_segment;

/* The measured points behind a curve, kept so that it can be drawn. Lists of equal length; all but x and y may be
 * absent. y is calm. */
typedef struct sup_points {
    double *x, *y, *ci, *typical, *bad;
    int64_t *n, *reruns;
    size_t x_count, y_count, ci_count, typical_count, bad_count, n_count, reruns_count;
    struct json_t *extra;
} sup_points;

/* {"nondecreasing": true, "segments": [{…}], "points": {…}} */
typedef struct sup_file_curve {
    bool nondecreasing;
    sup_file_segment *segments;
    size_t segments_count;
    sup_points *points; /* may be NULL */
    sup_curve *curve;   /* ready for use; derived */
    struct json_t *extra;
} sup_file_curve;

extern const sup_record sup_number_record, sup_file_curve_record;

/* Degrees of freedom of an interval beyond those of its launches: what the scatter of other points of the kind is
 * worth. */
enum { SUP_NUMBER_BORROWED = 3 };
/* How far a launch is from the next, relatively, as a deviation: what the interval says of the scatter that it was made
 * of. 0: the number says nothing of launches. */
double sup_number_scatter(const sup_number *number);

/* How many times its calm value the typical one is, ≥ 1; 1: not known. */
double sup_number_typical(const sup_number *number);
/* The same at x, between the points of a curve along log x. */
double sup_file_curve_typical(const sup_file_curve *curve, double x);

/* Fills the record of a curve (as fitted) that files and models use; what it held before is freed. */
sup_status sup_file_curve_set(sup_file_curve *file, const sup_curve *curve);
/* Keeps a copy of the points, of which only the lists count; its counts are those of x, or 0 for a list that is NULL.
 */
sup_status sup_file_curve_set_points(sup_file_curve *file, const sup_points *points, size_t count);

#endif
