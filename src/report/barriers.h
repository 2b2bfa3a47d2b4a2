/* Barriers of the report: candidates, predicted and measured, and the one that is chosen. The tool makes the list, for
 * a page calls no model. Term Tsync. */
#ifndef SUP_REPORT_BARRIERS_H
#define SUP_REPORT_BARRIERS_H

#include "base/pattern/pattern.h"

typedef struct sup_barrier_shown {
    char name[160];
    double predicted, low, high, measured; /* seconds; measured NaN: nobody did */
    int stages;
    int64_t signals;
    bool chosen, usual, greedy;
} sup_barrier_shown;

/* Of one transport. */
typedef struct sup_barriers_of {
    char transport[32];
    int64_t processes;
    sup_barrier_shown *at; /* what was measured, and what one asks about; by time */
    size_t count, all;     /* shown; found */
    sup_pattern chosen;
    int *host_of; /* NULL: one host */
} sup_barriers_of;

typedef struct sup_barriers_list {
    sup_barriers_of *at;
    size_t count;
} sup_barriers_list;

void sup_barriers_list_free(sup_barriers_list *list);

#endif
