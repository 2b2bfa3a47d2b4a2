/* The model `taulop`: τ-Lop (TAU §3, PART §5.1) of a superstep. A message inside a host goes through shared memory, T⁰,
 * one between hosts through the network, T¹; a process sends its messages one after the other, the processes of a host
 * share its channels, hosts do not disturb each other, and channels do not interfere (A3).
 *
 *     T^c(m, τ)   of each message, τ the transmissions of its host that are under way on the channel meanwhile
 *
 * Who has less to do leaves the channel to the others (A2): over the time of a process whose messages take l by
 * themselves, τ = Σ_q min(l_q, l) / l on average. A transmission has two ends, and one of them counts: its sender, or,
 * where somebody receives more than anybody sends, its receiver. A process is busy with what it sends or with what it
 * receives, whichever takes longer. */
#include "model/taulop/taulop.h"
#include "model/equation/model.h"

#include <math.h>

#define SPREAD 0.3 /* relative half width that is assumed */

enum { OUT, IN, SIDES };
enum { INSIDE, BETWEEN, CHANNELS };
enum { KINDS = 64 }; /* of processes of a host that have different amounts to do */

typedef struct tally {
    const sup_platform *m;
    sup_terms *t;
    sup_tally *of; /* bytes, far_bytes: seconds that the messages take by themselves inside and between hosts;
                      near_latency: τ of each channel; reach: the first rank of its host */
    const sup_taulop_channel *channel[CHANNELS];
} tally;

static double load_of(const sup_tally *x, int c, int side) {
    return c == INSIDE ? x->bytes[side] : (double)x->far_bytes[side];
}

/* A message of so many bytes, in two parts, with the what-ifs of its pair. */
typedef struct amount {
    double fixed, moving;
} amount;

static amount price(const tally *y, const sup_class_cost *c, double bytes, double tau) {
    const sup_taulop_channel *channel = y->channel[c->network];
    double o = sup_taulop_overhead(channel, bytes), none = fmin(o, sup_taulop_overhead(channel, 0));
    double moving = o - none + sup_taulop_moving(channel, bytes, tau);
    return (amount){none * c->latency_f, moving * c->byte_f};
}

/* ---- how much everybody has to do ---- */

static void count_edge(void *context, const sup_edge *e) {
    tally *y = context;
    sup_class_cost room;
    int class;
    if (e->messages <= 0 || e->from == e->to) return;
    const sup_class_cost *c = sup_pair_costs(y->m, e->from, e->to, &room, &class);
    amount a = price(y, c, e->bytes / e->messages, 1);
    double seconds = e->messages * (a.fixed + a.moving);
    for (int side = 0; side < SIDES; side++) {
        sup_tally *x = &y->of[side == OUT ? e->from : e->to];
        if (c->network)
            x->far_bytes[side] += (float)seconds;
        else
            x->bytes[side] += seconds;
    }
}

/* ---- which host ---- */

/* Hosts of a regular machine are blocks of ranks; of others, who is joined by no network. */
static void find_hosts(const tally *y) {
    const sup_platform *m = y->m;
    for (int64_t p = 0; p < m->processes; p++) {
        int64_t first = m->regular ? p - p % m->per_host : 0;
        while (!m->regular && first < p &&
               ((int64_t)y->of[first].reach != first || m->classes[sup_platform_class(m, first, p)].network))
            first++;
        y->of[p].reach = (float)first;
    }
}

/* Ranks of the host whose first one is given: from it to there, if they say so. */
static int64_t end_of(const sup_platform *m, int64_t first) {
    return m->regular && first + m->per_host < m->processes ? first + m->per_host : m->processes;
}
static bool is_of(const tally *y, int64_t first, int64_t p) { return (int64_t)y->of[p].reach == first; }

/* ---- how many share a channel ---- */

/* Processes of a host by what they have to do; those beyond the first KINDS are taken for the nearest of these. */
typedef struct kinds {
    double load[KINDS], count[KINDS];
    int used;
} kinds;

static void add_kind(kinds *k, double load) {
    int best = -1;
    for (int i = 0; i < k->used; i++)
        if (best < 0 || fabs(k->load[i] - load) < fabs(k->load[best] - load)) best = i;
    bool same = best >= 0 && fabs(k->load[best] - load) <= 1e-6 * load;
    if (!same && k->used < KINDS) {
        best = k->used++;
        k->load[best] = load;
        k->count[best] = 0;
    }
    k->count[best]++;
}

static double sharing(const kinds *k, double load) {
    double tau = 0;
    for (int i = 0; i < k->used; i++) tau += k->count[i] * fmin(1, k->load[i] / load);
    return fmax(1, tau);
}

static const sup_tally *rank_of(const tally *y, int64_t p) {
    return &y->of[*y->m->alike ? sup_regular_of(*y->m->alike, p) : p];
}

/* Inside a host as much is sent as is received: who has most of it has the transmissions. Between hosts the direction
 * counts in which there is more. */
static int owners(const tally *y, int c, int64_t first) {
    double most[SIDES] = {0}, sum[SIDES] = {0};
    for (int64_t p = first, end = end_of(y->m, first); p < end; p++)
        for (int side = 0; side < SIDES && is_of(y, first, p); side++) {
            double load = load_of(rank_of(y, p), c, side);
            most[side] = fmax(most[side], load);
            sum[side] += load;
        }
    const double *by = c == INSIDE ? most : sum;
    return by[IN] > by[OUT] * (1 + 1e-6) ? IN : OUT;
}

static void share_host(const tally *y, int64_t first) {
    int64_t end = end_of(y->m, first);
    for (int c = 0; c < CHANNELS; c++) {
        kinds k = {.used = 0};
        int own = owners(y, c, first);
        for (int64_t p = first; p < end; p++) {
            double load = is_of(y, first, p) ? load_of(rank_of(y, p), c, own) : 0;
            if (load > 0) add_kind(&k, load);
        }
        for (int64_t p = first; p < end; p++) {
            sup_tally *x = &y->of[p];
            if (!is_of(y, first, p)) continue;
            double load = fmax(load_of(x, c, OUT), load_of(x, c, IN));
            if (load > 0) x->near_latency[c] = (float)sharing(&k, load);
        }
    }
}

/* ---- what it takes ---- */

/* A process's own memory is copied twice: into the log and out of it. */
static void to_itself(const tally *y, const sup_edge *e) {
    const sup_taulop_channel *c = y->channel[INSIDE];
    double s = c ? 2 * e->messages * c->transfer(c, e->bytes / e->messages, 1) : 0;
    y->t->bytes[e->from] += s;
    y->t->late_bytes[e->from] += s;
}

static void price_edge(void *context, const sup_edge *e) {
    tally *y = context;
    sup_terms *t = y->t;
    sup_class_cost room;
    int class;
    if (e->messages <= 0) return;
    if (e->from == e->to) {
        to_itself(y, e);
        return;
    }
    const sup_class_cost *c = sup_pair_costs(y->m, e->from, e->to, &room, &class);
    double bytes = e->bytes / e->messages;
    amount out = price(y, c, bytes, (double)y->of[e->from].near_latency[c->network]);
    amount in = price(y, c, bytes, (double)y->of[e->to].near_latency[c->network]);
    t->latency[e->from] += e->messages * out.fixed;
    t->bytes[e->from] += e->messages * out.moving;
    t->late_latency[e->to] += e->messages * in.fixed;
    t->late_bytes[e->to] += e->messages * in.moving;
    t->comm_over[e->from] += e->overlap * e->messages * (out.fixed + out.moving);
}

static void longer_side(sup_terms *t, int64_t p) {
    double out = t->latency[p] + t->bytes[p], in = t->late_latency[p] + t->late_bytes[p];
    if (in > out) {
        t->latency[p] = t->late_latency[p];
        t->bytes[p] = t->late_bytes[p];
    }
    t->late_latency[p] = t->late_bytes[p] = 0;
    t->d_comm[p] = SPREAD * fmax(out, in);
}

static const sup_taulop_channel *channel_of(const sup_taulop_costs *costs, bool network) {
    if (!network) return sup_taulop_channel_of(costs, 0);
    for (size_t i = 0; i < costs->channels_count; i++) /* ascending: the lowest above 0 */
        if (costs->channels[i].number > 0) return &costs->channels[i];
    return NULL;
}

static void taulop_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t) {
    sup_taulop_costs *costs;
    if (!m->pairs || !step->flow_count || m->processes < 2) return;
    if (sup_taulop_open(m->profile, m->transport, NULL, &costs)) return; /* check has said that they are there */
    tally y = {.m = m, .t = t, .of = t->tally};
    for (int c = 0; c < CHANNELS; c++) y.channel[c] = channel_of(costs, c == BETWEEN);
    if (!y.channel[INSIDE]) y.channel[INSIDE] = y.channel[BETWEEN];
    if (!y.channel[BETWEEN]) y.channel[BETWEEN] = y.channel[INSIDE];
    memset(y.of, 0, (size_t)m->processes * sizeof *y.of);
    find_hosts(&y);
    sup_comm_visit(m, step, round, count_edge, &y);
    for (int64_t p = 0; p < m->processes; p++)
        if (is_of(&y, p, p)) share_host(&y, p);
    sup_comm_visit(m, step, round, price_edge, &y);
    for (int64_t p = 0; p < m->processes; p++) longer_side(t, p);
    sup_taulop_close(costs);
}

/* Which channels do pairs of P processes need? */
static sup_status check_taulop(const sup_platform *m, const sup_step *step, sup_diag *diag) {
    sup_taulop_costs *costs;
    (void)step;
    if (m->processes == 1) return SUP_OK;
    sup_status st = sup_platform_need_pairs(m, "taulop", diag);
    if (!st) st = sup_taulop_open(m->profile, m->transport, diag, &costs);
    if (st) return st;
    const char *missing = NULL;
    for (int64_t j = 1; j < m->processes && !missing; j = j < 64 ? j + 1 : 2 * j) {
        bool network = m->classes[sup_platform_class(m, 0, j)].network;
        if (!channel_of(costs, network)) missing = network ? "between hosts" : "inside a host";
    }
    sup_taulop_close(costs);
    char advice[SUP_MODEL_ADVICE];
    if (!missing) return SUP_OK;
    return sup_diag_set(diag, SUP_ENOENT, NULL, 0,
                        "model taulop needs the \u03c4-Lop channel over %s %s, which the profile does not have%s",
                        m->transport, missing, sup_model_advice(m->transport, 0, advice));
}

const sup_model sup_model_taulop = {
    .name = "taulop",
    .summary = "\u03c4-Lop: transfers of a superstep share the channels of their host",
    .phased = true,
    .check = check_taulop,
    .comp = sup_comp_terms,
    .comm = taulop_comm,
    .sync = sup_sync_pair,
};
