/* Signals, asked for and stored (signal.h). Tsync, stage "measure".
 *
 * With s, t, r what a signal takes of its sender, on the way, and of its receiver (lab/signal.c):
 *
 *     two              s + t + r                                    half of the round trip
 *     to k             k·s + t + r + (s + t + r)                    s from the difference to k = 1
 *     to k and back    (k − 1)·(r − s) more, where r > s            r
 *     published to k   w(k) + s + t + k·r                           w: from before the store until the last has read
 *
 * Levels in which nobody has two partners have no slopes: there r and s are the same share of the whole as elsewhere.
 */
#include "measure/sync/signal.h"

#include "measure/pair/class.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 3, FAN_MOST = 8, PUBLISHED = 6 };

typedef struct work {
    sup_lab *lab;
    sup_session *session;
    sup_profile *profile;
    sup_diag *diag;
    sup_grouping *grouping;
    int *ranks; /* who signals, then the partners that it has in a level */
    int partners;
} work;

/* What was found of a level. */
typedef struct level {
    sup_timing two[PAIRS];
    int pairs;
    int fan; /* partners of the two below; 0: there are none */
    sup_timing out, back;
    int readers[PUBLISHED];
    sup_timing published[PUBLISHED];
    int published_count;
} level;

/* The first process that has most partners in the level, and those. */
static void find_fan(work *w, int l) {
    int size = w->lab->size, best = 0, most = -1;
    for (int i = 0; i < size; i++) {
        int count = 0;
        for (int j = 0; j < size; j++) count += i != j && sup_grouping_level(w->grouping, i, j) == l;
        if (count > most) {
            most = count;
            best = i;
        }
    }
    w->ranks[0] = best;
    w->partners = 0;
    for (int d = 1; d < size; d++) {
        int j = (best + d) % size;
        if (sup_grouping_level(w->grouping, best, j) == l) w->ranks[++w->partners] = j;
    }
}

static sup_status ask(const work *w, sup_trial_kind kind, const int *ranks, int group, sup_timing *out) {
    sup_trial trial = sup_trial_of(kind, ranks, 1, group, 0);
    trial.use = 2.0; /* all barriers are made of them */
    return sup_lab_ask(w->lab, w->session, "signals", &trial, w->diag, out);
}

/* Pairs that lie apart from each other: what differs inside a level is averaged. */
static sup_status ask_pairs(const work *w, level *f) {
    int many = w->partners < PAIRS ? w->partners : PAIRS;
    for (int k = 0; k < many; k++) {
        const int pair[2] = {w->ranks[0],
                             w->ranks[1 + (size_t)k * (size_t)(w->partners - 1) / (size_t)(many > 1 ? many - 1 : 1)]};
        sup_status status = ask(w, SUP_TRIAL_SIGNAL, pair, 2, &f->two[k]);
        if (status) return status;
        f->pairs++;
    }
    return SUP_OK;
}

static sup_status ask_level(const work *w, level *f) {
    sup_status status = ask_pairs(w, f);
    int fan = w->partners < FAN_MOST ? w->partners : FAN_MOST;
    if (status || fan < 2) return status;
    status = ask(w, SUP_TRIAL_SIGNAL_OUT, w->ranks, fan + 1, &f->out);
    if (!status) status = ask(w, SUP_TRIAL_SIGNAL_BACK, w->ranks, fan + 1, &f->back);
    if (status) return status;
    f->fan = fan;
    for (int k = 2, last = 0; last < w->partners && f->published_count < PUBLISHED; k *= 2) {
        last = k < w->partners && f->published_count < PUBLISHED - 1 ? k : w->partners;
        status = ask(w, SUP_TRIAL_PUBLISH, w->ranks, last + 1, &f->published[f->published_count]);
        if (status == SUP_ENOTSUP) return SUP_OK; /* they share no memory */
        if (status) return status;
        f->readers[f->published_count++] = last;
    }
    return SUP_OK;
}

/* ---- into the profile ---- */

typedef struct parts {
    double send, travel, receive, whole, ci;
    sup_timing counted;
} parts;

#define SHARE 0.2 /* of the sender, and of the receiver, where no level says */

static parts take_apart(const level *f, const double share[2]) {
    parts p = {0};
    for (int k = 0; k < f->pairs; k++) {
        p.whole += f->two[k].seconds / f->pairs;
        p.ci += f->two[k].ci / f->pairs;
        sup_timing_count(&p.counted, &f->two[k]);
    }
    p.send = share[0] * p.whole;
    p.receive = share[1] * p.whole;
    if (f->fan) {
        double slope = (f->out.seconds - 2 * p.whole) / (f->fan - 1);
        p.send = fmin(fmax(slope, 0), 0.5 * p.whole);
        p.receive = p.send + fmax((f->back.seconds - f->out.seconds) / (f->fan - 1), 0);
        p.receive = fmin(p.receive, p.whole - p.send);
        sup_timing_count(&p.counted, &f->out);
        sup_timing_count(&p.counted, &f->back);
    }
    p.travel = fmax(p.whole - p.send - p.receive, 0);
    return p;
}

static sup_status add_row(const work *w, int l, const level *f, const parts *p) {
    sup_signal_time *s = SUP_APPEND(&sup_signal_record, w->profile->signals, w->profile->signals_count);
    sup_status status = s ? sup_record_set_string(&s->transport, w->lab->transport) : SUP_ENOMEM;
    if (!status) status = sup_record_set_string(&s->class, w->grouping->name[l]);
    if (!status) status = sup_number_new(p->send, p->ci, &p->counted, &s->send_s);
    if (!status) status = sup_number_new(p->travel, p->ci, &p->counted, &s->travel_s);
    if (!status) status = sup_number_new(p->receive, p->ci, &p->counted, &s->receive_s);
    int64_t readers[PUBLISHED];
    double seconds[PUBLISHED], least = p->travel;
    for (int k = 0; k < f->published_count; k++) {
        readers[k] = f->readers[k];
        least = fmax(least, f->published[k].seconds - (p->send + p->travel + f->readers[k] * p->receive));
        seconds[k] = least; /* more readers never take less */
    }
    size_t count = (size_t)f->published_count;
    if (!status && count) status = sup_record_set_ints(&s->readers, &s->readers_count, readers, count);
    if (!status && count) status = sup_record_set_reals(&s->publish_s, &s->publish_s_count, seconds, count);
    return status;
}

static void forget(sup_profile *p, const char *transport) {
    size_t kept = 0;
    for (size_t i = 0; i < p->signals_count; i++) {
        if (!strcmp(p->signals[i].transport, transport))
            sup_record_clear(&sup_signal_record, &p->signals[i]);
        else
            p->signals[kept++] = p->signals[i];
    }
    p->signals_count = kept;
}

/* Shares of the level that has slopes and is nearest, the inner one first. */
static void shares_for(const level *all, int levels, int l, double share[2]) {
    static const double none[2] = {SHARE, SHARE};
    share[0] = share[1] = SHARE;
    for (int far = levels, k = 1; k < levels; k++) {
        if (!all[k].fan || !all[k].pairs || abs(k - l) >= far) continue;
        parts p = take_apart(&all[k], none);
        if (!(p.whole > 0)) continue;
        far = abs(k - l);
        share[0] = p.send / p.whole;
        share[1] = p.receive / p.whole;
    }
}

static sup_status store(const work *w, const level *all) {
    sup_status status = SUP_OK;
    forget(w->profile, w->lab->transport);
    for (int l = 1; l < w->grouping->levels && !status; l++) {
        double share[2];
        if (!all[l].pairs) continue;
        shares_for(all, w->grouping->levels, l, share);
        parts p = take_apart(&all[l], share);
        status = add_row(w, l, &all[l], &p);
    }
    return status;
}

static sup_status ask_levels(work *w, level *all) {
    bool missing = false;
    for (int l = 1; l < w->grouping->levels; l++) {
        find_fan(w, l);
        sup_status status = w->partners ? ask_level(w, &all[l]) : SUP_OK;
        missing |= status == SUP_ETIMEOUT;
        if (status && status != SUP_ETIMEOUT) return status;
    }
    return missing ? SUP_ETIMEOUT : SUP_OK;
}

sup_status sup_measure_signals(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2) return SUP_OK;
    work w = {.lab = lab, .session = session, .profile = profile, .diag = diag};
    sup_status status = sup_grouping_make(lab->places, lab->size, diag, &w.grouping);
    if (status) return status;
    level *all = calloc((size_t)w.grouping->levels, sizeof *all);
    w.ranks = calloc((size_t)lab->size + 1, sizeof *w.ranks);
    if (!all || !w.ranks) status = sup_diag_no_memory(diag);
    if (!status) status = ask_levels(&w, all);
    if (!status || status == SUP_ETIMEOUT) {
        sup_status stored = store(&w, all);
        if (stored) status = sup_diag_set(diag, stored, NULL, 0, "out of memory");
    }
    free(w.ranks);
    free(all);
    sup_grouping_free(w.grouping);
    return status;
}
