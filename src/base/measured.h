/* Measured numbers and curves as files hold them: every number carries how well it is known.
 *
 * BSP §4.1 and §5.6.3: medians of at least 25 samples, outliers measured again. A key says the unit of the value. */
#ifndef SUP_BASE_MEASURED_H
#define SUP_BASE_MEASURED_H

#include "base/curve.h"
#include "base/record.h"

/* {"value": 1.2e-6, "ci": 3e-8, "n": 30, "reruns": 2} */
typedef struct sup_number {
    double value;     /* the median, ≥ 0 */
    double ci;        /* half width of the 95 % confidence interval, ≥ 0; NaN unknown */
    int64_t n;        /* samples behind it, ≥ 1 */
    int64_t reruns;   /* samples measured again because they were outliers */
    int64_t rejected; /* batches thrown away because something else ran */
    struct json_t *extra;
} sup_number;

/* A segment of a curve: sup_segment with room for what a later version may add. */
typedef struct sup_file_segment {
    double x_lo, x_hi, intercept, slope, residual;
    int64_t n;
    struct json_t *extra;
} sup_file_segment;

/* The measured points behind a curve, kept so that a measurement can be resumed and drawn. Lists of equal length; ci,
 * n and reruns may be absent. */
typedef struct sup_points {
    double *x, *y, *ci;
    int64_t *n, *reruns;
    size_t x_count, y_count, ci_count, n_count, reruns_count;
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

/* Fills the record of a curve (as fitted) that files and models use; what it held before is freed. */
sup_status sup_file_curve_set(sup_file_curve *file, const sup_curve *curve);
/* Keeps the points; ci, n, reruns may be NULL. */
sup_status sup_file_curve_set_points(sup_file_curve *file, const double *x, const double *y, const double *ci,
                                     const int64_t *n, const int64_t *reruns, size_t count);

#endif
