/* Whose turn it is in a campaign, and for how long (campaign_work.h). Stage "measure", all terms.
 *
 * Who has had least of his share is next; what has not been through its first round counts as if it had had half of
 * that, and what is narrow already gets less. A launch gets what is left of its share, divided by the launches that are
 * still wanted, but no more than some times what starting costs: launches differ more than rounds of one do, so many
 * short ones say more than few long ones. */
#include "measure/campaign_work.h"

#include <math.h>

#define SLICE_S 0.3       /* the least that a launch is given */
#define START_S 0.4       /* what starting costs, until it is known */
#define FIRST_SHARE 0.25  /* of its share, for the first launch: it has everything to ask for */
#define SHORT_S 0.6       /* of a launch after the first round … */
#define STARTS 2.5        /* … or so many times what starting costs */
#define FIRST_S 2.0       /* of a launch of the first round, which goes on where the last one stopped */
#define NARROW_WEIGHT 0.3 /* of its weight, if all is narrow */
#define ENOUGH 0.95       /* of the numbers within what was wanted: that is enough */
#define LAUNCHES 3        /* before an interval is believed */

double sup_campaign_left(const sup_campaign *c) { return c->budget_s - sup_session_spent(c->session); }

static double weight_of(const sup_aim *aim) {
    double narrow = aim->complete ? 1.0 - aim->of->wide : 0.0;
    return aim->weight * (1.0 - (1.0 - NARROW_WEIGHT) * narrow);
}

static bool has_enough(const sup_campaign *c, const sup_aim *aim) {
    return c->options.until > 0.0 && aim->complete && aim->launches >= LAUNCHES && aim->of->wide <= 1.0 - ENOUGH;
}

static bool is_live(const sup_aim *aim) { return !aim->gone && !aim->of->gone; }

/* The transport itself comes before its supersteps and collectives: whether it is there is found out once. */
static bool may_go(const sup_campaign *c, const sup_aim *aim) {
    for (int i = 0; i < c->aim_count; i++) {
        const sup_aim *other = &c->aims[i];
        if (other->of->kind != &sup_target_net || other->launches || !is_live(other)) continue;
        if (aim->of->kind != &sup_target_net && other->of->transport == aim->of->transport) return false;
    }
    return is_live(aim);
}

static double start_of(const sup_aim *aim) { return aim->launches ? aim->start_s : START_S; }

sup_aim *sup_campaign_turn(sup_campaign *c, double *seconds) {
    double sum = 0.0, spent = 0.0, left = sup_campaign_left(c), least = INFINITY;
    bool all_enough = true;
    sup_aim *next = NULL;
    for (int i = 0; i < c->aim_count; i++) {
        sup_aim *aim = &c->aims[i];
        if (!is_live(aim)) continue;
        sum += weight_of(aim);
        spent += aim->spent_s;
        all_enough = all_enough && has_enough(c, aim);
        double had = aim->spent_s / weight_of(aim) * (aim->complete ? 1.0 : 0.5);
        bool fits = left >= start_of(aim) + SLICE_S || !c->launched;
        if (!may_go(c, aim) || has_enough(c, aim) || !fits || had >= least) continue;
        least = had;
        next = aim;
    }
    if (!next || all_enough || left <= 0.0) return NULL;
    double start = start_of(next), share = (left + spent) * weight_of(next) / sum;
    int more = next->wanted - next->launches > 1 ? next->wanted - next->launches : 1;
    double whole = next->launches ? (share - next->spent_s) / more : FIRST_SHARE * share;
    double slice = fmax(whole - start, fmax(SLICE_S, start));
    if (next->launches) slice = fmin(slice, fmax(next->complete ? SHORT_S : FIRST_S, STARTS * start));
    double room = fmax(left - start, SLICE_S);
    if (room - slice < SLICE_S + start && sum <= weight_of(next)) slice = room; /* the last: no time is left over */
    *seconds = fmin(slice, room);
    return next;
}
