/* Inside of the store (store.h): store.c (points and their batches), store/say.c (estimates), store/file.c (files). */
#ifndef SUP_MEASURE_STORE_WORK_H
#define SUP_MEASURE_STORE_WORK_H

#include "base/number/pooled.h"
#include "measure/store/store.h"

enum {
    SUP_STORE_LAUNCHES = 64, /* of a point: older ones are forgotten */
    SUP_STORE_QUANTITIES = SUP_FIRST_VALUES
};

/* Batches of one value in this launch. */
struct sup_found_now {
    double *seconds;
    size_t count, room;
    int64_t dropped;
    double spare; /* the least of those that do not count */
};

struct sup_store {
    int launch;
    sup_point **points;
    size_t count, room;
    size_t *table; /* of hashes: index + 1, 0 free */
    size_t *sizes; /* the same, of the first of those that differ in their bytes alone */
    size_t slots;
    sup_pooled scatter[SUP_TRIAL_KINDS][SUP_STORE_QUANTITIES]; /* relative variance between launches */
};

/* Quantiles of one launch. */
typedef struct sup_launch_found {
    int64_t launch, n, dropped;
    double low, typical, bad;
} sup_launch_found;

/* Of this launch. False: nothing was found. */
bool sup_point_now(const sup_store *store, const sup_point *point, int value, sup_launch_found *out);
/* Of all launches; out has room for SUP_STORE_LAUNCHES + 1. Returns how many. */
size_t sup_point_found(const sup_store *store, const sup_point *point, int value, sup_launch_found *out);

bool sup_same_text(const char *a, const char *b); /* NULL is the same as NULL alone */

#endif
