/* The evaluators of τ-Lop expressions, the default first. Tcomm, model stage. */
#include "model/taulop/taulop.h"

#include <math.h>

const sup_evaluator *const sup_evaluators[] = {&sup_evaluator_fluid, &sup_evaluator_paper, NULL};

sup_status sup_taulop_cost(const sup_taulop_costs *costs, const sup_evaluator *evaluator, const sup_expr *e,
                           sup_diag *diag, double *seconds) {
    double sum;
    sup_status status = sup_taulop_check(costs, e, diag);
    if (!status) status = (evaluator ? evaluator : sup_evaluators[0])->cost(costs, e, diag, &sum);
    if (status) return status;
    if (!isfinite(sum)) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "its cost is no finite time");
    *seconds = sum;
    return SUP_OK;
}
