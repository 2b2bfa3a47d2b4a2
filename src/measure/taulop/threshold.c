/* Overhead o(m) and the eager/rendezvous threshold H (taulop.h; PART eq. 5.12, 5.13). Tcomm, stage "measure".
 *
 * H is not guessed from times: a message is eager if its send completes while the receiver has not asked for it. */
#include "measure/taulop/work.h"

#include <math.h>
#include <stdlib.h>

#define LARGEST_EAGER ((size_t)4 << 20) /* nobody buffers more than that */

static sup_status is_eager(sup_tau_work *w, size_t bytes, bool *eager) {
    sup_timing t;
    sup_trial trial = sup_trial_of(SUP_TRIAL_EAGER, w->ranks, 1, 2, bytes);
    trial.use = 0.1; /* all visits give the same answer */
    sup_status status = sup_tau_ask(w, "threshold of eager messages", &trial, &t);
    if (!status) *eager = t.typical > 0.5;
    return status;
}

static sup_status find_threshold(sup_tau_work *w) {
    size_t most = w->options.max_bytes < LARGEST_EAGER ? w->options.max_bytes : LARGEST_EAGER;
    size_t low = 0, high = 1; /* low is eager, high not */
    bool eager = true;
    sup_status status = SUP_OK;
    w->threshold = -1;
    for (size_t bytes = 1; bytes <= most && !status; bytes *= 4) {
        status = is_eager(w, bytes, &eager);
        if (status) return status;
        high = bytes;
        if (!eager) break;
        low = bytes;
    }
    if (eager) return SUP_OK;
    while (high - low > 1 && !status) {
        size_t middle = low + (high - low) / 2;
        status = is_eager(w, middle, &eager);
        if (eager)
            low = middle;
        else
            high = middle;
    }
    if (!status) w->threshold = (int64_t)high;
    return status;
}

/* By how much a message of H bytes takes longer than one of H − 1: what the agreement costs in shared memory. */
static sup_status jump(sup_tau_work *w) {
    sup_timing below, from;
    size_t h = (size_t)w->threshold;
    sup_trial trial = sup_trial_of(SUP_TRIAL_ROUND_TRIP, w->ranks, 1, 2, h - 1);
    sup_status status = sup_tau_ask(w, "overhead of rendezvous", &trial, &below);
    trial.bytes = h;
    if (!status) status = sup_tau_ask(w, "overhead of rendezvous", &trial, &from);
    if (status) return status;
    double step = from.seconds - below.seconds, beyond = from.ci + below.ci;
    w->rendezvous = w->eager;
    if (step > (isfinite(beyond) ? beyond : 0.0)) {
        /* an agreement is at most a message there and one back */
        step = fmin(step, w->eager.seconds);
        w->rendezvous.seconds += step;
        w->rendezvous.typical += step;
        w->rendezvous.bad += step;
        w->rendezvous.ci += beyond;
    }
    return SUP_OK;
}

sup_status sup_tau_overhead(sup_tau_work *w) {
    sup_trial trial = sup_trial_of(SUP_TRIAL_ROUND_TRIP, w->ranks, 1, 2, 0);
    sup_status status = sup_tau_ask(w, "overhead of a message", &trial, &w->eager);
    if (!status) status = find_threshold(w);
    if (status || w->threshold < 0) return status;
    if (w->number == 0) return w->threshold > 1 ? jump(w) : (w->rendezvous = w->eager, SUP_OK);
    trial = sup_trial_of(SUP_TRIAL_SYNC_SEND, w->ranks, 1, 2, 0);
    return sup_tau_ask(w, "overhead of rendezvous", &trial, &w->rendezvous);
}

const sup_timing *sup_tau_overhead_at(const sup_tau_work *w, double bytes) {
    return w->threshold >= 0 && bytes >= (double)w->threshold ? &w->rendezvous : &w->eager;
}

/* An empty message, and one of H bytes. */
static sup_status keep_points(const sup_tau_work *w, size_t count, sup_file_curve *file) {
    const sup_timing *at[2] = {&w->eager, &w->rendezvous};
    double x[2] = {0.0, (double)w->threshold}, y[2], ci[2], typical[2], bad[2];
    int64_t n[2];
    for (size_t i = 0; i < count; i++) {
        y[i] = at[i]->seconds;
        ci[i] = isfinite(at[i]->ci) ? at[i]->ci : at[i]->seconds;
        typical[i] = at[i]->typical;
        bad[i] = at[i]->bad;
        n[i] = at[i]->n > 0 ? at[i]->n : 1;
    }
    return sup_file_curve_set_points(file,
                                     &(sup_points){.x = x, .y = y, .ci = ci, .typical = typical, .bad = bad, .n = n},
                                     count);
}

sup_status sup_tau_overhead_curve(const sup_tau_work *w, sup_file_curve **out) {
    double h = (double)w->threshold, most = fmax((double)w->options.max_bytes, h + 1.0);
    bool step = w->threshold > 0;
    double relative = w->eager.seconds > 0.0 && isfinite(w->eager.ci) ? w->eager.ci / w->eager.seconds : 0.0;
    sup_segment segments[2] = {{0.0, step ? h - 1.0 : most, w->eager.seconds, 0.0, relative, (size_t)w->eager.n},
                               {h, most, w->rendezvous.seconds, 0.0, relative, (size_t)w->rendezvous.n}};
    sup_curve *curve;
    sup_status status = sup_curve_make(segments, step ? 2 : 1, 0, w->diag, &curve);
    if (status) return status;
    *out = sup_record_make(&sup_file_curve_record);
    status = *out ? sup_file_curve_set(*out, curve) : SUP_ENOMEM;
    sup_curve_free(curve);
    return status ? status : keep_points(w, step ? 2 : 1, *out);
}
