/* Synchronisation: the built-in barriers (BSP ch. 5) over all processes of a lab. Tsync, stage "measure"; model/sync
 * prices the same patterns from O and L, and is compared with these. */
#ifndef SUP_MEASURE_SYNC_SYNC_H
#define SUP_MEASURE_SYNC_SYNC_H

#include "base/pattern/pattern.h"
#include "measure/lab/lab.h"
#include "profile/profile.h"

enum { SUP_SYNC_WORDS_MOST = 40 };

typedef struct sup_sync_words {
    char at[SUP_SYNC_WORDS_MOST][SUP_PATTERN_WORD];
    size_t count;
} sup_sync_words;

/* The barriers that so many processes are measured with, by their words (sup_pattern_read): each generator with its
 * usual radix and some others; and clusters of processes that are near each other, where places (NULL: unknown) say
 * which are. */
void sup_sync_words_find(const sup_rank_place *places, int processes, sup_sync_words *out);

/* All of these for lab->transport and lab->size, in place of those that are there. SUP_ETIMEOUT:
 * some are not known. */
sup_status sup_measure_sync(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

/* What a superstep's end, or a barrier, of that name took. SUP_ENOMEM. */
sup_status sup_sync_keep(sup_profile *profile, const sup_lab *lab, const char *algorithm, const sup_timing *timing);

#endif
