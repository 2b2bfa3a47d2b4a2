/* Variances that share what they know (pooled.h).
 *
 * Of a sample variance with d degrees of freedom around σ², e = ln s² − ψ(d/2) + ln(d/2) has the mean ln σ² and the
 * variance ψ'(d/2). What the e of all differ by beyond that is how much the σ² differ: ψ'(d₀/2). */
#include "base/number/pooled.h"

#include <math.h>

#define FAR 8.0   /* from here on the expansions of both are good to 1e-9 */
#define ALIKE 1e4 /* half the degrees of freedom at which all σ² are the same */

double sup_digamma(double x) {
    double sum = 0.0;
    for (; x < FAR; x += 1.0) sum -= 1.0 / x;
    double r = 1.0 / (x * x);
    return sum + log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r / 240)));
}

double sup_trigamma(double x) {
    double sum = 0.0;
    for (; x < FAR; x += 1.0) sum += 1.0 / (x * x);
    double r = 1.0 / (x * x);
    return sum + 1.0 / x + 0.5 * r + r / x * (1.0 / 6 - r * (1.0 / 30 - r * (1.0 / 42 - r / 30)));
}

/* The x with ψ'(x) = y, which falls from ∞ to 0; bisection on a logarithmic scale. */
static double inverse_trigamma(double y) {
    double low = 1e-4, high = ALIKE;
    if (y <= sup_trigamma(high)) return high;
    for (int i = 0; i < 60; i++) {
        double middle = sqrt(low * high);
        *(sup_trigamma(middle) > y ? &low : &high) = middle;
    }
    return sqrt(low * high);
}

static double log_of(double variance, double freedom) {
    return log(variance) - sup_digamma(0.5 * freedom) + log(0.5 * freedom);
}

sup_pooled sup_pooled_of(const double *variance, const double *freedom, size_t count) {
    double n = 0.0, sum = 0.0, squares = 0.0, chance = 0.0, most = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (!(variance[i] > 0.0 && freedom[i] > 0.0)) continue;
        n += 1.0;
        sum += log_of(variance[i], freedom[i]);
        chance += sup_trigamma(0.5 * freedom[i]);
        most += freedom[i];
    }
    if (n == 0.0) return (sup_pooled){NAN, 0.0};
    double mean = sum / n;
    for (size_t i = 0; i < count; i++)
        if (variance[i] > 0.0 && freedom[i] > 0.0) squares += pow(log_of(variance[i], freedom[i]) - mean, 2.0);
    double differ = n > 1.0 ? squares / (n - 1.0) - chance / n : INFINITY;
    double half = isinf(differ) ? 0.5 : inverse_trigamma(differ), known = fmin(2.0 * half, fmin(most, SUP_POOLED_MOST));
    return (sup_pooled){exp(mean + sup_digamma(half) - log(half)), known};
}

sup_pooled sup_pooled_with(const sup_pooled *others, double variance, double freedom) {
    if (!(variance >= 0.0 && freedom > 0.0)) return *others;
    if (!(others->variance >= 0.0 && others->freedom > 0.0)) return (sup_pooled){variance, freedom};
    double all = others->freedom + freedom;
    return (sup_pooled){(others->freedom * others->variance + freedom * variance) / all, all};
}
