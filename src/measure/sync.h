/* Synchronisation: the built-in barriers (BSP ch. 5) over all processes of a lab. Tsync, stage "measure"; model/sync
 * prices the same patterns from O and L, and is compared with these. */
#ifndef SUP_MEASURE_SYNC_H
#define SUP_MEASURE_SYNC_H

#include "base/pattern.h"
#include "measure/lab.h"
#include "profile/profile.h"

enum { SUP_SYNC_KINDS_MOST = 32 };

/* The barriers that so many processes are measured with: each generator with its usual radix and some others. Returns
 * how many, up to SUP_SYNC_KINDS_MOST. */
size_t sup_sync_kinds(int64_t processes, sup_pattern_kind *out);

/* All of these for lab->transport and lab->size, in place of those that are there. SUP_ETIMEOUT:
 * some are not known. */
sup_status sup_measure_sync(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

/* What a superstep's end, or a barrier, of that name took. SUP_ENOMEM. */
sup_status sup_sync_keep(sup_profile *profile, const sup_lab *lab, const char *algorithm, const sup_timing *timing);

#endif
