/* What kernels reach (rates.h). */
#include "report/rates.h"

#include <math.h>

static void take(sup_reached *r, double x, double y) {
    if (!(y > 0.0) || y >= r->best_s) return;
    r->best_s = y;
    r->best_at = x;
}

/* Of measured points where the file has them: a fitted line may dip where nothing was measured. One sample is no best.
 */
static void find_best(const sup_file_curve *curve, sup_reached *r) {
    const sup_points *p = curve->points;
    for (size_t i = 0; p && i < p->x_count; i++)
        if (!p->n_count || p->n[i] != 1) take(r, p->x[i], p->y[i]);
    if (isfinite(r->best_s)) return;
    for (size_t i = 0; curve->curve && i < curve->segments_count; i++) {
        take(r, curve->segments[i].x_lo, sup_curve_at(curve->curve, curve->segments[i].x_lo));
        take(r, curve->segments[i].x_hi, sup_curve_at(curve->curve, curve->segments[i].x_hi));
    }
}

sup_reached sup_rate_reached(const sup_profile *profile, const sup_kernel_rate *rate) {
    sup_reached r = {INFINITY, NAN, NAN, NAN};
    sup_cache_mark caches[SUP_CACHE_MARKS];
    int count = sup_cache_marks(profile, caches);
    double low, high;
    find_best(rate->unit_s, &r);
    sup_curve_range(rate->unit_s, &low, &high);
    if (count && high >= 1.3 * sup_cache_share(&caches[count - 1], rate->active)) {
        r.memory_at = high;
        r.memory_s = sup_curve_value(rate->unit_s, high);
    }
    return r;
}

static double each_second(double per_unit, const sup_kernel_rate *rate, double unit_s) {
    double reached = (double)rate->active * per_unit / unit_s;
    return reached > 0.0 && isfinite(reached) ? reached : NAN;
}

double sup_rate_bytes(const sup_kernel_profile *k, const sup_kernel_rate *rate, double unit_s) {
    return each_second(k->bytes_per_unit, rate, unit_s);
}

double sup_rate_flops(const sup_kernel_profile *k, const sup_kernel_rate *rate, double unit_s) {
    return each_second(k->flops_per_unit, rate, unit_s);
}
