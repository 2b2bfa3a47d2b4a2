/* Which choices are the same schedule: with two processes a tree, a chain and a star are. Whoever measures does so once
 * for all of them. */
#ifndef SUP_SCHEDULE_DIGEST_H
#define SUP_SCHEDULE_DIGEST_H

#include "schedule/schedule.h"

/* Equal for equal schedules; 0: it has none, and is like no other. */
uint64_t sup_schedule_digest(const sup_algorithm *algorithm, const sup_job *job);

#endif
