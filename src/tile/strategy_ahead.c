/* Strategy "ahead": as contiguous, and the parts of the next task are fetched while one is worked on.
 *
 * A task waits until the parts of the one after it have been asked for: while it runs, they come. This is for kernels
 * that visit their data once and walk down columns, where hardware sees no stream to follow: parts must be small, so
 * that what is asked for at once is no more than a core can have on its way. */
#include "tile/strategy.h"

typedef struct ahead {
    sup_tile_call *call;
    bool waiting;
    sup_tile_task task;
    sup_tile_part part[SUP_TILE_SETS];
} ahead;

/* One line after the other: asked for faster, some would be refused, because a core has only so many on their way. */
static void fetch(const sup_tile_set *set, const sup_tile_part *part, size_t line) {
    const char *row = (const char *)part->data - (uintptr_t)part->data % line;
    size_t bytes = part->cols * set->element + (uintptr_t)part->data % line, step = part->pitch * set->element;
    bool write = set->use != SUP_TILE_READ;
    for (size_t r = 0; r < part->rows; r++, row += step)
        for (size_t at = 0; at < bytes; at += line) {
            if (write)
                __builtin_prefetch(row + at, 1, 3);
            else
                __builtin_prefetch(row + at, 0, 3);
            __asm__ volatile("" ::"r"(row)); /* or compilers see a function without effects, and leave it out */
        }
}

static int run_waiting(ahead *a) {
    if (!a->waiting) return 0;
    a->waiting = false;
    return sup_tile_run_task(a->call, &a->task);
}

static int run_ahead(void *context, const sup_tile_task *task) {
    ahead *a = context;
    const sup_tile_op *op = a->call->op;
    for (int s = 0; s < op->set_count; s++) {
        const sup_tile_set *set = &op->set[s];
        bool new = !a->waiting || a->part[s].data != task->part[s].data;
        if (set->data && new) fetch(set, &task->part[s], a->call->line_bytes);
    }
    int code = run_waiting(a);
    if (code) return code;
    a->task = *task;
    a->task.part = a->part;
    for (int s = 0; s < op->set_count; s++) a->part[s] = task->part[s];
    a->waiting = true;
    return 0;
}

/* What distributions of their own say about their parts is not enough to fetch them. */
static void phase(sup_tile_seat *seat) {
    if (seat->call->listed) {
        sup_tile_plain_phase(seat);
        return;
    }
    ahead a = {.call = seat->call};
    sup_tile_phase(seat, run_ahead, &a);
    run_waiting(&a);
}

const sup_tile_method sup_tile_method_ahead = {
    .cut = sup_tile_cut_parts,
    .stealing = SUP_STEAL_IF_MANY,
    .phase = phase,
};
