/* Whose turn it is in a campaign, and for how long (campaign/work.h). Stage "measure", all terms.
 *
 * How well two profiles agree follows the number of launches that a point has seen: who has had fewest is next; what is
 * narrow already gets fewer, and a first round that was not finished comes first. A launch visits every point several
 * times. */
#include "measure/campaign/work.h"

#include <math.h>

#define SLICE_S 0.15      /* the least that a launch is given */
#define START_S 0.4       /* what starting costs, until it is known */
#define FIRST_SHARE 0.5   /* of its share of the time for the first launch, which ends when it was through twice */
#define ROUNDS 6.0        /* of all points in a launch: one shows too little of what differs inside it */
#define DEAR 0.6          /* of what starting costs is measured at least */
#define NARROW_WEIGHT 0.4 /* of its turns, if all is narrow */
#define UNFINISHED 0.25   /* its launches count so much */
#define ENOUGH 0.95       /* of the numbers within what was wanted: that is enough */
#define LAUNCHES 3        /* before an interval is believed */
#define WHOLE 1.1         /* rounds at least */
#define MANY 5.0          /* launches have room in its share of the time, whatever a round takes */

double sup_campaign_left(const sup_campaign *c) { return c->budget_s - sup_session_spent(c->session); }

static bool has_enough(const sup_campaign *c, const sup_subject *s) {
    return c->options.until > 0.0 && s->complete && s->launches >= LAUNCHES && s->wide <= 1.0 - ENOUGH;
}

static double had_of(const sup_subject *s) {
    if (!s->complete) return UNFINISHED * s->launches;
    return s->launches / (1.0 - (1.0 - NARROW_WEIGHT) * (1.0 - s->wide));
}

static double start_of(const sup_subject *s) { return s->launches ? s->start_s : START_S; }

/* What all visits of a round take. */
static double round_of(const sup_subject *s) {
    double sum = 0.0;
    for (size_t i = 0; i < sup_store_count(s->store); i++) {
        const sup_point *p = sup_store_at(s->store, i);
        if (!p->status && p->visit_s > 0.0 && !sup_trial_kinds[p->trial.kind].once) sum += p->visit_s;
    }
    return sum;
}

static double slice_of(const sup_campaign *c, const sup_subject *s, int live) {
    double first = FIRST_SHARE * c->budget_s / live;
    if (!s->complete) return fmax(SLICE_S, first);
    double wanted = fmax(ROUNDS * round_of(s), DEAR * start_of(s));
    return fmax(SLICE_S, fmax(fmin(wanted, c->budget_s / live / MANY), WHOLE * round_of(s)));
}

sup_subject *sup_campaign_turn(sup_campaign *c, double *seconds) {
    double left = sup_campaign_left(c), least = INFINITY;
    int live = 0;
    sup_subject *next = NULL;
    for (int i = 0; i < c->subject_count; i++) {
        sup_subject *s = &c->subjects[i];
        if (s->gone) continue;
        live++;
        bool fits = left >= start_of(s) + SLICE_S || !c->launched;
        if (has_enough(c, s) || !fits || had_of(s) >= least) continue;
        least = had_of(s);
        next = s;
    }
    if (!next || left <= 0.0) return NULL;
    double start = start_of(next), slice = slice_of(c, next, live), room = fmax(left - start, SLICE_S);
    if (room - slice < SLICE_S + start && live == 1) slice = room; /* the last: no time is left over */
    *seconds = fmin(slice, room);
    return next;
}
