/* Collectives of a profile (collectives.h): what is asked of a lab, in which order, and the rows that it becomes. Stage
 * "measure", Tcomm.
 *
 * All operations at one size, then all at the next, in an order in which few sizes reach far: however short the time,
 * every operation has its turn. What is the same schedule is measured once, and is in the rows of all its names. First
 * come three sizes; at one above them only what was NEAR the best of the largest is visited: nobody would choose the
 * others there. If all is wanted, all sizes and segments come, but for what takes FAR times as long. */
#include "measure/collective/work.h"

#include "schedule/digest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 1.5
#define FAR 5.0
#define MIDDLE ((int64_t)4096)
#define LARGE ((int64_t)256 << 10)
#define SEGMENT ((int64_t)64 << 10) /* the usual one */

/* When a size is asked for. */
enum { FIRST, SECOND, DEEP };

typedef struct subject {
    sup_choice choices[SUP_COLLECTIVES_CHOICES];
    int64_t bytes[SUP_COLLECTIVES_SIZES];
    size_t choice_count, size_count;
    uint64_t digest[SUP_COLLECTIVES_CHOICES][SUP_COLLECTIVES_SIZES];  /* 0: like no other */
    sup_timing times[SUP_COLLECTIVES_CHOICES][SUP_COLLECTIVES_SIZES]; /* n 0: not known */
} subject;

typedef struct work {
    sup_lab *lab;
    sup_session *session;
    sup_diag *diag;
    int hosts, *everybody;
    bool missing, deep;
    subject of[SUP_OPERATIONS];
} work;

static int hosts_of(const sup_lab *lab) {
    int most = 0;
    for (int i = 0; i < lab->size && lab->places; i++)
        if (lab->places[i].host > most) most = lab->places[i].host;
    return most + 1;
}

/* ---- asking ---- */

static sup_trial trial_of(const work *w, int operation, size_t c, size_t k, char word[SUP_COLLECTIVE_WORD]) {
    const subject *s = &w->of[operation];
    const sup_collective_case one = {operation, s->choices[c], s->bytes[k]};
    return sup_collective_trial(&one, w->lab->size, w->everybody, false, word);
}

static double best_at(const subject *s, size_t k) {
    double best = INFINITY;
    for (size_t c = 0; c < s->choice_count; c++)
        if (s->times[c][k].n) best = fmin(best, s->times[c][k].seconds);
    return best;
}

/* At the size, or those beside it that are known: how many times the best it takes; 0: nothing is known. */
static double times_best(const subject *s, size_t c, size_t k) {
    return k < s->size_count && s->times[c][k].n ? s->times[c][k].seconds / best_at(s, k) : 0.0;
}

/* The nearest sizes at which it is known, on both sides. */
static double least_beside(const subject *s, size_t c, size_t k) {
    double least = INFINITY;
    for (size_t i = k; i-- > 0;)
        if (s->times[c][i].n) {
            least = fmin(least, times_best(s, c, i));
            break;
        }
    for (size_t i = k + 1; i < s->size_count; i++)
        if (s->times[c][i].n) {
            least = fmin(least, times_best(s, c, i));
            break;
        }
    return least;
}

/* 8 bytes, 4 KB and the largest up to 256 KB; one above them. */
static int turn_of(const subject *s, size_t k) {
    int64_t b = s->bytes[k];
    bool last = k + 1 == s->size_count || s->bytes[k + 1] > LARGE;
    if (!k || b == MIDDLE || (b <= LARGE && last)) return FIRST;
    return b > LARGE && s->bytes[k - 1] <= LARGE ? SECOND : DEEP;
}

/* Another choice before it that is the same schedule there. */
static size_t same_as(const subject *s, size_t c, size_t k) {
    for (size_t other = 0; other < c && s->digest[c][k]; other++)
        if (s->digest[other][k] == s->digest[c][k]) return other;
    return c;
}

static bool is_known(const work *w, const sup_trial *trial) {
    const sup_point *known = sup_store_find(w->lab->store, trial);
    return known && sup_point_known(known);
}

/* Is it worth a visit, if it was not visited before? */
static bool is_wanted(const work *w, const subject *s, size_t c, size_t k) {
    int64_t segment = s->choices[c].segment_bytes;
    if (w->deep) return times_best(s, c, k + 1) <= FAR && (!k || times_best(s, c, k - 1) <= FAR);
    if (segment && segment != SEGMENT) return false;
    if (turn_of(s, k) == FIRST) return true;
    return turn_of(s, k) == SECOND && least_beside(s, c, k) <= NEAR;
}

static sup_status ask(work *w, int operation, size_t c, size_t k) {
    char word[SUP_COLLECTIVE_WORD];
    sup_timing t;
    subject *s = &w->of[operation];
    size_t same = same_as(s, c, k);
    if (same < c) s->times[c][k] = s->times[same][k];
    if (same < c || !sup_collectives_fit(operation, w->lab->size, &s->choices[c], s->bytes[k])) return SUP_OK;
    sup_trial trial = trial_of(w, operation, c, k, word);
    if (!is_known(w, &trial) && !is_wanted(w, s, c, k)) return SUP_OK;
    sup_status status = sup_lab_ask(w->lab, w->session, "collectives", &trial, w->diag, &t);
    w->missing |= status == SUP_ETIMEOUT && w->lab->visit;
    if (!status) s->times[c][k] = t;
    return status == SUP_ETIMEOUT || status == SUP_ENOTSUP ? SUP_OK : status;
}

/* Sizes of one turn, of all operations. */
static sup_status ask_turn(work *w, int turn) {
    sup_status status = SUP_OK;
    for (size_t k = 0; k < SUP_COLLECTIVES_SIZES && !status; k++)
        for (int o = 0; o < SUP_OPERATIONS && !status; o++) {
            const subject *s = &w->of[o];
            bool now = k < s->size_count && turn_of(s, k) == turn;
            for (size_t c = 0; c < s->choice_count && now && !status; c++) status = ask(w, o, c, k);
        }
    return status;
}

/* However short the time of a launch is, something has been visited in it. */
static sup_status visit_one(work *w) {
    char word[SUP_COLLECTIVE_WORD];
    if (!w->lab->visit || !w->of[0].choice_count || sup_store_count(w->lab->store)) return SUP_OK;
    sup_trial trial = trial_of(w, 0, 0, 0, word);
    sup_point *p = sup_store_get(w->lab->store, &trial);
    return p ? sup_lab_visit(w->lab, w->session, p, w->diag) : SUP_ENOMEM;
}

/* ---- rows ---- */

static sup_collective_time *row_of(const work *w, sup_profile *profile, int operation, const char *algorithm) {
    for (size_t i = 0; i < profile->collectives_count; i++) {
        sup_collective_time *r = &profile->collectives[i];
        bool same = !strcmp(r->transport, w->lab->transport) && !strcmp(r->algorithm, algorithm) &&
                    !strcmp(r->operation, sup_operation_names[operation]);
        if (!same || r->processes != w->lab->size || r->hosts != w->hosts) continue;
        sup_record_clear(&sup_collective_time_record, r);
        return r;
    }
    return SUP_APPEND(&sup_collective_time_record, profile->collectives, profile->collectives_count);
}

static sup_status keep(const work *w, int operation, size_t c, sup_profile *profile) {
    const subject *s = &w->of[operation];
    int64_t bytes[SUP_COLLECTIVES_SIZES] = {0};
    double seconds[SUP_COLLECTIVES_SIZES] = {0}, ci[SUP_COLLECTIVES_SIZES] = {0}, typical[SUP_COLLECTIVES_SIZES] = {0};
    char text[SUP_CHOICE_TEXT];
    size_t n = 0;
    for (size_t k = 0; k < s->size_count; k++) {
        const sup_timing *t = &s->times[c][k];
        if (!t->n) continue;
        bytes[n] = s->bytes[k];
        seconds[n] = t->seconds;
        typical[n] = t->typical;
        ci[n++] = isfinite(t->ci) ? t->ci : t->seconds; /* of one launch nothing is known about the next */
    }
    if (!n) return SUP_OK;
    sup_collective_time *r = row_of(w, profile, operation, sup_choice_text(&s->choices[c], text));
    if (!r) return SUP_ENOMEM;
    sup_status status = sup_record_set_string(&r->transport, w->lab->transport);
    if (!status) status = sup_record_set_string(&r->operation, sup_operation_names[operation]);
    if (!status) status = sup_record_set_string(&r->algorithm, text);
    r->processes = w->lab->size;
    r->hosts = w->hosts;
    if (!status) status = sup_record_set_ints(&r->bytes, &r->bytes_count, bytes, n);
    if (!status) status = sup_record_set_reals(&r->seconds, &r->seconds_count, seconds, n);
    if (!status) status = sup_record_set_reals(&r->ci, &r->ci_count, ci, n);
    return status ? status : sup_record_set_reals(&r->typical, &r->typical_count, typical, n);
}

static void find_digests(work *w, int operation) {
    subject *s = &w->of[operation];
    for (size_t c = 0; c < s->choice_count; c++)
        for (size_t k = 0; k < s->size_count; k++) {
            const sup_choice *choice = &s->choices[c];
            bool fits = sup_collectives_fit(operation, w->lab->size, choice, s->bytes[k]);
            sup_job job = sup_collectives_job(operation, w->lab->size, choice, s->bytes[k]);
            s->digest[c][k] = fits && !choice->hosts ? sup_schedule_digest(choice->algorithm, &job) : 0;
        }
}

static sup_status ask_all(work *w, sup_profile *profile) {
    for (int o = 0; o < SUP_OPERATIONS; o++) {
        w->of[o].choice_count = sup_collectives_choices(o, w->lab->size, w->hosts, w->of[o].choices);
        w->of[o].size_count = sup_collectives_sizes(o, w->lab->size, w->of[o].bytes);
        find_digests(w, o);
    }
    sup_status status = visit_one(w);
    for (int turn = FIRST; turn <= (w->deep ? DEEP : SECOND) && !status; turn++) status = ask_turn(w, turn);
    for (int o = 0; o < SUP_OPERATIONS; o++)
        for (size_t c = 0; c < w->of[o].choice_count && !status; c++) status = keep(w, o, c, profile);
    return status;
}

sup_status sup_measure_collectives(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2) return SUP_OK;
    work *w = calloc(1, sizeof *w);
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    sup_status status = w && everybody ? SUP_OK : SUP_ENOMEM;
    if (!status) {
        w->lab = lab;
        w->session = session;
        w->diag = diag;
        w->hosts = hosts_of(lab);
        w->everybody = everybody;
        w->deep = sup_lab_is_deep(lab, SUP_MEASURE_COLLECTIVES);
        status = ask_all(w, profile);
        if (!status && w->missing) status = SUP_ETIMEOUT;
    }
    free(everybody);
    free(w);
    return status == SUP_ENOMEM ? sup_diag_set(diag, status, NULL, 0, "out of memory") : status;
}
