/* Predicted and measured, side by side: what `superstep compare` computes, for the report. All terms; the stage that
 * closes the flow. The tool makes the list, for a page calls no model. */
#ifndef SUP_REPORT_HELD_H
#define SUP_REPORT_HELD_H

#include <stdbool.h>
#include <stddef.h>

/* A superstep on both sides. Seconds. */
typedef struct sup_held {
    char *name;   /* NULL: it has none */
    double count; /* how many there were */
    double measured, predicted, low, high;
    double measured_compute, compute; /* with calls that copy */
    double measured_sync, sync;       /* with what is carried out at the sync */
} sup_held;

typedef struct sup_held_list {
    char title[160]; /* what was run */
    bool parts;      /* compute and sync are known apart */
    sup_held *at;
    size_t count;
    double mean, worst, inside; /* relative errors; share of measurements inside their interval */
    size_t worst_at;
    double predicted_s, measured_s;         /* all supersteps together */
    size_t predicted_kinds, recorded_kinds; /* how many there were on either side, with those that have no partner */
} sup_held_list;

static inline bool sup_held_inside(const sup_held *h) { return h->measured >= h->low && h->measured <= h->high; }

void sup_held_free(sup_held_list *list);

#endif
