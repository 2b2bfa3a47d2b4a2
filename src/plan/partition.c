/* Partitions of a plan: the unit square cut into one rectangle a process (PART ch. 4, 6). A partition that leaves a gap
 * or gives a cell to two processes would make a program wrong, so it is refused at reading. */
#include "plan/plan.h"

#include <inttypes.h>
#include <stdlib.h>

#define SLACK 1e-9 /* of a side: files hold decimal digits, and columns are sums of widths */

typedef struct rectangle {
    double x, y, width, height;
    int64_t process;
} rectangle;

static int by_x(const void *a, const void *b) {
    const rectangle *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return (p->process > q->process) - (p->process < q->process);
}

static bool overlap(const rectangle *a, const rectangle *b) {
    return a->x + a->width > b->x + SLACK && b->x + b->width > a->x + SLACK && a->y + a->height > b->y + SLACK &&
           b->y + b->height > a->y + SLACK;
}

/* Sorted by x, a rectangle can only overlap those that begin before it ends. */
static sup_status check_overlap(const sup_where *w, const rectangle *all, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && all[k].x < all[i].x + all[i].width; k++)
            if (overlap(&all[i], &all[k]))
                return sup_where_fail(w, "rectangles", -1,
                                      "the rectangles of processes %" PRId64 " and %" PRId64 " overlap",
                                      all[i].process < all[k].process ? all[i].process : all[k].process,
                                      all[i].process < all[k].process ? all[k].process : all[i].process);
    return SUP_OK;
}

static sup_status check_cover(const sup_where *w, const sup_plan_partition *p, rectangle *all) {
    double area = 0;
    for (int64_t i = 0; i < p->processes; i++) {
        const double *r = p->rectangles + 4 * i;
        if (r[0] + r[2] > 1 + SLACK || r[1] + r[3] > 1 + SLACK)
            return sup_where_fail(w, "rectangles", (int)(4 * i),
                                  "the rectangle of process %" PRId64 " leaves the unit square", i);
        all[i] = (rectangle){r[0], r[1], r[2], r[3], i};
        area += r[2] * r[3];
    }
    if (area < 1 - 1e-6 || area > 1 + 1e-6)
        return sup_where_fail(w, "rectangles", -1, "the rectangles cover %.9g of the unit square", area);
    qsort(all, (size_t)p->processes, sizeof *all, by_x);
    return check_overlap(w, all, (size_t)p->processes);
}

static sup_status check_partition(const sup_where *w, const void *object) {
    const sup_plan_partition *p = object;
    if (p->rectangles_count != 4 * (size_t)p->processes)
        return sup_where_fail(w, "rectangles", -1,
                              "\"rectangles\" has %zu numbers; %" PRId64 " processes need %" PRId64,
                              p->rectangles_count, p->processes, 4 * p->processes);
    rectangle *all = calloc((size_t)p->processes, sizeof *all);
    if (!all) return sup_diag_no_memory(w->diag);
    sup_status status = check_cover(w, p, all);
    free(all);
    return status;
}

static const sup_field fields[] = {
    SUP_F_STRING(sup_plan_partition, kernel, "kernel"),
    SUP_F_INT(sup_plan_partition, size, "size", 1, SUP_INT_MAX),
    SUP_F_INT(sup_plan_partition, processes, "processes", 1, SUP_PLAN_PARTITION_MAX),
    SUP_F_STRING_MAYBE(sup_plan_partition, metric, "metric"),
    SUP_F_REAL_MAYBE(sup_plan_partition, predicted_s, "predicted_s", 0, 1e18),
    SUP_F_REALS(sup_plan_partition, rectangles, "rectangles", true, 0, 1),
    SUP_F_END,
};
SUP_RECORD(sup_plan_partition_record, "partition", sup_plan_partition, fields, check_partition);
