/* Simplified τ-Lop expressions (taulop.h): the normal form, as an expression again. Tcomm, model stage. */
#include "model/taulop/normal.h"

#include <math.h>
#include <stdlib.h>

static sup_expr *build_list(sup_exprs *x, const sup_terms_list *list);

static sup_expr *build_beside(sup_exprs *x, const sup_term *t) {
    const sup_expr **parts = calloc(t->lists, sizeof *parts);
    if (!parts) return NULL;
    for (size_t i = 0; i < t->lists; i++) parts[i] = build_list(x, &t->body[i]);
    sup_expr *e = sup_expr_together(x, parts, t->lists);
    free(parts);
    return e;
}

static sup_expr *build(sup_exprs *x, const sup_term *t) {
    bool whole = t->count > 1 && t->count == floor(t->count);
    switch (t->kind) {
    case SUP_EXPR_SEND:
        if (!whole) return sup_expr_send(x, t->channel, t->bytes, t->count);
        return sup_expr_many(x, t->count, sup_expr_send(x, t->channel, t->bytes, 1));
    case SUP_EXPR_TRANSFER: return sup_expr_transfer(x, t->channel, t->bytes, t->count);
    case SUP_EXPR_FOLD: return sup_expr_fold(x, t->bytes, t->count);
    case SUP_EXPR_WAIT: return sup_expr_wait(x, t->seconds);
    case SUP_TERM_REPEAT: return sup_expr_times(x, t->times, build_list(x, t->body));
    default: return build_beside(x, t);
    }
}

static sup_expr *build_list(sup_exprs *x, const sup_terms_list *list) {
    const sup_expr **parts = calloc(list->count + 1, sizeof *parts);
    if (!parts) return NULL;
    for (size_t i = 0; i < list->count; i++) parts[i] = build(x, &list->at[i]);
    sup_expr *e = sup_expr_sequence(x, parts, list->count);
    free(parts);
    return e;
}

sup_status sup_expr_simplify(sup_exprs *x, const sup_expr *e, const sup_taulop_costs *costs, const sup_expr **out) {
    sup_normal n = {.costs = costs};
    sup_terms_list list = {0};
    sup_expr *made = NULL;
    sup_status status = sup_exprs_status(x, NULL);
    if (!status && costs) status = sup_taulop_check(costs, e, NULL);
    if (!status) status = sup_normal_form(&n, e, &list);
    if (!status) {
        made = build_list(x, &list);
        status = sup_exprs_status(x, NULL);
        if (!status && !made) status = SUP_ENOMEM;
    }
    sup_normal_free(&n);
    if (!status) *out = made;
    return status;
}
