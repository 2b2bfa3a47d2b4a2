/* Launches that time a superstep done in two ways in turn (duel.h): what the tool does. Stage "measure". */
#include "measure/launch/duel.h"

#include "measure/launch/launches.h"

#include <math.h>

enum { SYNC = 1, WORK = 1, BOTH = 2 }; /* values of the trials */
#define START_S 0.3

/* What it takes; of what computes besides, beyond that computation, of which each launch has its own. */
static sup_timing say(const sup_step_duel *d, int side, sup_store *store, double *computed) {
    sup_store_settle(store);
    sup_trial trial = sup_step_duel_trial(d->at.processes, d->bytes, d->side[side].engine);
    sup_timing t = sup_launches_say(store, &trial, d->bytes ? BOTH : SYNC);
    *computed = 0;
    if (t.status || !d->bytes) return t;
    sup_timing work = sup_launches_say(store, &trial, WORK);
    t.seconds -= work.seconds;
    t.ci = hypot(t.ci, work.ci);
    t.typical -= work.typical;
    *computed = work.seconds;
    return t;
}

/* Launches of the two alternate. */
static sup_status launch_all(const sup_step_duel *d, sup_launches *l, sup_store *store[2], sup_diag *diag) {
    sup_status status = SUP_OK;
    l->expected_s = 2 * d->launches * (d->seconds + START_S);
    for (int i = 0; i < 2 * d->launches && !status; i++) {
        const sup_step_side *s = &d->side[i % 2];
        const sup_request request = {.target = (char *)"duel",
                                     .transport = (char *)s->transport,
                                     .engine = (char *)s->engine,
                                     .launch = i / 2 + 1,
                                     .seconds = d->seconds,
                                     .until = NAN,
                                     .bytes = (int64_t)d->bytes};
        status = sup_launches_run(l, &request, s->plan ? s->plan : "none", store[i % 2], diag);
    }
    return status;
}

sup_status sup_measure_step_duel(const sup_step_duel *d, sup_diag *diag, sup_timing out[2]) {
    sup_launches l;
    sup_store *store[2] = {NULL};
    double computed[2];
    if (d->at.processes < 2) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a duel has two processes or more");
    sup_status status = sup_launches_open(&d->at, "supersteps", diag, &l);
    for (int k = 0; k < 2 && !status; k++)
        if (sup_store_new(d->launches + 1, &store[k])) status = sup_diag_no_memory(diag);
    if (!status) status = launch_all(d, &l, store, diag);
    for (int k = 0; k < 2 && !status; k++) out[k] = say(d, k, store[k], &computed[k]);
    for (int k = 0; k < 2 && !status; k++) { /* the same computation for both */
        out[k].seconds += (computed[0] + computed[1]) / 2;
        out[k].typical += (computed[0] + computed[1]) / 2;
    }
    sup_launches_close(&l);
    for (int k = 0; k < 2; k++) sup_store_free(store[k]);
    return status;
}
