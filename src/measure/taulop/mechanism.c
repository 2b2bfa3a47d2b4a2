/* How a host's large messages are moved (taulop.h; TAU §3, §4): in segments of S bytes or whole, through a buffer or by
 * one copy. Tcomm, stage "measure".
 *
 * Both are seen rather than concluded from times, which mislead: the kernel's single copy may take as long as several
 * of a process's own, and a buffer that is filled and emptied at the same time hardly longer than one.
 *
 *   S          what is new in the receiver's buffer after each call of the transport (SUP_TRIAL_SEGMENT)
 *   mechanism  a message that the receiver gets while the sender is away was taken from the sender's memory
 *              (SUP_TRIAL_FETCH): one copy. One that needs the sender and comes in parts goes through a buffer. Of one
 *              that needs the sender and comes whole the time decides: one copy, or two one after the other. */
#include "measure/taulop/work.h"

#include <math.h>

#define PROBE ((double)(4 << 20)) /* bytes: beyond the private caches of most cores, and beyond any buffer */
#define LEAST_SEGMENT 64.0        /* parts smaller than that are no segments: it is a stream of bytes */
#define FETCHED 0.4               /* share; half of it where sender and receiver each copy one half */
#define NOT_FETCHED 0.1
/* A message's time, in copies of a process by itself: the kernel's copy is more than one, two are two at least. */
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

/* NULL: neither one nor two. */
static const char *by_time(const sup_tau_work *w, const sup_timing *message, const sup_timing *copy) {
    double moved = message->seconds - w->rendezvous.seconds, chance = message->ci + w->rendezvous.ci;
    double single = copy->seconds, doubt = copy->ci;
    if (!isfinite(chance)) chance = 0.0; /* of one launch nothing is known about the next */
    if (!isfinite(doubt)) doubt = 0.0;
    if (moved + chance < ONE_COPY * (single - doubt)) return SUP_MECHANISM_SINGLE;
    return moved - chance > TWO_COPIES * (single + doubt) ? SUP_MECHANISM_BUFFERED : NULL;
}

sup_status sup_tau_mechanism(sup_tau_work *w) {
    w->segment = -1;
    w->mechanism = w->options.rdma ? "rdma" : "tcp";
    if (w->number > 0) return SUP_OK;
    w->mechanism = SUP_MECHANISM_BUFFERED;
    if (w->threshold < 0) return SUP_OK; /* kept somewhere whatever its size, while nobody receives it */
    double bytes = fmin(fmax(PROBE, 4.0 * (double)w->threshold), sup_tau_largest(w));
    w->mechanism = NULL;
    /* where they take turns, what is seen says when, not how */
    if (w->lab->oversubscribed || bytes < 2.0 * (double)w->threshold) return SUP_OK;
    sup_timing message, copy, share;
    sup_trial trial = sup_trial_of(SUP_TRIAL_ROUND_TRIP, w->ranks, 1, 2, (size_t)bytes);
    sup_status status = sup_tau_ask(w, "copies of a message", &trial, &message); /* first: some transports learn */
    trial = sup_trial_of(SUP_TRIAL_COPY, w->ranks, 1, 1, (size_t)bytes);
    if (!status) status = sup_tau_ask(w, "copies of a message", &trial, &copy);
    if (!status) status = find_segment(w, (size_t)bytes);
    trial = sup_trial_of(SUP_TRIAL_FETCH, w->ranks, 1, 2, (size_t)bytes);
    trial.use = 0.1;
    if (!status) status = sup_tau_ask(w, "who moves a message", &trial, &share);
    if (status) return status == SUP_ENOTSUP ? SUP_OK : status;
    if (share.typical >= FETCHED)
        w->mechanism = SUP_MECHANISM_SINGLE;
    else if (share.typical <= NOT_FETCHED)
        w->mechanism = w->segment > 0 ? SUP_MECHANISM_BUFFERED : by_time(w, &message, &copy);
    return SUP_OK;
}
