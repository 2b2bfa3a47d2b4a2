/* The model `lognp`: o(m) + n·l(m) through n memory transfers (TAU §2), with the parameters of the τ-Lop channels at
 * τ = 1. A pair uses the channel of its class: shared memory inside a host, the network between hosts. */
#include "model/equation/model.h"
#include "profile/channel.h"

#include <math.h>
#include <stdlib.h>

#define SPREAD 0.1 /* relative half width that is assumed */

/* Of pairs inside a host, and of pairs that join hosts. */
typedef struct channels {
    const sup_channel *of[2];
} channels;

static channels channels_of(const sup_platform *m) {
    channels c = {
        {sup_channel_find(m->profile, m->transport, false), sup_channel_find(m->profile, m->transport, true)}};
    for (int k = 0; k < 2; k++)
        if (c.of[k] && (!c.of[k]->overhead_s || !c.of[k]->overhead_s->curve)) c.of[k] = NULL;
    return c;
}

/* One message of so many bytes: two transfers, or one where the receiver takes it from the sender's memory. Pairs whose
 * channel is missing are none of those that sync and check meet; they get the other one. */
static double message_time(const channels *c, bool network, double bytes) {
    const sup_channel *own = c->of[network] ? c->of[network] : c->of[!network];
    if (!own) return 0;
    double l = sup_transfer_at(own->transfer, bytes, 1.0);
    return sup_curve_at(own->overhead_s->curve, bytes) + sup_channel_transfers(own, bytes) * l;
}

typedef struct tally {
    const sup_platform *m;
    sup_terms *t;
    channels channels;
    double empty[2]; /* a message without bytes */
} tally;

static void lognp_edge(void *context, const sup_edge *e) {
    tally *y = context;
    if (e->from == e->to || e->messages <= 0) return;
    bool network = y->m->classes[sup_platform_class(y->m, e->from, e->to)].network;
    double all = e->messages * message_time(&y->channels, network, e->bytes / e->messages);
    double fixed = e->messages * y->empty[network];
    y->t->latency[e->from] += fmin(fixed, all);
    y->t->bytes[e->from] += fmax(0, all - fixed);
    y->t->comm_over[e->from] += e->overlap * all;
    y->t->d_comm[e->from] += SPREAD * all;
}

static void lognp_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t) {
    if (!m->pairs || !step->flow_count) return;
    tally y = {.m = m, .t = t, .channels = channels_of(m)};
    for (int k = 0; k < 2; k++) y.empty[k] = message_time(&y.channels, k, 0);
    sup_comm_visit(m, step, round, lognp_edge, &y);
}

static sup_status lognp_sync(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    if (m->processes < 2) return SUP_OK;
    channels c = channels_of(m);
    sup_signal *signals = calloc(m->class_count + 1, sizeof *signals);
    if (!signals) return sup_diag_no_memory(diag);
    for (size_t k = 0; k < m->class_count; k++) signals[k].gap = message_time(&c, m->classes[k].network, 0);
    sup_status st = sup_sync_classes(m, step, signals, SPREAD, t, diag);
    free(signals);
    return st;
}

/* Which channels do pairs of P processes need? */
static sup_status check_lognp(const sup_platform *m, const sup_step *step, sup_diag *diag) {
    (void)step;
    if (m->processes == 1) return SUP_OK;
    channels c = channels_of(m);
    const char *missing = m->pairs ? NULL : "inside a host";
    for (int64_t j = 1; m->pairs && j < m->processes && !missing; j = j < 64 ? j + 1 : 2 * j) {
        bool network = m->classes[sup_platform_class(m, 0, j)].network;
        if (!c.of[network]) missing = network ? "between hosts" : "inside a host";
    }
    char advice[SUP_MODEL_ADVICE];
    if (!missing) return SUP_OK;
    return sup_diag_set(diag, SUP_ENOENT, NULL, 0,
                        "model lognp needs the τ-Lop channel (o(m) and L(m,1)) over %s %s, which the profile does not "
                        "have%s",
                        m->transport, missing, sup_model_advice(m->transport, 0, advice));
}

const sup_model sup_model_lognp = {
    .name = "lognp",
    .summary = "log_nP: n memory transfers, no concurrency",
    .phased = true,
    .check = check_lognp,
    .comp = sup_comp_terms,
    .comm = lognp_comm,
    .sync = lognp_sync,
};
