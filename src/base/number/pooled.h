/* Variances that share what they know: each of many things was measured a few times, so its own variance says little;
 * all of them together say how large such variances are, and how much they differ. Smyth, "Linear models and empirical
 * Bayes methods", 2004: variances as if drawn from a scaled inverse chi-squared distribution.
 *
 *     sup_pooled pooled = sup_pooled_of(variances, freedoms, count);
 *     sup_pooled one = sup_pooled_with(&pooled, own, own_freedom);      √one.variance, Student's t with one.freedom */
#ifndef SUP_BASE_NUMBER_POOLED_H
#define SUP_BASE_NUMBER_POOLED_H

#include <stddef.h>

typedef struct sup_pooled {
    double variance; /* NaN: nothing is known */
    double freedom;  /* degrees of freedom that it is worth: at most SUP_POOLED_MOST, and those of all together */
} sup_pooled;

/* That many would be worth as much as certainty, but what the measurements have in common they all have wrong. */
#define SUP_POOLED_MOST 12.0

/* Those that are not positive, or have no degrees of freedom, do not count. */
sup_pooled sup_pooled_of(const double *variance, const double *freedom, size_t count);
/* One of them: its own variance (NaN: none) and the others'. */
sup_pooled sup_pooled_with(const sup_pooled *others, double variance, double freedom);

/* Derivatives of ln Γ(x), the first and the second; x > 0. */
double sup_digamma(double x);
double sup_trigamma(double x);

#endif
