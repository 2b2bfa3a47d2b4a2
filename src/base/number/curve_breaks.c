/* Where a curve rises: the steps of kernel times at the sizes of caches (BSP §4.3), and the jumps of message times
 * where a library changes its protocol (BSP §5.6). Segments are how a curve is written down, not where it breaks: a
 * gradual step has many, and a line may bend where nothing happens. */
#include "base/number/curve.h"

#include <math.h>
#include <stdbool.h>

#define STEEP 0.1    /* ln y over ln x: 7 % more for twice the size */
#define FLAT_GAP 1.5 /* two rises with less than this factor between them are one */

typedef struct walk {
    sup_break *out;
    size_t count, most;
    double least;
    sup_break now;
    bool open;
} walk;

static void close_rise(walk *w) {
    if (w->open && w->now.after > w->now.before * (1.0 + w->least) && w->count < w->most) w->out[w->count++] = w->now;
    w->open = false;
}

/* The curve goes from one place to the other and is steep. */
static void rise(walk *w, double from, double before, double to, double after) {
    if (w->open && from > w->now.high * FLAT_GAP) close_rise(w);
    if (!w->open) w->now = (sup_break){.low = from, .before = before};
    w->open = true;
    w->now.high = to;
    w->now.after = after;
}

/* A line is steep from where slope·x/y is, which grows with x. */
static void take_line(walk *w, double from, double before, double to, double after) {
    if (!(after > before)) {
        if (after < before * (1.0 - w->least)) close_rise(w);
        return;
    }
    double slope = to > from ? (after - before) / (to - from) : INFINITY, begin = from;
    if (isfinite(slope)) begin = fmax(from, STEEP / (1.0 - STEEP) * (before - slope * from) / slope);
    if (begin < to || from == to) rise(w, begin, isfinite(slope) ? before + slope * (begin - from) : before, to, after);
}

size_t sup_curve_breaks(const sup_curve *curve, double least, sup_break *out, size_t most) {
    walk w = {.out = out, .most = most, .least = least};
    double x = 0.0, y = 0.0;
    for (size_t k = 0; k < curve->count; k++) {
        const sup_segment *s = &curve->segments[k];
        double low = fmax(0.0, s->intercept + s->slope * s->x_lo), high = fmax(0.0, s->intercept + s->slope * s->x_hi);
        if (k > 0) take_line(&w, x, y, s->x_lo, low);
        take_line(&w, s->x_lo, low, s->x_hi, high);
        x = s->x_hi;
        y = high;
    }
    close_rise(&w);
    return w.count;
}

/* Segment k begins a jump: it is a joint, or a gap is behind it. */
static bool jump_at(const sup_curve *curve, size_t k, sup_break *out) {
    const sup_segment *s = &curve->segments[k], *to = s + 1;
    if (k + 1 == curve->count) return false;
    double low = s->x_hi;
    if (k > 0 && s->n == SUP_CURVE_JOINT && s->x_hi == to->x_lo) low = s->x_lo;
    if (low >= to->x_lo) return false;
    *out = (sup_break){low, to->x_lo, s->intercept + s->slope * low, to->intercept + to->slope * to->x_lo};
    return true;
}

size_t sup_curve_jumps(const sup_curve *curve, double least, sup_break *out, size_t most) {
    size_t count = 0;
    for (size_t k = 0; k < curve->count && count < most; k++)
        if (jump_at(curve, k, &out[count]) && out[count].after >= out[count].before * (1.0 + least)) count++;
    return count;
}
