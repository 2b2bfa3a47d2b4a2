/* What the runtime takes from a plan: Tsync's barrier and how a process waits. Where there is no plan, or it does not
 * say, the defaults hold. */
#include "bsp/engine/state.h"
#include "net/numbers.h"
#include "plan/plan.h"

#include <math.h>

/* The launcher has read it strictly and compared it with this machine; here it only has to be what it was. */
void bsp_plan_open(bsp_runtime *b) {
    sup_diag diag = {0};
    if (!b->launch.plan[0]) return;
    if (!sup_plan_read(b->launch.plan, false, &diag, &b->plan)) {
        double spin_s = sup_plan_find_bsp(b->plan)->spin_s;
        if (!isnan(spin_s)) sup_patience_fix(&b->net->patience, spin_s);
        return;
    }
    char text[800];
    sup_diag_format(&diag, text, sizeof text);
    bsp_fail("bsp_begin", "plan %s", text);
}

void bsp_barrier_close(bsp_runtime *b, sup_barrier *barrier) {
    if (barrier) (void)sup_barrier_leave(barrier); /* the next section may be one of fewer processes */
    uint64_t next = barrier ? sup_barrier_next(barrier) : 0;
    if (next > b->section.origin) b->section.origin = next;
    sup_barrier_free(barrier);
}

sup_status bsp_barrier_open(bsp_runtime *b, sup_barrier **out, sup_diag *diag) {
    sup_net_group everybody = sup_net_group_first(b->net, b->nprocs);
    sup_net_hosts hosts = {0};
    sup_pattern pattern = {0};
    sup_status st = sup_net_group_hosts(&everybody, &hosts);
    sup_plan_set set = {.processes = b->nprocs,
                        .transport = sup_net_name(b->net),
                        .host_of = hosts.count > 1 ? hosts.host_of : NULL};
    if (!st) st = sup_plan_find_barrier(b->plan, &set, &pattern);
    if (!st) st = sup_barrier_new(&everybody, &pattern, SUP_SLOT_SYNC, out);
    sup_pattern_free(&pattern);
    sup_net_hosts_free(&hosts);
    if (!st) sup_barrier_begin_at(*out, b->section.origin);
    return st ? sup_diag_set(diag, st, NULL, 0, "cannot set up the barrier: %s", sup_status_text(st)) : SUP_OK;
}
