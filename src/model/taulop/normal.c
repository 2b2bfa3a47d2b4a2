/* The normal form of an expression (taulop/normal.h): parts from the inside out. Tcomm, model stage. */
#include "model/taulop/normal.h"

static void form(sup_normal *n, const sup_expr *e, double count, sup_terms_list *out);

/* n · X: of one transmission A1 makes one, of n times the size. */
static void form_times(sup_normal *n, const sup_expr *e, double count, sup_terms_list *out) {
    sup_terms_list *body = sup_arena_take(&n->arena, sizeof *body);
    if (!body) {
        n->status = SUP_ENOMEM;
        return;
    }
    *body = (sup_terms_list){0};
    form(n, e->parts[0], count, body);
    if (n->status || !body->count) return;
    sup_term term = body->at[0];
    if (body->count > 1 || term.kind == SUP_TERM_BESIDE || term.kind == SUP_EXPR_TRANSFER || term.kind == SUP_EXPR_FOLD)
        term = (sup_term){.kind = SUP_TERM_REPEAT, .times = 1, .body = body};
    if (term.kind == SUP_TERM_REPEAT && e->times > 1)
        term.times *= e->times;
    else
        term.bytes *= e->times;
    term.seconds *= e->times;
    if (e->times > 1)
        sup_normal_push(n, out, &term);
    else
        for (size_t i = 0; i < body->count && !n->status; i++) sup_normal_push(n, out, &body->at[i]);
}

static void form_together(sup_normal *n, const sup_expr *e, double count, sup_terms_list *out) {
    sup_terms_list *lists = sup_arena_take(&n->arena, e->count * sizeof *lists);
    if (!lists) {
        n->status = SUP_ENOMEM;
        return;
    }
    for (size_t i = 0; i < e->count && !n->status; i++) {
        lists[i] = (sup_terms_list){0};
        form(n, e->parts[i], count, &lists[i]);
    }
    if (!n->status) n->status = sup_normal_beside(n, lists, e->count, out);
}

/* count: of how many that happen at the same time it is one, which is how ‖ distributes over everything inside. */
static void form(sup_normal *n, const sup_expr *e, double count, sup_terms_list *out) {
    switch (e->kind) {
    case SUP_EXPR_SEQUENCE:
        for (size_t i = 0; i < e->count && !n->status; i++) form(n, e->parts[i], count, out);
        return;
    case SUP_EXPR_TIMES: form_times(n, e, count, out); return;
    case SUP_EXPR_MANY: form(n, e->parts[0], count * e->times, out); return;
    case SUP_EXPR_TOGETHER: form_together(n, e, count, out); return;
    default:
        sup_normal_push(n, out,
                        &(sup_term){.kind = e->kind,
                                    .channel = e->channel,
                                    .bytes = e->bytes,
                                    .count = e->tau * count,
                                    .seconds = e->seconds});
    }
}

sup_status sup_normal_form(sup_normal *n, const sup_expr *e, sup_terms_list *out) {
    if (!n->status) form(n, e, 1, out);
    return n->status;
}
