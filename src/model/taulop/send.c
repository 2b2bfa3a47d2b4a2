/* What one transmission costs (taulop.h; TAU eq. (9)): its overhead, and the pipeline of its segments. Tcomm, model
 * stage. */
#include "model/taulop/taulop.h"

#include <math.h>
#include <stdio.h>

const sup_taulop_channel *sup_taulop_channel_of(const sup_taulop_costs *costs, int number) {
    for (size_t i = 0; i < costs->channels_count; i++)
        if (costs->channels[i].number == number) return &costs->channels[i];
    return NULL;
}

/* k segments of n transfers each take k + n − 1 stages. As many transfers are under way as there are segments inside:
 * 1, 2, … n at the head, … 2, 1 at the tail, n (or k, if that is less) in between. One transfer is not cut: who takes a
 * message from the sender's memory takes all of it. */
static double pipeline(const sup_taulop_channel *c, double bytes, double tau) {
    int n = c->transfers ? c->transfers(c, bytes) : 2;
    bool cut = n > 1 && c->segment_bytes > 0 && bytes > c->whole_bytes;
    double k = cut ? fmax(1, ceil(bytes / c->segment_bytes)) : 1;
    double most = fmin(k, n), sum = 0;
    for (double at_once = 1; at_once < most; at_once++) sum += 2 * c->transfer(c, bytes / k, tau * at_once);
    return sum + (k + n - 1 - 2 * (most - 1)) * c->transfer(c, bytes / k, tau * most);
}

double sup_taulop_moving(const sup_taulop_channel *c, double bytes, double tau) {
    double ends = c->ends ? 2 * c->ends->transfer(c->ends, bytes, tau) : 0;
    return ends + pipeline(c, bytes, tau);
}

double sup_taulop_overhead(const sup_taulop_channel *c, double bytes) {
    return c->overhead ? c->overhead(c, bytes) : 0;
}

double sup_taulop_send(const sup_taulop_channel *c, double bytes, double tau) {
    return sup_taulop_overhead(c, bytes) + sup_taulop_moving(c, bytes, tau);
}

static sup_status check_leaf(const sup_taulop_costs *costs, const sup_expr *e, sup_diag *diag) {
    if (e->kind == SUP_EXPR_WAIT) return SUP_OK;
    if (e->kind == SUP_EXPR_FOLD)
        return costs->fold ? SUP_OK : sup_diag_set(diag, SUP_ENOENT, NULL, 0, "no times of folds (\u03b3) are known");
    if (sup_taulop_channel_of(costs, e->channel)) return SUP_OK;
    char list[64] = "";
    size_t used = 0;
    for (size_t i = 0; i < costs->channels_count && used < sizeof list - 8; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%d", i ? ", " : "", costs->channels[i].number);
    return sup_diag_set(diag, SUP_ENOENT, NULL, 0, "channel %d is not known; known: %s", e->channel,
                        used ? list : "none");
}

sup_status sup_taulop_check(const sup_taulop_costs *costs, const sup_expr *e, sup_diag *diag) {
    if (e->kind <= SUP_EXPR_WAIT) return check_leaf(costs, e, diag);
    sup_status status = SUP_OK;
    for (size_t i = 0; i < e->count && !status; i++) status = sup_taulop_check(costs, e->parts[i], diag);
    return status;
}
