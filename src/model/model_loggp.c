/* The model `loggp`: L, o, g, G from averages over pairs: o = O_ii, g = O_ij, L = L_ij − 2o, G = B_ij. */
#include "model/model.h"

#include <math.h>

typedef struct parameters {
    double latency, o, gap, per_byte, spread;
} parameters;

static parameters parameters_of(const sup_platform *m) {
    sup_pair_average s = sup_pair_average_of(m);
    return (parameters){fmax(0, s.latency - 2 * s.self), s.self, fmax(s.overhead, s.self), s.per_byte, s.spread};
}

typedef struct tally {
    parameters g;
    double *gaps_out, *gaps_in, *bytes_out, *bytes_in, *overlap; /* seconds of each process */
} tally;

static void loggp_edge(void *context, const sup_edge *e) {
    tally *y = context;
    if (e->from == e->to) return;
    double gaps = e->messages * y->g.gap, bytes = fmax(0, e->bytes - e->messages) * y->g.per_byte;
    y->gaps_out[e->from] += gaps;
    y->gaps_in[e->to] += gaps;
    y->bytes_out[e->from] += bytes;
    y->bytes_in[e->to] += bytes;
    y->overlap[e->from] = fmax(y->overlap[e->from], e->overlap);
}

/* A process is as long busy as its sends or its receives, whichever are more; one latency and two overheads around. */
static void loggp_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t) {
    if (!m->pairs || !step->flow_count) return;
    parameters g = parameters_of(m);
    tally y = {g, t->scratch[0], t->scratch[1], t->bytes, t->scratch[2], t->comm_over};
    sup_comm_visit(m, step, round, loggp_edge, &y);
    for (int64_t p = 0; p < m->processes; p++) {
        bool busy = y.gaps_out[p] > 0 || y.gaps_in[p] > 0;
        bool in = y.gaps_in[p] + y.bytes_in[p] > y.gaps_out[p] + t->bytes[p];
        if (in) t->bytes[p] = y.bytes_in[p];
        t->latency[p] = (in ? y.gaps_in[p] : y.gaps_out[p]) + (busy ? g.latency + 2 * g.o : 0);
        t->comm_over[p] *= t->latency[p] + t->bytes[p];
        t->d_comm[p] = g.spread * (t->latency[p] + t->bytes[p]);
    }
}

static sup_status loggp_sync(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    parameters g = m->pairs ? parameters_of(m) : (parameters){0};
    return sup_sync_scalar(m, step, (sup_signal){.gap = g.gap, .wire = g.latency, .recv = g.o}, g.spread, t, diag);
}

const sup_model sup_model_loggp = {
    .name = "loggp",
    .summary = "LogGP: latency, overhead, gap, gap per byte",
    .comp = sup_comp_terms,
    .comm = loggp_comm,
    .sync = loggp_sync,
};
