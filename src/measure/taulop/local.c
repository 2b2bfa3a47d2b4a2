/* What a process of a channel does by itself (taulop.h): reductions γ(m,τ), and packing p(m) of what does not lie in
 * one piece. Tcomm, stage "measure". */
#include "measure/pair/sizes.h"
#include "measure/taulop/work.h"

#include <stdlib.h>

#define LEAST ((size_t)64)
#define MOST ((size_t)4 << 20)
/* A reduction is nearly a line; of packing three points are enough for vectors. */
enum { REDUCTIONS = 16, PACKING = 64, EVERY = 2, ENOUGH = 2 };

/* A curve over bytes of a trial of the channel's first processes, in steps of powers of two. Who cannot visit takes
 * what is known. SUP_ETIMEOUT: something is not known, none is made. */
static sup_status ask_curve(sup_tau_work *w, const char *text, sup_trial trial, size_t step, sup_file_curve **out) {
    sup_sizes sizes;
    double most = sup_tau_largest(w);
    sup_sizes_init(&sizes, LEAST, MOST, SUP_SIZES_MAX, 2.0);
    trial.cold = w->cold;
    for (trial.bytes = LEAST; trial.bytes <= MOST && (double)trial.bytes <= most; trial.bytes *= step) {
        sup_timing t;
        const sup_point *p = w->lab->visit ? NULL : sup_store_find(w->lab->store, &trial);
        if (!w->lab->visit && !(p && sup_point_known(p))) continue;
        sup_status status = sup_tau_ask(w, text, &trial, &t);
        if (status) return status;
        sup_sizes_add(&sizes, trial.bytes, &t);
    }
    if (sizes.count < ENOUGH) {
        w->missing = true;
        return SUP_ETIMEOUT;
    }
    return sup_sizes_file_curve(&sizes, w->diag, out);
}

static size_t step_of(const sup_tau_work *w, size_t usual) {
    return sup_lab_is_deep(w->lab, SUP_MEASURE_TAULOP) ? EVERY : usual;
}

sup_status sup_tau_gamma(sup_tau_work *w, int tau, sup_channel *channel) {
    sup_file_curve *curve;
    sup_status status =
        ask_curve(w, "reductions", sup_trial_of(SUP_TRIAL_REDUCE, w->ranks, 1, tau, 0), step_of(w, REDUCTIONS), &curve);
    if (status) return status;
    sup_gamma *gamma = SUP_APPEND(&sup_gamma_record, channel->gammas, channel->gammas_count);
    if (!gamma) {
        sup_record_clear(&sup_file_curve_record, curve);
        free(curve);
        return SUP_ENOMEM;
    }
    gamma->tau = tau;
    gamma->time_s = curve;
    status = sup_record_set_string(&gamma->operation, "sum");
    return status ? status : sup_record_set_string(&gamma->type, "double");
}

sup_status sup_tau_packing(sup_tau_work *w, sup_channel *channel) {
    sup_trial trial = sup_trial_of(SUP_TRIAL_PACK, w->ranks, 1, 1, 0);
    trial.number = SUP_PACK_BLOCK;
    trial.stride = SUP_PACK_STRIDE;
    sup_status status = ask_curve(w, "packing", trial, step_of(w, PACKING), &channel->packing_s);
    return status == SUP_ENOTSUP ? SUP_OK : status;
}
