/* Larger machines: what common programs would take on many nodes like the measured one, for the report. The tool
 * computes the rows, for a page calls no model. */
#ifndef SUP_REPORT_LARGER_H
#define SUP_REPORT_LARGER_H

#include <stddef.h>
#include <stdint.h>

typedef struct sup_larger {
    const char *program; /* "halo exchange" */
    int64_t nodes, processes;
    double time, low, high; /* seconds of one superstep */
    const char *bound;      /* what most of it is */
} sup_larger;

typedef struct sup_larger_list {
    char machine[240]; /* what it is composed of */
    char rest[160];    /* what of the measured node it rests on */
    sup_larger *at;
    size_t count;
} sup_larger_list;

void sup_larger_free(sup_larger_list *list);

#endif
