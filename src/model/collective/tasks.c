/* Textbook models of collectives: the same stages as the expressions are made of, but a stage lasts as long as its
 * slowest rank, whose messages nobody disturbs. Term Tcomm. */
#include "model/collective/platform.h"

#include <math.h>

#define SPREAD 0.1 /* relative half width that is assumed */

static double task_cost(const sup_collective_platform *c, const sup_task_pricing *p, const sup_stages *s,
                        const sup_task *t) {
    const sup_part *parts = s->parts + t->first;
    double busy = fmax(p->messages(c, parts, t->count, SUP_SEND), p->messages(c, parts, t->count, SUP_RECEIVE));
    for (size_t i = 0; i < t->count; i++) {
        double bytes = (double)parts[i].bytes, n = (double)parts[i].count;
        if (parts[i].kind == SUP_COPY) busy += n * p->copy(c, bytes);
        if (parts[i].kind == SUP_FOLD && c->costs->fold) busy += n * c->costs->fold(c->costs, bytes, 1);
    }
    return busy;
}

static double stage_cost(const sup_collective_platform *c, const sup_task_pricing *p, const sup_stages *s,
                         const sup_stage *stage) {
    double most = 0;
    for (int64_t at = stage->first; at >= 0; at = s->stage_crews[at].next) {
        const sup_crew *crew = &s->crews[s->stage_crews[at].crew];
        for (size_t i = 0; i < crew->count; i++)
            most = fmax(most, task_cost(c, p, s, &s->tasks[s->members[crew->first + i].task]));
    }
    return most + stage->signals * p->signal(c);
}

/* Does anybody fold; which channels do messages use? */
static void needs(const sup_stages *s, bool *folds, bool channel[2]) {
    for (size_t i = 0; i < s->parts_count; i++) {
        const sup_part *p = &s->parts[i];
        if (p->kind == SUP_FOLD) *folds = true;
        if (p->kind == SUP_SEND || p->kind == SUP_RECEIVE) channel[p->channel] = true;
        if (p->kind == SUP_COPY) channel[0] = true;
    }
}

static sup_status check(const sup_collective_platform *c, const sup_task_pricing *p, const sup_stages *s,
                        sup_diag *diag) {
    bool folds = false, channel[2] = {false, false};
    needs(s, &folds, channel);
    for (int k = 0; k < 2; k++) {
        bool known = p->needs_links ? c->links[k].known : sup_taulop_channel_of(c->costs, k) != NULL;
        if (channel[k] && !known)
            return sup_diag_set(diag, SUP_ENOENT, NULL, 0,
                                "model %s needs %s %s over %s, which the profile does not have", p->name,
                                p->needs_links ? "pairs" : "a τ-Lop channel", k ? "between nodes" : "inside a node",
                                c->transport);
    }
    if (folds && !c->costs->fold)
        return sup_diag_set(diag, SUP_ENOENT, NULL, 0, "the profile does not have γ, what reductions take, over %s",
                            c->transport);
    return SUP_OK;
}

sup_status sup_collective_by_tasks(const sup_collective_platform *c, const sup_task_pricing *pricing,
                                   const sup_choice *choice, const sup_job *job, const sup_mapping *mapping,
                                   sup_diag *diag, sup_prediction *out) {
    sup_stages s;
    double seconds = 0;
    sup_status status = sup_stages_make(choice, job, mapping, diag, &s);
    if (status) return status;
    status = check(c, pricing, &s, diag);
    for (size_t i = 0; i < s.stages_count && !status; i++)
        seconds += (double)s.stages[i].times * stage_cost(c, pricing, &s, &s.stages[i]);
    sup_stages_free(&s);
    if (!status) *out = (sup_prediction){seconds, seconds * (1 - SPREAD), seconds * (1 + SPREAD)};
    return status;
}
