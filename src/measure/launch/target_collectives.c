/* Target "collectives" (target.h): P processes over a transport, and the collective operations of a request
 * (collectives.h). Stage "measure", Tcomm. */
#include "measure/campaign/rounds.h"
#include "measure/collective/work.h"
#include "measure/lab/net.h"
#include "measure/launch/target.h"
#include "net/launch/launch.h"

#include <stdlib.h>

/* Cases that nobody knows here are of another version of the tool. */
static sup_status ask(void *context, sup_lab *lab, sup_session *session, sup_diag *diag) {
    const sup_request *request = context;
    sup_timing timing;
    bool missing = false;
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    if (!everybody) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    sup_status status = SUP_OK;
    for (size_t i = 0; i < request->collectives_count && !status; i++) {
        char word[SUP_COLLECTIVE_WORD];
        sup_collective_case one;
        if (sup_collective_case_read(request->collectives[i], &one)) {
            status = sup_diag_set(diag, SUP_EPARSE, NULL, 0, "no collective: \"%.100s\"", request->collectives[i]);
            break;
        }
        sup_trial trial = sup_collective_trial(&one, lab->size, everybody, request->rotates, word);
        status = sup_lab_ask(lab, session, "collectives", &trial, diag, &timing);
        missing |= status == SUP_ETIMEOUT;
        if (status == SUP_ENOTSUP || status == SUP_ETIMEOUT) status = SUP_OK;
    }
    free(everybody);
    return status ? status : missing ? SUP_ETIMEOUT : SUP_OK;
}

static sup_status lead(sup_lab *lab, const sup_request *request, sup_session *session, sup_diag *diag,
                       sup_result *result) {
    const sup_rounds_end end = {request->until, request->rounds};
    sup_rounds_result rounds = {0};
    sup_status status = sup_rounds_run(lab, session, ask, (void *)request, &end, diag, &rounds);
    if (status && status != SUP_EINTR) return status;
    result->rounds = rounds.rounds;
    result->complete = rounds.complete;
    result->oversubscribed = lab->oversubscribed;
    if (sup_places_write(lab->places, lab->size, &result->places, &result->places_count))
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    return status;
}

static sup_status run(const sup_request *request, sup_session *session, sup_store *store, sup_diag *diag,
                      sup_result *result) {
    const sup_lab_options options = {.collectives = true};
    sup_launch launch;
    sup_net *net;
    sup_lab *lab;
    sup_launch_take(&launch);
    sup_status status = sup_net_open(&launch, diag, &net);
    if (status) return status;
    status = sup_lab_net_open(net, &options, diag, &lab);
    if (!status) {
        lab->store = store;
        result->leads = sup_net_rank(net) == 0;
        status = result->leads ? lead(lab, request, session, diag, result) : sup_lab_net_serve(lab, diag);
        if (!status || status == SUP_EINTR)
            sup_lab_net_close(lab); /* else it would wait for those who do not know yet */
    }
    if (!status || status == SUP_EINTR) sup_net_close(net);
    return status;
}

const sup_target_kind sup_target_collectives = {.name = "collectives", .run = run};
