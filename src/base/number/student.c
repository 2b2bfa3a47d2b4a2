/* Student's t distribution (BSP §4.1 integrates its density numerically; this does not).
 *
 * With x = ν/(ν+t²): P(|T| > t) = I_x(ν/2, 1/2). The incomplete beta function comes from its continued fraction
 * (Abramowitz & Stegun 26.5.8), evaluated by the method of Lentz on the side of its mean where it converges fast. The
 * quantile is a root of that, found by Newton steps kept inside a shrinking bracket. */
#include "base/number/student.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Above, the continued fraction loses digits (its first term is a difference of about 1/ν) and the expansion of Hill
 * gains them; here both are good to 1e-12. */
#define NU_EXPANSION 2e4

/* ln Γ(a + 1/2) − ln Γ(a). The difference of two lgamma would lose as many digits as ln Γ(a) is long. */
static double log_gamma_half_step(double a) {
    double shift = 0.0;
    for (; a < 20.0; a += 1.0) shift += log1p(-0.5 / (a + 0.5));
    double r = 1.0 / a, r2 = r * r;
    return shift + 0.5 * log(a) -
           r * (1.0 / 8 - r2 * (1.0 / 192 - r2 * (1.0 / 640 - r2 * (17.0 / 14336 - r2 * 31.0 / 18432))));
}

static double log_beta(double a, double b) {
    if (b == 0.5) return 0.5 * log(M_PI) - log_gamma_half_step(a);
    if (a == 0.5) return 0.5 * log(M_PI) - log_gamma_half_step(b);
    return lgamma(a) + lgamma(b) - lgamma(a + b);
}

static double beta_fraction(double a, double b, double x) {
    const double tiny = DBL_MIN / DBL_EPSILON;
    double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
    if (fabs(d) < tiny) d = tiny;
    d = 1.0 / d;
    double h = d;
    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 + even * d;
        c = 1.0 + even / c;
        if (fabs(d) < tiny) d = tiny;
        if (fabs(c) < tiny) c = tiny;
        d = 1.0 / d;
        h *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 + odd * d;
        c = 1.0 + odd / c;
        if (fabs(d) < tiny) d = tiny;
        if (fabs(c) < tiny) c = tiny;
        d = 1.0 / d;
        h *= d * c;
        if (fabs(d * c - 1.0) < 8.0 * DBL_EPSILON) break;
    }
    return h;
}

double sup_incomplete_beta(double a, double b, double x, double y) {
    if (!(a > 0.0 && b > 0.0 && x >= 0.0 && y >= 0.0)) return NAN;
    if (x == 0.0) return 0.0;
    if (y == 0.0) return 1.0;
    /* log1p of the smaller one: x^a with x near 1 and a near 1e6 needs every digit of ln x */
    double log_x = x < 0.5 ? log(x) : log1p(-y), log_y = y < 0.5 ? log(y) : log1p(-x);
    double front = exp(a * log_x + b * log_y - log_beta(a, b));
    bool lower = x < (a + 1.0) / (a + b + 2.0);
    if (front == 0.0) return lower ? 0.0 : 1.0; /* the fraction converges slowly so far out, and does not matter */
    if (lower) return front * beta_fraction(a, b, x) / a;
    return 1.0 - front * beta_fraction(b, a, y) / b;
}

/* The normal deviate that is exceeded as often as t is (Hill, CACM 13, 1970, algorithm 395), for large ν. */
static double normal_of(double t, double nu) {
    if (isinf(nu)) return t;
    double a = nu - 0.5, b = 48.0 * a * a, u2 = a * log1p(t * t / nu), u = sqrt(u2);
    return u + u * (u2 + 3.0 - (((4.0 * u2 + 33.0) * u2 + 240.0) * u2 + 855.0) / (10.0 * b)) / b;
}

static double density(double t, double nu) {
    if (isinf(nu)) return exp(-0.5 * t * t) / sqrt(2.0 * M_PI);
    double log_c = log_gamma_half_step(0.5 * nu) - 0.5 * log(nu * M_PI);
    return exp(log_c - 0.5 * (nu + 1.0) * log1p(t * t / nu));
}

/* P(T > t) for t ≥ 0, and P(0 < T ≤ t): each computed without subtracting the other where it is the small one. */
static double upper_tail(double t, double nu) {
    if (nu > NU_EXPANSION) return 0.5 * erfc(normal_of(t, nu) * M_SQRT1_2);
    /* so far out that t² may overflow only the leading power of t is left */
    if (t > 1e10 * sqrt(nu)) return exp(0.5 * nu * (log(nu) - 2.0 * log(t)) - log_beta(0.5 * nu, 0.5)) / nu;
    double t2 = t * t;
    return 0.5 * sup_incomplete_beta(0.5 * nu, 0.5, nu / (nu + t2), t2 / (nu + t2));
}

static double middle(double t, double nu) {
    if (nu > NU_EXPANSION) return 0.5 * erf(normal_of(t, nu) * M_SQRT1_2);
    double t2 = t * t;
    return 0.5 * sup_incomplete_beta(0.5, 0.5 * nu, t2 / (nu + t2), nu / (nu + t2));
}

double sup_student_tail(double t, double nu) {
    if (!(nu > 0.0) || isnan(t)) return NAN;
    if (isinf(t)) return t > 0.0 ? 0.0 : 1.0;
    if (t < 0.0) return t > -1.0 ? 0.5 + middle(-t, nu) : 1.0 - upper_tail(-t, nu);
    return t < 1.0 ? 0.5 - middle(t, nu) : upper_tail(t, nu);
}

/* A Newton step this small (relative) leaves an error of its square; the next one would only follow rounding. */
#define SETTLED 1e-9

/* Root of middle(t) = area, area ≤ 1/4. middle is concave for t > 0 and lies under its tangent at 0, so Newton from 0
 * never oversteps and needs no bracket. */
static double quantile_near_centre(double area, double nu) {
    double t = 0.0;
    for (int i = 0; i < 60; i++) {
        double step = (area - middle(t, nu)) / density(t, nu);
        t += step;
        if (fabs(step) <= SETTLED * t) break;
    }
    return t;
}

/* Root of upper_tail(t) = tail, tail < 1/4, in u = ln t: there heavy tails (t^−ν) are straight lines. */
static double quantile_in_tail(double tail, double nu) {
    double low = log(0.5), high = 745.0, u = 0.0; /* at t = 1/2 the tail is above 1/4 for every ν */
    for (int i = 0; i < 200; i++) {
        double t = exp(u), now = upper_tail(t, nu);
        if (now > tail)
            low = u;
        else
            high = u;
        double step = now > 0.0 ? log(now / tail) * now / (t * density(t, nu)) : NAN;
        if (fabs(step) <= SETTLED) return exp(u + step);
        u = u + step > low && u + step < high ? u + step : 0.5 * (low + high);
    }
    return exp(u);
}

/* The t > 0 with P(T > t) = tail, 0 < tail < 1/2. */
static double quantile_upper(double tail, double nu) {
    double area = 0.5 - tail; /* exact where it is small, by Sterbenz */
    if (nu == 1.0) return area < 0.25 ? tan(M_PI * area) : 1.0 / tan(M_PI * tail);
    if (nu == 2.0) return area * sqrt(2.0 / (tail * (1.0 - tail)));
    return tail < 0.25 ? quantile_in_tail(tail, nu) : quantile_near_centre(area, nu);
}

double sup_student_quantile(double p, double nu) {
    if (!(nu > 0.0 && p >= 0.0 && p <= 1.0)) return NAN;
    if (p == 0.0) return -INFINITY;
    if (p == 1.0) return INFINITY;
    if (p == 0.5) return 0.0;
    return p > 0.5 ? quantile_upper(1.0 - p, nu) : -quantile_upper(p, nu);
}

/* Curves ask for the same few again and again: the last of each remainder of the degrees of freedom are kept. */
double sup_student_two_sided(double confidence, double nu) {
    enum { KEPT = 16 };
    static _Thread_local struct { double confidence, nu, value; } kept[KEPT];
    if (!(confidence >= 0.0 && confidence < 1.0)) return NAN;
    if (!(nu >= 1.0 && nu < 1e9)) return sup_student_quantile(0.5 + 0.5 * confidence, nu);
    size_t at = (size_t)nu % KEPT;
    if (kept[at].confidence != confidence || kept[at].nu != nu) {
        kept[at].value = sup_student_quantile(0.5 + 0.5 * confidence, nu);
        kept[at].confidence = confidence;
        kept[at].nu = nu;
    }
    return kept[at].value;
}
