/* Tcomm of the model `flow` where no exchange was measured that says it: messages one by one, by the prices of pairs.
 *
 *     shared memory   put, send: half in the call, half by the receiver at the sync; hpput, hpget: who asks, in the
 *                     call; get: who asks, at the sync
 *     messages        start in the call; at the sync both ends are busy until all bytes have travelled, both ways at
 *                     once
 *
 * All transfers of a host slow each other down: as the profile says, or (a link that a node has one of) as they share
 * its bytes per second. */
#include "model/equation/model.h"

#include <math.h>

/* What pairs do not say about whole exchanges, as a relative half width that is assumed. */
#define FORM 0.12

enum { OUT, IN };

static double crowd(const sup_platform *m, const sup_asked *x, int class) {
    double at_once = fmax(1, fmin(x->askers, x->asked));
    if (class == m->exchanges.link && m->profile->composed) return fmax(1, x->crossing);
    sup_priced p = {.class = -1, .active = (int64_t)at_once};
    sup_pair_price_anew(m, &m->classes[class], class, x->pair_bytes, &p);
    return p.crowd;
}

static double uncertain(double half, double value) { return value > 0 ? fmin(1, half / value) : 0; }

static void add(sup_amount *a, double fixed, double moving) {
    a->fixed += fixed;
    a->moving += moving;
}

static void shared(const sup_platform *m, const sup_asked *x, const sup_tally *t, int class, double times,
                   sup_amount out[SUP_PARTS]) {
    double start[2] = {t->far_latency[OUT], t->far_latency[IN]};
    double moving[2] = {times * t->far_bytes[OUT], times * t->far_bytes[IN]};
    /* the first line of what another core wrote comes as slowly as a signal does */
    double fetch = m->signals[class].wire;
    switch (x->move) {
    case SUP_MOVE_HPPUT:
    case SUP_MOVE_HPGET: add(&out[SUP_PART_CALLS], start[OUT], moving[OUT]); break;
    case SUP_MOVE_GET:
        add(&out[SUP_PART_SYNC], start[OUT] + fmax(0, fetch * t->partners[OUT] - moving[OUT]), moving[OUT]);
        break;
    default:
        add(&out[SUP_PART_CALLS], start[OUT] / 2, moving[OUT] / 2);
        add(&out[SUP_PART_SYNC], start[IN] / 2 + fmax(0, fetch * t->partners[IN] - moving[IN] / 2), moving[IN] / 2);
    }
}

void sup_flow_pairs(const sup_platform *m, const sup_asked *x, const sup_tally *t, int class,
                    sup_amount out[SUP_PARTS]) {
    double times = crowd(m, x, class);
    out[SUP_PART_CALLS] = out[SUP_PART_SYNC] = (sup_amount){0};
    if (x->shared) {
        shared(m, x, t, class, times, out);
    } else {
        add(&out[SUP_PART_CALLS], t->far_latency[OUT] / 2, 0);
        /* the answer to a get that nobody measured over this link travels as well */
        double answer = sup_platform_nodes(m) && sup_move_reads(x->move) ? t->reach : 0;
        add(&out[SUP_PART_SYNC], answer + t->reach + t->far_latency[IN] / 2,
            times * fmax(t->far_bytes[OUT], t->far_bytes[IN]));
    }
    double start = uncertain(m->classes[class].d_latency, m->classes[class].latency);
    double byte = uncertain(m->classes[class].d_per_byte, m->classes[class].per_byte);
    for (int p = 0; p < SUP_PARTS; p++)
        out[p].half = FORM * (out[p].fixed + out[p].moving) + start * out[p].fixed + byte * out[p].moving;
}
