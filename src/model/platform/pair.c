/* Tcomm of pairs, which the models of communication share: one message by the heterogeneous Hockney model O, L, B with
 * the measured curves (BSP §5.6, §8.5), how transfers slow each other down, averages over all pairs, and the messages
 * of a superstep one by one. */
#include "model/equation/model.h"
#include "profile/channel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one message ---- */

/* The curve where there is one, else a line. The part above the latency is what `B` of a what-if scales. */
sup_prediction sup_pair_moving(const sup_platform *m, const sup_class_cost *c, double bytes) {
    sup_prediction p;
    if (!c->time) {
        double t = c->per_byte * bytes, d = c->d_per_byte * bytes;
        p = (sup_prediction){t, fmax(0, t - d), t + d};
        return p;
    }
    p = sup_curve_predict(c->time, bytes, m->confidence);
    double floor_s = fmin(c->measured_latency, sup_curve_at(c->time, 0));
    p.value = fmax(0, p.value - floor_s) * c->byte_f;
    p.low = fmax(0, p.low - floor_s) * c->byte_f;
    p.high = fmax(0, p.high - floor_s) * c->byte_f;
    return p;
}

sup_prediction sup_pair_time(const sup_platform *m, const sup_class_cost *c, double bytes) {
    sup_prediction p = sup_pair_moving(m, c, bytes);
    double floor_s = c->latency;
    if (c->time) floor_s = fmin(c->measured_latency, sup_curve_at(c->time, 0)) * c->latency_f;
    p.value += floor_s;
    p.low = fmax(0, p.low + floor_s - c->d_latency);
    p.high += floor_s + c->d_latency;
    return p;
}

/* ---- crowding ---- */

/* Over shared memory a transfer is copies that cores make, so they crowd each other as the kernel copy does. A process
 * goes through the bytes about four times: source, log at both ends, place. */
static double copy_crowd(const sup_platform *m, double bytes, int64_t active) {
    const sup_kernel_profile *k = sup_profile_kernel(m->profile, "copy");
    const sup_kernel_rate *one = NULL, *all = NULL;
    for (size_t i = 0; k && i < k->rates_count; i++) {
        const sup_kernel_rate *r = &k->rates[i];
        if (!r->unit_s || !r->unit_s->curve) continue;
        if (!one || r->active < one->active) one = r;
        if (!all || llabs(r->active - active) < llabs(all->active - active)) all = r;
    }
    if (!one || one == all) return 1;
    double alone = sup_curve_at(one->unit_s->curve, 4 * bytes);
    return alone > 0 ? fmax(1, sup_curve_at(all->unit_s->curve, 4 * bytes) / alone) : 1;
}

/* How much longer a transfer of so many bytes takes while `active` processes of a host transfer: L(m,τ)/L(m,1) of the
 * channel that pairs of this class use. */
static double crowd(const sup_platform *m, const sup_class_cost *c, double bytes, int64_t active) {
    if (active < 2) return 1;
    if (sup_platform_shared_memory(m)) return copy_crowd(m, bytes, active);
    const sup_channel *channel = sup_channel_find(m->profile, m->transport, c->network);
    const sup_transfer *t = channel ? channel->transfer : NULL;
    if (!t || t->rows_count < 2) return isnan(m->pairs->interference) ? 1 : fmax(1, m->pairs->interference);
    double alone = sup_transfer_at(t, bytes, (double)t->rows[0].tau);
    return alone > 0 ? fmax(1, sup_transfer_at(t, bytes, (double)active) / alone) : 1;
}

/* ---- all pairs ---- */

/* Ranks of a large machine are sampled: 64 of them evenly, each with all distances that are powers of two and more. */
sup_pair_average sup_pair_average_of(const sup_platform *m) {
    sup_pair_average s = {0};
    int64_t n = m->processes, i_step = n > 256 ? n / 64 : 1, j_step = n > 256 ? n / 256 : 1, count = 0, ranks = 0;
    double squares = 0;
    for (int64_t i = 0; i < n; i += i_step, ranks++) {
        s.self += sup_platform_self(m, i);
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
    }
    s.self /= (double)ranks;
    if (!count) return s;
    double k = (double)count;
    s.overhead /= k;
    s.latency /= k;
    s.per_byte /= k;
    s.spread = s.latency > 0 ? sqrt(fmax(0, squares / k - s.latency * s.latency)) / s.latency : 0;
    return s;
}

/* ---- the messages of a superstep ---- */

void sup_pair_price_anew(const sup_platform *m, const sup_class_cost *c, int class, double bytes, sup_priced *last) {
    sup_prediction p = sup_pair_moving(m, c, bytes);
    last->crowd = last->active ? crowd(m, c, bytes, last->active) : 1;
    last->value = p.value;
    last->half = fmax(p.high - p.value, p.value - p.low);
    last->class = m->ranged ? -1 : class; /* pairs of a class differ where a what-if names ranks */
    last->bytes = bytes;
}

void sup_comm_visit(const sup_platform *m, const sup_step *step, int64_t round, sup_edge_visit visit, void *context) {
    for (size_t f = 0; f < step->flow_count && *m->alike; f++)
        sup_regular_visit(*m->alike, &step->flows[f], round, visit, context);
    for (size_t f = 0; f < step->flow_count && !*m->alike; f++)
        for (int64_t p = 0; p < m->processes; p++)
            sup_flow_visit(&step->flows[f], m->processes, p, round, visit, context);
}
