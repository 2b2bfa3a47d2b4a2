/* The model `pair`: heterogeneous Hockney, O, L and B of each pair with the measured curves (BSP §5.6, §8.5). Each
 * process sends its messages one after the other, Σ_j (n·O_ij + n·t_ij(bytes/n)); what arrives is free. */
#include "model/equation/model.h"

typedef struct tally {
    const sup_platform *m;
    sup_terms *t;
    sup_priced priced;
} tally;

static void pair_edge(void *context, const sup_edge *e) {
    tally *y = context;
    sup_terms *t = y->t;
    sup_class_cost room;
    int class;
    if (e->messages <= 0) return;
    const sup_class_cost *c = sup_pair_costs(y->m, e->from, e->to, &room, &class);
    sup_pair_price(y->m, c, class, e->bytes / e->messages, &y->priced);
    double fixed = e->messages * (c->overhead + c->latency), moving = e->messages * y->priced.value;
    t->latency[e->from] += fixed;
    t->bytes[e->from] += moving;
    t->comm_over[e->from] += e->overlap * (fixed + moving);
    t->d_comm[e->from] += e->messages * (y->priced.half + c->d_overhead + c->d_latency);
}

static void pair_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t) {
    tally y = {.m = m, .t = t, .priced = {.class = -1}};
    if (m->pairs) sup_comm_visit(m, step, round, pair_edge, &y);
}

const sup_model sup_model_pair = {
    .name = "pair",
    .summary = "heterogeneous Hockney: O, L, B with measured curves, senders only",
    .phased = true,
    .comp = sup_comp_terms,
    .comm = pair_comm,
    .sync = sup_sync_pair,
};
