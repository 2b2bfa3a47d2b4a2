/* The model `meyer`: the source document's cost functions as they are, eq. 5.4, fig. 6.2 (sync/meyer.c) and fig. 8.9.
 */
#include "model/equation/model.h"

#include <math.h>

typedef struct tally {
    const sup_platform *m;
    sup_terms *t;
    double *latency, *moving; /* of the destination that takes longest so far */
    double *starting;         /* greatest messages·O */
} tally;

/* max over destinations of 2L + (16 + bytes)·B/2, plus max of messages·O. The head is four integers. */
static void meyer_edge(void *context, const sup_edge *e) {
    tally *y = context;
    sup_class_cost c;
    int64_t p = e->from;
    if (p == e->to) return;
    sup_platform_pair(y->m, p, e->to, &c);
    double moving = (16 + e->bytes) * c.per_byte / 2, latency = 2 * c.latency;
    if (latency + moving > y->latency[p] + y->moving[p]) {
        y->latency[p] = latency;
        y->moving[p] = moving;
        y->t->d_comm[p] = 2 * c.d_latency + (16 + e->bytes) * c.d_per_byte / 2;
        y->t->comm_over[p] = e->overlap;
    }
    y->starting[p] = fmax(y->starting[p], e->messages * c.overhead);
}

static void meyer_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t) {
    tally y = {.m = m, .t = t, .latency = t->latency, .moving = t->bytes, .starting = t->scratch[0]};
    if (!m->pairs) return;
    sup_comm_visit(m, step, round, meyer_edge, &y);
    for (int64_t p = 0; p < m->processes; p++) {
        t->latency[p] += y.starting[p];
        t->comm_over[p] *= t->latency[p] + t->bytes[p];
    }
}

const sup_model sup_model_meyer = {
    .name = "meyer",
    .summary = "the source document's cost functions as they are",
    .phased = true,
    .comp = sup_comp_terms,
    .comm = meyer_comm,
    .sync = sup_sync_meyer,
};
