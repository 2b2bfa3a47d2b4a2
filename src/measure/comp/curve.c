/* A rate as far as it is known (comp/curve.h; BSP §4.2).
 *
 * Which size next. Between two spots a rate that goes from y1 to y2 may be anything in between; but where the
 * neighbours foretell a spot well, a straight line explains this part, and the error of that foretelling is the better
 * measure. The smaller of both. Remedy: the geometric middle. So the steps at cache sizes are bisected and the level
 * parts are left alone, but for gaps so wide that something may hide in them. Middles of a fixed grid are the same in
 * the next profile. */
#include "measure/comp/curve.h"

#include "base/number/stats.h"

#include <math.h>
#include <string.h>

#define LEAST_NOISE 0.01 /* of a point, for the fit, whatever its interval says … */
#define MOST_NOISE 0.03  /* … and that is all: neighbours were visited in the same launches */
#define DEVIATIONS 5.0   /* half width of an interval: other launches are in it, and the factor of Student */
#define SAME 1e-9
#define NARROW 1.25  /* a step between neighbours closer than this is as good as located */
#define WIDE 4.0     /* between neighbours that agree, and nobody looked between them */
#define WORTH 0.03   /* relative: a step that is worth a visit … */
#define CURIOUS 0.04 /* … and what looking into a wide gap is worth */

void sup_comp_curve_add(sup_comp_curve *c, size_t asked, const sup_timing *t) {
    size_t i = 0;
    if (c->asked_count < SUP_COMP_SPOTS) c->asked[c->asked_count++] = asked;
    if (t->status || !(t->seconds > 0.0) || isinf(t->seconds)) return;
    double bytes = t->footprint > 0.0 ? t->footprint : (double)asked;
    sup_comp_spot spot = {bytes, asked, *t};
    while (i < c->count && c->spots[i].bytes < bytes * (1.0 - SAME)) i++;
    if (i < c->count && c->spots[i].bytes <= bytes * (1.0 + SAME)) {
        if (t->n > c->spots[i].timing.n) c->spots[i] = spot;
        return;
    }
    if (c->count == SUP_COMP_SPOTS) return;
    memmove(&c->spots[i + 1], &c->spots[i], (c->count - i) * sizeof *c->spots);
    c->spots[i] = spot;
    c->count++;
}

static double value(const sup_comp_curve *c, size_t i) { return c->spots[i].timing.seconds; }

static double relative_ci(const sup_comp_spot *s) {
    return isfinite(s->timing.ci) ? s->timing.ci / s->timing.seconds : 1.0;
}

double sup_comp_curve_worst(const sup_comp_curve *c, double *bytes) {
    double worst = 0.0;
    for (size_t i = 0; i < c->count; i++) {
        if (relative_ci(&c->spots[i]) <= worst) continue;
        worst = relative_ci(&c->spots[i]);
        if (bytes) *bytes = c->spots[i].bytes;
    }
    return worst;
}

/* ---- which next ---- */

/* How far a spot is from what its neighbours foretell, relatively; linear over the logarithm of the size, since a step
 * spread over a factor of two looks the same at every size. */
static double surprise(const sup_comp_curve *c, size_t i) {
    if (i == 0 || i + 1 >= c->count) return INFINITY; /* nobody foretells the ends */
    const sup_comp_spot *a = &c->spots[i - 1], *b = &c->spots[i], *d = &c->spots[i + 1];
    double share = log(b->bytes / a->bytes) / log(d->bytes / a->bytes);
    double foretold = (1.0 - share) * a->timing.seconds + share * d->timing.seconds;
    return fabs(foretold / b->timing.seconds - 1.0);
}

/* What looking between spots i and i + 1 is worth. */
static double worth(const sup_comp_curve *c, size_t i) {
    double y1 = value(c, i), y2 = value(c, i + 1), apart = c->spots[i + 1].bytes / c->spots[i].bytes;
    double change = 0.5 * fabs(y2 - y1) / fmin(y1, y2);
    double s1 = surprise(c, i), s2 = surprise(c, i + 1);
    double worst = isinf(s1) ? s2 : isinf(s2) ? s1 : fmax(s1, s2);
    double wide = apart > WIDE ? CURIOUS * log2(apart / WIDE) : 0.0;
    if (apart < NARROW) return 0.0;
    return fmax(fmin(change, worst), wide);
}

static bool was_asked(const sup_comp_curve *c, size_t bytes) {
    bool found = false;
    for (size_t i = 0; i < c->asked_count && !found; i++) found = c->asked[i] == bytes;
    return found;
}

size_t sup_comp_curve_next(const sup_comp_curve *c) {
    size_t next = 0;
    double best = WORTH;
    for (size_t i = 0; i + 1 < c->count; i++) {
        size_t middle = (size_t)sqrt((double)c->spots[i].asked * (double)c->spots[i + 1].asked);
        double here = worth(c, i);
        if (here <= best || was_asked(c, middle)) continue;
        best = here;
        next = middle;
    }
    return next;
}

/* ---- the result ---- */

typedef struct columns {
    double x[SUP_COMP_SPOTS], y[SUP_COMP_SPOTS], ci[SUP_COMP_SPOTS], typical[SUP_COMP_SPOTS], bad[SUP_COMP_SPOTS];
    double deviation[SUP_COMP_SPOTS];
    int64_t n[SUP_COMP_SPOTS];
} columns;

static void fill_columns(const sup_comp_curve *c, columns *k) {
    for (size_t i = 0; i < c->count; i++) {
        const sup_timing *t = &c->spots[i].timing;
        k->x[i] = c->spots[i].bytes;
        k->y[i] = t->seconds;
        k->ci[i] = relative_ci(&c->spots[i]) * t->seconds;
        k->typical[i] = t->typical >= t->seconds ? t->typical : t->seconds;
        k->bad[i] = t->bad >= k->typical[i] ? t->bad : k->typical[i];
        k->deviation[i] = fmin(relative_ci(&c->spots[i]) / DEVIATIONS, MOST_NOISE);
        k->n[i] = t->n > 0 ? t->n : 1;
    }
}

static sup_status fit_curve(const sup_comp_curve *c, sup_diag *diag, sup_curve **out) {
    columns k;
    fill_columns(c, &k);
    /* Sizes are few and chosen: what lies between two of them is a transition more often than noise. */
    sup_curve_options o = {
        .shape = SUP_SHAPE_VALLEY, .min_points = 2, .penalty = 1.0, .noise = LEAST_NOISE, .deviations = k.deviation};
    return sup_curve_fit(k.x, k.y, c->count, &o, diag, out);
}

sup_status sup_comp_curve_store(const sup_comp_curve *c, sup_file_curve *file, sup_diag *diag) {
    sup_curve *fitted = NULL;
    sup_status status = fit_curve(c, diag, &fitted);
    if (status) return status;
    columns k;
    fill_columns(c, &k);
    sup_points points = {.x = k.x, .y = k.y, .ci = k.ci, .typical = k.typical, .bad = k.bad, .n = k.n};
    status = sup_file_curve_set(file, fitted);
    if (!status) status = sup_file_curve_set_points(file, &points, c->count);
    sup_curve_free(fitted);
    return status ? sup_diag_set(diag, status, NULL, 0, "out of memory") : SUP_OK;
}
