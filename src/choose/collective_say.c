/* How a decision about a collective operation says what and why (collective_say.h). Its seconds are of one call, the
 * geometric mean over the sizes that were looked at: so their ratio is the mean gain. */
#include "choose/collective_say.h"

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

/* Geometric mean of one column over sizes; NaN where some size has none. */
typedef enum column { COST, PREDICTED, MEASURED } column;
static double mean_of(const sup_coll_grid *g, const int *choice_at, int one, column what) {
    double sum = 0;
    for (size_t s = 0; s < g->sizes; s++) {
        int k = choice_at ? choice_at[s] : one;
        if (k < 0) return NAN;
        const sup_coll_time *t = &g->at[k].time[s];
        sum += log(what == COST ? t->cost.value : what == PREDICTED ? t->predicted_s : t->measured_s);
    }
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
            double v = said[i] ? NAN : mean_of(g, NULL, (int)i, COST);
            if (v < least) {
                least = v;
                best = (int)i;
            }
        }
        if (best < 0) break;
        said[best] = true;
        if (strcmp(g->at[best].text, d->choice) != 0)
            st = sup_choose_beat(d, g->at[best].text, mean_of(g, NULL, best, PREDICTED),
                                 mean_of(g, NULL, best, MEASURED));
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

sup_status sup_coll_say(sup_plan *plan, const sup_choosing *c, const sup_coll_grid *g, int smaller) {
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
    d->predicted_s = mean_of(g, at, 0, PREDICTED);
    d->otherwise_s = mean_of(g, g->usual, 0, PREDICTED);
    d->measured_s = mean_of(g, at, 0, MEASURED);
    d->measured_otherwise_s = mean_of(g, g->usual, 0, MEASURED);
    sup_status st = sup_choose_where(d, "%s of %" PRId64 " processes over %s", operation, c->processes, c->transport);
    if (!st) st = because(g, d, smaller);
    return st ? st : add_beaten(g, d);
}
