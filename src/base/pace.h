/* Whether a core works at its full pace: nobody else on the other hardware thread of the same core.
 *
 *     sup_pace_await(1, 0.005, NULL);  before a batch: wait, at most 5 ms, until the core is ours alone
 *     …the batch…
 *     if (sup_pace_lost(1)) …          after it: somebody came; the batch does not count
 *
 * A neighbour on the same core (another tenant of the host, or a program that the scheduler put there) makes everything
 * 1.3 to 2 times slower and leaves no trace in CPU time or switches. What shows it is how much the core does at once:
 * a look times work that fills all execution units against a chain of steps that wait for each other, 4 to 8 µs.
 * The quotient does not depend on the clock frequency; it is compared with the least that the core has shown.
 *
 * threads: threads of the measurement that work at the same time, this one included. They may share cores, so what is
 * the full pace is learned for each number of them. All threads of a process share what was learned. */
#ifndef SUP_BASE_PACE_H
#define SUP_BASE_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* One look: is this core, the one the calling thread runs on, at its full pace? */
bool sup_pace_full(int threads);

/* Looks until it is, at most most_s seconds. False: it was not at the first look, whatever became of it; *full (if not
 * NULL) says whether it was at the last one. No more than half of the time goes into waiting, and less where it hardly
 * ever helps: after that it is one look. */
bool sup_pace_await(int threads, double most_s, bool *full);

/* What measurements make of it. Of all batches, from this share of disturbed ones on others use the machine, and those
 * that seem undisturbed are not to be trusted either; and so much a neighbour may have added to a time, relatively. */
#define SUP_PACE_BUSY 0.1
#define SUP_PACE_COSTS 0.5

/* Has waiting helped now and then? With neighbours who never rest, repeating what they disturb only costs time. */
bool sup_pace_hope(void);

/* After a batch: is it worth repeating? So if the core is not at its full pace now, and there is hope. */
bool sup_pace_lost(int threads);

/* The rule behind a look, for tests. What a core has shown at its best (0: nothing yet), and the last time. */
typedef struct sup_pace_learned {
    double best, last;
} sup_pace_learned;

/* `quotient` is what it shows now; the last look was elapsed_s ago. A better quotient must be seen twice in a row to be
 * believed: waiting makes 10^5 looks a second, so that even rare freaks would add up. */
bool sup_pace_judge(double quotient, double elapsed_s, sup_pace_learned *learned);

#endif
