/* The model `taulop` of collectives: the expression of the schedule, evaluated on the profile's channels, times what
 * measured collectives of the profile say it is off by; and `taulop-alone`, without the latter. Term Tcomm. */
#include "model/collective_platform.h"

#include <math.h>

sup_status sup_collective_alone(const sup_collective_platform *c, const sup_choice *choice, const sup_job *job,
                                const sup_mapping *mapping, sup_diag *diag, double *seconds) {
    sup_stages s;
    const sup_expr *e;
    sup_status status = sup_stages_make(choice, job, mapping, diag, &s);
    if (status) return status;
    sup_exprs *x = sup_exprs_new();
    status = x ? sup_stages_expression(x, &s, c->signal_s, diag, &e)
               : sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory for an expression");
    if (!status) status = sup_taulop_cost(c->costs, c->evaluator, e, diag, seconds);
    sup_exprs_free(x);
    sup_stages_free(&s);
    return status;
}

static sup_status alone_cost(const sup_collective_platform *c, const sup_choice *choice, const sup_job *job,
                             const sup_mapping *mapping, sup_diag *diag, sup_prediction *out) {
    double seconds;
    sup_status status = sup_collective_alone(c, choice, job, mapping, diag, &seconds);
    if (!status) *out = sup_collective_interval(seconds, c->spread);
    return status;
}

static sup_status cost(const sup_collective_platform *c, const sup_choice *choice, const sup_job *job,
                       const sup_mapping *mapping, sup_diag *diag, sup_prediction *out) {
    double seconds, spread;
    sup_status status = sup_collective_alone(c, choice, job, mapping, diag, &seconds);
    if (status) return status;
    double ratio = sup_collective_ratio_of(c, choice, job, sup_mapping_used(mapping), &spread);
    *out = sup_collective_interval(seconds * ratio, spread);
    return SUP_OK;
}

const sup_collective_model sup_collective_taulop = {
    .name = "taulop",
    .summary = "τ-Lop: transfers that share channels; held against measured collectives",
    .cost = cost,
};

const sup_collective_model sup_collective_taulop_alone = {
    .name = "taulop-alone",
    .summary = "τ-Lop from channels alone",
    .cost = alone_cost,
};
