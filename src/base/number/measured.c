/* Measured numbers and curves as files hold them (measured.h): tables, and the check of a curve by its own rules. */
#include "base/number/measured.h"

#include "base/number/student.h"

#include <math.h>
#include <stdlib.h>

static const sup_field number_fields[] = {
    SUP_F_REAL(sup_number, value, "value", 0, 1e300),
    SUP_F_REAL_MAYBE(sup_number, ci, "ci", 0, 1e300),
    SUP_F_REAL_MAYBE(sup_number, typical, "typical", 0, 1e300),
    SUP_F_REAL_MAYBE(sup_number, bad, "bad", 0, 1e300),
    SUP_F_INT(sup_number, n, "n", 1, SUP_INT_MAX),
    SUP_F_INT_OR(sup_number, launches, "launches", 0, SUP_INT_MAX, 0),
    SUP_F_INT_OR(sup_number, reruns, "reruns", 0, SUP_INT_MAX, 0),
    SUP_F_INT_OR(sup_number, rejected, "rejected", 0, SUP_INT_MAX, 0),
    SUP_F_END,
};
SUP_RECORD(sup_number_record, "measured number", sup_number, number_fields, NULL);

static const sup_field segment_fields[] = {
    SUP_F_REAL(sup_file_segment, x_lo, "x_lo", 0, 1e300),
    SUP_F_REAL(sup_file_segment, x_hi, "x_hi", 0, 1e300),
    SUP_F_REAL(sup_file_segment, intercept, "intercept", -1e300, 1e300),
    SUP_F_REAL(sup_file_segment, slope, "slope", -1e300, 1e300),
    SUP_F_REAL(sup_file_segment, residual, "residual", 0, 1e300),
    SUP_F_INT(sup_file_segment, n, "n", 1, SUP_INT_MAX),
    SUP_F_END,
};
static SUP_RECORD(segment_record, "curve segment", sup_file_segment, segment_fields, NULL);

static sup_status check_points(const sup_where *w, const void *object) {
    const sup_points *p = object;
    const struct {
        const char *key;
        size_t count;
        bool required;
    } lists[] = {{"y", p->y_count, true},      {"ci", p->ci_count, false}, {"typical", p->typical_count, false},
                 {"bad", p->bad_count, false}, {"n", p->n_count, false},   {"reruns", p->reruns_count, false}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].count != p->x_count && (lists[i].required || lists[i].count))
            return sup_where_fail(w, lists[i].key, -1, "\"%s\" has %zu values, \"x\" has %zu", lists[i].key,
                                  lists[i].count, p->x_count);
    return SUP_OK;
}

static const sup_field points_fields[] = {
    SUP_F_REALS(sup_points, x, "x", true, 0, 1e300),
    SUP_F_REALS(sup_points, y, "y", true, 0, 1e300),
    SUP_F_REALS(sup_points, ci, "ci", false, 0, 1e300),
    SUP_F_REALS(sup_points, typical, "typical", false, 0, 1e300),
    SUP_F_REALS(sup_points, bad, "bad", false, 0, 1e300),
    SUP_F_INTS(sup_points, n, "n", false, 1, SUP_INT_MAX),
    SUP_F_INTS(sup_points, reruns, "reruns", false, 0, SUP_INT_MAX),
    SUP_F_END,
};
static SUP_RECORD(points_record, "points of a curve", sup_points, points_fields, check_points);

static sup_status make_curve(const sup_where *w, const sup_file_curve *file, sup_curve **out) {
    sup_diag why;
    sup_segment *segments = calloc(file->segments_count ? file->segments_count : 1, sizeof *segments);
    if (!segments) return sup_diag_no_memory(w->diag);
    for (size_t i = 0; i < file->segments_count; i++) {
        const sup_file_segment *s = &file->segments[i];
        segments[i] = (sup_segment){s->x_lo, s->x_hi, s->intercept, s->slope, s->residual, (size_t)s->n};
    }
    unsigned flags = file->nondecreasing ? SUP_CURVE_NONDECREASING : 0;
    sup_status status = sup_curve_make(segments, file->segments_count, flags, &why, out);
    free(segments);
    if (status == SUP_EINVAL) return sup_where_fail(w, "segments", -1, "%s", why.text);
    if (status) return sup_diag_set(w->diag, status, NULL, 0, "%s", why.text);
    return SUP_OK;
}

static sup_status check_curve(const sup_where *w, const void *object) {
    sup_curve *curve = NULL;
    sup_status status = make_curve(w, object, &curve);
    sup_curve_free(curve);
    return status;
}

static sup_status derive_curve(const sup_where *w, void *object) {
    sup_file_curve *file = object;
    sup_curve *curve = NULL;
    sup_status status = make_curve(w, file, &curve);
    if (status) return status;
    sup_curve_free(file->curve);
    file->curve = curve;
    return SUP_OK;
}

static void release_curve(void *object) { sup_curve_free(((sup_file_curve *)object)->curve); }

static const sup_field curve_fields[] = {
    SUP_F_BOOL_OR(sup_file_curve, nondecreasing, "nondecreasing", false),
    SUP_F_RECORDS(sup_file_curve, segments, "segments", true, &segment_record),
    SUP_F_MAYBE(sup_file_curve, points, "points", &points_record),
    SUP_F_END,
};
SUP_RECORD_DERIVED(sup_file_curve_record, "curve", sup_file_curve, curve_fields, check_curve, derive_curve,
                   release_curve);

sup_status sup_file_curve_set(sup_file_curve *file, const sup_curve *curve) {
    sup_file_curve fresh;
    sup_record_init(&sup_file_curve_record, &fresh);
    fresh.nondecreasing = (curve->flags & SUP_CURVE_NONDECREASING) != 0;
    sup_status status = sup_curve_make(curve->segments, curve->count, curve->flags, NULL, &fresh.curve);
    for (size_t i = 0; i < curve->count && !status; i++) {
        sup_file_segment *s = SUP_APPEND(&segment_record, fresh.segments, fresh.segments_count);
        if (!s) {
            status = SUP_ENOMEM;
            break;
        }
        const sup_segment *from = &curve->segments[i];
        *s = (sup_file_segment){from->x_lo, from->x_hi, from->intercept, from->slope, from->residual, (int64_t)from->n};
    }
    if (status) {
        sup_record_clear(&sup_file_curve_record, &fresh);
        return status;
    }
    sup_record_clear(&sup_file_curve_record, file);
    *file = fresh;
    return SUP_OK;
}

sup_status sup_file_curve_set_points(sup_file_curve *file, const sup_points *points, size_t count) {
    sup_points *p = sup_record_make(&points_record);
    if (!p) return SUP_ENOMEM;
    sup_status status = sup_record_set_reals(&p->x, &p->x_count, points->x, count);
    if (!status) status = sup_record_set_reals(&p->y, &p->y_count, points->y, count);
    if (!status && points->ci) status = sup_record_set_reals(&p->ci, &p->ci_count, points->ci, count);
    if (!status && points->typical)
        status = sup_record_set_reals(&p->typical, &p->typical_count, points->typical, count);
    if (!status && points->bad) status = sup_record_set_reals(&p->bad, &p->bad_count, points->bad, count);
    if (!status && points->n) status = sup_record_set_ints(&p->n, &p->n_count, points->n, count);
    if (!status && points->reruns) status = sup_record_set_ints(&p->reruns, &p->reruns_count, points->reruns, count);
    sup_points *old = status ? p : file->points;
    if (!status) file->points = p;
    if (old) sup_record_clear(&points_record, old);
    free(old);
    return status;
}

/* The interval is that of two estimates, each of all launches (measure/store/store.h). */
double sup_number_scatter(const sup_number *n) {
    if (n->launches < 2 || !(n->ci >= 0.0) || !(n->value > 0.0)) return 0.0;
    double half = n->ci / n->value / sup_student_two_sided(0.95, (double)(n->launches - 1 + SUP_NUMBER_BORROWED));
    return half * sqrt((double)n->launches / 2.0);
}

/* ---- what a run usually sees ---- */

static double ratio(double calm, double typical) {
    return calm > 0 && typical > calm ? typical / calm : 1; /* NaN: not known */
}

double sup_number_typical(const sup_number *n) { return n ? ratio(n->value, n->typical) : 1; }

double sup_file_curve_typical(const sup_file_curve *c, double x) {
    const sup_points *p = c ? c->points : NULL;
    if (!p || !p->x_count || p->typical_count != p->x_count || p->y_count != p->x_count) return 1;
    size_t i = 0;
    while (i < p->x_count && p->x[i] < x) i++;
    if (i == 0 || i == p->x_count) {
        size_t at = i ? i - 1 : 0;
        return ratio(p->y[at], p->typical[at]);
    }
    double low = log(fmax(p->x[i - 1], 1)), high = log(fmax(p->x[i], 1));
    double share = high > low ? (log(fmax(x, 1)) - low) / (high - low) : 1;
    double a = ratio(p->y[i - 1], p->typical[i - 1]), b = ratio(p->y[i], p->typical[i]);
    return a + fmin(1, fmax(0, share)) * (b - a);
}
