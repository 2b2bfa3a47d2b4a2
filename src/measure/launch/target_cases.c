/* Target "cases" (target.h): P processes over a transport, and the cases of a request (cases.h): collective operations,
 * or patterns of barriers, which rank 0 hands to the others: on other hosts there is no request. Stage "measure", Tcomm
 * and Tsync. */
#include "measure/campaign/rounds.h"
#include "measure/collective/work.h"
#include "measure/lab/net.h"
#include "measure/launch/cases.h"
#include "measure/launch/target.h"
#include "net/launch/launch.h"

#include <stdio.h>
#include <stdlib.h>

sup_trial sup_barrier_trial(size_t index, int processes, int *ranks, char word[SUP_PATTERN_WORD]) {
    for (int i = 0; i < processes; i++) ranks[i] = i;
    sup_trial trial = sup_trial_of(SUP_TRIAL_SYNC, ranks, 1, processes, 0);
    snprintf(word, SUP_PATTERN_WORD, "pattern %zu", index);
    trial.kernel = word;
    return trial;
}

/* ---- barriers ---- */

/* Everybody's copy of the list. */
static sup_status hand_out(sup_net *net, const sup_request *request, int64_t **list, size_t *length) {
    uint64_t count = request->barriers_count;
    sup_status status = SUP_OK;
    if (net->rank) status = sup_lab_receive(net, 0, SUP_LAB_TAG_TRIAL, &count, sizeof count, NULL);
    if (status) return status;
    if (!(*list = calloc(count + 1, sizeof **list))) return SUP_ENOMEM;
    *length = count;
    if (net->rank) return sup_lab_receive(net, 0, SUP_LAB_TAG_TRIAL, *list, count * sizeof **list, NULL);
    for (size_t i = 0; i < count; i++) (*list)[i] = request->barriers[i];
    for (int to = 1; to < net->size && !status; to++) {
        status = sup_lab_send(net, to, SUP_LAB_TAG_TRIAL, &count, sizeof count);
        if (!status) status = sup_lab_send(net, to, SUP_LAB_TAG_TRIAL, *list, count * sizeof **list);
    }
    return status;
}

static sup_status learn(sup_lab *lab, sup_net *net, const sup_request *request, sup_diag *diag, size_t *count) {
    int64_t *list = NULL;
    size_t length = 0;
    sup_pattern *patterns = NULL;
    *count = 0;
    sup_status status = hand_out(net, request, &list, &length);
    if (!status) status = sup_barriers_unpack(list, length, &patterns, count);
    for (size_t i = 0; i < *count && !status; i++) {
        char word[SUP_PATTERN_WORD];
        status = sup_lab_net_add(lab, sup_barrier_trial(i, 0, NULL, word).kernel, &patterns[i]);
    }
    for (size_t i = 0; patterns && i < *count; i++) sup_pattern_free(&patterns[i]);
    free(patterns);
    free(list);
    return status ? sup_diag_set(diag, status, NULL, 0, "barriers: %s", sup_status_text(status)) : SUP_OK;
}

/* ---- rank 0 ---- */

typedef struct asked {
    const sup_request *request;
    size_t barriers;
    int *everybody; /* room for ranks */
    bool missing;   /* some had no turn */
} asked;

static sup_status ask_one(asked *a, sup_lab *lab, sup_session *session, const sup_trial *trial, sup_diag *diag) {
    sup_timing timing;
    sup_status status = sup_lab_ask(lab, session, a->request->target, trial, diag, &timing);
    a->missing |= status == SUP_ETIMEOUT;
    return status == SUP_ENOTSUP || status == SUP_ETIMEOUT ? SUP_OK : status;
}

static sup_status ask(void *context, sup_lab *lab, sup_session *session, sup_diag *diag) {
    asked *a = context;
    sup_status status = SUP_OK;
    a->missing = false;
    for (size_t i = 0; i < a->barriers && !status; i++) {
        char word[SUP_PATTERN_WORD];
        sup_trial trial = sup_barrier_trial(i, lab->size, a->everybody, word);
        status = ask_one(a, lab, session, &trial, diag);
    }
    for (size_t i = 0; i < a->request->collectives_count && !status; i++) {
        char word[SUP_COLLECTIVE_WORD];
        sup_collective_case one;
        if (sup_collective_case_read(a->request->collectives[i], &one))
            return sup_diag_set(diag, SUP_EPARSE, NULL, 0, "no collective: \"%.100s\"", a->request->collectives[i]);
        sup_trial trial = sup_collective_trial(&one, lab->size, a->everybody, a->request->rotates, word);
        status = ask_one(a, lab, session, &trial, diag);
    }
    return status ? status : a->missing ? SUP_ETIMEOUT : SUP_OK;
}

static sup_status lead(sup_lab *lab, size_t barriers, const sup_request *request, sup_session *session, sup_diag *diag,
                       sup_result *result) {
    const sup_rounds_end end = {request->until, request->rounds};
    sup_rounds_result rounds = {0};
    asked a = {request, barriers, malloc((size_t)lab->size * sizeof *a.everybody), false};
    if (!a.everybody) return sup_diag_no_memory(diag);
    sup_status status = sup_rounds_run(lab, session, ask, &a, &end, diag, &rounds);
    free(a.everybody);
    result->rounds = rounds.rounds;
    result->complete = rounds.complete;
    result->oversubscribed = lab->oversubscribed;
    return status;
}

static sup_status run(const sup_request *request, sup_session *session, sup_store *store, sup_diag *diag,
                      sup_result *result) {
    const sup_lab_options options = {.collectives = true};
    sup_launch launch;
    sup_net *net;
    sup_lab *lab;
    size_t barriers;
    sup_launch_take(&launch);
    sup_status status = sup_net_open(&launch, diag, &net);
    if (status) return status;
    status = sup_lab_net_open(net, &options, diag, &lab);
    if (!status) {
        lab->store = store;
        result->leads = sup_net_rank(net) == 0;
        status = learn(lab, net, request, diag, &barriers);
        if (!status)
            status = result->leads ? lead(lab, barriers, request, session, diag, result) : sup_lab_net_serve(lab, diag);
        if (!status || status == SUP_EINTR)
            sup_lab_net_close(lab); /* else it would wait for those who do not know yet */
    }
    if (!status || status == SUP_EINTR) sup_net_close(net);
    return status;
}

const sup_target_kind sup_target_cases = {.name = "cases", .run = run};
