/* Predicted and measured, side by side: what `superstep compare` computes, for the report. All terms; the stage that
 * closes the flow. */
#ifndef SUP_REPORT_HELD_H
#define SUP_REPORT_HELD_H

#include "model/equation/model.h"

/* A superstep on both sides. Seconds. */
typedef struct sup_held {
    char *name;   /* NULL: it has none */
    double count; /* how many there were */
    double measured, predicted, low, high;
    double measured_compute, compute;
    double measured_calls; /* inside puts, gets and sends; NaN: an older recording, whose computation holds them */
    double measured_sync;  /* with what is carried out at the sync */
    double calls, sync;    /* predicted: calls, NaN not known apart; calls and sync together */
    bool taken;            /* compute is what the recording says itself: no prediction */
    double error;          /* of what was predicted, relative */
    /* Of calls and sync, predicted: because memory is new, somebody sleeps, nothing like it came before. And of the
     * first of these supersteps, where it is another: what its calls and sync take more, measured (NaN unknown) and
     * predicted, and the same parts of that. */
    double first[SUP_FIRST_PARTS], measured_more, more, more_first[SUP_FIRST_PARTS];
} sup_held;

typedef struct sup_held_list {
    char title[160]; /* what was run */
    bool parts;      /* compute and sync are known apart */
    sup_held *at;
    size_t count;
    double mean, worst, inside; /* relative errors; share of measurements inside their interval */
    size_t worst_at;
    double predicted_s, measured_s;         /* all supersteps together: the terms that were predicted, as they took */
    bool taken;                             /* some computation is the recording's own */
    size_t predicted_kinds, recorded_kinds; /* how many there were on either side, with those that have no partner */
} sup_held_list;

/* Of what was predicted: all of it, or all but a computation that was taken from the recording. */
static inline double sup_held_judged(const sup_held *h) {
    return h->taken ? h->measured - h->measured_compute : h->measured;
}
static inline double sup_held_claimed(const sup_held *h) { return h->taken ? h->sync : h->predicted; }

static inline bool sup_held_inside(const sup_held *h) { return h->measured >= h->low && h->measured <= h->high; }

void sup_held_free(sup_held_list *list);

#endif
