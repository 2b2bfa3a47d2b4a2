/* Interruptions: how often a process is held up, and for how long, found by processes that do nothing but look at the
 * clock. Stage "measure", all terms.
 *
 *     sup_gaps mine = {0};
 *     sup_gaps_watch(sup_clock_system(), 0.002, &mine);      again and again, in every process; the counts add up
 *     sup_gaps_add(&all, &mine);                             at the end: of all processes
 *     sup_gaps_record(&all, "shm", P, interruptions);        for the file
 *
 * Between two looks at the clock nothing happens, so a gap longer than a look takes is time in which the process did
 * not run: an interrupt, another thread, the host. The counters are plain numbers, to be sent as they are. */
#ifndef SUP_MEASURE_NOISE_GAPS_H
#define SUP_MEASURE_NOISE_GAPS_H

#include "base/clock.h"
#include "profile/profile.h"

enum { SUP_GAP_CLASSES = 7 };
extern const double sup_gaps_least_s[SUP_GAP_CLASSES]; /* 2 µs … 25 ms */

typedef struct sup_gaps {
    double watched_s;
    double lost_s;                 /* in gaps of the first class and above */
    double count[SUP_GAP_CLASSES]; /* gaps of at least so long; a class contains those after it */
} sup_gaps;

/* Looks at the clock for so long, or until a gap ends later, and adds what it saw. A clock that goes back, or stands
 * still, is watched no longer. Returns the share of the time that was lost. */
double sup_gaps_watch(const sup_clock *clock, double seconds, sup_gaps *sum);
void sup_gaps_add(sup_gaps *sum, const sup_gaps *more);

/* What a file says of it; `out` is in its initial state. transport NULL: threads of one process. SUP_EINVAL: nobody
 * watched. */
sup_status sup_gaps_record(const sup_gaps *all, const char *transport, int64_t processes, sup_interruptions *out);

#endif
