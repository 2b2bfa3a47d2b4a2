/* Interruptions: how often a process is held up, and for how long, found by processes that do nothing but look at the
 * clock. Stage "measure", all terms.
 *
 *     sup_detours mine = {0};
 *     sup_detour_watch(sup_clock_system(), 0.002, &mine);      again and again, in every process; the counts add up
 *     sup_detour_add(&all, &mine);                             at the end: of all processes
 *     sup_detour_record(&all, "shm", P, interruptions);        for the file
 *
 * Between two looks at the clock nothing happens, so a gap longer than a look takes is time in which the process did
 * not run: an interrupt, another thread, the host. The counters are plain numbers, to be sent as they are. */
#ifndef SUP_MEASURE_NOISE_DETOUR_H
#define SUP_MEASURE_NOISE_DETOUR_H

#include "base/clock.h"
#include "profile/profile.h"

enum { SUP_DETOUR_CLASSES = 7 };
extern const double sup_detour_least_s[SUP_DETOUR_CLASSES]; /* 2 µs … 25 ms */

typedef struct sup_detours {
    double watched_s;
    double lost_s;                    /* in gaps of the first class and above */
    double count[SUP_DETOUR_CLASSES]; /* gaps of at least so long; a class contains those after it */
} sup_detours;

/* Looks at the clock for so long, or until a gap ends later, and adds what it saw. A clock that goes back, or stands
 * still, is watched no longer. Returns the share of the time that was lost. */
double sup_detour_watch(const sup_clock *clock, double seconds, sup_detours *sum);
void sup_detour_add(sup_detours *sum, const sup_detours *more);

/* What a file says of it; `out` is in its initial state. transport NULL: threads of one process. SUP_EINVAL: nobody
 * watched. */
sup_status sup_detour_record(const sup_detours *all, const char *transport, int64_t processes, sup_interruptions *out);

#endif
