/* What goes on around a measurement: how much of the cores' time others took, and the host; whether the clock frequency
 * changed, the time of day was set, or cores were taken away. Stage "measure", all terms.
 *
 *     sup_around a;
 *     sup_around_begin(&options, &a);
 *     sup_around_look(&a);                         between launches: also times a loop of known length
 *     printf("%g", sup_around_stolen(&a));
 *     sup_around_warn(&a, &list, &count);
 *
 * Nothing of it changes a number: measuring spreads over the whole time, and takes what is least disturbed. */
#ifndef SUP_MEASURE_NOISE_AROUND_H
#define SUP_MEASURE_NOISE_AROUND_H

#include "profile/warning.h"

#include <stdint.h>

typedef struct sup_around_options {
    const char *root;                   /* put before /proc; NULL: "" */
    double (*now)(void *context);       /* seconds of a clock that nobody sets; NULL: the machine's */
    double (*day)(void *context);       /* seconds of the time of day; NULL: the machine's */
    double (*spin)(void *context);      /* seconds of the loop; NULL: the real one */
    double (*own_cpu_s)(void *context); /* of this process and those that it has waited for; NULL: the real one */
    int (*cpus)(void *context);         /* that this process may use now; NULL: the real one */
    void *context;
} sup_around_options;

typedef struct sup_around {
    sup_around_options options;
    double begin_s, day_s, drift_s; /* drift: how far the time of day has moved against the other clock, at most */
    double spin_least_s, spin_most_s, load_most;
    double busy_first_s, busy_s, stolen_first_s, stolen_s, own_first_s, own_s; /* of all cores */
    double looked_s;                                                           /* since begin, when these were read */
    int cpus, cpus_least;
} sup_around;

void sup_around_begin(const sup_around_options *options, sup_around *out);
void sup_around_look(sup_around *around);
/* The same without the loop, which would disturb processes that measure now: what follows at once. */
void sup_around_glance(sup_around *around);

/* Shares of the time of all cores since the beginning: given away by the host; used by others on this machine. */
double sup_around_stolen(const sup_around *around);
double sup_around_others(const sup_around *around);
bool sup_around_busy(const sup_around *around);
/* Fewer cpus than at the beginning. */
bool sup_around_cpus_taken(const sup_around *around);

/* One warning each. SUP_ENOMEM. */
sup_status sup_around_warn(const sup_around *around, sup_warning **list, size_t *count);

#endif
