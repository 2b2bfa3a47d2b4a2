/* Two modes: the host of a virtual machine may move its cores between launches, so that two of them are hardware
 * threads of one physical core in one launch and far apart in the next. What launches found at a point then falls into
 * two groups. Both stay in the file; the more frequent one counts. Stage "measure", all terms.
 *
 *     bool frequent[5];
 *     if (sup_modes_split(low, n, 5, frequent)) …      some launches are in another mode: !frequent[i]
 *
 * Two groups are two modes if the gap between them is a quarter of the time or more, and more than twice as wide as
 * either group. One slow launch among others may have had bad luck, so it needs a factor of 2, as do two launches
 * against each other; one fast launch cannot have had good luck for a tenth of its batches. */
#ifndef SUP_MEASURE_STORE_MODES_H
#define SUP_MEASURE_STORE_MODES_H

#include "profile/profile.h"

/* Of each launch its low quantile and its batches. Returns how many launches are not in the frequent mode, 0: there is
 * one mode. The frequent mode has more launches, or else more batches, or else is the slower. Launches that found
 * nothing (n 0, or no time) belong to it. */
size_t sup_modes_split(const double *low, const int64_t *n, size_t launches, bool *member_of_frequent);

/* The points of one thing (a pair of processes, a number of cores), looked at together. */
typedef struct sup_modes {
    size_t points, split;  /* of it, and those that are in two modes in the same launches */
    size_t launches, rare; /* in which those were visited, and were in the rarer mode */
    size_t shown;          /* the quickest of those */
    double usual_s, rare_s;
} sup_modes;

/* false: it has one mode, as far as this shows: fewer than three points, or less than half of them, split in the same
 * launches. */
bool sup_modes_look(const sup_found *const *found, size_t count, sup_modes *out);

/* A warning for each pair of processes, and each number of cores, that has two modes by the profile's visits.
 * SUP_ENOMEM. */
sup_status sup_modes_warn(const sup_profile *profile, sup_warning **list, size_t *count);

#endif
