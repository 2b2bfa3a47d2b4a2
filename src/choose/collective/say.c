/* How a decision about a collective operation says what and why (collective/say.h). Its seconds are of one call, the
 * geometric mean over the sizes at which both sides are known: so their ratio is the mean gain. */
#include "choose/collective/say.h"

#include "choose/decide.h"
#include "machine/sizes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BEATEN_MOST = 5, SAID_MOST = 5 };

void sup_coll_sentence(const sup_coll_grid *g, const int *choice_at, char text[SUP_COLL_SENTENCE]) {
    size_t used = 0, said = 0;
    text[0] = 0;
    for (size_t from = 0, to; from < g->sizes && used < SUP_COLL_SENTENCE; from = to) {
        char size[32];
        for (to = from + 1; to < g->sizes && choice_at[to] == choice_at[from]; to++) {
        }
        if (said++ == SAID_MOST) {
            snprintf(text + used, SUP_COLL_SENTENCE - used, ", …");
            return;
        }
        const char *name = choice_at[from] < 0 ? "?" : g->at[choice_at[from]].text;
        used += (size_t)snprintf(text + used, SUP_COLL_SENTENCE - used, "%s%s", from ? ", " : "", name);
        if (to < g->sizes && used < SUP_COLL_SENTENCE)
            used += (size_t)snprintf(text + used, SUP_COLL_SENTENCE - used, " to %s",
                                     sup_size_text((size_t)g->total[to - 1], size, sizeof size));
    }
}

typedef enum column { COST, PREDICTED, MEASURED } column;

static double value_at(const sup_coll_grid *g, int candidate, size_t size, column what) {
    if (candidate < 0) return NAN;
    const sup_coll_time *t = &g->at[candidate].time[size];
    return what == COST ? t->cost.value : what == PREDICTED ? t->predicted_s : t->measured_s;
}

/* Geometric means over the sizes at which both are known; NaN: there is none. */
static void means_of(const sup_coll_grid *g, const int *one, const int *other, column what, double *of_one,
                     double *of_other) {
    double sum = 0, others = 0, count = 0;
    for (size_t s = 0; s < g->sizes; s++) {
        double a = value_at(g, one[s], s, what), b = value_at(g, other[s], s, what);
        if (!(a > 0 && b > 0)) continue;
        sum += log(a);
        others += log(b);
        count++;
    }
    *of_one = count > 0 ? exp(sum / count) : NAN;
    *of_other = count > 0 ? exp(others / count) : NAN;
}

/* Over the sizes at which something else is taken, as means_of. */
static void gain_of(const sup_coll_grid *g, sup_plan_decision *d) {
    sup_prediction taken = {0}, usual = {0};
    double count = 0;
    for (size_t s = 0; s < g->sizes; s++) {
        if (g->taken[s] < 0 || g->usual[s] < 0) continue;
        sup_prediction t = g->at[g->taken[s]].time[s].cost, u = g->at[g->usual[s]].time[s].cost;
        if (!(t.low > 0 && u.low > 0)) continue;
        taken = (sup_prediction){taken.value + log(t.value), taken.low + log(t.low), taken.high + log(t.high)};
        usual = (sup_prediction){usual.value + log(u.value), usual.low + log(u.low), usual.high + log(u.high)};
        count++;
    }
    if (!(count > 0)) return;
    sup_choose_gain(d, (sup_prediction){exp(taken.value / count), exp(taken.low / count), exp(taken.high / count)},
                    (sup_prediction){exp(usual.value / count), exp(usual.low / count), exp(usual.high / count)});
}

/* Of one candidate over all sizes; NaN where some size has none. */
static double mean_of(const sup_coll_grid *g, int candidate, column what) {
    double sum = 0;
    for (size_t s = 0; s < g->sizes; s++) sum += log(value_at(g, candidate, s, what));
    return g->sizes ? exp(sum / (double)g->sizes) : NAN;
}

static size_t greatest_gain(const sup_coll_grid *g, double *gain) {
    size_t at = 0;
    *gain = 1;
    for (size_t s = 0; s < g->sizes; s++) {
        if (g->taken[s] < 0) continue;
        double x = g->at[g->usual[s]].time[s].cost.value / g->at[g->taken[s]].time[s].cost.value;
        if (x > *gain) {
            *gain = x;
            at = s;
        }
    }
    return at;
}

/* Single algorithms over all sizes, best first. */
static sup_status add_beaten(const sup_coll_grid *g, sup_plan_decision *d) {
    bool said[64] = {false};
    sup_status st = SUP_OK;
    for (int n = 0; n < BEATEN_MOST && !st; n++) {
        int best = -1;
        double least = INFINITY;
        for (size_t i = 0; i < g->count && i < sizeof said / sizeof *said; i++) {
            double v = said[i] ? NAN : mean_of(g, (int)i, COST);
            if (v < least) {
                least = v;
                best = (int)i;
            }
        }
        if (best < 0) break;
        said[best] = true;
        if (strcmp(g->at[best].text, d->choice) != 0)
            st = sup_choose_beat(d, g->at[best].text, mean_of(g, best, PREDICTED), mean_of(g, best, MEASURED));
    }
    return st;
}

static const char *looked_at(int smaller, char *text, size_t size) {
    text[0] = 0;
    if (smaller)
        snprintf(text, size, "; fewer processes were looked at, too: %d number%s", smaller, smaller == 1 ? "" : "s");
    return text;
}

static sup_status because(const sup_coll_grid *g, sup_plan_decision *d, int smaller) {
    char size[32], others[96];
    double gain;
    size_t at = greatest_gain(g, &gain), measured = 0;
    for (size_t s = 0; s < g->sizes; s++) {
        int k = sup_coll_grid_at(g, s);
        measured += k >= 0 && !isnan(g->at[k].time[s].measured_s);
    }
    return sup_choose_because(
        d, "%.2f × as fast as what holds without a plan at %s (%s), the best of %zu algorithms by %s%s", gain,
        sup_size_text((size_t)g->total[at], size, sizeof size), g->at[sup_coll_grid_at(g, at)].text, g->count,
        measured == g->sizes ? "measurement"
        : measured           ? "measurement and prediction"
                             : "prediction",
        looked_at(smaller, others, sizeof others));
}

bool sup_coll_known(const sup_coll_grid *g) {
    for (size_t s = 0; s < g->sizes; s++)
        if (g->usual[s] >= 0 && g->at[g->usual[s]].time[s].cost.value > 0) return true;
    return false;
}

bool sup_coll_changes(const sup_coll_grid *g) {
    for (size_t s = 0; s < g->sizes; s++)
        if (g->taken[s] >= 0) return true;
    return false;
}

sup_status sup_coll_say_kept(sup_plan *plan, const sup_choosing *c, const char *operations, size_t algorithms,
                             int smaller) {
    static const char same[] = "as without a plan";
    sup_plan_decision *d = sup_choose_say(plan, SUP_COLL_ABOUT, same, same);
    if (!d) return SUP_ENOMEM;
    char others[96];
    sup_status st = sup_choose_where(d, "%s of %" PRId64 " processes over %s", operations, c->processes, c->transport);
    if (st) return st;
    return sup_choose_because(d, "kept: of %zu algorithms none is faster by more than is unknown of it%s", algorithms,
                              looked_at(smaller, others, sizeof others));
}

/* ---- duels ---- */

bool sup_coll_wants(const sup_coll_wanted *w, const sup_coll_grid *g) {
    for (size_t i = 0; i < w->count; i++)
        if (w->changes[i].duel.operation == w->operation && w->changes[i].duel.processes == g->set.processes)
            return true;
    return false;
}

static sup_status keep_duels(sup_plan_decision *d, const sup_coll_wanted *w) {
    sup_status st = SUP_OK;
    for (size_t i = 0; i < w->count && !st; i++) {
        const sup_choose_duel *x = &w->changes[i].duel;
        char where[96], size[32], one[SUP_CHOICE_TEXT], other[SUP_CHOICE_TEXT];
        if (x->operation != w->operation) continue;
        snprintf(where, sizeof where, "%s of %s, %" PRId64 " processes", sup_operation_names[x->operation],
                 sup_size_text((size_t)x->bytes, size, sizeof size), x->processes);
        st = sup_choose_keep_duel(d, x, where, sup_choice_text(&x->side[0].choice, one),
                                  sup_choice_text(&x->side[1].choice, other));
    }
    return st;
}

/* Of what is not taken for the grid's processes: the one that promised most. */
static sup_status propose(const sup_choosing *c, sup_plan_decision *d, const sup_coll_grid *g,
                          const sup_coll_wanted *w) {
    const sup_coll_tie *most = NULL;
    char text[SUP_CHOICE_TEXT + 64], size[32], one[SUP_CHOICE_TEXT];
    for (size_t i = 0; i < w->count; i++) {
        const sup_coll_tie *t = &w->changes[i];
        if (t->duel.operation != w->operation || t->duel.processes != g->set.processes) continue;
        if (!sup_choose_takes(c, &t->duel) && (!most || t->gain > most->gain)) most = t;
    }
    if (!most) return SUP_OK;
    snprintf(text, sizeof text, "%s at %s", sup_choice_text(&most->duel.side[0].choice, one),
             sup_size_text((size_t)g->total[most->at], size, sizeof size));
    if (sup_coll_changes(g)) return sup_record_set_string(&d->proposed, text);
    sup_choose_gain(d, g->at[most->best].time[most->at].cost, g->at[most->usual].time[most->at].cost);
    return sup_choose_not(d, &most->duel, text, most->gain);
}

sup_status sup_coll_say(sup_plan *plan, const sup_choosing *c, const sup_coll_grid *g, int smaller,
                        const sup_coll_wanted *wanted) {
    char sentence[SUP_COLL_SENTENCE], choice[SUP_COLL_SENTENCE + 32], otherwise[SUP_COLL_SENTENCE + 32];
    const char *operation = sup_operation_names[g->set.operation];
    int at[64];
    if (g->sizes > sizeof at / sizeof *at) return SUP_OK;
    for (size_t s = 0; s < g->sizes; s++) at[s] = sup_coll_grid_at(g, s);
    sup_coll_sentence(g, at, sentence);
    snprintf(choice, sizeof choice, "%s: %s", operation, sentence);
    sup_coll_sentence(g, g->usual, sentence);
    snprintf(otherwise, sizeof otherwise, "%s: %s", operation, sentence);
    sup_plan_decision *d = sup_choose_say(plan, SUP_COLL_ABOUT, choice, otherwise);
    if (!d) return SUP_ENOMEM;
    means_of(g, at, g->usual, PREDICTED, &d->predicted_s, &d->otherwise_s);
    means_of(g, at, g->usual, MEASURED, &d->measured_s, &d->measured_otherwise_s);
    if (sup_coll_changes(g)) gain_of(g, d);
    sup_status st = sup_choose_where(d, "%s of %" PRId64 " processes over %s", operation, c->processes, c->transport);
    if (!st && sup_coll_changes(g)) st = because(g, d, smaller);
    if (!st && wanted) st = keep_duels(d, wanted);
    if (!st && wanted) st = propose(c, d, g, wanted);
    return st ? st : add_beaten(g, d);
}
