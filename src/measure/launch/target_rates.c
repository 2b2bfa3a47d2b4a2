/* The target of rates: kernels on threads of one process (target.h; term Tcomp, stage measure). */
#include "kernels/kernels.h"
#include "measure/campaign/rounds.h"
#include "measure/comp/comp.h"
#include "measure/comp/lab.h"
#include "measure/comp/user.h"
#include "measure/launch/target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the request is about, on this machine. */
typedef struct rates {
    sup_topology *topology;
    sup_usable usable;
    sup_user_kernel *users;
    size_t user_count;
    sup_comp_kernel *kernels;
    size_t kernel_count;
    sup_comp_set set;
} rates;

static void rates_free(rates *r) {
    sup_comp_set_free(&r->set);
    free(r->kernels);
    for (size_t i = 0; i < r->user_count; i++) sup_user_kernel_unload(&r->users[i]);
    free(r->users);
    sup_usable_free(&r->usable);
    sup_topology_free(r->topology);
}

/* No names: all of ours; "none": only the user's. */
static sup_status add_ours(rates *r, const sup_request *q, sup_diag *diag) {
    if (q->kernels_count == 1 && !strcmp(q->kernels[0], "none")) return SUP_OK;
    for (size_t i = 0; !q->kernels_count && sup_kernels[i]; i++)
        r->kernels[r->kernel_count++] = (sup_comp_kernel){sup_kernels[i], NULL};
    for (size_t i = 0; i < q->kernels_count; i++) {
        const sup_kernel *kernel = sup_kernel_find(q->kernels[i]);
        if (!kernel) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "there is no kernel \"%.64s\"", q->kernels[i]);
        r->kernels[r->kernel_count++] = (sup_comp_kernel){kernel, NULL};
    }
    return SUP_OK;
}

/* They have been tried before anything was measured. */
static sup_status add_users(rates *r, const sup_request *q, sup_diag *diag) {
    for (size_t i = 0; i < q->plugins_count; i++) {
        sup_user_options tried = {.tried = true};
        sup_status status = sup_user_kernel_load(q->plugins[i], &tried, diag, &r->users[i]);
        if (status) return status;
        r->user_count++;
        r->kernels[r->kernel_count++] = (sup_comp_kernel){r->users[i].kernel, r->users[i].path};
    }
    return SUP_OK;
}

static sup_status rates_make(const sup_request *q, sup_session *session, sup_diag *diag, rates *r) {
    size_t most = q->kernels_count + q->plugins_count;
    for (size_t i = 0; sup_kernels[i]; i++) most++;
    sup_status status = sup_topology_load(0, diag, &r->topology);
    if (!status) status = sup_usable_read(r->topology, diag, &r->usable);
    if (status) return status;
    r->kernels = calloc(most + 1, sizeof *r->kernels);
    r->users = calloc(q->plugins_count + 1, sizeof *r->users);
    if (!r->kernels || !r->users) return sup_diag_no_memory(diag);
    status = add_ours(r, q, diag);
    if (!status) status = add_users(r, q, diag);
    sup_comp_options o = {.topology = r->topology,
                          .usable = &r->usable,
                          .kernels = r->kernels,
                          .kernel_count = r->kernel_count,
                          .deep = q->deep & SUP_MEASURE_KERNELS};
    return status ? status : sup_comp_set_make(session, &o, diag, &r->set);
}

static sup_status ask(void *context, sup_lab *lab, sup_session *session, sup_diag *diag) {
    const rates *r = context;
    sup_budget_enter(&lab->budget, SUP_MEASURE_KERNELS);
    return sup_comp_ask(lab, &r->set, session, diag);
}

static sup_status run_rounds(sup_lab *lab, rates *r, const sup_request *request, sup_session *session, sup_diag *diag,
                             sup_rounds_result *done) {
    const sup_rounds_end end = {request->until, request->rounds};
    lab->budget = (sup_budget){.part_s = fmax(sup_budget_part_s(r->set.cpu_count), request->part_s),
                               .deep = (unsigned)request->deep};
    sup_status status = sup_rounds_run(lab, session, ask, r, &end, diag, done);
    if (!status || status == SUP_EINTR) sup_lab_say_left_out(lab, session);
    return status;
}

static sup_status run(const sup_request *request, sup_session *session, sup_store *store, sup_diag *diag,
                      sup_result *result) {
    rates r = {0};
    sup_lab *lab = NULL;
    sup_rounds_result done = {0};
    sup_status status = rates_make(request, session, diag, &r);
    if (!status) status = sup_lab_comp_open(&r.set, store, session, NULL, diag, &lab);
    if (!status) status = run_rounds(lab, &r, request, session, diag, &done);
    result->rounds = done.rounds;
    result->complete = done.complete;
    sup_lab_comp_close(lab);
    rates_free(&r);
    return status;
}

static sup_status fill(sup_lab *lab, const sup_request *request, sup_session *session, sup_profile *profile,
                       sup_diag *diag) {
    rates r = {0};
    sup_status status = rates_make(request, session, diag, &r); /* footprints are those that were visited */
    if (!status) status = sup_comp_fill(lab, &r.set, r.topology, session, profile, diag);
    rates_free(&r);
    return status;
}

const sup_target_kind sup_target_rates = {.name = "rates", .alone = true, .run = run, .fill = fill};
