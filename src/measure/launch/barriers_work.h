/* What both sides of a launch of barriers call them (barriers.h): barriers.c, target_barriers.c. */
#ifndef SUP_MEASURE_LAUNCH_BARRIERS_WORK_H
#define SUP_MEASURE_LAUNCH_BARRIERS_WORK_H

#include "measure/launch/barriers.h"

#include <stdio.h>

/* The index-th pattern of an order. */
static inline const char *sup_barriers_word(size_t index, char text[SUP_PATTERN_WORD]) {
    snprintf(text, SUP_PATTERN_WORD, "pattern %zu", index);
    return text;
}

/* ranks: room for so many. */
static inline sup_trial sup_barriers_trial(int processes, int *ranks, const char *word) {
    for (int i = 0; i < processes; i++) ranks[i] = i;
    sup_trial trial = sup_trial_of(SUP_TRIAL_SYNC, ranks, 1, processes, 0);
    trial.kernel = word;
    return trial;
}

#endif
