/* What the parts of the τ-Lop section have in common (taulop/work.h). Tcomm, stage "measure". */
#include "measure/taulop/work.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

sup_status sup_tau_ask(sup_tau_work *w, const char *text, const sup_trial *trial, sup_timing *out) {
    sup_status status = sup_lab_ask(w->lab, w->session, text, trial, w->diag, out);
    w->missing |= status == SUP_ETIMEOUT;
    return status;
}

double sup_tau_largest(const sup_tau_work *w) {
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return fmin((double)w->options.max_bytes, memory / 8.0 / w->ranks_count);
}

int sup_tau_transfers(const sup_tau_work *w, double bytes) {
    bool single = w->mechanism && !strcmp(w->mechanism, SUP_MECHANISM_SINGLE);
    return single && w->threshold >= 0 && bytes >= (double)w->threshold ? 1 : 2;
}
