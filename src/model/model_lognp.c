/* The model `lognp`: o(m) + n·l(m) through n memory transfers (TAU §2), with the parameters of the τ-Lop channels at
 * τ = 1. */
#include "model/model.h"
#include "profile/channel.h"

#include <math.h>
#include <string.h>

#define SPREAD 0.1 /* relative half width that is assumed */

static const sup_channel *channel_of(const sup_platform *m) {
    for (size_t i = 0; i < m->profile->channels_count; i++) {
        const sup_channel *c = &m->profile->channels[i];
        if (c->transport && !strcmp(c->transport, m->transport) && c->overhead_s && c->overhead_s->curve &&
            c->transfer && c->transfer->rows_count && c->transfer->bytes_count)
            return c;
    }
    return NULL;
}

/* One message of so many bytes: two transfers, or one where the receiver takes it from the sender's memory. */
static double message_time(const sup_channel *c, double bytes) {
    double l = sup_transfer_at(c->transfer, bytes, 1.0);
    return sup_curve_at(c->overhead_s->curve, bytes) + sup_channel_transfers(c, bytes) * l;
}

typedef struct tally {
    sup_terms *t;
    const sup_channel *channel;
    double empty; /* a message without bytes */
} tally;

static void lognp_edge(void *context, const sup_edge *e) {
    tally *y = context;
    if (e->from == e->to || e->messages <= 0) return;
    double all = e->messages * message_time(y->channel, e->bytes / e->messages), fixed = e->messages * y->empty;
    y->t->latency[e->from] += fmin(fixed, all);
    y->t->bytes[e->from] += fmax(0, all - fixed);
    y->t->comm_over[e->from] += e->overlap * all;
    y->t->d_comm[e->from] += SPREAD * all;
}

static void lognp_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t) {
    const sup_channel *channel = channel_of(m);
    if (!channel || !step->flow_count) return; /* one process may go without a channel: it sends to nobody */
    tally y = {t, channel, message_time(channel, 0)};
    sup_comm_visit(m, step, round, lognp_edge, &y);
}

static sup_status lognp_sync(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    sup_signal s = {.gap = m->processes > 1 ? message_time(channel_of(m), 0) : 0};
    return sup_sync_scalar(m, step, s, SPREAD, t, diag);
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

const sup_model sup_model_lognp = {
    .name = "lognp",
    .summary = "log_nP: n memory transfers, no concurrency",
    .check = check_lognp,
    .comp = sup_comp_terms,
    .comm = lognp_comm,
    .sync = lognp_sync,
};
