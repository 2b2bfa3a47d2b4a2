/* Which launches are in which mode (modes.h). */
#include "measure/store/modes.h"

#include "base/number/stats.h"

#include <math.h>
#include <string.h>

#define APART 1.25      /* ratio of modes */
#define FAR_APART 2.0   /* ratio where one launch stands against another, or is slow alone */
#define THREE_APART 1.6 /* of three launches, two may be close by chance */
#define MARGIN 2.0      /* the gap is so many times as wide as a group */

/* A launch has a bit in a set; what comes after so many is not looked at. */
enum { MOST_LAUNCHES = 64 };

typedef struct sorted {
    size_t launch[MOST_LAUNCHES]; /* by time */
    double log_s[MOST_LAUNCHES];
    size_t count;
} sorted;

static void sort_in(sorted *s, size_t launch, double log_s) {
    size_t at = s->count++;
    for (; at && s->log_s[at - 1] > log_s; at--) {
        s->log_s[at] = s->log_s[at - 1];
        s->launch[at] = s->launch[at - 1];
    }
    s->log_s[at] = log_s;
    s->launch[at] = launch;
}

/* How many of them are fast; 0: one mode. */
static size_t cut_of(const sorted *s) {
    size_t cut = 0;
    double gap = 0.0;
    for (size_t i = 1; i < s->count; i++)
        if (s->log_s[i] - s->log_s[i - 1] > gap) {
            gap = s->log_s[i] - s->log_s[i - 1];
            cut = i;
        }
    if (!cut) return 0;
    double fast = s->log_s[cut - 1] - s->log_s[0], slow = s->log_s[s->count - 1] - s->log_s[cut];
    double least = s->count == 2 || s->count - cut == 1 ? FAR_APART : s->count == 3 ? THREE_APART : APART;
    return gap > log(least) && gap > MARGIN * fmax(fast, slow) ? cut : 0;
}

static bool slow_is_frequent(const sorted *s, size_t cut, const int64_t *n) {
    int64_t fast = 0, slow = 0;
    for (size_t i = 0; i < s->count; i++) *(i < cut ? &fast : &slow) += n[s->launch[i]];
    if (2 * cut != s->count) return 2 * cut < s->count;
    return slow >= fast;
}

size_t sup_modes_split(const double *low, const int64_t *n, size_t launches, bool *member_of_frequent) {
    sorted s = {.count = 0};
    for (size_t i = 0; i < launches; i++) {
        member_of_frequent[i] = true;
        if (n[i] > 0 && low[i] > 0.0 && isfinite(low[i]) && s.count < MOST_LAUNCHES) sort_in(&s, i, log(low[i]));
    }
    size_t cut = cut_of(&s);
    if (!cut) return 0;
    bool slow = slow_is_frequent(&s, cut, n);
    for (size_t i = 0; i < s.count; i++) member_of_frequent[s.launch[i]] = (i >= cut) == slow;
    return slow ? cut : s.count - cut;
}

/* ---- several points ---- */

/* Numbers of the launches in which any of the points was visited: each has a bit. */
typedef struct launches {
    int64_t number[MOST_LAUNCHES];
    size_t count;
} launches;

static uint64_t bit_of(launches *all, int64_t number) {
    size_t i = 0;
    while (i < all->count && all->number[i] != number) i++;
    if (i == MOST_LAUNCHES) return 0;
    if (i == all->count) all->number[all->count++] = number;
    return (uint64_t)1 << i;
}

/* Those in which a point was visited, and those of them in the rarer mode. */
typedef struct bits {
    uint64_t all, rare;
} bits;

static bits bits_of(const sup_found *f, launches *all) {
    bool frequent[MOST_LAUNCHES];
    bits b = {0, 0};
    if (f->launch_count > MOST_LAUNCHES) return b;
    sup_modes_split(f->low, f->n, f->launch_count, frequent);
    for (size_t i = 0; i < f->launch_count; i++) {
        uint64_t bit = f->n[i] > 0 ? bit_of(all, f->launch[i]) : 0;
        b.all |= bit;
        if (!frequent[i]) b.rare |= bit;
    }
    return b;
}

/* In the launches of both: the same ones, and at least one. */
static bool agree(bits a, bits b) {
    uint64_t both = a.all & b.all;
    return (a.rare & both) && (a.rare & both) == (b.rare & both);
}

/* Its middle time in the launches that are, or are not, rare. */
static double mode(const sup_found *f, launches *all, uint64_t rare, bool of_rare) {
    double low[MOST_LAUNCHES];
    size_t count = 0;
    for (size_t i = 0; i < f->launch_count; i++)
        if (f->n[i] > 0 && ((bit_of(all, f->launch[i]) & rare) != 0) == of_rare) low[count++] = f->low[i];
    return sup_stats_median(low, count);
}

/* Those that are split as `like` is. */
static void gather(const sup_found *const *found, size_t count, launches *all, bits like, sup_modes *out) {
    for (size_t i = 0; i < count; i++) {
        bits b = bits_of(found[i], all);
        if (!agree(b, like)) continue;
        double usual = mode(found[i], all, b.rare, false);
        if (!out->split || usual < out->usual_s) {
            out->shown = i;
            out->usual_s = usual;
            out->rare_s = mode(found[i], all, b.rare, true);
            out->launches = (size_t)__builtin_popcountll(b.all);
            out->rare = (size_t)__builtin_popcountll(b.rare);
        }
        out->split++;
    }
}

bool sup_modes_look(const sup_found *const *found, size_t count, sup_modes *out) {
    sup_modes best = {.points = count};
    launches all = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        bits like = bits_of(found[i], &all);
        sup_modes one = {.points = count};
        if (like.rare) gather(found, count, &all, like, &one);
        if (one.split > best.split) best = one;
        if (2 * best.split > count) break; /* no other way to split has as many */
    }
    if (best.split < 3 || 2 * best.split < count) return false;
    *out = best;
    return true;
}
