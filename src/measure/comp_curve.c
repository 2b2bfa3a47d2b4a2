/* A rate while it is being measured (comp_curve.h; BSP §4.2).
 *
 * Which size next. Two kinds of ignorance are compared on one scale, the relative error of a prediction:
 *   - of a spot: the half width of its interval, and that it was measured in one piece of memory only. Remedy: measure
 *     it again.
 *   - between two spots: a rate that goes from y1 to y2 in between may be anything between them; but where the
 *     neighbours foretell a spot well, a straight line explains this part, and the error of that foretelling is the
 *     better measure. The smaller of both. Remedy: measure the (geometric) middle.
 * So the steps at cache sizes are bisected, and the level parts are left alone. Where others use the machine,
 * a spot that was visited once is visited again before anything is made of it. Disturbances only ever add time: of two
 * visits that are far apart, the one that took longer does not count there. And no cache gets better with the
 * footprint: on such a machine a spot that is slower than larger ones is doubtful. */
#include "measure/comp_curve.h"

#include "base/pace.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIT_NOISE 0.015 /* of a point: what a second visit differs by, whatever its interval says */
#define ONE_VISIT 0.025 /* relative: how pages happen to lie in a cache is the same for all samples of a visit */
#define ONE_NOISY 0.50  /* the same of a visit that was disturbed: a neighbour on the same core doubles times */
#define FAR 1.08        /* between two visits: more than pages that lie differently explain */
#define NARROW 1.12     /* a step between neighbours closer than this is as good as located */
#define MOST_TRIES 12   /* at one spot */
#define FALL_TRIES 4    /* before a rate is believed to become better: what a call costs is felt at small sizes */
#define LEAST_CI 0.0005 /* relative: no clock and no machine is steadier */
#define SAME 1e-9
#define ABSORBED 1.05

void sup_comp_curve_clear(sup_comp_curve *c) {
    free(c->spots);
    *c = (sup_comp_curve){0};
}

double sup_comp_spot_value(const sup_comp_spot *s) { return s->weighted / s->weight; }

double sup_comp_spot_ci(const sup_comp_spot *s) {
    double ci = sqrt(1.0 / s->weight), added = s->shared / s->weight * sup_comp_spot_value(s);
    if (s->visits < 2) return ci;
    double chi = fmax(0.0, s->squares - s->weighted * s->weighted / s->weight) / (s->visits - 1);
    /* weights are 1/ci², and a ci is two deviations: a chi of 1/4 is what honest intervals give */
    return fmax(ci * fmax(1.0, 2.0 * sqrt(chi)), added);
}

static double relative_ci(const sup_comp_spot *s) { return sup_comp_spot_ci(s) / sup_comp_spot_value(s); }

static bool grow(sup_comp_curve *c) {
    if (c->count < c->room) return true;
    size_t room = c->room ? 2 * c->room : 32;
    sup_comp_spot *grown = realloc(c->spots, room * sizeof *grown);
    if (!grown) return false;
    c->spots = grown;
    c->room = room;
    return true;
}

/* A spot from a file may have been of a slightly different size than what is to be had for it now. */
static bool absorb(sup_comp_spot *s, double bytes) {
    if (s->asked || s->bytes > bytes * ABSORBED || s->bytes < bytes / ABSORBED) return false;
    s->bytes = bytes;
    return true;
}

static sup_comp_spot *spot_at(sup_comp_curve *c, double bytes, bool fresh) {
    size_t i = 0;
    while (i < c->count && c->spots[i].bytes < bytes * (1.0 - SAME)) i++;
    if (i < c->count && c->spots[i].bytes <= bytes * (1.0 + SAME)) return &c->spots[i];
    if (fresh && i < c->count && absorb(&c->spots[i], bytes)) return &c->spots[i];
    if (fresh && i > 0 && absorb(&c->spots[i - 1], bytes)) return &c->spots[i - 1];
    if (!grow(c)) return NULL;
    memmove(&c->spots[i + 1], &c->spots[i], (c->count - i) * sizeof *c->spots);
    c->spots[i] = (sup_comp_spot){.bytes = bytes};
    c->count++;
    return &c->spots[i];
}

sup_status sup_comp_curve_add(sup_comp_curve *c, size_t asked, const sup_comp_point *p) {
    if (!(p->unit_s > 0.0) || !isfinite(p->unit_s) || !(p->bytes > 0.0)) return SUP_EINVAL;
    sup_comp_spot *s = spot_at(c, p->bytes, asked > 0);
    if (!s) return SUP_ENOMEM;
    double ci = isfinite(p->ci_s) ? p->ci_s : 0.2 * p->unit_s;
    ci = fmax(ci, (LEAST_CI + SUP_PACE_COSTS * p->shared) * p->unit_s);
    double w = 1.0 / (ci * ci), known = s->visits ? sup_comp_spot_value(s) : p->unit_s;
    if (!isfinite(w) || !isfinite(w * p->unit_s)) return SUP_EINVAL;
    c->busy |= p->noisy;
    if (c->busy && p->unit_s > FAR * known) {
        s->visits++;
        return SUP_OK;
    }
    if (c->busy && FAR * p->unit_s < known) s->weight = s->weighted = s->squares = s->shared = 0.0, s->visits = 0;
    s->shared += w * SUP_PACE_COSTS * p->shared;
    s->weight += w;
    s->weighted += w * p->unit_s;
    s->squares += w * p->unit_s * p->unit_s;
    s->visits++;
    s->n += p->n;
    s->reruns += p->reruns;
    if (asked) s->asked = asked;
    return SUP_OK;
}

sup_status sup_comp_curve_load(sup_comp_curve *c, const sup_points *points) {
    for (size_t i = 0; i < points->x_count; i++) {
        sup_comp_point p = {.bytes = points->x[i], .unit_s = points->y[i], .ci_s = NAN, .n = 1};
        if (points->ci_count == points->x_count) p.ci_s = points->ci[i];
        if (points->n_count == points->x_count) p.n = points->n[i];
        if (points->reruns_count == points->x_count) p.reruns = points->reruns[i];
        sup_status status = sup_comp_curve_add(c, 0, &p);
        if (status == SUP_ENOMEM) return status; /* a point of time 0 is no help, and no harm */
    }
    for (size_t i = 0; i < c->count; i++) c->spots[i].visits = 2; /* it was done with them */
    return SUP_OK;
}

bool sup_comp_curve_has(const sup_comp_curve *c, double bytes, double factor) {
    for (size_t i = 0; i < c->count; i++)
        if (c->spots[i].bytes <= bytes * factor && c->spots[i].bytes >= bytes / factor) return true;
    return false;
}

/* How far a spot is from what its neighbours foretell, relatively; linear over the logarithm of the size, since a step
 * spread over a factor of two looks the same at every size. */
static double surprise(const sup_comp_curve *c, size_t i) {
    if (i == 0 || i + 1 >= c->count) return INFINITY; /* nobody foretells the ends */
    const sup_comp_spot *a = &c->spots[i - 1], *b = &c->spots[i], *d = &c->spots[i + 1];
    double share = log(b->bytes / a->bytes) / log(d->bytes / a->bytes);
    double foretold = (1.0 - share) * sup_comp_spot_value(a) + share * sup_comp_spot_value(d);
    return fabs(foretold / sup_comp_spot_value(b) - 1.0);
}

static bool once_noisy(const sup_comp_curve *c, size_t i) {
    return c->busy && c->spots[i].visits < 2 && c->spots[i].tries < MOST_TRIES;
}

/* By how much a spot is slower than the quickest of the larger ones, if that may be somebody else's doing. */
static double falls(const sup_comp_curve *c, size_t i) {
    const sup_comp_spot *s = &c->spots[i];
    double least = INFINITY;
    if (!c->busy || s->tries >= FALL_TRIES) return 0.0;
    for (size_t j = i + 1; j < c->count; j++) least = fmin(least, sup_comp_spot_value(&c->spots[j]));
    return sup_comp_spot_value(s) > FAR * least ? fmin(sup_comp_spot_value(s) / least - 1.0, ONE_NOISY) : 0.0;
}

static double unexplained(const sup_comp_curve *c, size_t i) {
    double y1 = sup_comp_spot_value(&c->spots[i]), y2 = sup_comp_spot_value(&c->spots[i + 1]);
    double change = 0.5 * fabs(y2 - y1) / fmin(y1, y2);
    double noise = 0.5 * (relative_ci(&c->spots[i]) + relative_ci(&c->spots[i + 1]));
    if (change <= noise) return 0.0; /* not a step as far as anybody can tell */
    /* first see whether there is a step */
    if (once_noisy(c, i) || once_noisy(c, i + 1) || falls(c, i) > 0.0) return 0.0;
    double s1 = surprise(c, i), s2 = surprise(c, i + 1);
    double worst = isinf(s1) ? s2 : isinf(s2) ? s1 : fmax(s1, s2);
    return fmin(change, worst);
}

static size_t again(const sup_comp_spot *s) {
    return s->asked ? s->asked : (size_t)(s->bytes + 512.0); /* what a kernel needs beside its arrays */
}

sup_comp_choice sup_comp_curve_next(const sup_comp_curve *c) {
    sup_comp_choice best = {0};
    for (size_t i = 0; i < c->count; i++) {
        const sup_comp_spot *s = &c->spots[i];
        double relative = fmax(relative_ci(s), s->visits < 2 ? (c->busy ? ONE_NOISY : ONE_VISIT) : falls(c, i));
        if (s->tries < MOST_TRIES && relative > best.relative) best = (sup_comp_choice){again(s), relative, true};
        if (i + 1 >= c->count || c->spots[i + 1].bytes < s->bytes * NARROW) continue;
        relative = unexplained(c, i);
        double middle = sqrt((double)again(s) * (double)again(&c->spots[i + 1]));
        if (s->tries < MOST_TRIES && relative > best.relative)
            best = (sup_comp_choice){(size_t)middle, relative, false};
    }
    return best;
}

/* A middle that was asked for is a try of the spot to its left: a kernel that rounds its sizes may never get there. */
void sup_comp_curve_tried(sup_comp_curve *c, const sup_comp_choice *choice) {
    sup_comp_spot *left = NULL;
    for (size_t i = 0; i < c->count && again(&c->spots[i]) <= choice->bytes; i++) left = &c->spots[i];
    if (left) left->tries++;
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

/* ---- the result ---- */

typedef struct columns {
    double *x, *y, *ci;
    int64_t *n, *reruns;
} columns;

static bool columns_make(const sup_comp_curve *c, columns *k) {
    *k = (columns){.x = calloc(c->count + 1, 3 * sizeof(double)), .n = calloc(c->count + 1, 2 * sizeof(int64_t))};
    if (!k->x || !k->n) {
        free(k->n);
        free(k->x);
        return false;
    }
    k->y = k->x + c->count;
    k->ci = k->y + c->count;
    k->reruns = k->n + c->count;
    for (size_t i = 0; i < c->count; i++) {
        const sup_comp_spot *s = &c->spots[i];
        k->x[i] = s->bytes;
        k->y[i] = sup_comp_spot_value(s);
        k->ci[i] = sup_comp_spot_ci(s);
        k->n[i] = s->n > 0 ? s->n : 1;
        k->reruns[i] = s->reruns;
    }
    return true;
}

static void columns_free(columns *k) {
    free(k->n);
    free(k->x);
}

sup_status sup_comp_curve_fit(const sup_comp_curve *c, sup_diag *diag, sup_curve **out) {
    columns k;
    if (!columns_make(c, &k)) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    /* Sizes are few and chosen: what lies between two of them is a transition more often than noise. */
    sup_curve_options o = {.shape = SUP_SHAPE_VALLEY, .min_points = 2, .penalty = 1.0};
    double *deviations = calloc(c->count + 1, sizeof *deviations);
    if (!deviations) {
        columns_free(&k);
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    }
    for (size_t i = 0; i < c->count; i++) {
        deviations[i] = relative_ci(&c->spots[i]) / 2.0;
        if (isfinite(deviations[i])) o.deviations = deviations;
    }
    if (o.deviations) o.noise = FIT_NOISE;
    sup_status status = sup_curve_fit(k.x, k.y, c->count, &o, diag, out);
    free(deviations);
    columns_free(&k);
    return status;
}

sup_status sup_comp_curve_store(const sup_comp_curve *c, sup_file_curve *file, sup_diag *diag) {
    sup_curve *fitted = NULL;
    sup_status status = sup_comp_curve_fit(c, diag, &fitted);
    if (status) return status;
    columns k;
    status = columns_make(c, &k) ? SUP_OK : SUP_ENOMEM;
    if (status) goto free_fitted;
    status = sup_file_curve_set(file, fitted);
    if (!status)
        status =
            sup_file_curve_set_points(file, &(sup_points){.x = k.x, .y = k.y, .ci = k.ci, .n = k.n, .reruns = k.reruns},
                                      c->count);
    columns_free(&k);
free_fitted:
    sup_curve_free(fitted);
    if (status) sup_diag_set(diag, status, NULL, 0, "out of memory");
    return status;
}
