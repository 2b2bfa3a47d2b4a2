/* The evaluator `fluid`: transmissions that happen at the same time progress together, each as quickly as the number of
 * those on its channel allows, and go on more quickly when others end; what follows in a sequence starts when what is
 * before it is done. Tcomm, model stage.
 *
 * Only parts that happen at the same time are followed from event to event (taulop/events.h); before and behind them
 * times add up, and n · X is n times X. */
#include "model/taulop/events.h"

static sup_status price(const sup_taulop_costs *costs, const sup_expr *e, double count, double *seconds) {
    sup_status status = SUP_OK;
    double sum = 0, part;
    switch (e->kind) {
    case SUP_EXPR_SEQUENCE:
        for (size_t i = 0; i < e->count && !status; i++) {
            status = price(costs, e->parts[i], count, &part);
            if (!status) sum += part;
        }
        break;
    case SUP_EXPR_TIMES:
        status = price(costs, e->parts[0], count, &part);
        if (!status) sum = e->times * part;
        break;
    case SUP_EXPR_MANY: return price(costs, e->parts[0], count * e->times, seconds);
    case SUP_EXPR_TOGETHER: return sup_events_run(costs, e, count, price, seconds);
    default: sum = sup_events_alone(costs, e, count);
    }
    *seconds = sum;
    return status;
}

static sup_status cost(const sup_taulop_costs *costs, const sup_expr *e, sup_diag *diag, double *seconds) {
    sup_status status = price(costs, e, 1, seconds);
    if (status == SUP_EINVAL) sup_diag_set(diag, status, NULL, 0, "too many repetitions beside one another");
    if (status == SUP_ENOMEM) sup_diag_set(diag, status, NULL, 0, "out of memory");
    return status;
}

const sup_evaluator sup_evaluator_fluid = {
    "fluid", "concurrent transmissions progress together, as quickly as their number allows", cost};
