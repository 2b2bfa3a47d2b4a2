/* Opens a profile's transport for models of collectives: channels, averages over pairs, signals, measured collectives.
 * Term Tcomm. */
#include "model/collective/platform.h"

#include "model/equation/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_SAMPLED 128 /* ranks of a large machine, each with as many others */

static void average_links(const sup_platform *m, sup_link_average links[2]) {
    double squares[2] = {0}, count[2] = {0}, ranks = 0, self = 0;
    int64_t step = m->processes > PAIRS_SAMPLED ? m->processes / PAIRS_SAMPLED : 1;
    for (int64_t i = 0; i < m->processes; i += step, ranks++) {
        self += sup_platform_self(m, i);
        for (int64_t j = 0; j < m->processes; j += step) {
            sup_class_cost c;
            if (i == j) continue;
            sup_platform_pair(m, i, j, &c);
            if (!c.known) continue;
            sup_link_average *a = &links[c.network];
            a->overhead += c.overhead;
            a->latency += c.latency;
            a->per_byte += c.per_byte;
            squares[c.network] += c.latency * c.latency;
            count[c.network]++;
        }
    }
    for (int k = 0; k < 2; k++) {
        sup_link_average *a = &links[k];
        if (!(count[k] > 0)) continue;
        a->known = true;
        a->self = self / ranks;
        a->overhead /= count[k];
        a->latency /= count[k];
        a->per_byte /= count[k];
        a->spread = a->latency > 0 ? sqrt(fmax(0, squares[k] / count[k] - a->latency * a->latency)) / a->latency : 0;
    }
}

/* The mean over classes of pairs inside a node. */
static double signal_of(const sup_platform *m) {
    double sum = 0, count = 0;
    for (size_t k = 0; k < m->class_count; k++) {
        const sup_signal *s = &m->signals[k];
        double t = s->gap + s->wire + s->recv;
        if (!m->classes[k].known || m->classes[k].network || !(t > 0)) continue;
        sum += t;
        count++;
    }
    return count > 0 ? sum / count : 0;
}

sup_status sup_collective_open(const sup_profile *profile, const char *transport, sup_diag *diag,
                               sup_collective_platform **out) {
    sup_collective_platform *c = calloc(1, sizeof *c);
    sup_platform *m = NULL;
    sup_platform_options options = {.transport = transport};
    if (!transport) transport = profile->signature.transport;
    if (!c) return sup_diag_no_memory(diag);
    c->profile = profile;
    c->evaluator = sup_evaluators[0];
    c->transport = strdup(transport ? transport : "");
    sup_status status = c->transport ? SUP_OK : sup_diag_no_memory(diag);
    if (!status) status = sup_taulop_open(profile, c->transport, diag, &c->costs);
    if (!status &&
        !sup_platform_open(profile, &options, NULL, &m)) { /* without pairs: models that need none are left */
        if (m->pairs) average_links(m, c->links);
        c->signal_s = signal_of(m);
        sup_platform_free(m);
    }
    if (!status) status = sup_collective_ratios_make(c, diag);
    if (status)
        sup_collective_close(c);
    else
        *out = c;
    return status;
}

const sup_taulop_costs *sup_collective_costs(const sup_collective_platform *c) { return c->costs; }

void sup_collective_close(sup_collective_platform *c) {
    if (!c) return;
    sup_collective_ratios_free(c);
    sup_taulop_close(c->costs);
    free(c->transport);
    free(c);
}
