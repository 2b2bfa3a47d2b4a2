/* Pairwise communication (pair.h): the order of asking. BSP §5.6.3; Tcomm, stage "measure".
 *
 * First which pairs are alike, then each class its curve, O, and a few other pairs to compare with it. */
#include "measure/pair/work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DISAGREE 0.10 /* others that are so far off the curve call for more of them */

/* Not known, and no time or no way to find out: what depends on it is left out. */
static bool missing(sup_status status) { return status == SUP_ETIMEOUT; }

/* O_ii: of one process of each kind. */
static sup_status measure_self(sup_pair_work *w, sup_work_class *c) {
    for (int rank = 0; rank < w->lab->size; rank++) {
        if (sup_pair_kind_of(w, rank) != c->kind_a) continue;
        sup_timing t;
        sup_trial trial = sup_trial_of(SUP_TRIAL_EMPTY, &rank, 1, 1, 0);
        trial.number = w->lab->size;
        sup_status status = sup_pair_ask(w, &trial, "pairs: overhead of empty requests", &t);
        if (status) return status;
        c->measured = 1;
        return sup_timing_number(&t, 1.0, &c->overhead);
    }
    return SUP_OK;
}

static sup_status measure_size(sup_pair_work *w, sup_work_class *c, size_t bytes) {
    sup_timing t;
    sup_trial trial = sup_trial_of(SUP_TRIAL_ROUND_TRIP, c->typical_pair, 1, 2, bytes);
    sup_status status = sup_pair_ask(w, &trial, "pairs: time over message size", &t);
    if (!status) sup_sizes_add(&c->sizes, bytes, &t);
    return status;
}

/* Sizes that were chosen before come first; others than this curve's were for something else. */
static sup_status measure_known(sup_pair_work *w, sup_work_class *c) {
    size_t sizes[SUP_SIZES_MAX];
    sup_trial trial = sup_trial_of(SUP_TRIAL_ROUND_TRIP, c->typical_pair, 1, 2, 0);
    size_t count = sup_lab_known_sizes(w->lab, &trial, sizes, SUP_SIZES_MAX);
    sup_status status = SUP_OK;
    for (size_t i = 0; i < count && !status; i++) {
        bool ours = (double)sizes[i] >= c->sizes.low && (double)sizes[i] <= c->sizes.high;
        if (ours) status = measure_size(w, c, sizes[i]);
    }
    return status;
}

static sup_status measure_curve(sup_pair_work *w, sup_work_class *c) {
    sup_status status = SUP_OK;
    for (size_t bytes; !status && (bytes = sup_sizes_next(&c->sizes)) > 0;) status = measure_size(w, c, bytes);
    return missing(status) && !w->lab->visit && c->sizes.count > 1 ? SUP_OK
                                                                   : status; /* it is the curve of what there is */
}

/* Other pairs of the class against the curve of the typical one: three, all eight where they disagree. */
static sup_status compare_others(sup_pair_work *w, sup_work_class *c) {
    static const size_t sizes[] = {8, 1000, 20000, 300000};
    sup_curve *curve;
    if (c->others_count == 0 || sup_sizes_fit(&c->sizes, NULL, &curve)) return SUP_OK;
    sup_status status = SUP_OK;
    for (int k = 0; k < c->others_count && !status; k++) {
        if (k >= 3 && c->disagreement < DISAGREE) break;
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && !status; i++) {
            if ((double)sizes[i] > c->sizes.high) break;
            sup_timing t;
            sup_trial trial = sup_trial_of(SUP_TRIAL_ROUND_TRIP, c->others[k], 1, 2, sizes[i]);
            status = sup_pair_ask(w, &trial, "pairs: others of the class", &t);
            double expected = sup_curve_at(curve, (double)sizes[i]);
            if (!status && expected > 0.0)
                c->disagreement = fmax(c->disagreement, fabs(t.seconds / expected - 1.0) - t.ci / expected);
        }
    }
    sup_curve_free(curve);
    return status;
}

/* ---- the whole ---- */

/* A pair for a class that nobody has looked at. */
static void find_pair(sup_pair_work *w, int class, int *room) {
    sup_work_class *c = &w->classes[class];
    if (c->typical_pair[0] >= 0) return;
    for (int turn = 0; turn < 4; turn++) {
        int count = sup_grouping_match(w->grouping, c->level, turn, room);
        for (int k = 0; k < count; k++) {
            if (sup_pair_base_class(w, room[2 * k], room[2 * k + 1]) != class) continue;
            memcpy(c->typical_pair, room + 2 * k, sizeof c->typical_pair);
            c->measured = 1;
            return;
        }
    }
}

static sup_status measure_class(sup_pair_work *w, int class, int *room) {
    sup_work_class *c = &w->classes[class];
    if (c->level == 0) return c->kind_a == c->kind_b ? measure_self(w, c) : SUP_OK;
    find_pair(w, class, room);
    if (c->typical_pair[0] < 0) return SUP_OK; /* no pair of these kinds in this level */
    sup_status status = measure_known(w, c);
    if (!status) status = measure_curve(w, c);
    sup_status next = sup_pair_starts(w, c->typical_pair, 1, &c->overhead);
    if (!status || missing(status)) status = next ? next : status;
    if (!status) status = compare_others(w, c);
    if (c->disagreement > DISAGREE)
        sup_session_warn(w->session, SUP_WARNING_PAIRS_DIFFER,
                         &(sup_about){.transport = w->lab->transport,
                                      .class = w->grouping->name[c->level],
                                      .number = {c->disagreement}});
    return status;
}

static sup_status measure_classes(sup_pair_work *w) {
    int *room = calloc((size_t)w->lab->size + 2, sizeof *room);
    if (!room) return SUP_ENOMEM;
    sup_status status = SUP_OK;
    bool some_missing = false;
    for (int class = 0; class < w->classes_count && !status; class ++) {
        status = measure_class(w, class, room);
        some_missing |= missing(status);
        if (missing(status)) status = SUP_OK;
    }
    free(room);
    return status ? status : some_missing ? SUP_ETIMEOUT : SUP_OK;
}

sup_status sup_measure_pairs(sup_lab *lab, sup_session *session, const sup_pair_options *options, sup_profile *profile,
                             sup_diag *diag) {
    sup_pair_work w = {.lab = lab, .session = session, .diag = diag, .interference = NAN};
    if (options) w.options = *options;
    w.kinds_of = profile->kinds;
    w.kinds = (int)sup_kinds_count(profile->kinds);
    sup_status status = sup_grouping_make(lab->places, lab->size, diag, &w.grouping);
    if (status) return status;
    status = sup_pair_make_classes(&w);
    if (!status) status = sup_pair_each_start(&w);
    if (!status) status = sup_pair_screen(&w);
    if (!status || missing(status)) {
        sup_status classes = measure_classes(&w);
        status = classes ? classes : status;
    }
    if (!status) status = sup_pair_overheads(&w);
    if (!status || missing(status)) {
        sup_status latencies = sup_pair_each_latencies(&w);
        status = latencies ? latencies : status;
    }
    if (!status || missing(status)) {
        sup_status filled = sup_pair_fill(&w, profile);
        if (filled) status = filled;
    }
    if (status == SUP_ENOMEM) sup_diag_set(diag, status, NULL, 0, "out of memory");
    sup_pair_work_free(&w);
    return status;
}
