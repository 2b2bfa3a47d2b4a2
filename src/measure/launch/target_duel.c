/* Target "duel" (target.h): P processes of a BSP program over a transport, and the one superstep of a request (duel.h),
 * as the options of the run have it done. Terms Tcomm and Tsync, stage "measure". */
#include "measure/campaign/rounds.h"
#include "measure/lab/steps.h"
#include "measure/launch/duel.h"
#include "measure/launch/target.h"

#include <bsp.h>

#include <string.h>

sup_trial sup_step_duel_trial(int processes, size_t bytes, const char *engine) {
    sup_trial t = sup_trial_of(bytes ? SUP_TRIAL_OVERLAP : SUP_TRIAL_STEP, NULL, 1, processes, bytes);
    if (!bytes) t.shape = SUP_EXCHANGE_ONE;
    if (!bytes) t.move = SUP_MOVE_PUT;
    t.engine = engine && !strcmp(engine, "bulk") ? engine : NULL; /* the lab tells no others apart */
    return t;
}

static sup_status ask(void *context, sup_lab *lab, sup_session *session, sup_diag *diag) {
    const sup_request *request = context;
    sup_timing found[3];
    sup_trial trial = sup_step_duel_trial(lab->size, (size_t)request->bytes, request->engine);
    return sup_lab_ask(lab, session, "duel", &trial, diag, found);
}

/* Processes other than the first end in bsp_end. */
static sup_status run(const sup_request *request, sup_session *session, sup_store *store, sup_diag *diag,
                      sup_result *result) {
    sup_status status = SUP_OK;
    sup_rounds_result rounds = {0};
    sup_lab_steps_listen();
    bsp_begin(bsp_nprocs());
    sup_lab *lab = sup_lab_steps_open(request->transport, store);
    result->leads = bsp_pid() == 0;
    if (!result->leads) {
        sup_lab_steps_serve(lab);
    } else {
        result->oversubscribed = lab->oversubscribed;
        const sup_rounds_end end = {request->until, request->rounds};
        status = sup_rounds_run(lab, session, ask, (void *)request, &end, diag, &rounds);
        result->rounds = rounds.rounds;
        result->complete = rounds.complete;
        sup_lab_steps_over(lab);
    }
    sup_lab_steps_close(lab);
    bsp_end();
    return status;
}

const sup_target_kind sup_target_duel = {.name = "duel", .run = run};
