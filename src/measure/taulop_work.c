/* A trial of the τ-Lop measurement, within the time of its channel. */
#include "measure/taulop_work.h"

#include <math.h>

double sup_tau_left(const sup_tau_work *w) {
    double left = sup_session_left(w->session);
    return isinf(left) ? left : fmax(0.0, left - w->reserve_s);
}

sup_status sup_tau_try(sup_tau_work *w, const char *text, const sup_trial *trial, sup_timing *out) {
    if (sup_tau_left(w) <= 0.0) return sup_lab_known(w->lab, trial, out) ? SUP_OK : SUP_ETIMEOUT;
    return sup_lab_try(w->lab, w->session, w->share, text, trial, w->diag, out);
}
