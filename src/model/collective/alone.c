/* The model `taulop-alone` of collectives: the expression of the schedule, evaluated on the profile's channels. Term
 * Tcomm. */
#include "model/collective/memory.h"

#include <math.h>

#define NORMAL_90 1.645
#define LEAST 0.03   /* of the logarithm: two launches differ by as much */
#define UNKNOWN 0.35 /* where no collective was measured */

sup_prediction sup_collective_interval(double value, double spread) {
    double s = NORMAL_90 * fmax(LEAST, isnan(spread) ? UNKNOWN : spread);
    return (sup_prediction){value, value * exp(-s), value * exp(s)};
}

sup_status sup_collective_alone(const sup_collective_platform *c, const sup_choice *choice, const sup_job *job,
                                const sup_mapping *mapping, sup_diag *diag, double *seconds) {
    sup_stages s;
    const sup_expr *e;
    sup_status status = sup_stages_make(choice, job, mapping, diag, &s);
    if (status) return status;
    sup_exprs *x = sup_exprs_new();
    sup_memory_costs *costs = NULL;
    status = x ? sup_stages_priced(x, &s, c->signal_s, diag, &e)
               : sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory for an expression");
    if (!status) status = sup_memory_costs_open(c, sup_memory_data(job), diag, &costs);
    if (!status) status = sup_taulop_cost(sup_memory_costs_of(costs), c->evaluator, e, diag, seconds);
    sup_memory_costs_close(costs);
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

const sup_collective_model sup_collective_taulop_alone = {
    .name = "taulop-alone",
    .summary = "τ-Lop from channels alone",
    .cost = alone_cost,
};
