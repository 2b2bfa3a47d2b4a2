/* How the computation of a call site grows with the size of the problem (program_runs.h): least squares of relative
 * errors for each u(n), neither constant nor slope below zero, and the nearest is taken. Term Tcomp; stage "measure".
 */
#include "measure/program_runs.h"

#include <math.h>

#define AS_GOOD 0.98 /* of the squares of the simpler one before it: otherwise it is the better */

typedef struct fitted {
    double fixed, unit, squares;
} fitted;

static double squares_of(const int64_t *n, const double *t, size_t count, int law, double fixed, double unit) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double off = (fixed + unit * sup_growth_units(law, NAN, (double)n[i])) / t[i] - 1;
        sum += off * off;
    }
    return sum;
}

/* seconds ≈ fixed + unit · u(n), weights 1 / seconds². */
static fitted fit(const int64_t *n, const double *t, size_t count, int law) {
    double w0 = 0, w1 = 0, w2 = 0, y0 = 0, y1 = 0, top = sup_growth_units(law, NAN, (double)n[count - 1]);
    for (size_t i = 0; i < count; i++) {
        double u = sup_growth_units(law, NAN, (double)n[i]) / top, w = 1 / (t[i] * t[i]);
        w0 += w;
        w1 += w * u;
        w2 += w * u * u;
        y0 += w * t[i];
        y1 += w * u * t[i];
    }
    double determinant = w0 * w2 - w1 * w1;
    fitted f = {0, y1 / w2, 0};
    if (law != SUP_GROWTH_CONSTANT && determinant > 1e-12 * w0 * w2) {
        double fixed = (y0 * w2 - y1 * w1) / determinant, unit = (w0 * y1 - w1 * y0) / determinant;
        if (fixed > 0 && unit > 0) f = (fitted){fixed, unit, 0};
    }
    f.unit /= top;
    f.squares = squares_of(n, t, count, law, f.fixed, f.unit);
    return f;
}

/* Through two points. What does not grow is constant: a smaller problem that takes longer is noise. */
static void take_power(const int64_t *n, const double *t, sup_program_site *s) {
    double e = log(t[1] / t[0]) / log((double)n[1] / (double)n[0]);
    s->law = e > 0 ? SUP_GROWTH_POWER : SUP_GROWTH_CONSTANT;
    s->exponent = e > 0 ? fmin(e, 100) : NAN;
    s->fixed_s = 0;
    s->unit_s = e > 0 ? t[1] / pow((double)n[1], s->exponent) : sqrt(t[0] * t[1]);
}

void sup_program_law(const int64_t *sizes, size_t count, sup_program_site *s) {
    const double *t = s->typical;
    fitted best = {0};
    if (count == 2) {
        take_power(sizes, t, s);
    } else {
        for (int law = SUP_GROWTH_CONSTANT; law < SUP_GROWTH_POWER; law++) {
            fitted f = fit(sizes, t, count, law);
            if (law != SUP_GROWTH_CONSTANT && f.squares >= AS_GOOD * best.squares) continue;
            best = f;
            s->law = law;
        }
        s->exponent = NAN;
        s->fixed_s = best.fixed;
        s->unit_s = best.unit;
    }
    s->error = 0;
    for (size_t i = 0; i < count; i++) {
        double says = s->fixed_s + s->unit_s * sup_growth_units(s->law, s->exponent, (double)sizes[i]);
        s->error = fmax(s->error, fabs(says / t[i] - 1));
    }
}
