/* Stages decompose and combine for data sets with distributions of their own: parts are asked for one by one and kept,
 * tasks are what the combination says (CACHE §3.1, §4.1.1.1). */
#include "tile/tile.h"

#include "tile/estimate.h"

#include <stdlib.h>
#include <string.h>

void sup_tile_list_free(sup_tile_list *list) {
    free(list->part);
    free(list->of_task);
    free(list->first);
    memset(list, 0, sizeof *list);
}

/* A supplied data set cut into n: rows and columns alike where both are cut. */
static void cut_supplied(const sup_tile_set *set, int64_t n, int64_t index, sup_tile_part *out) {
    int64_t side = sup_set_is_square(set) ? sup_root_down(n) : n;
    int64_t row = sup_set_is_square(set) ? index / side : index, col = sup_set_is_square(set) ? index % side : index;
    sup_bounds at[SUP_TILE_AXES] = {{0, 1}, {0, 1}, {0, 1}};
    if (set->row_axis != SUP_TILE_WHOLE) at[set->row_axis - 1] = sup_grid_block(0, (int64_t)set->rows, 1, side, row);
    if (set->col_axis != SUP_TILE_WHOLE) at[set->col_axis - 1] = sup_grid_block(0, (int64_t)set->cols, 1, side, col);
    sup_grid_part(set, at, out);
}

static sup_status cut_set(const sup_tile_set *set, int number, int64_t n, sup_diag *diag, sup_tile_part *out) {
    for (int64_t i = 0; i < n; i++) {
        out[i] = (sup_tile_part){0};
        if (!set->own) {
            cut_supplied(set, n, i, &out[i]);
            continue;
        }
        int rc = set->own->cut(set->own_context, n, i, &out[i]);
        if (rc)
            return sup_diag_set(diag, rc, NULL, 0, "the distribution of data set %d could not cut part %lld of %lld",
                                number, (long long)i, (long long)n);
    }
    return SUP_OK;
}

/* Tasks of a group follow each other. */
static sup_status combine(sup_tile_call *call, sup_diag *diag) {
    const sup_tile_combination *c = &call->op->combination;
    sup_tile_list *list = &call->list;
    int sets = call->op->set_count;
    int64_t last = 0;
    for (int64_t t = 0; t < list->tasks; t++) {
        int64_t *part = list->of_task + t * sets, group = t;
        for (int s = 0; s < sets; s++) part[s] = t;
        if (c->task) group = c->task(c->context, list->n, t, part);
        for (int s = 0; s < sets; s++)
            if (part[s] < 0 || part[s] >= list->n)
                return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                                    "the combination names part %lld of data set %d for task %lld, which has %lld",
                                    (long long)part[s], s, (long long)t, (long long)list->n);
        if (t == 0 || group != last) list->first[list->groups++] = t;
        last = group;
    }
    list->first[list->groups] = list->tasks;
    return SUP_OK;
}

sup_status sup_tile_list_make(sup_tile_call *call, sup_diag *diag) {
    const sup_tile_op *op = call->op;
    sup_tile_list *list = &call->list;
    size_t sets = (size_t)op->set_count, bytes;
    list->tasks = op->combination.tasks ? op->combination.tasks(op->combination.context, list->n) : list->n;
    list->groups = 0;
    if (list->tasks < 0) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "the combination makes less than no tasks");
    if (__builtin_mul_overflow((size_t)(list->tasks > list->n ? list->tasks : list->n) + 1,
                               sets * sizeof(sup_tile_part), &bytes))
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for %lld tasks", (long long)list->tasks);
    list->part = calloc(sets * (size_t)list->n + 1, sizeof *list->part);
    list->of_task = calloc(sets * (size_t)list->tasks + 1, sizeof *list->of_task);
    list->first = calloc((size_t)list->tasks + 1, sizeof *list->first);
    if (!list->part || !list->of_task || !list->first)
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for %lld tasks", (long long)list->tasks);
    for (int s = 0; s < op->set_count; s++) {
        sup_status status = cut_set(&op->set[s], s, list->n, diag, list->part + s * list->n);
        if (status) return status;
    }
    return SUP_OK;
}

sup_status sup_tile_list_combine(sup_tile_call *call, sup_diag *diag) {
    sup_status status = combine(call, diag);
    call->chains = call->list.groups;
    return status;
}
