/* Target "net" (target.h): P processes of a BSP program over a transport, and all sections that ask them: messages,
 * barriers, collectives and whole supersteps in one launch. Stage "measure", Tcomm and Tsync. */
#include "measure/campaign/rounds.h"
#include "measure/campaign/sections.h"
#include "measure/exchange/plan.h"
#include "measure/lab/whole.h"
#include "measure/launch/target.h"

#include "bsp/engine/state.h"

#include <bsp.h>

#include <math.h>
#include <string.h>

bool bsp_takes_at_load(void) { return false; } /* the tool is a rank only when it measures */

static sup_sections_options options_of(const sup_request *request) {
    sup_sections_options o = {.pairs = {.exhaustive = request->exhaustive},
                              .taulop = {.cold = request->cold, .rdma = request->rdma}};
    for (size_t i = 0; i < request->setups_count; i++) o.taulop.setups |= sup_taulop_setup(request->setups[i]);
    return o;
}

typedef struct asked {
    const sup_request *request;
    sup_profile *scratch; /* filled, and thrown away: the tool fills the real one */
} asked;

static sup_status ask(void *context, sup_lab *lab, sup_session *session, sup_diag *diag) {
    asked *a = context;
    sup_sections_options o = options_of(a->request);
    return sup_sections_ask(lab, &o, session, a->scratch, diag);
}

static sup_status add_interruptions(sup_lab *lab, sup_result *result, sup_diag *diag) {
    sup_gaps gaps;
    sup_status status = sup_lab_whole_gaps(lab, &gaps, diag);
    if (status || !(gaps.watched_s > 0.0)) return status;
    result->interruptions = sup_record_make(&sup_interruptions_record);
    return result->interruptions ? sup_gaps_record(&gaps, lab->transport, lab->size, result->interruptions)
                                 : SUP_ENOMEM;
}

static sup_status visit_all(sup_lab *lab, const sup_request *request, sup_session *session, sup_diag *diag,
                            sup_result *result) {
    asked a = {.request = request};
    const sup_rounds_end end = {request->until, request->rounds};
    sup_rounds_result rounds = {0};
    lab->budget =
        (sup_budget){.part_s = fmax(sup_budget_part_s(lab->size), request->part_s), .deep = (unsigned)request->deep};
    sup_status status = sup_profile_new(-1, diag, &a.scratch);
    if (status) return status;
    if (request->kinds) { /* which pairs are alike depends on it */
        a.scratch->kinds = sup_record_make(&sup_kinds_record);
        status = a.scratch->kinds ? sup_record_copy(&sup_kinds_record, request->kinds, a.scratch->kinds) : SUP_ENOMEM;
    }
    if (!status) status = sup_rounds_run(lab, session, ask, &a, &end, diag, &rounds);
    sup_profile_free(a.scratch);
    if (status && status != SUP_EINTR) return status;
    sup_lab_say_left_out(lab, session);
    result->rounds = rounds.rounds;
    result->complete = rounds.complete;
    sup_status more = add_interruptions(lab, result, diag);
    return more ? more : status;
}

/* Supersteps that nothing is fitted to, once, for the trace that the run was asked for. */
static sup_status keep_others(sup_lab *lab, const sup_request *request, sup_session *session, sup_diag *diag,
                              sup_result *result) {
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
        if (trial.bytes > sup_exchange_most_bytes(trial.shape, 1, lab->size)) continue;
        status = sup_lab_whole_keep(lab, &trial, each, diag);
        if (status) return status;
    }
    result->rounds = 1;
    result->complete = true;
    return SUP_OK;
}

static sup_status lead(sup_lab *lab, const sup_request *request, sup_session *session, sup_diag *diag,
                       sup_result *result) {
    result->oversubscribed = lab->oversubscribed;
    sup_status status = request->others ? keep_others(lab, request, session, diag, result)
                                        : visit_all(lab, request, session, diag, result);
    if (status && status != SUP_EINTR) return status;
    if (sup_places_write(lab->places, lab->size, &result->places, &result->places_count))
        return sup_diag_no_memory(diag);
    return status;
}

static sup_status run(const sup_request *request, sup_session *session, sup_store *store, sup_diag *diag,
                      sup_result *result) {
    sup_lab *lab;
    sup_lab_steps_listen();
    bsp_begin(bsp_nprocs());
    sup_status status = sup_lab_whole_open(request->transport, store, sup_session_turns(session), diag, &lab);
    if (status) return status;
    result->leads = bsp_pid() == 0;
    sup_session_restart(session);
    status = result->leads ? lead(lab, request, session, diag, result) : sup_lab_whole_serve(lab, diag);
    if (status && status != SUP_EINTR) return status; /* closing would wait for those who do not know yet */
    sup_lab_whole_close(lab);
    bsp_end();
    return status;
}

static sup_status fill(sup_lab *lab, const sup_request *request, sup_session *session, sup_profile *profile,
                       sup_diag *diag) {
    sup_sections_options o = options_of(request);
    return sup_sections_ask(lab, &o, session, profile, diag);
}

const sup_target_kind sup_target_net = {.name = "net", .run = run, .fill = fill};
