/* Messages and supersteps in one launch (lab/whole.h): the others wait for trials over the net; where a superstep comes
 * next, rank 0 says so and they take its orders until it is over. Stage "measure", Tcomm and Tsync. */
#include "measure/lab/whole.h"

#include "bsp/engine/state.h"
#include "measure/lab/net.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct lab_whole {
    sup_lab lab;
    sup_lab *net, *steps;
} lab_whole;

/* The runtime may have a thread that looks after its messages: it has the net while there are supersteps, and the lab
 * over the net has it for itself otherwise. */
static void keep_net(bool mine) {
    if (!bsp_rt.net_lock) return;
    if (mine)
        pthread_mutex_lock(bsp_rt.net_lock);
    else
        pthread_mutex_unlock(bsp_rt.net_lock);
}

static void take_orders(void *context) {
    keep_net(false);
    sup_lab_steps_serve(((lab_whole *)context)->steps);
    keep_net(true);
}

/* What one of the two labs counts is counted here. */
static sup_status visit_by(lab_whole *x, sup_lab *by, sup_point *point, sup_diag *diag) {
    uint64_t batches = by->batches, dropped = by->dropped;
    by->store = x->lab.store;
    sup_status status = by->visit(by, point, diag);
    x->lab.batches += by->batches - batches;
    x->lab.dropped += by->dropped - dropped;
    return status;
}

static sup_status visit(sup_lab *lab, sup_point *point, sup_diag *diag) {
    lab_whole *x = (lab_whole *)lab;
    sup_trial_kind kind = point->trial.kind;
    bool superstep = kind == SUP_TRIAL_STEP || kind == SUP_TRIAL_OVERLAP || kind == SUP_TRIAL_FIRST;
    if (!superstep) return visit_by(x, x->net, point, diag);
    sup_status status = sup_lab_net_elsewhere(x->net, diag);
    if (status) return status;
    keep_net(false);
    status = visit_by(x, x->steps, point, diag);
    sup_lab_steps_over(x->steps);
    keep_net(true);
    return status;
}

static sup_status rest(sup_lab *lab, sup_diag *diag) {
    sup_lab *net = ((lab_whole *)lab)->net;
    return net->rest(net, diag);
}

sup_status sup_lab_whole_open(const char *transport, sup_store *store, sup_turns *turns, sup_diag *diag,
                              sup_lab **out) {
    lab_whole *x = calloc(1, sizeof *x);
    if (!x) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    const sup_lab_options options = {.collectives = true, .elsewhere = take_orders, .context = x, .turns = turns};
    x->steps = sup_lab_steps_open(transport, store);
    keep_net(true);
    sup_status status = sup_lab_net_open(bsp_rt.net, &options, diag, &x->net);
    if (status) { /* the run ends */
        keep_net(false);
        free(x);
        return status;
    }
    x->lab = (sup_lab){.size = x->net->size,
                       .transport = transport,
                       .oversubscribed = x->net->oversubscribed || x->steps->oversubscribed,
                       .places = x->net->places,
                       .store = store,
                       .visit = visit,
                       .rest = rest};
    *out = &x->lab;
    return SUP_OK;
}

sup_status sup_lab_whole_serve(sup_lab *lab, sup_diag *diag) {
    return sup_lab_net_serve(((lab_whole *)lab)->net, diag);
}

void sup_lab_whole_close(sup_lab *lab) {
    lab_whole *x = (lab_whole *)lab;
    sup_lab_net_close(x->net);
    keep_net(false);
    sup_lab_steps_close(x->steps);
    free(x);
}

sup_status sup_lab_whole_gaps(sup_lab *lab, sup_gaps *all, sup_diag *diag) {
    return sup_lab_net_gaps(((lab_whole *)lab)->net, all, diag);
}

sup_status sup_lab_whole_keep(sup_lab *lab, const sup_trial *trial, double seconds, sup_diag *diag) {
    lab_whole *x = (lab_whole *)lab;
    sup_status status = sup_lab_net_elsewhere(x->net, diag);
    if (status) return status;
    keep_net(false);
    sup_lab_steps_keep(x->steps, trial, seconds);
    sup_lab_steps_over(x->steps);
    keep_net(true);
    return SUP_OK;
}
