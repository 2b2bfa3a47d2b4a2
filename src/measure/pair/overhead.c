/* O_ij (pair.h): the slope of time over the number of minimal messages that are started together. With `exhaustive`, of
 * every pair, not of one a class: all pairs, as many side by side as there are processes, in both directions; a pair
 * that is off the median of its class is looked at alone, and if it stays off its class by more than 15 % and more than
 * its interval, gets a class of its own, with those that deviate alike. Tcomm, stage "measure". */
#include "measure/pair/work.h"

#include "base/number/stats.h"
#include "measure/lab/timing_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEVIATES 0.15

static const int counts[] = {1, 2, 4, 8, 16, 32};
enum { COUNTS = sizeof counts / sizeof counts[0] };

sup_status sup_pair_starts(sup_pair_work *w, const int *pairs, int count, sup_number **out) {
    double x[COUNTS];
    sup_timing *timings = calloc(((size_t)count + 1) * COUNTS, sizeof *timings), *line;
    sup_status status = timings ? SUP_OK : SUP_ENOMEM;
    for (int k = 0; k < count; k++) out[k] = NULL;
    line = timings ? timings + (size_t)count * COUNTS : NULL;
    for (int n = 0; n < COUNTS && !status; n++) {
        sup_trial trial = sup_trial_of(SUP_TRIAL_STARTS, pairs, count, 2, 1);
        trial.number = counts[n];
        x[n] = counts[n];
        status = sup_pair_ask(w, &trial, "pairs: overhead of messages", timings + n * count);
    }
    for (int k = 0; k < count && !status; k++) {
        for (int n = 0; n < COUNTS; n++) line[n] = timings[n * count + k];
        status = sup_timing_line(x, line, COUNTS, NULL, &out[k]);
        if (status == SUP_EINVAL) status = SUP_OK; /* a clock that saw nothing */
    }
    free(timings);
    return status;
}

/* ---- all pairs ---- */

/* O of a pair, the mean of both directions; value 0: not known. */
typedef struct overhead {
    int i, j;
    double value, ci;
} overhead;

/* A class made for pairs that deviate, and what it was made from. */
typedef struct made {
    int class, base;
} made;

typedef struct survey {
    sup_pair_work *work;
    overhead *list;
    size_t count;
    made *made;
    int made_count;
} survey;

/* Both ways, side by side; adds what is found to the list. */
static sup_status survey_turn(survey *s, int *pairs, int count, overhead *into) {
    sup_number **found = calloc((size_t)count, sizeof *found);
    if (!found) return SUP_ENOMEM;
    sup_status status = SUP_OK;
    for (int k = 0; k < count; k++) into[k] = (overhead){.i = pairs[2 * k], .j = pairs[2 * k + 1]};
    for (int way = 0; way < 2 && !status; way++) {
        status = sup_pair_starts(s->work, pairs, count, found);
        for (int k = 0; k < count; k++) {
            if (found[k]) into[k].value += found[k]->value / 2.0;
            if (found[k]) into[k].ci += found[k]->ci / 2.0;
            if (!found[k]) into[k].value = NAN;
            if (found[k])
                sup_pair_each_overhead(s->work, pairs[2 * k], pairs[2 * k + 1], found[k]->value, found[k]->ci);
            free(found[k]);
            int first = pairs[2 * k];
            pairs[2 * k] = pairs[2 * k + 1];
            pairs[2 * k + 1] = first;
        }
    }
    free(found);
    return status;
}

static bool is_off(const overhead *o, double usual) {
    if (!(o->value > 0.0) || !(usual > 0.0)) return false;
    double chance = isfinite(o->ci) ? 4.0 * o->ci / o->value : 0.0;
    return fabs(log(o->value / usual)) > log(1.0 + fmax(DEVIATES, chance));
}

/* The median of a class's pairs; 0: none is known. */
static double median_of(const survey *s, int class, double *room) {
    size_t n = 0;
    for (size_t k = 0; k < s->count; k++)
        if (s->list[k].value > 0.0 && sup_pair_class_of(s->work, s->list[k].i, s->list[k].j) == class)
            room[n++] = s->list[k].value;
    return n > 0 ? sup_stats_median(room, n) : 0.0;
}

/* The class for pairs like `base` but with this O: one that was made, or a new one; the nearest if there are enough. */
static int class_for(survey *s, int base, const overhead *o) {
    sup_pair_work *w = s->work;
    int nearest = -1, splits = 0;
    double least = INFINITY;
    for (int k = 0; k < s->made_count; k++) {
        if (s->made[k].base != base) continue;
        double distance = fabs(log(w->classes[s->made[k].class].overhead->value / o->value));
        splits++;
        if (distance < least) least = distance, nearest = s->made[k].class;
    }
    if (nearest >= 0 && (least <= log(1.0 + DEVIATES) || splits >= SUP_PAIR_SPLITS)) return nearest;
    made *grown = realloc(s->made, ((size_t)s->made_count + 1) * sizeof *grown);
    if (!grown) return -1;
    s->made = grown;
    int fresh = sup_pair_split(w, base);
    if (fresh < 0) return nearest;
    int split = w->classes[fresh].split;
    sup_number *number = sup_record_make(&sup_number_record);
    if (!number) return -1;
    sup_work_class *c = &w->classes[fresh];
    *number = *w->classes[base].overhead;
    number->extra = NULL;
    number->value = o->value;
    number->ci = o->ci;
    number->typical = number->bad = NAN;
    *c = w->classes[base];
    c->split = split;
    c->typical_pair[0] = o->i;
    c->typical_pair[1] = o->j;
    c->others_count = 0;
    c->measured = 0;
    c->overhead = number;
    s->made[s->made_count++] = (made){fresh, base};
    return fresh;
}

/* Looks at a pair alone, and gives it another class if it is off its own. */
static sup_status judge(survey *s, const overhead *seen) {
    sup_pair_work *w = s->work;
    int pair[2] = {seen->i, seen->j}, class = sup_pair_class_of(w, seen->i, seen->j);
    overhead alone;
    if (!w->classes[class].overhead) return SUP_OK;
    sup_status status = survey_turn(s, pair, 1, &alone);
    if (status) return status == SUP_ETIMEOUT ? SUP_OK : status;
    if (!is_off(&alone, w->classes[class].overhead->value)) return SUP_OK;
    int other = class_for(s, class, &alone);
    if (other < 0) return SUP_ENOMEM;
    w->classes[other].measured++;
    w->classes[class].measured--;
    return sup_pair_add_exception(w, seen->i, seen->j, other);
}

static sup_status judge_all(survey *s) {
    int classes = s->work->classes_count;
    double *room = calloc(s->count + 1, sizeof *room), *usual = calloc((size_t)classes, sizeof *usual);
    sup_status status = room && usual ? SUP_OK : SUP_ENOMEM;
    for (int c = 0; c < classes && !status; c++) usual[c] = median_of(s, c, room);
    for (size_t k = 0; k < s->count && !status; k++) {
        int class = sup_pair_class_of(s->work, s->list[k].i, s->list[k].j);
        if (class < classes && is_off(&s->list[k], usual[class])) status = judge(s, &s->list[k]);
    }
    free(usual);
    free(room);
    return status;
}

sup_status sup_pair_overheads(sup_pair_work *w) {
    int size = w->lab->size;
    if (!w->options.exhaustive || size < 2) return SUP_OK;
    survey s = {.work = w, .list = calloc((size_t)size * (size_t)size, sizeof *s.list)};
    int *pairs = calloc((size_t)size + 2, sizeof *pairs);
    sup_status status = s.list && pairs ? SUP_OK : SUP_ENOMEM;
    bool missing = false;
    for (int turn = 0; turn < sup_tournament_rounds(size) && !status; turn++) {
        int count = sup_tournament(size, turn, pairs);
        status = survey_turn(&s, pairs, count, s.list + s.count);
        missing |= status == SUP_ETIMEOUT;
        if (!status) s.count += (size_t)count;
        if (status == SUP_ETIMEOUT) status = SUP_OK;
    }
    if (!status) status = judge_all(&s);
    free(pairs);
    free(s.made);
    free(s.list);
    return status || !missing ? status : SUP_ETIMEOUT;
}
