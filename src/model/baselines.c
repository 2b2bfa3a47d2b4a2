/* The models that ours is compared with, all from the same profile:
 *
 *     meyer    the document's cost functions as they are: eq. 5.4, fig. 6.2, fig. 8.9
 *     hockney  α + β·m, one α and β for all pairs, senders in turn
 *     loggp    L, o, g, G: o = O_ii, g = O_ij, L = L_ij − 2o, G = B_ij, averages over pairs
 *     lognp    o(m) + n·l(m) through n memory transfers (TAU §2): parameters of the τ-Lop channels at τ = 1
 *     bsp      w/r + g·h + l, the scalars of bspbench (BSP §3.1) */
#include "model/model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- averages over pairs ---- */

typedef struct scalar {
    double overhead, latency, per_byte, self;
    double spread; /* relative deviation between pairs */
} scalar;

/* Ranks of a large machine are sampled: 64 of them evenly, each with all distances that are powers of two and more. */
static scalar average(const sup_platform *m) {
    scalar s = {.self = sup_platform_self(m, 0)};
    int64_t n = m->processes, i_step = n > 256 ? n / 64 : 1, j_step = n > 256 ? n / 256 : 1, count = 0;
    double squares = 0;
    for (int64_t i = 0; i < n; i += i_step)
        for (int64_t j = 0; j < n; j += j_step) {
            sup_class_cost c;
            if (i == j) continue;
            sup_platform_pair(m, i, j, &c);
            if (!c.known) continue;
            s.overhead += c.overhead;
            s.latency += c.latency;
            s.per_byte += c.per_byte;
            squares += c.latency * c.latency;
            count++;
        }
    if (!count) return s;
    double k = (double)count;
    s.overhead /= k;
    s.latency /= k;
    s.per_byte /= k;
    s.spread = s.latency > 0 ? sqrt(fmax(0, squares / k - s.latency * s.latency)) / s.latency : 0;
    return s;
}

/* ---- accumulation ---- */

typedef struct tally {
    const sup_platform *m;
    sup_terms *t;
    scalar s;
    double *sent, *received, *messages_in; /* scratch */
} tally;

static tally start(const sup_platform *m, sup_terms *t) {
    size_t bytes = (size_t)t->processes * sizeof(double);
    memset(t->latency, 0, bytes);
    memset(t->bytes, 0, bytes);
    memset(t->comm_over, 0, bytes);
    memset(t->d_comm, 0, bytes);
    for (int i = 0; i < 3; i++) memset(t->scratch[i], 0, bytes);
    return (tally){.m = m, .t = t, .sent = t->scratch[0], .received = t->scratch[1], .messages_in = t->scratch[2]};
}

static void visit(const sup_platform *m, const sup_step *step, int64_t round, sup_edge_visit edge, tally *y) {
    for (size_t f = 0; f < step->flow_count; f++)
        for (int64_t p = 0; p < m->processes; p++) sup_flow_visit(&step->flows[f], m->processes, p, round, edge, y);
}

/* ---- meyer: fig. 8.9 ---- */

/* max over destinations of 2L + (16 + bytes)·B/2, plus max of messages·O. The head is four integers. */
static void meyer_edge(void *context, const sup_edge *e) {
    tally *y = context;
    sup_class_cost c;
    if (e->from == e->to) return;
    sup_platform_pair(y->m, e->from, e->to, &c);
    double moving = (16 + e->bytes) * c.per_byte / 2, latency = 2 * c.latency, before;
    before = y->sent[e->from] + y->received[e->from];
    if (latency + moving > before) {
        y->sent[e->from] = latency;
        y->received[e->from] = moving;
        y->t->d_comm[e->from] = 2 * c.d_latency + (16 + e->bytes) * c.d_per_byte / 2;
        y->t->comm_over[e->from] = e->overlap;
    }
    y->messages_in[e->from] = fmax(y->messages_in[e->from], e->messages * c.overhead);
}

static sup_status meyer_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t, sup_diag *diag) {
    (void)diag;
    tally y = start(m, t);
    if (!m->pairs) return SUP_OK;
    visit(m, step, round, meyer_edge, &y);
    for (int64_t p = 0; p < m->processes; p++) {
        t->latency[p] = y.sent[p] + y.messages_in[p];
        t->bytes[p] = y.received[p];
        t->comm_over[p] *= t->latency[p] + t->bytes[p];
    }
    return SUP_OK;
}

static sup_status check_meyer(const sup_platform *m, const sup_step *step, sup_diag *diag) {
    (void)step;
    return sup_platform_need_pairs(m, "meyer", diag);
}

const sup_model sup_model_meyer = {"meyer",     "the source document's cost functions as they are",
                                   check_meyer, sup_comp_terms,
                                   meyer_comm,  sup_sync_meyer};

/* ---- hockney ---- */

static void hockney_edge(void *context, const sup_edge *e) {
    tally *y = context;
    if (e->from == e->to) return;
    double fixed = e->messages * y->s.latency, moving = e->bytes * y->s.per_byte;
    y->t->latency[e->from] += fixed;
    y->t->bytes[e->from] += moving;
    y->t->comm_over[e->from] += e->overlap * (fixed + moving);
    y->t->d_comm[e->from] += y->s.spread * (fixed + moving);
}

static sup_status hockney_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t,
                               sup_diag *diag) {
    (void)diag;
    tally y = start(m, t);
    if (!m->pairs || !step->flow_count) return SUP_OK;
    y.s = average(m);
    visit(m, step, round, hockney_edge, &y);
    return SUP_OK;
}

static sup_status hockney_sync(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t,
                               sup_diag *diag) {
    (void)round;
    scalar s = m->pairs ? average(m) : (scalar){0};
    return sup_sync_scalar(m, step, (sup_signal){.gap = s.latency}, s.spread, t, diag);
}

static sup_status check_hockney(const sup_platform *m, const sup_step *step, sup_diag *diag) {
    (void)step;
    return sup_platform_need_pairs(m, "hockney", diag);
}

const sup_model sup_model_hockney = {"hockney",     "one latency and one bandwidth for all pairs",
                                     check_hockney, sup_comp_terms,
                                     hockney_comm,  hockney_sync};

/* ---- loggp ---- */

typedef struct loggp {
    double latency, o, gap, per_byte, spread;
} loggp;

static loggp loggp_of(const sup_platform *m) {
    scalar s = average(m);
    return (loggp){fmax(0, s.latency - 2 * s.self), s.self, fmax(s.overhead, s.self), s.per_byte, s.spread};
}

static void loggp_edge(void *context, const sup_edge *e) {
    tally *y = context;
    if (e->from == e->to) return;
    y->sent[e->from] += e->messages * y->s.overhead;
    y->received[e->to] += e->messages * y->s.overhead;
    y->t->bytes[e->from] += fmax(0, e->bytes - e->messages) * y->s.per_byte;
    y->messages_in[e->to] += fmax(0, e->bytes - e->messages) * y->s.per_byte;
    y->t->comm_over[e->from] = fmax(y->t->comm_over[e->from], e->overlap);
}

/* A process is as long busy as its sends or its receives, whichever are more; one latency and two overheads around. */
static sup_status loggp_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t, sup_diag *diag) {
    (void)diag;
    tally y = start(m, t);
    if (!m->pairs || !step->flow_count) return SUP_OK;
    loggp g = loggp_of(m);
    y.s = (scalar){.overhead = g.gap, .per_byte = g.per_byte};
    visit(m, step, round, loggp_edge, &y);
    for (int64_t p = 0; p < m->processes; p++) {
        bool busy = y.sent[p] > 0 || y.received[p] > 0, in = y.received[p] + y.messages_in[p] > y.sent[p] + t->bytes[p];
        if (in) t->bytes[p] = y.messages_in[p];
        t->latency[p] = (in ? y.received[p] : y.sent[p]) + (busy ? g.latency + 2 * g.o : 0);
        t->comm_over[p] *= t->latency[p] + t->bytes[p];
        t->d_comm[p] = g.spread * (t->latency[p] + t->bytes[p]);
    }
    return SUP_OK;
}

static sup_status loggp_sync(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t, sup_diag *diag) {
    (void)round;
    loggp g = m->pairs ? loggp_of(m) : (loggp){0};
    return sup_sync_scalar(m, step, (sup_signal){.gap = g.gap, .wire = g.latency, .recv = g.o}, g.spread, t, diag);
}

static sup_status check_loggp(const sup_platform *m, const sup_step *step, sup_diag *diag) {
    (void)step;
    return sup_platform_need_pairs(m, "loggp", diag);
}

const sup_model sup_model_loggp = {"loggp",     "LogGP: latency, overhead, gap, gap per byte",
                                   check_loggp, sup_comp_terms,
                                   loggp_comm,  loggp_sync};

/* ---- lognp ---- */

static const sup_channel *channel_of(const sup_platform *m) {
    for (size_t i = 0; i < m->profile->channels_count; i++) {
        const sup_channel *c = &m->profile->channels[i];
        if (c->transport && !strcmp(c->transport, m->transport) && c->overhead_s && c->overhead_s->curve &&
            c->transfer && c->transfer->rows_count && c->transfer->bytes_count)
            return c;
    }
    return NULL;
}

static double lognp_message(const sup_channel *c, double bytes) {
    const sup_transfer *x = c->transfer;
    size_t k = 0, n = x->bytes_count < x->rows[0].seconds_count ? x->bytes_count : x->rows[0].seconds_count;
    while (k + 1 < n && x->bytes[k + 1] <= bytes) k++;
    double l = x->rows[0].seconds[k];
    if (k + 1 < n && bytes > x->bytes[k])
        l += (bytes - x->bytes[k]) / (x->bytes[k + 1] - x->bytes[k]) * (x->rows[0].seconds[k + 1] - l);
    else if (bytes > x->bytes[k] && x->bytes[k] > 0)
        l *= bytes / x->bytes[k];
    bool once = c->mechanism && (!strcmp(c->mechanism, "single-copy") || !strcmp(c->mechanism, "rdma"));
    return sup_curve_at(c->overhead_s->curve, bytes) + (once ? 1 : 2) * l;
}

static void lognp_edge(void *context, const sup_edge *e) {
    tally *y = context;
    if (e->from == e->to || e->messages <= 0) return;
    double all = e->messages * lognp_message(channel_of(y->m), e->bytes / e->messages),
           fixed = e->messages * y->s.latency;
    y->t->latency[e->from] += fmin(fixed, all);
    y->t->bytes[e->from] += fmax(0, all - fixed);
    y->t->comm_over[e->from] += e->overlap * all;
    y->t->d_comm[e->from] += 0.1 * all;
}

static sup_status lognp_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t, sup_diag *diag) {
    (void)diag;
    tally y = start(m, t);
    if (!m->pairs || !step->flow_count) return SUP_OK;
    y.s.latency = lognp_message(channel_of(m), 0);
    visit(m, step, round, lognp_edge, &y);
    return SUP_OK;
}

static sup_status lognp_sync(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t, sup_diag *diag) {
    (void)round;
    sup_signal s = {.gap = m->processes > 1 ? lognp_message(channel_of(m), 0) : 0};
    return sup_sync_scalar(m, step, s, 0.1, t, diag);
}

static sup_status check_lognp(const sup_platform *m, const sup_step *step, sup_diag *diag) {
    (void)step;
    if (m->processes == 1 || (m->pairs && channel_of(m))) return SUP_OK;
    return sup_diag_set(
        diag, SUP_ENOENT, NULL, 0,
        "model lognp needs the τ-Lop channels o(m) and L(m,1) over %s, which the profile does not have; "
        "`superstep measure --net %s` measures them",
        m->transport, m->transport);
}

const sup_model sup_model_lognp = {"lognp",     "log_nP: n memory transfers, no concurrency",
                                   check_lognp, sup_comp_terms,
                                   lognp_comm,  lognp_sync};

/* ---- classic bsp ---- */

static const sup_classic *classic_of(const sup_platform *m) {
    const sup_classic *best = NULL;
    for (size_t i = 0; i < m->profile->classic_count; i++) {
        const sup_classic *c = &m->profile->classic[i];
        if (!c->transport || strcmp(c->transport, m->transport) != 0 || !c->flops_per_s || !c->word_s || !c->sync_s)
            continue;
        if (!best || llabs(c->processes - m->processes) < llabs(best->processes - m->processes)) best = c;
    }
    return best;
}

static sup_status check_bsp(const sup_platform *m, const sup_step *step, sup_diag *diag) {
    if (!classic_of(m) && m->processes > 1)
        return sup_diag_set(diag, SUP_ENOENT, NULL, 0,
                            "model bsp needs the scalars r, g, l over %s, which the profile does not have; `superstep "
                            "measure --net %s` measures them",
                            m->transport, m->transport);
    for (size_t w = 0; w < step->work_count; w++) {
        const char *kernel = step->works[w].kernel;
        const sup_kernel_profile *k = kernel ? sup_profile_kernel(m->profile, kernel) : NULL;
        if (kernel && (!k || isnan(k->flops_per_unit) || !classic_of(m)))
            return sup_diag_set(diag, SUP_ENOENT, NULL, 0,
                                "model bsp needs r and the flops of a unit of kernel \"%.60s\", which the profile does "
                                "not have; `superstep measure` measures them",
                                kernel);
    }
    return SUP_OK;
}

static sup_status bsp_comp(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    size_t bytes = (size_t)t->processes * sizeof(double);
    const sup_classic *c = classic_of(m);
    (void)diag;
    memset(t->comp, 0, bytes);
    memset(t->comp_over, 0, bytes);
    memset(t->d_comp, 0, bytes);
    for (size_t i = 0; i < step->work_count; i++) {
        const sup_work *w = &step->works[i];
        const sup_kernel_profile *k = w->kernel ? sup_profile_kernel(m->profile, w->kernel) : NULL;
        double unit = k ? k->flops_per_unit / c->flops_per_s->value : m->compute_scale;
        for (int64_t p = 0; p < t->processes; p++)
            t->comp[p] += sup_work_units(w, t->processes, p) * unit / sup_edits_rate(m, p);
    }
    return SUP_OK;
}

static void bsp_edge(void *context, const sup_edge *e) {
    tally *y = context;
    if (e->from == e->to) return;
    y->sent[e->from] += e->bytes;
    y->received[e->to] += e->bytes;
}

static sup_status bsp_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t, sup_diag *diag) {
    (void)diag;
    tally y = start(m, t);
    const sup_classic *c = classic_of(m);
    if (!c || !step->flow_count) return SUP_OK;
    visit(m, step, round, bsp_edge, &y);
    double h = 0;
    for (int64_t p = 0; p < m->processes; p++) h = fmax(h, fmax(y.sent[p], y.received[p]));
    double ci = isnan(c->word_s->ci) ? 0 : c->word_s->ci * m->widen;
    for (int64_t p = 0; p < m->processes; p++) {
        t->bytes[p] = h / 8 * c->word_s->value;
        t->d_comm[p] = h / 8 * ci;
    }
    return SUP_OK;
}

static sup_status bsp_sync_term(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t,
                                sup_diag *diag) {
    (void)round;
    (void)diag;
    const sup_classic *c = classic_of(m);
    bool none = step->sync && !strcmp(step->sync, "none");
    double l = c && m->processes > 1 && !none ? m->sync_factor * c->sync_s->value : 0;
    double ci = c && l > 0 && !isnan(c->sync_s->ci) ? m->sync_factor * c->sync_s->ci * m->widen : 0;
    for (int64_t p = 0; p < m->processes; p++) {
        t->sync[p] = l;
        t->d_sync[p] = ci;
    }
    return SUP_OK;
}

const sup_model sup_model_bsp = {"bsp",        "classic BSP: r, g, l of bspbench", check_bsp, bsp_comp, bsp_comm,
                                 bsp_sync_term};
