/* How the computation of a call site grows with the size of the problem (program/runs.h). Each u(n) is fitted by least
 * squares in units of what launches differ by, neither constant nor slope below zero. A law is said where it goes
 * through all sizes within their intervals, and a simpler one does not, or worse than launches differ; else there is
 * none. Term Tcomp; stage "measure". */
#include "measure/program/runs.h"

#include <math.h>

#define SPREAD 4.0  /* from the least size to the greatest: of less nobody sees how it goes on */
#define VAGUE 0.5   /* of a time: where launches differ by more, no course is seen in them */
#define LEAST 0.01  /* of a time: no interval is narrower, for no machine is the same in the next hour */
#define NORMAL 1.96 /* intervals are of 95 % */
#define TELLS 3.84  /* of the sum of squares: by so much a law must be nearer than a simpler one, in 95 of 100 cases */
enum { SIZES_LEAST = 3 };

/* The simpler first. */
static const int laws[] = {SUP_GROWTH_CONSTANT, SUP_GROWTH_LINEAR,   SUP_GROWTH_N_LOG_N, SUP_GROWTH_SQUARE,
                           SUP_GROWTH_ROOT,     SUP_GROWTH_N_ROOT_N, SUP_GROWTH_CUBE};
enum { LAWS = sizeof laws / sizeof *laws };

typedef struct data {
    const int64_t *n;
    size_t count;
    const double *t;
    double half[SUP_PROGRAM_SIZES_MOST]; /* widths of their intervals */
} data;

typedef struct fitted {
    double fixed, unit, squares;
    bool through; /* all intervals */
} fitted;

static void judge(const data *d, int law, fitted *f) {
    f->through = true;
    for (size_t i = 0; i < d->count; i++) {
        double off = f->fixed + f->unit * sup_growth_units(law, (double)d->n[i]) - d->t[i];
        f->squares += off * off * NORMAL * NORMAL / (d->half[i] * d->half[i]);
        f->through = f->through && fabs(off) <= d->half[i];
    }
}

/* seconds ≈ fixed + unit · u(n), weights 1 / half². */
static fitted fit(const data *d, int law) {
    double w0 = 0, w1 = 0, w2 = 0, y0 = 0, y1 = 0, top = sup_growth_units(law, (double)d->n[d->count - 1]);
    for (size_t i = 0; i < d->count; i++) {
        double u = sup_growth_units(law, (double)d->n[i]) / top, w = 1 / (d->half[i] * d->half[i]);
        w0 += w;
        w1 += w * u;
        w2 += w * u * u;
        y0 += w * d->t[i];
        y1 += w * u * d->t[i];
    }
    double determinant = w0 * w2 - w1 * w1;
    fitted f = {0, y1 / w2, 0, false};
    if (law != SUP_GROWTH_CONSTANT && determinant > 1e-12 * w0 * w2) {
        double fixed = (y0 * w2 - y1 * w1) / determinant, unit = (w0 * y1 - w1 * y0) / determinant;
        if (fixed > 0 && unit > 0) f = (fitted){fixed, unit, 0, false};
    }
    f.unit /= top;
    judge(d, law, &f);
    return f;
}

/* Are there sizes, and launches, by which anything could be told? */
static bool tells(const data *d) {
    if (d->count < SIZES_LEAST || (double)d->n[d->count - 1] < SPREAD * (double)d->n[0]) return false;
    for (size_t i = 0; i < d->count; i++)
        if (d->half[i] > VAGUE * d->t[i]) return false;
    return true;
}

static int find(const data *d, fitted *best) {
    int law = SUP_GROWTH_NONE;
    for (int i = 0; i < LAWS && tells(d); i++) {
        fitted f = fit(d, laws[i]);
        if (!f.through || (law != SUP_GROWTH_NONE && f.squares > best->squares - TELLS)) continue;
        law = laws[i];
        *best = f;
    }
    return law;
}

void sup_program_law(const int64_t *sizes, size_t count, sup_program_site *s) {
    data d = {.n = sizes, .count = count, .t = s->typical};
    fitted best = {0};
    double logs = 0;
    for (size_t i = 0; i < count; i++) {
        d.half[i] = fmax(s->ci[i], LEAST * d.t[i]);
        logs += log(d.t[i]);
    }
    s->law = find(&d, &best);
    s->fixed_s = best.fixed;
    s->unit_s = s->law == SUP_GROWTH_NONE ? exp(logs / (double)count) : best.unit;
    s->error = 0;
    for (size_t i = 0; i < count; i++) {
        double says = s->fixed_s + s->unit_s * sup_growth_units(s->law, (double)sizes[i]);
        s->error = fmax(s->error, fabs(says / d.t[i] - 1));
    }
}
