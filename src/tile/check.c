/* Is the description of an operation right, and (check mode) do parts overlap where one of them is written? Tasks of a
 * chain may share what they write; tasks of different chains run at the same time and may not. */
#include "tile/strategy.h"

#include <stdlib.h>

#define FAIL(...) sup_diag_set(diag, SUP_EINVAL, NULL, 0, __VA_ARGS__)

static sup_status validate_own(const sup_tile_set *set, int s, sup_diag *diag) {
    const sup_tile_distribution *own = set->own;
    if (!own->cut || !own->part_size || !own->line_length || !own->element_size)
        return FAIL("the distribution of data set %d lacks a function", s);
    return SUP_OK;
}

static sup_status validate_set(const sup_tile_set *set, int s, sup_diag *diag) {
    if (set->own) return validate_own(set, s, diag);
    if ((unsigned)set->row_axis > SUP_TILE_K || (unsigned)set->col_axis > SUP_TILE_K)
        return FAIL("data set %d is cut by an axis that does not exist", s);
    if (set->row_axis != SUP_TILE_WHOLE && set->row_axis == set->col_axis)
        return FAIL("rows and columns of data set %d are cut by the same axis", s);
    if ((unsigned)set->use > SUP_TILE_UPDATE || (unsigned)set->walk > SUP_TILE_WINDOW)
        return FAIL("data set %d has an unknown use or walk", s);
    if (set->rows > (size_t)INT64_MAX / 4 || set->cols > (size_t)INT64_MAX / 4)
        return FAIL("data set %d is too large", s);
    if (!set->data) {
        if (set->use != SUP_TILE_READ) return FAIL("data set %d is written and has no memory", s);
        return SUP_OK;
    }
    if (!set->element) return FAIL("data set %d has elements of size 0", s);
    if (set->pitch < set->cols) return FAIL("data set %d has a pitch of %zu for %zu columns", s, set->pitch, set->cols);
    size_t elements, bytes;
    if (__builtin_mul_overflow(set->rows, set->pitch, &elements) ||
        __builtin_mul_overflow(elements, set->element, &bytes) || bytes > (size_t)INT64_MAX / 4)
        return FAIL("data set %d is larger than memory can be", s);
    if (set->use != SUP_TILE_READ && (set->halo_rows || set->halo_cols))
        return FAIL("data set %d is written and has a halo, which is for reading", s);
    if (set->halo_rows > (size_t)INT32_MAX || set->halo_cols > (size_t)INT32_MAX || set->border > (size_t)INT32_MAX)
        return FAIL("the halo of data set %d is too large", s);
    return SUP_OK;
}

sup_status sup_tile_validate(const sup_tile_op *op, sup_diag *diag) {
    const unsigned flags = SUP_TILE_IRREGULAR | SUP_TILE_DETERMINISTIC | SUP_TILE_CHECK | SUP_TILE_NO_LEARNING;
    bool own = false;
    if (!op->kernel) return FAIL("an operation needs a kernel");
    if (op->set_count < 1 || op->set_count > SUP_TILE_SETS)
        return FAIL("an operation has 1 to %d data sets, not %d", SUP_TILE_SETS, op->set_count);
    if (op->flags & ~flags) return FAIL("unknown flags 0x%x", op->flags & ~flags);
    const sup_tile_trait *strategy = sup_tile_trait_at((int)op->cut.strategy);
    if (!strategy) return FAIL("unknown strategy %d", (int)op->cut.strategy);
    for (int s = 0; s < op->set_count; s++) {
        sup_status status = validate_set(&op->set[s], s, diag);
        if (status) return status;
        own = own || op->set[s].own;
    }
    if ((own || op->cut.target_bytes) && sup_tile_method_of(op->cut.strategy)->own_cut_only)
        return FAIL("strategy \"%s\" cuts bands: no target size, no distributions of their own", strategy->name);
    if (op->result_bytes && !op->reduce) return FAIL("results need a reduction");
    if (op->result_bytes && !op->result) return FAIL("results need a place to go");
    if (!op->combination.task != !op->combination.tasks) return FAIL("a combination needs both of its functions");
    if (op->combination.task && !own) return FAIL("a combination is for data sets with distributions of their own");
    if (op->phases < 0) return FAIL("%d phases", op->phases);
    return SUP_OK;
}

/* ---- overlap ------------------------------------------------------------------------------------------------------*/

typedef struct interval {
    uintptr_t from, to;
    int64_t chain;
    int set;
    bool written;
} interval;

typedef struct collection {
    const sup_tile_call *call;
    interval *list;
    size_t count, room;
    int64_t chain;
    bool full;
} collection;

static void add(collection *c, uintptr_t from, uintptr_t to, int set) {
    if (c->count == c->room) {
        size_t room = c->room ? 2 * c->room : 1024;
        interval *list = realloc(c->list, room * sizeof *list);
        if (!list) {
            c->full = true;
            return;
        }
        c->list = list;
        c->room = room;
    }
    c->list[c->count++] = (interval){from, to, c->chain, set, c->call->op->set[set].use != SUP_TILE_READ};
}

static int collect(void *context, const sup_tile_task *task) {
    collection *c = context;
    for (int s = 0; s < c->call->op->set_count && !c->full; s++) {
        const sup_tile_part *p = &task->part[s];
        const sup_tile_set *set = &c->call->op->set[s];
        size_t element = set->own ? set->own->element_size(set->own_context) : set->element;
        if (!p->data || !p->cols) continue;
        size_t width = (p->left + p->cols + p->right) * element, step = p->pitch * element;
        uintptr_t row = (uintptr_t)p->data - (p->above * p->pitch + p->left) * element;
        size_t rows = p->above + p->rows + p->below;
        if (width == step && rows) width *= rows, rows = 1;
        for (size_t r = 0; r < rows && !c->full; r++) add(c, row + r * step, row + r * step + width, s);
    }
    return c->full;
}

static int by_start(const void *a, const void *b) {
    const interval *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* The interval that reaches farthest, and the farthest of another chain: enough to find any conflict in one sweep. */
typedef struct reach {
    const interval *best, *other;
} reach;

static const interval *conflict(const reach *r, const interval *now) {
    if (r->best && r->best->chain != now->chain && r->best->to > now->from) return r->best;
    return r->other && r->other->chain != now->chain && r->other->to > now->from ? r->other : NULL;
}

static void extend(reach *r, const interval *now) {
    if (!r->best || now->to > r->best->to) {
        if (r->best && r->best->chain != now->chain) r->other = r->best;
        r->best = now;
    } else if (now->chain != r->best->chain && (!r->other || now->to > r->other->to)) {
        r->other = now;
    }
}

sup_status sup_tile_check_overlap(const sup_tile_call *call, sup_diag *diag) {
    collection c = {.call = call};
    sup_tile_part part[SUP_TILE_SETS];
    sup_tile_task task = {0};
    sup_status status = SUP_OK;
    for (c.chain = 0; c.chain < call->chains && !c.full; c.chain++)
        sup_tile_chain(call, c.chain, &task, part, collect, &c);
    if (c.full) {
        free(c.list);
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory to look for overlapping parts");
    }
    if (c.count) qsort(c.list, c.count, sizeof *c.list, by_start);
    reach any = {0}, written = {0};
    for (size_t i = 0; i < c.count && !status; i++) {
        const interval *now = &c.list[i], *with = conflict(now->written ? &any : &written, now);
        if (with)
            status = FAIL("parts overlap at %p: data set %d in chain %lld %s what data set %d in chain %lld %s",
                          (void *)now->from, now->set, (long long)now->chain, now->written ? "writes" : "reads",
                          with->set, (long long)with->chain, with->written ? "writes" : "reads");
        extend(&any, now);
        if (now->written) extend(&written, now);
    }
    free(c.list);
    return status;
}
