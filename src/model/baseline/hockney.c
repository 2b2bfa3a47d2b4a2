/* The model `hockney`: α + β·m, one α and one β for all pairs, the messages of a sender in turn. */
#include "model/equation/model.h"

typedef struct tally {
    sup_terms *t;
    sup_pair_average all;
} tally;

static void hockney_edge(void *context, const sup_edge *e) {
    tally *y = context;
    if (e->from == e->to) return;
    double fixed = e->messages * y->all.latency, moving = e->bytes * y->all.per_byte;
    y->t->latency[e->from] += fixed;
    y->t->bytes[e->from] += moving;
    y->t->comm_over[e->from] += e->overlap * (fixed + moving);
    y->t->d_comm[e->from] += y->all.spread * (fixed + moving);
}

static void hockney_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t) {
    if (!m->pairs || !step->flow_count) return;
    tally y = {.t = t, .all = sup_pair_average_of(m)};
    sup_comm_visit(m, step, round, hockney_edge, &y);
}

static sup_status hockney_sync(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    sup_pair_average all = m->pairs ? sup_pair_average_of(m) : (sup_pair_average){0};
    return sup_sync_scalar(m, step, (sup_signal){.gap = all.latency}, all.spread, t, diag);
}

const sup_model sup_model_hockney = {
    .name = "hockney",
    .summary = "one latency and one bandwidth for all pairs",
    .phased = true,
    .comp = sup_comp_terms,
    .comm = hockney_comm,
    .sync = hockney_sync,
};
