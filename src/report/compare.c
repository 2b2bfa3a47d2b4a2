/* What changed between two profiles (compare.h). */
#include "report/compare.h"

#include "base/list.h"
#include "base/number/stats.h"
#include "report/section/sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_CI 0.10
#define CLOSE 0.10
#define TO_90 (1.645 / 1.96) /* from the half width of a 95 % interval */
#define CURVE_SHARE 10       /* one point in so many may be off by chance */

/* A series of its own, after its profile has been walked through. */
struct kept {
    const char *section, *unit; /* constants */
    char *name;
    size_t count;
    double *x, *y, *ci; /* x NULL: a number */
    double *known;      /* ci as the file has it, NaN unknown */
    const sup_curve *curve;
    bool used;
};

struct all {
    struct kept *at;
    size_t count;
    bool failed;
};

static void free_all(struct all *all) {
    for (size_t i = 0; i < all->count; i++) {
        free(all->at[i].known);
        free(all->at[i].ci);
        free(all->at[i].y);
        free(all->at[i].x);
        free(all->at[i].name);
    }
    free(all->at);
}

static double *copy_reals(const double *values, size_t count) {
    double *made = malloc((count + !count) * sizeof *made);
    if (made && values) memcpy(made, values, count * sizeof *made);
    return made;
}

static bool keep(void *context, const sup_series *s) {
    struct all *all = context;
    if (!sup_list_room(&all->at, all->count, sizeof *all->at)) return !(all->failed = true);
    struct kept *k = &all->at[all->count++];
    *k = (struct kept){.section = s->section, .name = strdup(s->name), .unit = s->unit, .count = s->count};
    k->x = s->x ? copy_reals(s->x, s->count) : NULL;
    k->y = copy_reals(s->y, s->count);
    k->ci = copy_reals(NULL, s->count);
    k->known = copy_reals(NULL, s->count);
    k->curve = s->curve;
    all->failed = !k->name || !k->y || !k->ci || !k->known || (s->x && !k->x);
    for (size_t i = 0; !all->failed && i < s->count; i++) {
        double ci = sup_series_ci(s, i);
        k->known[i] = s->spread ? NAN : ci;
        k->ci[i] = isfinite(ci) ? ci : UNKNOWN_CI * s->y[i];
    }
    return !all->failed;
}

static struct kept *find(struct all *all, const struct kept *like) {
    for (size_t i = 0; i < all->count; i++)
        if (!all->at[i].used && !strcmp(all->at[i].section, like->section) && !strcmp(all->at[i].name, like->name))
            return &all->at[i];
    return NULL;
}

/* ---- one against the other ---- */

struct value {
    double value, low, high;
};

/* What b says about x: its own point there, or its curve inside the measured range. false: nothing. */
static bool at(const struct kept *b, double x, struct value *out) {
    double low = INFINITY, high = 0.0;
    for (size_t i = 0; i < b->count; i++) {
        low = fmin(low, b->x[i]);
        high = fmax(high, b->x[i]);
        if (b->x[i] != x) continue;
        *out = (struct value){b->y[i], b->y[i] - b->ci[i], b->y[i] + b->ci[i]};
        return true;
    }
    if (!b->curve || x < low || x > high) return false;
    sup_prediction p = sup_curve_predict(b->curve, x, 0.95);
    *out = (struct value){p.value, p.low, p.high};
    return isfinite(p.value);
}

/* Differences are relative to the lesser one, of shares (no unit) to the whole. */
static bool is_close(const struct kept *k, double a, double b, double within) {
    return fabs(a - b) <= within * (!*k->unit ? 1.0 : fmin(a, b));
}

static bool differ(const struct kept *k, double y, double ci, const struct value *other, double least) {
    if (y + ci >= other->low && other->high >= y - ci) return false;
    return !is_close(k, y, other->value, least);
}

static void cover(sup_coverage *coverage, double value, double ci, double other) {
    if (!isfinite(ci)) return;
    coverage->intervals++;
    coverage->hold += fabs(other - value) <= TO_90 * ci;
}

/* Points that both were measured at: what lies between points, curves have made. */
static void cover_points(const struct kept *a, const struct kept *b, sup_change *c) {
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            if (a->x && b->x && a->x[i] != b->x[j]) continue;
            cover(&c->in_a, a->y[i], a->known[i], b->y[j]);
            cover(&c->in_b, b->y[j], b->known[j], a->y[i]);
            break;
        }
}

static sup_status compare_curves(const struct kept *a, const struct kept *b, double least, sup_change *c) {
    double *ratios = malloc(a->count * sizeof *ratios);
    if (!ratios) return SUP_ENOMEM;
    size_t off = 0;
    for (size_t i = 0; i < a->count; i++) {
        struct value other;
        if (!at(b, a->x[i], &other)) continue;
        c->compared++;
        c->close += is_close(a, a->y[i], other.value, CLOSE);
        if (!differ(a, a->y[i], a->ci[i], &other, least)) continue;
        ratios[off++] = other.value / a->y[i];
        c->x_low = off == 1 ? a->x[i] : fmin(c->x_low, a->x[i]);
        c->x_high = off == 1 ? a->x[i] : fmax(c->x_high, a->x[i]);
    }
    if (off * CURVE_SHARE > c->compared && (off > 1 || c->compared == 1)) {
        c->changed = off;
        sup_stats_sort(ratios, off);
        c->ratio = ratios[off / 2];
    }
    free(ratios);
    return SUP_OK;
}

static sup_status compare_series(const struct kept *a, const struct kept *b, double least, sup_change *c) {
    if (a->x && b->x) return compare_curves(a, b, least, c);
    struct value other = {b->y[0], b->y[0] - b->ci[0], b->y[0] + b->ci[0]};
    c->compared = 1;
    c->a = a->y[0];
    c->b = b->y[0];
    c->a_ci = a->ci[0];
    c->b_ci = b->ci[0];
    c->close = is_close(a, c->a, c->b, CLOSE);
    c->changed = differ(a, c->a, c->a_ci, &other, least);
    c->ratio = c->b / c->a;
    return SUP_OK;
}

/* The name goes over to the change. */
static sup_change *add(sup_comparison *out, struct kept *from, sup_change_kind kind) {
    sup_change *c = &out->changes[out->count++];
    *c = (sup_change){.kind = kind, .section = from->section, .name = from->name, .unit = from->unit};
    c->ratio = c->a = c->b = c->a_ci = c->b_ci = c->x_low = c->x_high = NAN;
    from->name = NULL;
    return c;
}

static void add_coverage(sup_coverage *sum, sup_coverage more) {
    sum->intervals += more.intervals;
    sum->hold += more.hold;
}

static sup_status compare_all(struct all *a, struct all *b, double least, sup_comparison *out) {
    for (size_t i = 0; i < a->count; i++) {
        struct kept *other = find(b, &a->at[i]);
        sup_change *c = add(out, &a->at[i], other ? SUP_CHANGE_VALUE : SUP_CHANGE_ONLY_A);
        if (!other) continue;
        other->used = true;
        sup_status status = compare_series(&a->at[i], other, least, c);
        if (status) return status;
        out->compared += c->compared;
        out->changed += c->changed;
        out->close += c->close;
        cover_points(&a->at[i], other, c);
        add_coverage(&out->in_a, c->in_a);
        add_coverage(&out->in_b, c->in_b);
    }
    for (size_t i = 0; i < b->count; i++)
        if (!b->at[i].used) add(out, &b->at[i], SUP_CHANGE_ONLY_B);
    return SUP_OK;
}

sup_status sup_compare(const sup_profile *a, const sup_profile *b, double least, sup_comparison *out) {
    struct all of_a = {0}, of_b = {0};
    sup_comparison made = {0};
    sup_status status = SUP_ENOMEM;
    sup_series_each(a, NULL, keep, &of_a);
    sup_series_each(b, NULL, keep, &of_b);
    if (of_a.failed || of_b.failed) goto free_kept;
    made.changes = calloc(of_a.count + of_b.count + 1, sizeof *made.changes);
    if (!made.changes) goto free_kept;
    status = compare_all(&of_a, &of_b, least, &made);
    if (status)
        sup_comparison_free(&made);
    else
        *out = made;
free_kept:
    free_all(&of_b);
    free_all(&of_a);
    return status;
}

void sup_comparison_free(sup_comparison *comparison) {
    for (size_t i = 0; i < comparison->count; i++) free(comparison->changes[i].name);
    free(comparison->changes);
    *comparison = (sup_comparison){0};
}
