/* Caches in the words of a signature (caches.h): where footprints of Tcomp leave one. */
#include "profile/caches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double sup_cache_share(const sup_cache_mark *cache, int64_t active) {
    return cache->level >= SUP_CACHE_SHARED && active > 1 ? cache->bytes / (double)active : cache->bytes;
}

/* Finds "L3 32 MB" and the like in the words of the signature, which list the outermost first. */
int sup_cache_marks(const sup_profile *profile, sup_cache_mark out[SUP_CACHE_MARKS]) {
    static const char units[] = "BKMGT";
    const char *text = profile->signature.machine;
    int count = 0;
    for (const char *at = text; at && *at && count < SUP_CACHE_MARKS; at++) {
        char *end;
        if (*at != 'L' || at[1] < '1' || at[1] > '9' || at[2] != ' ' || (at > text && at[-1] != ' ')) continue;
        double value = strtod(at + 3, &end);
        if (end == at + 3 || *end != ' ') continue;
        const char *unit = end[1] ? strchr(units, end[1]) : NULL;
        if (!unit || !(value > 0.0) || value > 1e9) continue;
        sup_cache_mark mark = {.level = at[1] - '0', .bytes = value * pow(1024.0, (double)(unit - units))};
        snprintf(mark.name, sizeof mark.name, "L%c", at[1]);
        memmove(out + 1, out, (size_t)count * sizeof *out);
        out[0] = mark;
        count++;
    }
    return count;
}
