/* Lists of edges in order: by sender, then receiver, and where the edges of each sender begin. Requirements stage; a
 * list of ten million is sorted in a second, because senders are counted and not compared. */
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

static int by_receiver(const void *a, const void *b) {
    const sup_edge *x = a, *y = b;
    return (x->to > y->to) - (x->to < y->to);
}

/* Most lists are in order already, or of few receivers. */
static void order_receivers(sup_edge *e, size_t n) {
    size_t k = 1;
    while (k < n && e[k - 1].to <= e[k].to) k++;
    if (k >= n) return;
    if (n > 24) {
        qsort(e, n, sizeof *e, by_receiver);
        return;
    }
    for (; k < n; k++) {
        sup_edge x = e[k];
        size_t at = k;
        for (; at > 0 && e[at - 1].to > x.to; at--) e[at] = e[at - 1];
        e[at] = x;
    }
}

static bool in_order(const sup_flow *f) {
    for (size_t e = 1; e < f->edge_count; e++)
        if (f->edges[e - 1].from > f->edges[e].from) return false;
    return true;
}

/* Deals edges out to their senders, each in the order in which they came. */
static sup_status deal(sup_flow *f, const size_t *first, int64_t processes) {
    size_t *next = malloc((size_t)processes * sizeof *next), room = 1;
    while (room < f->edge_count) room *= 2; /* base/list.h */
    sup_edge *sorted = next ? malloc(room * sizeof *sorted) : NULL;
    if (!sorted) {
        free(next);
        return SUP_ENOMEM;
    }
    memcpy(next, first, (size_t)processes * sizeof *next);
    for (size_t e = 0; e < f->edge_count; e++) sorted[next[f->edges[e].from]++] = f->edges[e];
    free(next);
    free(f->edges);
    f->edges = sorted;
    return SUP_OK;
}

sup_status sup_flow_sort(sup_flow *f, int64_t processes) {
    size_t *first = calloc((size_t)processes + 1, sizeof *first);
    if (!first) return SUP_ENOMEM;
    for (size_t e = 0; e < f->edge_count; e++) first[f->edges[e].from + 1]++;
    for (int64_t p = 0; p < processes; p++) first[p + 1] += first[p];
    if (!in_order(f) && deal(f, first, processes)) {
        free(first);
        return SUP_ENOMEM;
    }
    for (int64_t p = 0; p < processes; p++)
        if (first[p + 1] > first[p] + 1) order_receivers(f->edges + first[p], first[p + 1] - first[p]);
    free(f->first);
    f->first = first;
    f->processes = processes;
    return SUP_OK;
}
