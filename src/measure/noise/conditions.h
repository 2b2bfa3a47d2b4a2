/* What goes on around a measurement: how much of the cores' time others took, and the host; whether the clock frequency
 * changed, the time of day was set, or cores were taken away. Stage "measure", all terms.
 *
 *     sup_conditions a;
 *     sup_conditions_begin(&options, &a);
 *     sup_conditions_look(&a);                         between launches: also times a loop of known length
 *     printf("%g", sup_conditions_stolen(&a));
 *     sup_conditions_warn(&a, &list, &count);
 *
 * Nothing of it changes a number: measuring spreads over the whole time, and takes what is least disturbed. */
#ifndef SUP_MEASURE_NOISE_CONDITIONS_H
#define SUP_MEASURE_NOISE_CONDITIONS_H

#include "profile/warning.h"

#include <stdint.h>

typedef struct sup_conditions_options {
    const char *root;                   /* put before /proc; NULL: "" */
    double (*now)(void *context);       /* seconds of a clock that nobody sets; NULL: the machine's */
    double (*day)(void *context);       /* seconds of the time of day; NULL: the machine's */
    double (*spin)(void *context);      /* seconds of the loop; NULL: the real one */
    double (*own_cpu_s)(void *context); /* of this process and those that it has waited for; NULL: the real one */
    int (*cpus)(void *context);         /* that this process may use now; NULL: the real one */
    void *context;
} sup_conditions_options;

typedef struct sup_conditions {
    sup_conditions_options options;
    double begin_s, day_s, drift_s; /* drift: how far the time of day has moved against the other clock, at most */
    double spin_least_s, spin_most_s, load_most;
    double busy_first_s, busy_s, stolen_first_s, stolen_s, own_first_s, own_s; /* of all cores */
    double looked_s;                                                           /* since begin, when these were read */
    int cpus, cpus_least;
} sup_conditions;

void sup_conditions_begin(const sup_conditions_options *options, sup_conditions *out);
void sup_conditions_look(sup_conditions *around);
/* The same without the loop, which would disturb processes that measure now: what follows at once. */
void sup_conditions_glance(sup_conditions *around);

/* Shares of the time of all cores since the beginning: given away by the host; used by others on this machine. */
double sup_conditions_stolen(const sup_conditions *around);
double sup_conditions_others(const sup_conditions *around);
bool sup_conditions_busy(const sup_conditions *around);
/* Fewer cpus than at the beginning. */
bool sup_conditions_cpus_taken(const sup_conditions *around);

/* One warning each. SUP_ENOMEM. */
sup_status sup_conditions_warn(const sup_conditions *around, sup_warning **list, size_t *count);

#endif
