/* τ-Lop expressions (taulop.h): their parts, each checked when it is made. Tcomm, model stage. */
#include "model/taulop/taulop.h"

#include "model/taulop/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX 0x1p60
#define COUNT_MAX 0x1p53 /* up to here every whole number is one */

/* What is known of an expression besides what its reader sees. */
typedef struct node {
    sup_expr e; /* first: the one is the other */
    double transmissions;
    int depth;
} node;

struct sup_exprs {
    sup_arena arena;
    sup_diag diag; /* of the first mistake; its status is SUP_OK until then */
};

sup_exprs *sup_exprs_new(void) { return calloc(1, sizeof(sup_exprs)); }

void sup_exprs_free(sup_exprs *x) {
    if (!x) return;
    sup_arena_free(&x->arena);
    free(x);
}

sup_status sup_exprs_status(const sup_exprs *x, sup_diag *diag) {
    if (x->diag.status && diag) *diag = x->diag;
    return x->diag.status;
}

static const node *node_of(const sup_expr *e) { return (const node *)(const void *)e; }

#define WRONG(x, ...) (sup_diag_set(&(x)->diag, SUP_EINVAL, NULL, 0, __VA_ARGS__), (sup_expr *)NULL)

static sup_expr *no_memory(sup_exprs *x) {
    sup_diag_no_memory(&x->diag);
    return NULL;
}

static bool is_whole(double n) { return n >= 1 && n <= COUNT_MAX && n == floor(n); }

static sup_expr *put(sup_exprs *x, const sup_expr *e, double transmissions, int depth) {
    if (!(transmissions <= COUNT_MAX))
        return WRONG(x, "%g transmissions are more than can be counted (%g)", transmissions, COUNT_MAX);
    if (depth > SUP_EXPR_DEPTH_MAX) return WRONG(x, "nested more than %d deep", SUP_EXPR_DEPTH_MAX);
    node *n = sup_arena_take(&x->arena, sizeof *n);
    if (!n) return no_memory(x);
    *n = (node){.e = *e, .transmissions = transmissions, .depth = depth};
    return &n->e;
}

/* ---- single ones ---- */

static sup_expr *put_leaf(sup_exprs *x, int kind, int channel, double bytes, double tau) {
    if (x->diag.status) return NULL;
    if (channel < 0 || channel > SUP_EXPR_CHANNEL_MAX)
        return WRONG(x, "channel %d: channels are 0 to %d", channel, SUP_EXPR_CHANNEL_MAX);
    if (!(bytes >= 0 && bytes <= BYTES_MAX)) return WRONG(x, "%g bytes: a size is 0 to %g", bytes, BYTES_MAX);
    if (!(tau >= 1 && tau <= COUNT_MAX)) return WRONG(x, "\u03c4 = %g: it is 1 to %g", tau, COUNT_MAX);
    return put(x, &(sup_expr){.kind = kind, .channel = channel, .bytes = bytes, .tau = tau}, tau, 1);
}

sup_expr *sup_expr_send(sup_exprs *x, int channel, double bytes, double tau) {
    return put_leaf(x, SUP_EXPR_SEND, channel, bytes, tau);
}

sup_expr *sup_expr_transfer(sup_exprs *x, int channel, double bytes, double tau) {
    return put_leaf(x, SUP_EXPR_TRANSFER, channel, bytes, tau);
}

sup_expr *sup_expr_fold(sup_exprs *x, double bytes, double tau) { return put_leaf(x, SUP_EXPR_FOLD, 0, bytes, tau); }

sup_expr *sup_expr_wait(sup_exprs *x, double seconds) {
    if (x->diag.status) return NULL;
    if (!(seconds >= 0 && isfinite(seconds))) return WRONG(x, "%g seconds to wait", seconds);
    return put(x, &(sup_expr){.kind = SUP_EXPR_WAIT, .tau = 1, .seconds = seconds}, 0, 1);
}

/* ---- made of others ---- */

static sup_expr *put_parts(sup_exprs *x, int kind, const sup_expr *const *parts, size_t count) {
    double transmissions = 0;
    int depth = 0;
    if (x->diag.status) return NULL;
    for (size_t i = 0; i < count; i++) {
        if (!parts[i]) return WRONG(x, "part %zu of %zu is missing", i, count);
        transmissions += node_of(parts[i])->transmissions;
        if (node_of(parts[i])->depth > depth) depth = node_of(parts[i])->depth;
    }
    if (count == 1) return (sup_expr *)(uintptr_t)parts[0]; /* never changed, by whatever name */
    if (count > SIZE_MAX / sizeof(const sup_expr *)) return no_memory(x);
    const sup_expr **copy = count ? sup_arena_take(&x->arena, count * sizeof *copy) : NULL;
    if (count && !copy) return no_memory(x);
    if (count) memcpy(copy, parts, count * sizeof *copy);
    return put(x, &(sup_expr){.kind = kind, .tau = 1, .count = count, .parts = copy}, transmissions, depth + 1);
}

sup_expr *sup_expr_sequence(sup_exprs *x, const sup_expr *const *parts, size_t count) {
    return put_parts(x, SUP_EXPR_SEQUENCE, parts, count);
}

sup_expr *sup_expr_together(sup_exprs *x, const sup_expr *const *parts, size_t count) {
    return put_parts(x, count ? SUP_EXPR_TOGETHER : SUP_EXPR_SEQUENCE, parts, count); /* nothing is nothing */
}

static sup_expr *put_times(sup_exprs *x, int kind, double times, const sup_expr *e) {
    if (x->diag.status) return NULL;
    if (!e) return WRONG(x, "%g times nothing", times);
    if (!is_whole(times)) return WRONG(x, "%g times: it is a whole number, 1 to %g", times, COUNT_MAX);
    const sup_expr **part = sup_arena_take(&x->arena, sizeof *part);
    if (!part) return no_memory(x);
    *part = e;
    return put(x, &(sup_expr){.kind = kind, .tau = 1, .times = times, .count = 1, .parts = part},
               times * node_of(e)->transmissions, node_of(e)->depth + 1);
}

sup_expr *sup_expr_times(sup_exprs *x, double times, const sup_expr *e) {
    return put_times(x, SUP_EXPR_TIMES, times, e);
}

sup_expr *sup_expr_many(sup_exprs *x, double times, const sup_expr *e) { return put_times(x, SUP_EXPR_MANY, times, e); }

double sup_expr_transmissions(const sup_expr *e) { return node_of(e)->transmissions; }

bool sup_expr_equal(const sup_expr *a, const sup_expr *b) {
    if (a == b) return true;
    if (a->kind != b->kind || a->channel != b->channel || a->bytes != b->bytes || a->tau != b->tau ||
        a->times != b->times || a->seconds != b->seconds || a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!sup_expr_equal(a->parts[i], b->parts[i])) return false;
    return true;
}
