/* Decides how processes learn over messages how many of them are still coming (Tsync): the algorithms of
 * bsp/message/count.c as model/sync/counts.c prices them. Over shared memory there is nothing to count. */
#include "choose/decide.h"
#include "model/sync/sync.h"

#include <inttypes.h>
#include <math.h>

enum { MOST = 16 };

static sup_status price(const sup_platform *m, const char *word, sup_diag *diag, sup_prediction *out) {
    sup_terms t;
    sup_status st = sup_terms_open(m->processes, diag, &t);
    if (st) return st;
    sup_terms_clear(&t);
    st = sup_sync_add_counts(m, word, &t, diag);
    if (!st) *out = sup_sync_longest(&t);
    sup_terms_close(&t);
    return st;
}

static sup_status add_row(sup_plan *plan, int64_t processes, const char *word) {
    sup_plan_bsp *bsp = sup_choose_bsp(plan);
    if (!bsp) return SUP_ENOMEM;
    sup_plan_counts_row *row = SUP_APPEND(&sup_plan_counts_row_record, bsp->counts, bsp->counts_count);
    if (!row) return SUP_ENOMEM;
    row->processes_from = processes;
    row->processes_to = processes + 1;
    return sup_record_set_string(&row->algorithm, word);
}

/* best: what is taken, or kept; proposed: what the model has for the best; duel: the two, if they differ. */
static sup_status say(const sup_choosing *c, sup_plan *plan, size_t best, size_t usual, size_t proposed,
                      const sup_prediction *cost, const sup_choose_duel *duel) {
    const char *choice = sup_sync_counts_word(best), *otherwise = sup_sync_counts_word(usual);
    sup_plan_decision *d = sup_choose_say(plan, "counts", choice, otherwise);
    sup_status st = d ? SUP_OK : SUP_ENOMEM;
    if (st) return st;
    d->predicted_s = cost[best].value;
    d->otherwise_s = cost[usual].value;
    if (proposed != usual) sup_choose_gain(d, cost[proposed], cost[usual]);
    st = sup_choose_where(d, "%" PRId64 " processes over %s", c->processes, c->transport);
    if (!st && proposed != usual) st = sup_choose_keep_duel(d, duel, NULL, sup_sync_counts_word(proposed), otherwise);
    if (!st && best != proposed)
        st = sup_choose_not(d, duel, sup_sync_counts_word(proposed), cost[usual].value / cost[proposed].value);
    else if (!st && best == usual)
        st = sup_choose_because(d, "kept: no other is predicted to be faster beyond its interval (%.3g to %.3g µs)",
                                1e6 * cost[usual].low, 1e6 * cost[usual].high);
    if (!st && best != usual)
        st = sup_choose_because(d, "%.2f × as fast as what holds without a plan, and the intervals do not meet",
                                cost[usual].value / cost[best].value);
    const char *word;
    for (size_t i = 0; !st && (word = sup_sync_counts_word(i)); i++)
        if (i != best && isfinite(cost[i].value)) st = sup_choose_beat(d, word, cost[i].value, NAN);
    return st;
}

static sup_status decide(const sup_choosing *c, sup_plan *plan, sup_diag *diag) {
    const sup_platform *m = c->platform;
    sup_prediction cost[MOST];
    size_t usual = MOST, best = MOST, count = 0;
    if (sup_platform_shared_memory(m) || c->processes < 2 || !m->pairs) return SUP_OK;
    const char *word, *without = sup_plan_find_counts(NULL, c->processes);
    for (; count < MOST && (word = sup_sync_counts_word(count)); count++) {
        sup_status st = price(m, word, diag, &cost[count]);
        if (st == SUP_ENOMEM) return st;
        if (st) cost[count] = (sup_prediction){NAN, NAN, NAN};
        if (!strcmp(word, without)) usual = best = count;
    }
    if (usual == MOST || !(cost[usual].value > 0)) return SUP_OK;
    for (size_t i = 0; i < count; i++)
        if (sup_choose_better(cost[i], cost[usual]) && cost[i].value < cost[best].value) best = i;
    size_t proposed = best;
    sup_choose_duel duel = sup_choose_duel_of(SUP_DUEL_STEP, c->processes, 0);
    duel.side[0].counts = sup_sync_counts_word(proposed);
    duel.side[1].counts = sup_sync_counts_word(usual);
    sup_status st = proposed == usual ? SUP_OK : sup_choose_confirm(c, &duel, 1, diag);
    if (proposed != usual && !sup_choose_takes(c, &duel)) best = usual;
    if (!st && best != usual) st = add_row(plan, c->processes, sup_sync_counts_word(best));
    return st ? st : say(c, plan, best, usual, proposed, cost, &duel);
}

const sup_decider sup_decider_counts = {.name = "counts",
                                        .help = "how processes learn how many messages are still coming",
                                        .rests = {{"pairs", true}, {"exchanges", true}},
                                        .decide = decide};
