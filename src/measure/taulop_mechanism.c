/* How a host's large messages are moved (taulop.h; TAU §3, §4): in segments of S bytes or whole, through a buffer or by
 * one copy. Tcomm, stage "measure".
 *
 * S is seen, not concluded from times: the receiver looks at its buffer after every call of the transport
 * (SUP_TRIAL_SEGMENT). A message that comes in parts goes through a buffer, which the sender fills while the receiver
 * empties it. One that comes whole takes the time of one copy or that of two, one after the other. */
#include "measure/taulop_work.h"

#include <math.h>

#define PROBE ((double)(4 << 20)) /* bytes: beyond the private caches of most cores, and beyond any buffer */
#define LEAST_SEGMENT 64.0        /* parts smaller than that are no segments: it is a stream of bytes */
/* A message's time in copies of a process by itself. The kernel's copy adds its own work to one, two are two at least
 */
#define ONE_COPY 1.6
#define TWO_COPIES 1.9

static sup_status find_segment(sup_tau_work *w, size_t bytes) {
    sup_timing t;
    sup_trial trial = sup_trial_of(SUP_TRIAL_SEGMENT, w->ranks, 1, 2, bytes);
    trial.use = 0.1;
    sup_status status = sup_tau_ask(w, "segments of messages", &trial, &t);
    if (!status && t.typical >= LEAST_SEGMENT && t.typical < (double)bytes) w->segment = llround(t.typical);
    return status;
}

static sup_status count_copies(sup_tau_work *w, size_t bytes) {
    sup_timing message, copy;
    sup_trial trial = sup_trial_of(SUP_TRIAL_ROUND_TRIP, w->ranks, 1, 2, bytes);
    sup_status status = sup_tau_ask(w, "copies of a message", &trial, &message);
    trial = sup_trial_of(SUP_TRIAL_COPY, w->ranks, 1, 1, bytes);
    if (!status) status = sup_tau_ask(w, "copies of a message", &trial, &copy);
    if (status) return status;
    double moved = message.seconds - w->rendezvous.seconds, chance = message.ci + w->rendezvous.ci;
    if (!isfinite(chance) || !isfinite(copy.ci)) chance = copy.ci = 0.0; /* of one launch: nothing is known of them */
    if (moved + chance < ONE_COPY * (copy.seconds - copy.ci)) w->mechanism = SUP_MECHANISM_SINGLE;
    if (moved - chance > TWO_COPIES * (copy.seconds + copy.ci)) w->mechanism = SUP_MECHANISM_BUFFERED;
    return SUP_OK;
}

sup_status sup_tau_mechanism(sup_tau_work *w) {
    w->segment = -1;
    w->mechanism = w->options.rdma ? "rdma" : "tcp";
    if (w->number > 0) return SUP_OK;
    w->mechanism = SUP_MECHANISM_BUFFERED;
    if (w->threshold < 0) return SUP_OK; /* kept somewhere whatever its size, while nobody receives it */
    double bytes = fmin(fmax(PROBE, 4.0 * (double)w->threshold), sup_tau_largest(w));
    w->mechanism = NULL;
    if (bytes < 2.0 * (double)w->threshold) return SUP_OK;
    sup_status status = find_segment(w, (size_t)bytes);
    if (status) return status == SUP_ENOTSUP ? SUP_OK : status;
    if (w->segment > 0) {
        w->mechanism = SUP_MECHANISM_BUFFERED;
        return SUP_OK;
    }
    return count_copies(w, (size_t)bytes);
}
