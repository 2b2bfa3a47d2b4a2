/* Student's t distribution, and the normal one it tends to: what confidence intervals are made of.
 *
 * Accurate to 1e-9 relative (the tail probability as well as the quantile) for 1 ≤ nu ≤ 1e6, in fact to about 1e-12;
 * nu need not be whole and may be infinite. Arguments outside the domain give NaN. */
#ifndef SUP_BASE_NUMBER_STUDENT_H
#define SUP_BASE_NUMBER_STUDENT_H

/* P(T > t), nu > 0. */
double sup_student_tail(double t, double nu);

/* The t with P(T ≤ t) = p, 0 < p < 1 (p = 0 and 1 give −∞ and ∞). */
double sup_student_quantile(double p, double nu);

/* The t with P(|T| ≤ t) = confidence: sup_student_quantile((1 + confidence) / 2, nu), 0 ≤ confidence < 1. */
double sup_student_two_sided(double confidence, double nu);

/* The regularized incomplete beta function I_x(a, b), with y = 1 − x given beside x so that neither loses digits. */
double sup_incomplete_beta(double a, double b, double x, double y);

#endif
