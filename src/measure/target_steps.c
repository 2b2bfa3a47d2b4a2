/* Target "steps" (target.h): P processes of a BSP program over a transport, and the sections that are made of whole
 * supersteps: exchanges, overlap. Tcomm and Tsync, stage "measure".
 *
 * A launch with an engine of its own measures overlap alone: nothing else depends on it. */
#include "measure/exchanges.h"
#include "measure/exchanges_plan.h"
#include "measure/lab_steps.h"
#include "measure/overlap.h"
#include "measure/rounds.h"
#include "measure/target.h"

#include "bsp/state.h"
#include "net/launch.h"

#include <bsp.h>

#include <math.h>
#include <string.h>

bool bsp_takes_at_load(void) { return false; } /* the tool is a rank only when it measures */

/* In the child. What sections find is asked for again in the tool; here only the asking matters. */
typedef struct asking {
    const sup_request *request;
    sup_profile *profile;
} asking;

static sup_status later(sup_status status, bool *absent) {
    *absent |= status == SUP_ETIMEOUT;
    return status == SUP_ETIMEOUT ? SUP_OK : status;
}

static sup_status ask(void *context, sup_lab *lab, sup_session *session, sup_diag *diag) {
    const asking *a = context;
    bool absent = false;
    sup_status status = SUP_OK;
    if (!a->request->engine) status = later(sup_measure_exchanges(lab, session, a->profile, diag), &absent);
    if (!status) status = later(sup_measure_overlap(lab, session, a->request->engine, a->profile, diag), &absent);
    return status ? status : absent ? SUP_ETIMEOUT : SUP_OK;
}

static sup_status visit_all(const sup_request *request, sup_lab *lab, sup_session *session, sup_diag *diag,
                            sup_result *result) {
    asking a = {.request = request};
    sup_rounds_result rounds = {0};
    sup_status status = sup_profile_new(-1, diag, &a.profile);
    if (status) return status;
    status = sup_rounds_run(lab, session, ask, &a, request->until, diag, &rounds);
    result->rounds = rounds.rounds;
    result->complete = rounds.complete;
    sup_profile_free(a.profile);
    return status;
}

/* Supersteps that nothing is fitted to, once, for the trace that the run was asked for. */
static sup_status keep_others(const sup_request *request, sup_lab *lab, sup_session *session, sup_result *result) {
    int shapes = 0, sizes = 0;
    while (sup_step_other_shapes[shapes] >= 0) shapes++;
    while (sup_step_others[sizes]) sizes++;
    double each = request->seconds / (shapes * sizes);
    for (int k = 0; k < shapes * sizes; k++) {
        sup_trial trial = sup_trial_of(SUP_TRIAL_STEP, NULL, 1, lab->size, sup_step_others[k % sizes]);
        trial.shape = sup_step_other_shapes[k / sizes];
        sup_status status = sup_session_tick(session, (double)k / (shapes * sizes), "other supersteps");
        if (status) return status;
        if (lab->size < sup_exchange_at(trial.shape)->least) continue;
        if (trial.bytes <= sup_exchange_most_bytes(trial.shape, 1, lab->size)) sup_lab_steps_keep(lab, &trial, each);
    }
    result->rounds = 1;
    result->complete = true;
    return SUP_OK;
}

/* Processes other than the first end in bsp_end. */
static sup_status run(const sup_request *request, sup_session *session, sup_store *store, sup_diag *diag,
                      sup_result *result) {
    sup_status status = SUP_OK;
    sup_lab_steps_listen();
    bsp_begin(bsp_nprocs());
    sup_lab *lab = sup_lab_steps_open(request->transport, request->engine, store);
    result->leads = bsp_pid() == 0;
    if (!result->leads) {
        sup_lab_steps_serve(lab);
    } else {
        result->oversubscribed = lab->oversubscribed;
        status = request->others ? keep_others(request, lab, session, result)
                                 : visit_all(request, lab, session, diag, result);
        sup_status more = sup_places_write(lab->places, lab->size, &result->places, &result->places_count);
        if (!status && more) status = sup_diag_set(diag, more, NULL, 0, "out of memory");
    }
    sup_lab_steps_close(lab);
    bsp_end();
    return status;
}

/* In the tool: with all engines that launches had. */
static sup_status fill(sup_lab *lab, const sup_request *request, sup_session *session, sup_profile *profile,
                       sup_diag *diag) {
    (void)request;
    bool absent = false;
    sup_status status = later(sup_measure_exchanges(lab, session, profile, diag), &absent);
    if (!status) status = later(sup_measure_overlap(lab, session, NULL, profile, diag), &absent);
    for (int i = 0; sup_launch_engines[i] && !status; i++) {
        bool other = false; /* not every engine has a launch */
        status = later(sup_measure_overlap(lab, session, sup_launch_engines[i], profile, diag), &other);
    }
    return status ? status : absent ? SUP_ETIMEOUT : SUP_OK;
}

const sup_target_kind sup_target_steps = {.name = "steps", .run = run, .fill = fill};
