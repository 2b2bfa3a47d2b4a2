/* Power laws through what was recorded on two or three numbers of processes: value · (x / x0)^exponent. Requirements
 * stage; work, messages and bytes of a superstep each have one. */
#include "program/scale.h"

#include <math.h>

double sup_law_at(const sup_law *law, double x) {
    if (law->value == 0 || law->exponent == 0) return law->value;
    return law->value * pow(x / law->x0, law->exponent);
}

static double slope(const double *x, const double *y, int count, double mean_x, double mean_y) {
    double sxx = 0, sxy = 0;
    for (int k = 0; k < count; k++) {
        if (isnan(y[k])) continue;
        double dx = log(x[k]) - mean_x;
        sxx += dx * dx;
        sxy += dx * (log(y[k]) - mean_y);
    }
    double b = sxx > 0 ? sxy / sxx : 0;
    return fabs(b) < 1e-12 ? 0 : b; /* rounding of logarithms */
}

bool sup_law_fit(const double *x, const double *y, int count, sup_law *out) {
    double mean_x = 0, mean_y = 0;
    int points = 0, zeros = 0, last = -1;
    for (int k = 0; k < count; k++) {
        if (isnan(y[k])) continue;
        points++;
        zeros += y[k] == 0;
        last = k;
        if (!(y[k] > 0)) continue;
        mean_x += log(x[k]);
        mean_y += log(y[k]);
    }
    *out = (sup_law){.x0 = 1, .points = points};
    if (zeros == points) return true;
    if (zeros) return false;
    mean_x /= points;
    mean_y /= points;
    out->exponent = points > 1 ? slope(x, y, count, mean_x, mean_y) : 0;
    out->x0 = x[last];
    out->value = points > 2 ? exp(mean_y + out->exponent * (log(x[last]) - mean_x)) : y[last];
    if (points > 2 && fabs(out->value / y[last] - 1) < 1e-12) out->value = y[last];
    for (int k = 0; k < count; k++)
        if (!isnan(y[k])) out->off = fmax(out->off, fabs(sup_law_at(out, x[k]) / y[k] - 1));
    return true;
}
