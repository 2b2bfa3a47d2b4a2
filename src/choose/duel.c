/* Confirming what changes a default (decide.h): the two are measured against each other, and what came out is written
 * into the plan. Stage choose, all terms. */
#include "choose/decide.h"

#include <math.h>

sup_choose_duel sup_choose_duel_of(sup_duel_kind kind, int64_t processes, int64_t bytes) {
    return (
        sup_choose_duel){.kind = kind, .processes = processes, .bytes = bytes, .seconds = {NAN, NAN}, .ci = {NAN, NAN}};
}

sup_status sup_choose_confirm(const sup_choosing *c, sup_choose_duel *duels, size_t count, sup_diag *diag) {
    return c->duel && count ? c->duel(c->duel_context, c->transport, duels, count, diag) : SUP_OK;
}

bool sup_choose_duelled(const sup_choose_duel *d) {
    return d->launches >= SUP_EVIDENCE_LAUNCHES && d->seconds[0] > 0 && d->seconds[1] > 0;
}

static sup_prediction side_of(const sup_choose_duel *d, int side) {
    double v = d->seconds[side], half = d->ci[side] >= 0 ? d->ci[side] : v * SUP_CHOOSE_UNSURE;
    return (sup_prediction){v, fmax(0, v - half), v + half};
}

static bool has_won(const sup_choose_duel *d) {
    return sup_choose_duelled(d) && sup_choose_better(side_of(d, 0), side_of(d, 1));
}

bool sup_choose_takes(const sup_choosing *c, const sup_choose_duel *d) {
    return d && sup_choose_duelled(d) ? has_won(d) : c->unconfirmed;
}

sup_status sup_choose_keep_duel(sup_plan_decision *decision, const sup_choose_duel *d, const char *where,
                                const char *choice, const char *otherwise) {
    if (!sup_choose_duelled(d)) return SUP_OK;
    sup_plan_duel *to = SUP_APPEND(&sup_plan_duel_record, decision->duels, decision->duels_count);
    if (!to || sup_record_set_string(&to->where, where) || sup_record_set_string(&to->choice, choice) ||
        sup_record_set_string(&to->otherwise, otherwise))
        return SUP_ENOMEM;
    to->seconds = d->seconds[0];
    to->ci = d->ci[0];
    to->otherwise_s = d->seconds[1];
    to->otherwise_ci = d->ci[1];
    to->launches = d->launches;
    to->won = has_won(d);
    return SUP_OK;
}

sup_status sup_choose_not(sup_plan_decision *decision, const sup_choose_duel *d, const char *proposed, double gain) {
    sup_status st = sup_record_set_string(&decision->proposed, proposed);
    if (st) return st;
    if (d && sup_choose_duelled(d))
        return sup_choose_because(decision,
                                  "kept: %.200s should be %.2f × as fast, but was %.2f × in a duel of %d launches",
                                  proposed, gain, d->seconds[1] / d->seconds[0], d->launches);
    return sup_choose_because(decision, "kept: %.200s should be %.2f × as fast, which no duel has confirmed", proposed,
                              gain);
}
