/* What a lab answers (lab.h): from the store, or by a visit. Stage "measure". */
#include "measure/lab/lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With a budget the bar shows time. */
static sup_status tick(sup_session *session, const char *text) {
    double spent = sup_session_spent(session), left = sup_session_left(session);
    return sup_session_tick(session, isinf(left) ? 0.0 : fmin(0.999, spent / fmax(spent + left, 1e-9)), text);
}

static sup_status wait_for_turn(sup_lab *lab, sup_session *session, sup_diag *diag) {
    if (!sup_session_turn_over(session)) return SUP_OK;
    sup_status status = lab->rest ? lab->rest(lab, diag) : SUP_OK;
    if (!status) sup_session_take_turn(session);
    return status;
}

sup_status sup_lab_visit(sup_lab *lab, sup_session *session, sup_point *point, sup_diag *diag) {
    uint64_t batches = lab->batches, dropped = lab->dropped;
    sup_status status = wait_for_turn(lab, session, diag);
    if (status || sup_session_left(session) <= 0.0) return status;
    status = lab->visit(lab, point, diag);
    if (status) return status;
    point->visits++;
    sup_session_count(session, lab->batches - batches, lab->dropped - dropped);
    return SUP_OK;
}

bool sup_lab_is_deep(const sup_lab *lab, unsigned section) {
    return !lab->visit || sup_budget_is_deep(&lab->budget, section);
}

/* What a section asks for counts once, whether it is known already or not. */
static void count(sup_lab *lab, sup_point *p) {
    if (!lab->visit || p->pass == lab->budget.pass) return;
    p->pass = lab->budget.pass;
    sup_budget_spend(&lab->budget, p->visit_s);
}

sup_status sup_lab_ask(sup_lab *lab, sup_session *session, const char *text, const sup_trial *trial, sup_diag *diag,
                       sup_timing *out) {
    sup_point *p = sup_store_find(lab->store, trial);
    if (p && p->status) return p->status;
    if (!p || !sup_point_known(p)) {
        if (!lab->visit) return SUP_ETIMEOUT;
        sup_status status = tick(session, text);
        if (status) return status;
        if (!sup_budget_allows(&lab->budget)) return SUP_ETIMEOUT;
        if ((status = wait_for_turn(lab, session, diag))) return status;
        if (sup_session_left(session) <= lab->reserve_s) {
            lab->budget.late = true;
            return SUP_ETIMEOUT;
        }
        p = sup_store_get(lab->store, trial);
        if (!p) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
        status = sup_lab_visit(lab, session, p, diag);
        if (status) return status;
        count(lab, p);
        if (p->status) return p->status;
        if (!sup_point_known(p)) return SUP_ETIMEOUT;
    }
    count(lab, p);
    for (int v = 0; v < p->values; v++) sup_store_say(lab->store, p, v, &out[v]);
    return SUP_OK;
}

void sup_lab_say_left_out(const sup_lab *lab, sup_session *session) {
    const sup_budget *b = &lab->budget;
    for (int i = 0; i < SUP_BUDGET_ROWS; i++) {
        const sup_about about = {.transport = lab->transport ? lab->transport : "computation",
                                 .reason = sup_budget_rows[i].name,
                                 .number = {(double)b->left_out[i], (double)(b->asked[i] + b->left_out[i])}};
        if (b->left_out[i]) sup_session_warn(session, SUP_WARNING_LEFT_OUT, &about);
    }
}

static int ascending(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

size_t sup_lab_known_sizes(const sup_lab *lab, const sup_trial *trial, size_t *bytes, size_t most) {
    size_t found = 0;
    for (const sup_point *p = sup_store_sizes(lab->store, trial); p && found < most; p = p->next_size)
        if (sup_point_known(p) && !p->status) bytes[found++] = p->trial.bytes;
    qsort(bytes, found, sizeof *bytes, ascending);
    return found;
}
