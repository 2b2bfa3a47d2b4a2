/* Points and what visits of them found: in this launch every batch, of earlier launches the quantiles. Stage "measure".
 *
 *     sup_point *p = sup_store_get(store, &trial);             made if it is not there
 *     sup_point_add(p, value, seconds);                        a batch of this launch; NaN: one that does not count
 *     sup_store_say(store, p, value, &timing);                 calm, typical, bad, and how certain
 *
 * Estimates. A launch finds quantiles of its batches: low (SUP_FOUND_LOW), typical, bad. Over launches the same
 * quantiles are taken of all batches together, each launch with the weight of its batches. Disturbances only ever add,
 * so the low quantile is what the thing itself costs, and it is the same in the next profile, whoever else uses the
 * machine; the least of all would be one lucky batch. Where launches fall into two levels (the host has moved a
 * virtual core), the more frequent level counts.
 *
 * Intervals come from the scatter between launches, never between batches, because what differs (where memory lies,
 * where the host runs us) is the same for all batches of a launch. Of four launches the scatter of a point is hardly
 * known, but points of a kind scatter alike: each shares what it knows with them (base/number/pooled.h). */
#ifndef SUP_MEASURE_STORE_STORE_H
#define SUP_MEASURE_STORE_STORE_H

#include "measure/lab/trial.h"
#include "profile/visits.h"

#include <stddef.h>

typedef struct sup_point sup_point;
typedef struct sup_store sup_store;
typedef struct sup_found_now sup_found_now;

struct sup_point {
    sup_trial trial; /* with copies of what it points to */
    int values;
    sup_found *found;     /* [values]: of earlier launches */
    sup_found_now *now;   /* [values], private: batches of this launch */
    double footprint;     /* NaN: as asked */
    sup_status status;    /* SUP_ENOTSUP: it cannot be done here, do not try again */
    uint64_t repetitions; /* of a batch; 0: not known yet. Of this launch */
    double visit_s;       /* what a visit takes; 0: not known */
    int64_t visits;       /* in this launch */
    int pass;             /* in which it was last asked for (budget.h) */
    sup_point *next_size; /* of the same trial with other bytes */
    sup_point *last_size; /* private: of the first of them */
};

/* `launch`: the number of this one; estimates of earlier ones stay. */
sup_status sup_store_new(int launch, sup_store **out);
void sup_store_free(sup_store *store);
int sup_store_launch(const sup_store *store);

sup_point *sup_store_find(const sup_store *store, const sup_trial *trial); /* NULL: never visited */
sup_point *sup_store_get(sup_store *store, const sup_trial *trial);        /* NULL: no memory */
size_t sup_store_count(const sup_store *store);
sup_point *sup_store_at(const sup_store *store, size_t index); /* in the order in which they came */

/* The first of this trial, whatever its bytes; the others follow by `next_size`, in the order in which they came. NULL:
 * none. */
const sup_point *sup_store_sizes(const sup_store *store, const sup_trial *trial);
/* Has anything been found, in any launch? */
bool sup_point_known(const sup_point *point);
/* NaN, or negative: a batch that took so long (−seconds) and does not count, because the kernel says that something
 * else ran meanwhile. It counts all the same while there are no others. */
sup_status sup_point_add(sup_point *point, int value, double seconds);
void sup_store_say(const sup_store *store, const sup_point *point, int value, sup_timing *out);
/* The same without its interval, which takes most of the time. */
void sup_store_say_times(const sup_store *store, const sup_point *point, int value, sup_timing *out);
/* The widest relative half width of its values; INFINITY: not known. */
double sup_store_width(const sup_store *store, const sup_point *point);
/* Looks at all points: what launches of each kind of trial differ by. Intervals use what the last look found. */
void sup_store_settle(sup_store *store);

/* Files. `transport`: what the store is of, NULL rates. Points with nothing found are left out. `latest`: only what was
 * found in this launch. */
sup_status sup_store_write(const sup_store *store, const char *transport, bool latest, sup_visited **list,
                           size_t *count);
/* Takes those of the transport; what it has of a launch already is replaced. */
sup_status sup_store_read(sup_store *store, const char *transport, const sup_visited *list, size_t count);

#endif
