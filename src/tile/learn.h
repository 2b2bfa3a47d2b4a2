/* What real calls teach about the candidates of a tile record: which one the next call should use, and what is made of
 * the time it took. Plain data and arithmetic: no clock, no file. */
#ifndef SUP_TILE_LEARN_H
#define SUP_TILE_LEARN_H

#include "plan/tile.h"

#define SUP_TILE_RECENT 25 /* samples of a candidate that count, the last ones */

/* Samples behind a record's candidates, of this process. */
typedef struct sup_tile_samples {
    size_t count;
    struct sup_tile_ring {
        double s[SUP_TILE_RECENT];
        unsigned n;
        bool cold;        /* the one sample in it is of the first call */
        bool dirty;       /* in all calls that are in it a worker lost its core */
        unsigned spoiled; /* such calls in a row */
    } * ring;
} sup_tile_samples;

/* Which candidate the next call should use. */
size_t sup_tile_next(const sup_plan_tile *tile);
/* What it took. Updates candidates, counts and what the record publishes. disturbed: the kernel gave a worker's
 * core to somebody else meanwhile, which says nothing about the candidate unless it happens every time. SUP_ENOMEM. */
sup_status sup_tile_seen(const sup_tile_problem *problem, size_t candidate, double seconds, bool disturbed,
                         sup_tile_samples *samples, sup_plan_tile *tile);

#endif
