/* Which pairs are alike (pair.h): interference, typical pairs, and those that deviate. Tcomm, stage "measure".
 *
 * A class of the topology is a conjecture. Every process takes part in one pair of it (all pairs with `exhaustive`),
 * and a pair that is off the class's median by more than 15 % and more than its interval is looked at once more, alone.
 * If it stays off, its two processes are looked at with others: a process that is off with another partner too is odd
 * in that level; if neither is, the pair is an exception. */
#include "measure/pair/work.h"

#include "base/number/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEVIATES 0.15
#define HARMLESS 0.05
#define LAST 1e3              /* farther off than any pair */
enum { FEW = 64, CURVE = 6 }; /* pairs that are looked at one by one; known sizes that make a curve */

/* Bytes at which pairs are looked at: latency counts at the first, bandwidth at the second. */
static const size_t looks[SUP_PAIR_LOOKS] = {8, 32768};

/* Pairs of one level, or of one round of a tournament, and their times. */
typedef struct screen {
    int count;
    int *pairs;          /* 2 · count */
    sup_timing *timings; /* look · count + pair */
    bool *deviates;
} screen;

static void screen_free(screen *s) {
    free(s->deviates);
    free(s->timings);
    free(s->pairs);
}

static sup_status screen_make(int size, screen *s) {
    size_t room = (size_t)size + 2;
    *s = (screen){.pairs = calloc(room, sizeof *s->pairs)};
    s->timings = calloc(room * SUP_PAIR_LOOKS, sizeof *s->timings);
    s->deviates = calloc(room, sizeof *s->deviates);
    if (s->pairs && s->timings && s->deviates) return SUP_OK;
    screen_free(s);
    return SUP_ENOMEM;
}

/* All pairs, `width` of them at a time. */
static sup_status look_at(sup_pair_work *w, const int *pairs, int count, int width, size_t bytes, sup_timing *out) {
    sup_status status = SUP_OK;
    for (int from = 0; from < count && !status; from += width) {
        int some = count - from < width ? count - from : width;
        sup_trial t = sup_trial_of(SUP_TRIAL_ROUND_TRIP, pairs + 2 * from, some, 2, bytes);
        status = sup_pair_ask(w, &t, "pairs: which are alike", out + from);
    }
    return status;
}

static double relative_ci(const sup_timing *t) { return t->seconds > 0.0 ? t->ci / t->seconds : 0.0; }

/* Does the first pair notice that `width` pairs exchange at the same time? *ratio: the worst of the looks. */
static sup_status notices(sup_pair_work *w, const screen *s, int width, const sup_timing *alone, double *ratio,
                          bool *harmful) {
    sup_timing *together = calloc((size_t)width, sizeof *together);
    if (!together) return SUP_ENOMEM;
    sup_status status = SUP_OK;
    *ratio = 0.0;
    *harmful = false;
    for (int look = 0; look < SUP_PAIR_LOOKS && !status; look++) {
        status = look_at(w, s->pairs, width, width, looks[look], together);
        if (status) break;
        double r = together[0].seconds / alone[look].seconds;
        double allowed = fmax(HARMLESS, relative_ci(&together[0]) + relative_ci(&alone[look]));
        *ratio = fmax(*ratio, r);
        *harmful |= fabs(r - 1.0) > allowed;
    }
    free(together);
    return status;
}

/* How many pairs may exchange side by side. Few are looked at one by one: that disturbs nobody, and the same is asked
 * in every launch. */
static sup_status find_width(sup_pair_work *w, const screen *s, int *width) {
    *width = 1;
    if (s->count < 2) return SUP_OK;
    bool few = s->count <= FEW;
    sup_timing alone[SUP_PAIR_LOOKS];
    sup_status status = SUP_OK;
    for (int look = 0; look < SUP_PAIR_LOOKS && !status; look++)
        status = look_at(w, s->pairs, 1, 1, looks[look], &alone[look]);
    for (int n = s->count; n > 1 && !status; n /= 2) {
        double ratio;
        bool harmful;
        status = notices(w, s, n, alone, &ratio, &harmful);
        if (status) break;
        if (n == s->count) w->interference = isnan(w->interference) ? ratio : fmax(w->interference, ratio);
        if (few) break;
        if (!harmful) {
            *width = n;
            break;
        }
    }
    return status;
}

static double lower_median(double *x, size_t n) {
    sup_stats_sort(x, n);
    return x[(n - 1) / 2];
}

static bool has_curve(const sup_pair_work *w, const int pair[2]) {
    size_t sizes[CURVE];
    sup_trial trial = sup_trial_of(SUP_TRIAL_ROUND_TRIP, pair, 1, 2, 0);
    return sup_lab_known_sizes(w->lab, &trial, sizes, CURVE) == CURVE;
}

/* Sets the class's typical times to the median of the screen's pairs, and finds the pair nearest to them. */
static void find_typical(sup_pair_work *w, const screen *s, int class, double *room) {
    sup_work_class *c = &w->classes[class];
    for (int look = 0; look < SUP_PAIR_LOOKS; look++) {
        size_t n = 0;
        for (int k = 0; k < s->count; k++)
            if (sup_pair_base_class(w, s->pairs[2 * k], s->pairs[2 * k + 1]) == class)
                room[n++] = s->timings[look * s->count + k].seconds;
        if (n == 0) return;
        c->typical[look] = lower_median(room, n);
        c->measured = (int64_t)n;
    }
    double best = INFINITY;
    for (int k = 0; k < s->count; k++) {
        const int *pair = s->pairs + 2 * k;
        if (sup_pair_base_class(w, pair[0], pair[1]) != class) continue;
        double off = 0.0;
        for (int look = 0; look < SUP_PAIR_LOOKS; look++)
            off = fmax(off, fabs(log(s->timings[look * s->count + k].seconds / c->typical[look])));
        bool known = has_curve(w, pair);
        if (known && off < log(1.0 + DEVIATES)) off = -1.0; /* what an earlier launch chose stays */
        if (!known && !w->lab->visit) off += LAST;          /* there is nothing to make its curve of */
        if (off >= best) continue;
        best = off;
        memcpy(c->typical_pair, pair, sizeof c->typical_pair);
    }
}

/* Others of the class, spread over the screen, to compare with the typical pair's curve. */
static void find_others(sup_pair_work *w, const screen *s, int class) {
    sup_work_class *c = &w->classes[class];
    int step = s->count > SUP_PAIR_OTHERS ? s->count / SUP_PAIR_OTHERS : 1;
    for (int k = 0; k < s->count && c->others_count < SUP_PAIR_OTHERS; k += step) {
        const int *pair = s->pairs + 2 * k;
        if (s->deviates[k] || sup_pair_base_class(w, pair[0], pair[1]) != class) continue;
        if (pair[0] == c->typical_pair[0] && pair[1] == c->typical_pair[1]) continue;
        memcpy(c->others[c->others_count++], pair, sizeof c->others[0]);
    }
}

/* How far a pair is off its class: the logarithms of the ratios at the looks. True: beyond chance. */
static bool is_off(const sup_work_class *c, const sup_timing *const timing[SUP_PAIR_LOOKS],
                   double ratio[SUP_PAIR_LOOKS]) {
    bool off = false;
    for (int look = 0; look < SUP_PAIR_LOOKS; look++) {
        double allowed = fmax(DEVIATES, 4.0 * relative_ci(timing[look]));
        ratio[look] = log(timing[look]->seconds / c->typical[look]);
        off |= fabs(ratio[look]) > log(1.0 + allowed);
    }
    return off;
}

/* Measured alone. */
static sup_status look_alone(sup_pair_work *w, const int pair[2], int class, bool *off, double ratio[SUP_PAIR_LOOKS]) {
    sup_timing t[SUP_PAIR_LOOKS];
    const sup_timing *at[SUP_PAIR_LOOKS];
    sup_status status = SUP_OK;
    for (int look = 0; look < SUP_PAIR_LOOKS && !status; look++) {
        status = look_at(w, pair, 1, 1, looks[look], &t[look]);
        at[look] = &t[look];
    }
    if (!status) *off = is_off(&w->classes[class], at, ratio);
    return status;
}

/* The class for pairs that deviate from `base` so: one that exists, or a new one, or the nearest if there are enough.
 */
static int split_for(sup_pair_work *w, int base, const int pair[2], const double ratio[SUP_PAIR_LOOKS]) {
    int nearest = -1, splits = 0;
    double least = INFINITY;
    for (int k = 0; k < w->classes_count; k++) {
        const sup_work_class *c = &w->classes[k], *b = &w->classes[base];
        if (c->split == 0 || c->level != b->level || c->kind_a != b->kind_a || c->kind_b != b->kind_b) continue;
        double distance = 0.0;
        for (int look = 0; look < SUP_PAIR_LOOKS; look++)
            distance = fmax(distance, fabs(log(c->typical[look] / b->typical[look]) - ratio[look]));
        splits++;
        if (distance < least) least = distance, nearest = k;
    }
    if (nearest >= 0 && (least <= log(1.0 + DEVIATES) || splits >= SUP_PAIR_SPLITS)) return nearest;
    if (!w->lab->visit && !has_curve(w, pair)) return nearest >= 0 ? nearest : base; /* nothing is known of it yet */
    int fresh = sup_pair_split(w, base);
    if (fresh < 0) return nearest >= 0 ? nearest : base;
    sup_work_class *c = &w->classes[fresh];
    for (int look = 0; look < SUP_PAIR_LOOKS; look++)
        c->typical[look] = w->classes[base].typical[look] * exp(ratio[look]);
    memcpy(c->typical_pair, pair, sizeof c->typical_pair);
    return fresh;
}

/* Is `rank`, one of a deviating pair, off with another partner too, in the same direction? */
static sup_status is_odd(sup_pair_work *w, const screen *s, int rank, int class, const double seen[SUP_PAIR_LOOKS],
                         bool *odd) {
    *odd = false;
    int level = w->classes[class].level;
    for (int k = 0; k < s->count; k++) {
        for (int end = 0; end < 2 && !s->deviates[k]; end++) {
            int pair[2] = {rank, s->pairs[2 * k + end]};
            if (pair[1] == rank || sup_grouping_level(w->grouping, rank, pair[1]) != level) continue;
            if (sup_pair_base_class(w, pair[0], pair[1]) != class) continue;
            double ratio[SUP_PAIR_LOOKS];
            sup_status status = look_alone(w, pair, class, odd, ratio);
            if (status == SUP_ETIMEOUT) return SUP_OK; /* not known: then the pair is the exception */
            for (int look = 0; look < SUP_PAIR_LOOKS && *odd; look++)
                if (fabs(seen[look]) > log(1.0 + DEVIATES) && seen[look] * ratio[look] <= 0.0) *odd = false;
            return status;
        }
    }
    return SUP_OK;
}

static sup_status judge(sup_pair_work *w, const screen *s, int k) {
    const int *pair = s->pairs + 2 * k;
    int class = sup_pair_base_class(w, pair[0], pair[1]), level = w->classes[class].level;
    bool off, odd[2] = {false, false};
    double ratio[SUP_PAIR_LOOKS];
    sup_status status = look_alone(w, pair, class, &off, ratio);
    if (status || !off) return status;
    for (int end = 0; end < 2 && !status && !w->options.exhaustive; end++)
        status = is_odd(w, s, pair[end], class, ratio, &odd[end]);
    if (status) return status;
    int split = split_for(w, class, pair, ratio);
    if (split == class) return SUP_OK;
    w->classes[split].measured++;
    w->classes[class].measured--;
    if (!odd[0] && !odd[1]) return sup_pair_add_exception(w, pair[0], pair[1], split);
    for (int end = 0; end < 2; end++)
        if (odd[end]) w->odd[level * w->lab->size + pair[end]] = split;
    return SUP_OK;
}

/* Looks at the pairs of a screen, and at those again that are off their class. */
static sup_status screen_run(sup_pair_work *w, screen *s, bool sets_typical) {
    int width;
    sup_status status = find_width(w, s, &width);
    for (int look = 0; look < SUP_PAIR_LOOKS && !status; look++)
        status = look_at(w, s->pairs, s->count, width, looks[look], s->timings + look * s->count);
    if (status) return status;
    double *room = calloc((size_t)s->count + 1, sizeof *room);
    if (!room) return SUP_ENOMEM;
    int classes = w->classes_count;
    for (int c = 0; c < classes && sets_typical; c++)
        if (w->classes[c].split == 0 && w->classes[c].typical[0] == 0.0) find_typical(w, s, c, room);
    free(room);
    for (int k = 0; k < s->count; k++) {
        const sup_timing *t[SUP_PAIR_LOOKS];
        double ratio[SUP_PAIR_LOOKS];
        for (int look = 0; look < SUP_PAIR_LOOKS; look++) t[look] = &s->timings[look * s->count + k];
        int class = sup_pair_base_class(w, s->pairs[2 * k], s->pairs[2 * k + 1]);
        s->deviates[k] = w->classes[class].typical[0] > 0.0 && is_off(&w->classes[class], t, ratio);
    }
    for (int c = 0; c < classes && sets_typical; c++)
        if (w->classes[c].split == 0) find_others(w, s, c);
    for (int k = 0; k < s->count && !status; k++)
        if (s->deviates[k]) status = judge(w, s, k);
    return status;
}

/* Every pair of every level in turn has met: `exhaustive`. Classes have their typical times already. */
static sup_status screen_all(sup_pair_work *w) {
    sup_status status = SUP_OK;
    int size = w->lab->size;
    for (int turn = 0; turn < sup_tournament_rounds(size) && !status; turn++) {
        screen s;
        status = screen_make(size, &s);
        if (status) return status;
        s.count = sup_tournament(size, turn, s.pairs);
        status = screen_run(w, &s, false);
        for (int k = 0; k < s.count && !status; k++)
            w->classes[sup_pair_class_of(w, s.pairs[2 * k], s.pairs[2 * k + 1])].measured++;
        screen_free(&s);
    }
    return status;
}

sup_status sup_pair_screen(sup_pair_work *w) {
    sup_status status = SUP_OK;
    int turns = w->kinds > 1 ? 3 : 1; /* kinds of process meet in other turns */
    for (int level = 1; level < w->grouping->levels && !status; level++)
        for (int turn = 0; turn < turns && !status; turn++) {
            screen s;
            status = screen_make(w->lab->size, &s);
            if (status) return status;
            s.count = sup_grouping_match(w->grouping, level, turn, s.pairs);
            if (s.count > 0) status = screen_run(w, &s, true);
            screen_free(&s);
        }
    if (!status && w->options.exhaustive) {
        for (int c = 0; c < w->classes_count; c++) w->classes[c].measured = 0;
        status = screen_all(w);
    }
    return status;
}
