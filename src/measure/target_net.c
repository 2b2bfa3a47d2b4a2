/* Target "net" (target.h): P processes over a transport, and the sections that ask them. Stage "measure", Tcomm and
 * Tsync. */
#include "measure/lab_net.h"
#include "measure/rounds.h"
#include "measure/sections.h"
#include "measure/target.h"
#include "net/launch.h"

#include <string.h>

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

static sup_status lead(sup_lab *lab, const sup_request *request, sup_session *session, sup_diag *diag,
                       sup_result *result) {
    asked a = {.request = request};
    sup_rounds_result rounds = {0};
    sup_detours detours;
    sup_status status = sup_profile_new(-1, diag, &a.scratch);
    if (status) return status;
    if (request->kinds) { /* which pairs are alike depends on it */
        a.scratch->kinds = sup_record_make(&sup_kinds_record);
        status = a.scratch->kinds ? sup_record_copy(&sup_kinds_record, request->kinds, a.scratch->kinds) : SUP_ENOMEM;
    }
    if (!status) status = sup_rounds_run(lab, session, ask, &a, request->until, diag, &rounds);
    sup_profile_free(a.scratch);
    if (status && status != SUP_EINTR) return status;
    result->rounds = rounds.rounds;
    result->complete = rounds.complete;
    result->oversubscribed = lab->oversubscribed;
    sup_status more = sup_places_write(lab->places, lab->size, &result->places, &result->places_count);
    if (!more) more = sup_lab_net_detours(lab, &detours, diag);
    if (!more && detours.watched_s > 0.0) {
        result->interruptions = sup_record_make(&sup_interruptions_record);
        more = result->interruptions ? sup_detour_record(&detours, lab->transport, lab->size, result->interruptions)
                                     : SUP_ENOMEM;
    }
    return more ? more : status;
}

static sup_status run(const sup_request *request, sup_session *session, sup_store *store, sup_diag *diag,
                      sup_result *result) {
    sup_launch launch;
    sup_net *net;
    sup_lab *lab;
    sup_launch_take(&launch);
    sup_status status = sup_net_open(&launch, diag, &net);
    if (status) return status;
    status = sup_lab_net_open(net, NULL, diag, &lab);
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

static sup_status fill(sup_lab *lab, const sup_request *request, sup_session *session, sup_profile *profile,
                       sup_diag *diag) {
    sup_sections_options o = options_of(request);
    return sup_sections_ask(lab, &o, session, profile, diag);
}

const sup_target_kind sup_target_net = {.name = "net", .run = run, .fill = fill};
