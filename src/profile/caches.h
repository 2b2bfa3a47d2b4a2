/* Caches of the machine that a profile is of. Its signature has them in words only. */
#ifndef SUP_PROFILE_CACHES_H
#define SUP_PROFILE_CACHES_H

#include "profile/profile.h"

/* Caches of the machine, innermost first, as the signature's words name them. Returns how many. */
#define SUP_CACHE_MARKS 8
#define SUP_CACHE_SHARED 3 /* from L3 on: what so many active cores have of it together */
typedef struct sup_cache_mark {
    char name[8]; /* "L2" */
    int level;
    double bytes;
} sup_cache_mark;
int sup_cache_marks(const sup_profile *profile, sup_cache_mark out[SUP_CACHE_MARKS]);
/* What each of so many active cores has of it. A profile's words do not say who shares a cache; those up to L2 count as
 * a core's own. */
double sup_cache_share(const sup_cache_mark *cache, int64_t active);

#endif
