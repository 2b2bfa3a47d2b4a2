/* How long a generation of launches lasts, and whose turn it is in it (campaign/work.h). Stage "measure", all terms.
 *
 *     generation │ start all │ rates shm Open MPI MPICH rates shm Open MPI MPICH rates … │ end all │ next …
 *
 * The processes of all targets are there side by side, and measure in turns: what comes and goes with time, such as
 * where the host runs a virtual core, meets each launch as it comes, and no launch measures a good or a bad time alone.
 * How memory lies differs between launches, so there are several generations. */
#include "measure/campaign/work.h"

#include <math.h>

#define GENERATIONS 4.0   /* in the usual time; three are needed to decide anything (profile/evidence.h) */
#define DEAR 3.0          /* a generation lasts so many times what starting and ending it costs */
#define LEAST_S 0.2       /* less is not worth a start */
#define TURNS 6.0         /* of each target in a generation, or more … */
#define TURN_PARTS 30.0   /* … of so much of the usual time of a target … */
#define TURN_LEAST_S 0.05 /* … at least */
#define NARROW_WEIGHT 0.4 /* of its turns, if all is narrow */
#define UNFINISHED 0.4    /* what it had counts so much, if its first round was not finished */
#define ENOUGH 0.95       /* of the numbers within what was wanted: that is enough */
#define LAUNCHES 3        /* before an interval is believed */

bool sup_campaign_wants(const sup_campaign *c, const sup_subject *s) {
    bool enough = c->options.until > 0.0 && s->complete && s->launches >= LAUNCHES && s->wide <= 1.0 - ENOUGH;
    return !s->gone && !enough;
}

static int live(const sup_campaign *c) {
    int count = 0;
    for (int i = 0; i < c->subject_count; i++) count += sup_campaign_wants(c, &c->subjects[i]);
    return count;
}

static bool all_complete(const sup_campaign *c) {
    bool all = true;
    for (int i = 0; i < c->subject_count; i++) all &= c->subjects[i].gone || c->subjects[i].complete;
    return all;
}

/* With more time there are more generations, and longer ones. With less there are fewer: a first round takes what it
 * takes (budget.h). */
double sup_campaign_generation_s(const sup_campaign *c) {
    double left = c->budget_s - sup_session_spent(c->session);
    int count = live(c);
    if (!count || left <= 0.0 || (c->launched && left < c->start_s + LEAST_S * count)) return 0.0;
    double usual = sup_budget_part_s(c->processes) * count, times = fmax(1.0, c->budget_s / usual);
    double generations = GENERATIONS * (c->options.until > 0.0 ? times : sqrt(times));
    double each = fmax(c->budget_s / generations, DEAR * c->start_s);
    if (!all_complete(c)) each = fmax(each, usual / GENERATIONS);
    return left / fmax(1.0, round(left / each));
}

double sup_campaign_turn_s(const sup_campaign *c, double seconds) {
    double most = fmin(seconds / live(c) / TURNS, sup_budget_part_s(c->processes) / TURN_PARTS);
    return fmax(TURN_LEAST_S, most);
}

/* What is narrow already gets fewer; a first round that was not finished comes first. */
static double had_of(const sup_subject *s) {
    if (!s->complete) return UNFINISHED * s->used_s;
    return s->used_s / (1.0 - (1.0 - NARROW_WEIGHT) * (1.0 - s->wide));
}

sup_subject *sup_campaign_turn(sup_campaign *c) {
    sup_subject *next = NULL;
    for (int i = 0; i < c->subject_count; i++) {
        sup_subject *s = &c->subjects[i];
        if (s->running && (!next || had_of(s) < had_of(next))) next = s;
    }
    return next;
}
