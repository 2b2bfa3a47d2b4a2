/* The model `hockney` of collectives: α + β·m a message, the messages of a rank in turn, averages over the pairs inside
 * nodes and between them. Term Tcomm. */
#include "model/collective/platform.h"

static double messages(const sup_collective_platform *c, const sup_part *parts, size_t count, int kind) {
    double t = 0;
    for (size_t i = 0; i < count; i++) {
        const sup_part *p = &parts[i];
        if (p->kind != kind) continue;
        t += (double)p->count * (c->links[p->channel].latency + (double)p->bytes * c->links[p->channel].per_byte);
    }
    return t;
}

static double copy(const sup_collective_platform *c, double bytes) { return bytes * c->links[0].per_byte; }
static double signal(const sup_collective_platform *c) { return c->links[0].latency; }

static const sup_task_pricing pricing = {"hockney", true, messages, copy, signal};

static sup_status cost(const sup_collective_platform *c, const sup_choice *choice, const sup_job *job,
                       const sup_mapping *mapping, sup_diag *diag, sup_prediction *out) {
    return sup_collective_by_tasks(c, &pricing, choice, job, mapping, diag, out);
}

const sup_collective_model sup_collective_hockney = {.name = "hockney",
                                                     .summary =
                                                         "one latency and one bandwidth inside nodes, one between them",
                                                     .cost = cost};
