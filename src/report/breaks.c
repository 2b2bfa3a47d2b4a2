/* Where a curve changes its level (breaks.h). A curve is looked at as a row of pieces: its segments, and the gaps
 * between them. */
#include "report/breaks.h"

#include <math.h>

static double line(const sup_file_segment *s, double x) { return s->intercept + s->slope * x; }

/* Piece 2·i is segment i, piece 2·i + 1 the gap behind it. */
static sup_break piece(const sup_file_curve *c, size_t i) {
    const sup_file_segment *s = &c->segments[i / 2], *next = s + i % 2;
    sup_break b = {.low = i % 2 ? s->x_hi : s->x_lo, .high = i % 2 ? next->x_lo : s->x_hi};
    b.before = line(s, b.low);
    b.after = line(next, b.high);
    return b;
}

static double change(const sup_break *b) { return b->before > 0.0 && b->after > 0.0 ? log(b->after / b->before) : 0.0; }

/* 1: it rises by more than SUP_BREAK_LEAST an octave, -1: it falls so, 0: neither. */
static int direction(const sup_break *b) {
    double octaves = b->low > 0.0 ? log2(b->high / b->low) : 0.0, by = change(b);
    if (fabs(by) <= log1p(SUP_BREAK_LEAST) * octaves) return 0;
    return by > 0.0 ? 1 : -1;
}

bool sup_break_next(const sup_file_curve *c, double interval, size_t *at, sup_break *out) {
    size_t pieces = c->segments_count ? 2 * c->segments_count - 1 : 0;
    double least = fmax(SUP_BREAK_LEAST, isfinite(interval) ? 2.0 * interval : 0.0); /* each side has its interval */
    while (*at < pieces) {
        sup_break b = piece(c, (*at)++);
        int way = direction(&b);
        if (!way) continue;
        for (; *at < pieces; (*at)++) {
            sup_break next = piece(c, *at);
            bool touches = next.high <= next.low * 1.001 && fabs(change(&next)) < 0.01;
            if (!touches && direction(&next) != way) break;
            b.high = next.high;
            b.after = next.after;
        }
        if (fabs(change(&b)) <= log1p(least)) continue;
        *out = b;
        return true;
    }
    return false;
}
