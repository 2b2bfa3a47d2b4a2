/* Terms of expressions in normal form (taulop/normal.h): lists of them, A1, and what they cost. Tcomm, model stage. */
#include "model/taulop/normal.h"

#include <string.h>

static bool same_leaf(const sup_term *a, const sup_term *b) {
    return a->kind == b->kind && a->channel == b->channel && a->bytes == b->bytes && a->count == b->count;
}

static bool append(sup_normal *n, sup_terms_list *list, const sup_term *term) {
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 1;
        sup_term *more = sup_arena_take(&n->arena, room * sizeof *more);
        if (!more) {
            n->status = SUP_ENOMEM;
            return false;
        }
        if (list->count) memcpy(more, list->at, list->count * sizeof *more);
        list->at = more;
        list->room = room;
    }
    list->at[list->count++] = *term;
    return true;
}

/* Becomes "times · term". */
static bool repeat(sup_normal *n, sup_term *term, double times) {
    sup_terms_list *body = sup_arena_take(&n->arena, sizeof *body);
    if (body) {
        *body = (sup_terms_list){0};
        if (append(n, body, term)) {
            *term = (sup_term){.kind = SUP_TERM_REPEAT, .times = times, .body = body};
            return true;
        }
    }
    n->status = SUP_ENOMEM;
    return false;
}

bool sup_normal_push(sup_normal *n, sup_terms_list *list, const sup_term *term) {
    sup_term *last = list->count ? &list->at[list->count - 1] : NULL;
    if (!last) return append(n, list, term);
    switch (term->kind) {
    case SUP_EXPR_WAIT:
        if (last->kind != SUP_EXPR_WAIT) break;
        last->seconds += term->seconds;
        return true;
    case SUP_EXPR_SEND:
        if (last->kind != SUP_EXPR_SEND || last->channel != term->channel || last->count != term->count) break;
        last->bytes += term->bytes;
        return true;
    case SUP_EXPR_TRANSFER:
    case SUP_EXPR_FOLD:
        if (same_leaf(last, term)) return repeat(n, last, 2);
        if (last->kind == SUP_TERM_REPEAT && last->body->count == 1 && same_leaf(last->body->at, term)) {
            last->times++;
            return true;
        }
        break;
    default: break;
    }
    return append(n, list, term);
}

double sup_term_cost(const sup_taulop_costs *costs, const sup_term *t) {
    switch (t->kind) {
    case SUP_EXPR_SEND: return sup_taulop_send(sup_taulop_channel_of(costs, t->channel), t->bytes, t->count);
    case SUP_EXPR_TRANSFER: {
        const sup_taulop_channel *c = sup_taulop_channel_of(costs, t->channel);
        return c->transfer(c, t->bytes, t->count);
    }
    case SUP_EXPR_FOLD: return costs->fold(costs, t->bytes, t->count);
    case SUP_EXPR_WAIT: return t->seconds;
    case SUP_TERM_REPEAT: return t->times * sup_terms_cost(costs, t->body);
    default: return 0; /* nothing stays undecided where costs are known */
    }
}

double sup_terms_cost(const sup_taulop_costs *costs, const sup_terms_list *list) {
    double sum = 0;
    for (size_t i = 0; i < list->count; i++) sum += sup_term_cost(costs, &list->at[i]);
    return sum;
}

void sup_normal_free(sup_normal *n) { sup_arena_free(&n->arena); }
