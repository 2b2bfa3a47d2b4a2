/* The model `loggp`: L, o, g, G from averages over pairs: o = O_ii, g = O_ij, L = L_ij − 2o, G = B_ij.
 * k messages of m_1 … m_k bytes: 2o + L + (k − 1)·max(g, o) + Σ (m_i − 1)·G (TAU eq. 1, 2). */
#include "model/equation/model.h"

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
    double *out, *in, *bytes_out, *bytes_in, *overlap; /* messages and seconds of each process */
} tally;

static void loggp_edge(void *context, const sup_edge *e) {
    tally *y = context;
    if (e->from == e->to || e->messages <= 0) return;
    double bytes = fmax(0, e->bytes - e->messages) * y->g.per_byte;
    y->out[e->from] += e->messages;
    y->in[e->to] += e->messages;
    y->bytes_out[e->from] += bytes;
    y->bytes_in[e->to] += bytes;
    y->overlap[e->from] = fmax(y->overlap[e->from], e->overlap);
}

/* k messages: the first starts at once, each other one max(g, o) after the one before it. */
static double gaps(const parameters *g, double messages) { return fmax(0, messages - 1) * g->gap; }

/* A process is as long busy as its sends or its receives, whichever are more; one latency and two overheads around. */
static void loggp_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t) {
    if (!m->pairs || !step->flow_count) return;
    parameters g = parameters_of(m);
    tally y = {g, t->scratch[0], t->scratch[1], t->bytes, t->scratch[2], t->comm_over};
    sup_comm_visit(m, step, round, loggp_edge, &y);
    for (int64_t p = 0; p < m->processes; p++) {
        double out = gaps(&g, y.out[p]), in = gaps(&g, y.in[p]);
        bool more = in + y.bytes_in[p] > out + t->bytes[p];
        if (more) t->bytes[p] = y.bytes_in[p];
        t->latency[p] = (more ? in : out) + (y.out[p] > 0 || y.in[p] > 0 ? g.latency + 2 * g.o : 0);
        t->comm_over[p] *= t->latency[p] + t->bytes[p];
        t->d_comm[p] = g.spread * (t->latency[p] + t->bytes[p]);
    }
}

/* A signal takes o + L + o; those that one process sends in a stage leave max(g, o) apart. */
static sup_status loggp_sync(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    parameters g = m->pairs ? parameters_of(m) : (parameters){0};
    sup_signal signal = {.gap = g.gap, .less = g.gap - g.o, .wire = g.latency, .recv = g.o};
    return sup_sync_scalar(m, step, signal, g.spread, t, diag);
}

const sup_model sup_model_loggp = {
    .name = "loggp",
    .summary = "LogGP: latency, overhead, gap, gap per byte",
    .phased = true,
    .comp = sup_comp_terms,
    .comm = loggp_comm,
    .sync = loggp_sync,
};
