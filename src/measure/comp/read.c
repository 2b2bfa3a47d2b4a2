/* What a lab knows of a rate (comp/read.h; term Tcomp).
 *
 * The check compares calm with calm: what the curve says, and the low quantile of the long runs, each of which is the
 * mean over all of its pieces that nobody interrupted. So the error contains what a calm long run has and a calm batch
 * has not; how much more a usual run takes is the noise of the profile, not an error of the curve. */
#include "measure/comp/read.h"

#include "measure/comp/comp.h"

#include <math.h>

void sup_comp_read(sup_lab *lab, sup_session *session, const sup_comp_job *job, sup_comp_curve *out) {
    size_t bytes[SUP_COMP_SPOTS];
    sup_trial trial = sup_comp_trial(job, SUP_TRIAL_RATE, 0);
    size_t count = sup_lab_known_sizes(lab, &trial, bytes, SUP_COMP_SPOTS);
    *out = (sup_comp_curve){0};
    for (size_t i = 0; i < count; i++) {
        sup_timing timing;
        trial.bytes = bytes[i];
        if (!sup_lab_ask(lab, session, "rates", &trial, NULL, &timing)) sup_comp_curve_add(out, bytes[i], &timing);
    }
}

/* Calm seconds per unit of a long run, or of its shortest sample; NaN: not known. */
static double calm_of(sup_lab *lab, sup_session *session, sup_trial trial, int records, double *footprint) {
    sup_timing timing;
    trial.records = records;
    const sup_point *point = sup_store_find(lab->store, &trial);
    if (!point || !sup_point_known(point)) return NAN;
    if (sup_lab_ask(lab, session, "long runs", &trial, NULL, &timing) || !(timing.seconds > 0.0)) return NAN;
    *footprint = timing.footprint > 0.0 ? timing.footprint : (double)trial.bytes;
    return timing.seconds;
}

sup_comp_check sup_comp_check_read(sup_lab *lab, sup_session *session, const sup_comp_job *job,
                                   const sup_curve *curve) {
    sup_comp_check check = {NAN, NAN, NAN};
    for (int k = 0; k < job->grid_count; k++) {
        double at = 0.0;
        sup_trial trial = sup_comp_trial(job, SUP_TRIAL_LONG_RUN, job->grid[k]);
        double run_s = calm_of(lab, session, trial, SUP_COMP_LONGER, &at);
        if (isnan(run_s)) continue;
        /* fmax passes the number where the other is NaN */
        check.error = fmax(check.error, fabs(sup_curve_at(curve, at) / run_s - 1.0));
        check.length = SUP_COMP_LONG_S / SUP_COMP_BATCH_S;
        double sample_s = calm_of(lab, session, trial, 1, &at);
        if (!isnan(sample_s)) check.long_error = fmax(check.long_error, fabs(sample_s / run_s - 1.0));
    }
    return check;
}
