/* The model `loggp` of collectives: k messages of a rank take 2o + L + (k − 1)·max(g, o) + Σ (m − 1)·G (TAU eq. 1, 2),
 * with o, g, L and G from averages over pairs as in baseline/loggp.c. Term Tcomm. */
#include "model/collective/platform.h"

#include <math.h>

static double around(const sup_link_average *a) { return 2 * a->self + fmax(0, a->latency - 2 * a->self); }

static double messages(const sup_collective_platform *c, const sup_part *parts, size_t count, int kind) {
    double moving = 0, gaps = 0, gap = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        const sup_part *p = &parts[i];
        const sup_link_average *a = &c->links[p->channel];
        if (p->kind != kind) continue;
        gap = fmax(a->overhead, a->self);
        gaps += (double)p->count * gap;
        moving += (double)p->count * fmax(0, (double)p->bytes - 1) * a->per_byte;
        most = fmax(most, around(a));
    }
    return fmax(0, gaps - gap) + moving + most;
}

static double copy(const sup_collective_platform *c, double bytes) { return bytes * c->links[0].per_byte; }
static double signal(const sup_collective_platform *c) { return around(&c->links[0]); }

static const sup_task_pricing pricing = {"loggp", true, messages, copy, signal};

static sup_status cost(const sup_collective_platform *c, const sup_choice *choice, const sup_job *job,
                       const sup_mapping *mapping, sup_diag *diag, sup_prediction *out) {
    return sup_collective_by_tasks(c, &pricing, choice, job, mapping, diag, out);
}

const sup_collective_model sup_collective_loggp = {.name = "loggp",
                                                   .summary = "LogGP: latency, overhead, gap, gap per byte",
                                                   .cost = cost};
