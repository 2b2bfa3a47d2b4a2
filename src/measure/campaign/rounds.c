/* The scheduler of visits (rounds.h). Stage "measure". */
#include "measure/campaign/rounds.h"

#include "base/number/random.h"
#include "base/number/stats.h"
#include "profile/evidence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG 2.5       /* times the usual visit: such a point is visited in one round of several */
#define KEPT 0.65      /* of a launch's time for what earlier ones found, and … */
#define KEPT_LATER 0.7 /* … of what is left of it, when sections ask again */
#define OFTEN 2.0      /* use of points that are visited more often */
enum { MOST_OFTEN = 3, CHECKS = 4, CHECKED = 3, RARELY = 32, AGAIN = 5, LOOK_EVERY = 4 };

typedef struct rounds {
    sup_lab *lab;
    sup_session *session;
    sup_diag *diag;
    sup_random random;
    size_t *order; /* of the points of this round: `listed`, some of them more than once */
    size_t listed;
    double *width; /* of every point, when it was last looked at */
    size_t count, room;
    int64_t round;
    double usual_s;   /* of a visit */
    sup_point *watch; /* visited between others, for its share of the time; NULL: none */
    double watched_s;
} rounds;

static bool make_room(rounds *r) {
    r->count = sup_store_count(r->lab->store);
    if (r->count <= r->room) return true;
    size_t room = 2 * r->count;
    size_t *order = realloc(r->order, MOST_OFTEN * room * sizeof *order);
    if (order) r->order = order;
    double *width = realloc(r->width, room * sizeof *width);
    if (width) r->width = width;
    if (!order || !width) return false;
    r->room = room;
    return true;
}

/* What predictions depend on most, and is quick to visit, has several turns in a round. */
static int turns_of(const rounds *r, const sup_point *p) {
    bool often = p->trial.use >= OFTEN && sup_trial_kinds[p->trial.kind].term == 's';
    return often && !(p->visit_s > LONG * r->usual_s) ? MOST_OFTEN : 1;
}

static void shuffle(rounds *r) {
    r->listed = 0;
    for (size_t i = 0; i < r->count; i++)
        for (int k = turns_of(r, sup_store_at(r->lab->store, i)); k > 0; k--) r->order[r->listed++] = i;
    for (size_t i = r->listed; i > 1; i--) {
        size_t other = (size_t)sup_random_below(&r->random, i), kept = r->order[i - 1];
        r->order[i - 1] = r->order[other];
        r->order[other] = kept;
    }
}

/* Those of a kind come one after another, kinds in an order of chance: who is visited among others finds caches and
 * branches full of theirs, and a few batches do not get over that. */
static bool put_kinds_together(rounds *r) {
    int turn[SUP_TRIAL_KINDS];
    size_t *before = malloc((r->listed + 1) * sizeof *before), n = 0;
    if (!before) return false;
    memcpy(before, r->order, r->listed * sizeof *before);
    for (int k = 0; k < SUP_TRIAL_KINDS; k++) turn[k] = k;
    for (int k = SUP_TRIAL_KINDS; k > 1; k--) {
        int other = (int)sup_random_below(&r->random, (uint64_t)k), kept = turn[k - 1];
        turn[k - 1] = turn[other];
        turn[other] = kept;
    }
    for (int k = 0; k < SUP_TRIAL_KINDS; k++)
        for (size_t i = 0; i < r->listed; i++)
            if ((int)sup_store_at(r->lab->store, before[i])->trial.kind == turn[k]) r->order[n++] = before[i];
    free(before);
    return true;
}

/* In how many launches it was visited before this one. */
static size_t launches_of(const sup_point *p) { return p->found[0].launch_count; }

/* A launch may be over before all had their turn: who was visited in fewest of them is first, in the order of chance.
 */
static bool put_rare_first(rounds *r) {
    size_t *chance = malloc((r->listed + 1) * sizeof *chance), most = 0, n = 0;
    if (!chance) return false;
    for (size_t i = 0; i < r->listed; i++) {
        chance[i] = r->order[i];
        size_t launches = launches_of(sup_store_at(r->lab->store, chance[i]));
        if (launches > most) most = launches;
    }
    for (size_t launches = 0; launches <= most; launches++)
        for (size_t i = 0; i < r->listed; i++)
            if (launches_of(sup_store_at(r->lab->store, chance[i])) == launches) r->order[n++] = chance[i];
    free(chance);
    return true;
}

/* The median of what visits take. */
static void find_usual(rounds *r) {
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++) {
        const sup_point *p = sup_store_at(r->lab->store, i);
        if (p->visit_s > 0.0) r->width[n++] = p->visit_s;
    }
    r->usual_s = n ? sup_stats_median(r->width, n) : 0.0;
}

static void find_watch(rounds *r) {
    for (size_t i = 0; i < r->count && !r->watch; i++) {
        sup_point *p = sup_store_at(r->lab->store, i);
        if (sup_trial_kinds[p->trial.kind].share > 0.0 && !p->status) r->watch = p;
    }
}

/* Is it this point's turn? */
static bool is_due(const rounds *r, size_t i) {
    const sup_point *p = sup_store_at(r->lab->store, i);
    if (p->status || p == r->watch || (sup_trial_kinds[p->trial.kind].once && sup_point_known(p))) return false;
    bool check = sup_trial_kinds[p->trial.kind].check;
    if (check && launches_of(p) >= CHECKED) return false;
    if (!p->visits || !(p->visit_s > LONG * r->usual_s)) return true;
    if (r->round == 1 && launches_of(p) < SUP_EVIDENCE_LAUNCHES) return true; /* before that nothing is decided by it */
    double rarely = check ? CHECKS : 1.0;
    int64_t every = (int64_t)fmin(RARELY, ceil(rarely * p->visit_s / (LONG * r->usual_s)));
    return (r->round + (int64_t)i + sup_store_launch(r->lab->store)) % every == 0;
}

static sup_status visit(rounds *r, size_t i, bool *over) {
    char text[96];
    double spent = sup_session_spent(r->session), left = sup_session_left(r->session);
    sup_point *p = sup_store_at(r->lab->store, i);
    *over = left <= 0.0 || (p->visit_s > left && r->round > 2);
    if (*over) return SUP_OK;
    snprintf(text, sizeof text, "round %lld: %s", (long long)r->round + 1, sup_trial_kinds[p->trial.kind].name);
    sup_status status = sup_session_tick(r->session, fmin(0.999, spent / (spent + fmin(left, 1e9))), text);
    return status ? status : sup_lab_visit(r->lab, r->session, p, r->diag);
}

/* What is watched for its share of the time, spread over all of it. */
static sup_status keep_watching(rounds *r) {
    sup_point *p = r->watch;
    if (!p || p->status || sup_session_left(r->session) <= p->visit_s) return SUP_OK;
    if (r->watched_s >= sup_trial_kinds[p->trial.kind].share * sup_session_spent(r->session)) return SUP_OK;
    sup_status status = sup_lab_visit(r->lab, r->session, p, r->diag);
    r->watched_s += p->visit_s;
    return status;
}

static sup_status run_round(rounds *r, bool *over) {
    sup_status status = SUP_OK;
    if (!make_room(r)) return sup_diag_set(r->diag, SUP_ENOMEM, NULL, 0, "out of memory");
    find_usual(r);
    find_watch(r);
    shuffle(r);
    if (!put_kinds_together(r) || (r->round == 1 && !put_rare_first(r)))
        return sup_diag_set(r->diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (size_t i = 0; i < r->listed && !status && !*over; i++) {
        if (is_due(r, r->order[i])) status = visit(r, r->order[i], over);
        if (!status && !*over) status = keep_watching(r);
    }
    return status;
}

/* How wide everything is. Returns the widest. */
static double look(rounds *r) {
    double widest = 0.0;
    sup_store_settle(r->lab->store);
    for (size_t i = 0; i < r->count; i++) {
        const sup_point *p = sup_store_at(r->lab->store, i);
        r->width[i] = p->status || !sup_trial_kinds[p->trial.kind].term ? 0.0 : sup_store_width(r->lab->store, p);
        widest = fmax(widest, r->width[i]);
        r->width[i] *= p->trial.use > 0.0 ? p->trial.use : 1.0;
    }
    return widest;
}

/* One visit more to the fifth that is least certain, by use. */
static sup_status run_again(rounds *r, bool *over) {
    sup_status status = SUP_OK;
    double *sorted = malloc((r->count + 1) * sizeof *sorted);
    if (!sorted) return sup_diag_set(r->diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (size_t i = 0; i < r->count; i++) sorted[i] = r->width[i];
    sup_stats_sort(sorted, r->count);
    double limit = r->count ? sorted[r->count - 1 - r->count / AGAIN] : 0.0;
    free(sorted);
    for (size_t i = 0; i < r->count && !status && !*over; i++) {
        const sup_point *p = sup_store_at(r->lab->store, i);
        if (r->width[i] > limit && p->visit_s <= LONG * r->usual_s) status = visit(r, i, over);
    }
    return status;
}

/* New points may take what is not kept for those that are known. True: all were asked for. */
static sup_status ask_for(rounds *r, sup_rounds_ask *ask, void *context, double kept, bool *all) {
    double left = sup_session_left(r->session);
    r->lab->reserve_s = isinf(left) ? 0.0 : kept * left;
    sup_store_settle(r->lab->store);
    sup_budget_begin(&r->lab->budget);
    sup_status status = ask(context, r->lab, r->session, r->diag);
    r->lab->reserve_s = 0.0;
    *all = (!status || status == SUP_ETIMEOUT) && !r->lab->budget.late;
    return status == SUP_ETIMEOUT ? SUP_OK : status;
}

static bool is_first(const sup_store *store) {
    for (size_t i = 0; i < sup_store_count(store); i++)
        if (sup_point_known(sup_store_at(store, i))) return false;
    return true;
}

sup_status sup_rounds_run(sup_lab *lab, sup_session *session, sup_rounds_ask *ask, void *context,
                          const sup_rounds_end *end, sup_diag *diag, sup_rounds_result *out) {
    rounds r = {.lab = lab,
                .session = session,
                .diag = diag,
                .random = {.state = (uint64_t)sup_store_launch(lab->store)}};
    int64_t ask_at = 2, most = end ? end->most : 0;
    double until = end ? end->until : NAN;
    bool over = false, all;
    *out = (sup_rounds_result){0};
    sup_status status = ask_for(&r, ask, context, is_first(lab->store) ? 0.0 : KEPT, &out->complete);
    over = sup_session_left(session) <= 0.0;
    while (!status && !over) {
        out->rounds = ++r.round;
        status = run_round(&r, &over);
        if (status || over) break;
        bool settled = r.round % LOOK_EVERY == 0 && look(&r) <= until;
        if ((settled || (most && r.round >= most)) && out->complete) break;
        if (r.round % LOOK_EVERY == 0) status = run_again(&r, &over);
        if (status || over || r.round != ask_at) continue;
        ask_at *= 2;
        status = ask_for(&r, ask, context, KEPT_LATER, &all);
        out->complete |= all;
        over = sup_session_left(session) <= 0.0;
    }
    free(r.order);
    free(r.width);
    return status;
}
