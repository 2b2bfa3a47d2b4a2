/* A straight line through times (timing_line.h). Stage "measure". */
#include "measure/lab/timing_line.h"

#include "base/number/lsq.h"

#include <math.h>
#include <stdlib.h>

typedef struct two {
    double intercept, slope;
} two;

static sup_status fit(const double *x, const double *y, size_t count, two *out) {
    sup_line line;
    sup_status status = sup_line_fit(x, y, count, SUP_WEIGHT_RELATIVE, &line);
    if (!status) *out = (two){fmax(0.0, line.intercept), fmax(0.0, line.slope)};
    return status;
}

/* How far the line moves if the times move by their intervals, one independent of the other. */
static two moved(const double *x, double *y, const sup_timing *timings, size_t count, two calm) {
    two sum = {0.0, 0.0};
    for (size_t i = 0; i < count; i++) {
        double kept = y[i];
        two other;
        y[i] += timings[i].ci;
        bool known = isfinite(y[i]) && fit(x, y, count, &other) == SUP_OK;
        y[i] = kept;
        if (!known) return (two){NAN, NAN};
        sum.intercept += (other.intercept - calm.intercept) * (other.intercept - calm.intercept);
        sum.slope += (other.slope - calm.slope) * (other.slope - calm.slope);
    }
    return (two){sqrt(sum.intercept), sqrt(sum.slope)};
}

static sup_status number_of(double value, double ci, double typical, double bad, const sup_timing *counted,
                            sup_number **out) {
    sup_status status = sup_number_new(value, ci, counted, out);
    if (status) return status;
    (*out)->typical = fmax(value, typical);
    (*out)->bad = fmax((*out)->typical, bad);
    return SUP_OK;
}

sup_status sup_timing_line(const double *x, const sup_timing *timings, size_t count, sup_number **intercept,
                           sup_number **slope) {
    double y[3][SUP_TIMING_LINE_MAX];
    two line[3];
    sup_timing counted = {0};
    if (count < 2 || count > SUP_TIMING_LINE_MAX) return SUP_EINVAL;
    for (size_t i = 0; i < count; i++) {
        y[0][i] = timings[i].seconds;
        y[1][i] = timings[i].typical;
        y[2][i] = timings[i].bad;
        sup_timing_count(&counted, &timings[i]);
    }
    for (int k = 0; k < 3; k++)
        if (fit(x, y[k], count, &line[k])) return SUP_EINVAL;
    two ci = moved(x, y[0], timings, count, line[0]);
    sup_status status = number_of(line[0].slope, ci.slope, line[1].slope, line[2].slope, &counted, slope);
    if (status || !intercept) return status;
    status = number_of(line[0].intercept, ci.intercept, line[1].intercept, line[2].intercept, &counted, intercept);
    if (!status) return SUP_OK;
    free(*slope);
    *slope = NULL;
    return status;
}
