/* Turns: launches that live side by side, of which one measures at a time. Stage "measure".
 *
 *     the tool                                         a process of a launch
 *     sup_turns_open(request, …)                       sup_turns_join(request, &turns)
 *     …                                      ◀─byte──  sup_turns_wait(&turns, true): sleeps
 *     sup_turns_give(&turns, 0.2)            ──────▶   0.2: it measures for so long, and waits for the next turn
 *     …
 *     sup_turns_end(&turns)                  ──────▶   0: it leaves what it has found, and ends
 *
 * Whoever waits sleeps in the kernel, on a lock that the tool has: of one byte of REQUEST.turns a turn, which is never
 * locked again, so that nobody misses a turn however late he comes. The lock ends with the tool, however that ends. In
 * the file is how long each turn is. The first process says by a byte through REQUEST.told that it waits. */
#ifndef SUP_MEASURE_CAMPAIGN_TURNS_H
#define SUP_MEASURE_CAMPAIGN_TURNS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sup_turns {
    int file; /* REQUEST.turns; -1: there are no turns, everybody goes on at once */
    int told; /* REQUEST.told; -1: not open */
    int64_t turn;
} sup_turns;

#define SUP_TURNS_FILE "turns"
#define SUP_TURNS_TOLD "told"

/* The tool, before it starts the launch. SUP_EIO. */
sup_status sup_turns_open(const char *request, sup_diag *diag, sup_turns *out);
/* Lets the next turn begin. SUP_EIO: nobody will hear of it. */
sup_status sup_turns_give(sup_turns *turns, double seconds);
/* Has the first process said, since the last call, that it waits? */
bool sup_turns_told(sup_turns *turns);
/* All turns that nobody gave are over at once. */
void sup_turns_end(sup_turns *turns);

/* A process of the launch. On another host, or where nobody gives turns, there are none. */
void sup_turns_join(const char *request, sup_turns *out);
void sup_turns_leave(sup_turns *turns);
/* Sleeps until the next turn; leads: the tool is told. Seconds of it, 0: the end, INFINITY: there are no turns. */
double sup_turns_wait(sup_turns *turns, bool leads);

#endif
