/* The evaluator `paper`: A1, A2 and A3 of PART §5.1 to the letter, on transmissions as TAU eq. (9) prices them. A term
 * that A2 cuts pays its overhead again, and what A3 hides leaves the longer one as it is. Tcomm, model stage. */
#include "model/taulop/normal.h"

static sup_status cost(const sup_taulop_costs *costs, const sup_expr *e, sup_diag *diag, double *seconds) {
    sup_normal n = {.costs = costs};
    sup_terms_list list = {0};
    sup_status status = sup_normal_form(&n, e, &list);
    if (status == SUP_EINVAL) sup_diag_set(diag, status, NULL, 0, "too many repetitions beside one another");
    if (status == SUP_ENOMEM) sup_diag_set(diag, status, NULL, 0, "out of memory");
    if (!status) *seconds = sup_terms_cost(costs, &list);
    sup_normal_free(&n);
    return status;
}

const sup_evaluator sup_evaluator_paper = {
    "paper", "concurrent transmissions are cut where the shorter one ends; channels hide one another (A1 to A3)", cost};
