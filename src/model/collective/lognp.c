/* The model `lognp` of collectives: o(m) + n·l(m) a message through n memory transfers (TAU eq. 5), with the channels'
 * parameters at τ = 1, whoever else uses them. Term Tcomm. */
#include "model/collective/platform.h"

static double message(const sup_taulop_channel *channel, double bytes) {
    return channel->overhead(channel, bytes) +
           channel->transfers(channel, bytes) * channel->transfer(channel, bytes, 1);
}

static double messages(const sup_collective_platform *c, const sup_part *parts, size_t count, int kind) {
    double t = 0;
    for (size_t i = 0; i < count; i++) {
        const sup_part *p = &parts[i];
        if (p->kind == kind)
            t += (double)p->count * message(sup_taulop_channel_of(c->costs, p->channel), (double)p->bytes);
    }
    return t;
}

static double copy(const sup_collective_platform *c, double bytes) {
    const sup_taulop_channel *channel = sup_taulop_channel_of(c->costs, 0);
    return channel->transfer(channel, bytes, 1);
}
static double signal(const sup_collective_platform *c) { return c->signal_s; }

static const sup_task_pricing pricing = {"lognp", false, messages, copy, signal};

static sup_status cost(const sup_collective_platform *c, const sup_choice *choice, const sup_job *job,
                       const sup_mapping *mapping, sup_diag *diag, sup_prediction *out) {
    return sup_collective_by_tasks(c, &pricing, choice, job, mapping, diag, out);
}

const sup_collective_model sup_collective_lognp = {.name = "lognp",
                                                   .summary = "log_nP: n memory transfers, no concurrency",
                                                   .cost = cost};
