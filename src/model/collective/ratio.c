/* What measured collectives take beside what τ-Lop says (as sync/ratio.c does for barriers): Tcomm. Between two sizes
 * the logarithm of the ratio lies on the line through them, over the logarithm of bytes; beyond the measured ones it is
 * the nearest's, of which less is believed the further away it is. A number of processes that was not measured takes
 * the ratio of the nearest one. */
#include "model/collective/platform.h"

#include "base/number/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 0.03       /* of the logarithm: two launches differ by as much */
#define OTHER_WAY 0.1    /* the same algorithm with other segments or radix */
#define DISTURBED 1.5    /* times as long as a larger one; libraries that change their protocol gain less */
#define FAR_ABOVE 4.0    /* times what neighbours foretell */
#define FAR_FROM_ALL 2.5 /* times off what all others are, at least; … */
#define DEVIATIONS 4.0   /* … and so many deviations */
#define FEW 8            /* points, of which nothing is concluded */
#define HALVED 3.0       /* doublings of bytes beyond the measured ones, over which a ratio loses half of itself */
#define DOUBLING 0.1     /* added for each doubling of processes that lies between */

/* At x, between points; without the point `but` (SIZE_MAX: with all). */
static double between(const sup_collective_ratio *r, double x, size_t but) {
    size_t low = SIZE_MAX, high = SIZE_MAX;
    for (size_t i = 0; i < r->count; i++) {
        if (i == but) continue;
        if (r->log_bytes[i] <= x) low = i;
        if (r->log_bytes[i] >= x && high == SIZE_MAX) high = i;
    }
    if (low == SIZE_MAX) return r->log_ratio[high];
    if (high == SIZE_MAX || high == low) return r->log_ratio[low];
    double share = (x - r->log_bytes[low]) / (r->log_bytes[high] - r->log_bytes[low]);
    return r->log_ratio[low] + share * (r->log_ratio[high] - r->log_ratio[low]);
}

/* How well neighbours foretell a size: of those inside the range. */
static double spread_of(const sup_collective_ratio *r) {
    double squares = 0;
    if (r->count < 3) return NAN;
    for (size_t i = 1; i + 1 < r->count; i++) {
        double off = r->log_ratio[i] - between(r, r->log_bytes[i], i);
        squares += off * off;
    }
    return sqrt(squares / (double)(r->count - 2));
}

/* ---- from the profile ---- */

/* Leaves out a point that lies far above what its neighbours on both sides foretell: it was disturbed on all of its few
 * visits. Of one below them nothing of the kind is known. The first and the last have one neighbour only and stay. */
static void leave_out_disturbed(sup_collective_ratio *r) {
    size_t kept = 0;
    uint64_t out = 0; /* a bit a point; more than 64 of them are not looked at */
    for (size_t i = 1; i + 1 < r->count && i < 64; i++)
        if (r->log_ratio[i] - between(r, r->log_bytes[i], i) > log(FAR_ABOVE)) out |= (uint64_t)1 << i;
    for (size_t i = 0; i < r->count; i++) {
        if (i < 64 && (out >> i & 1)) continue;
        r->log_bytes[kept] = r->log_bytes[i];
        r->log_ratio[kept++] = r->log_ratio[i];
    }
    r->count = kept;
}

static double x_of(int64_t bytes) { return log2((double)(bytes > 0 ? bytes : 1)); }

/* Processes spread over hosts as the launcher does it, in a row. */
static sup_mapping mapping_of(int64_t processes, int64_t hosts) {
    int64_t n = hosts > 0 ? hosts : 1;
    return (sup_mapping){.kind = SUP_MAPPING_SEQUENTIAL,
                         .processes = processes,
                         .size = (processes + n - 1) / n,
                         .nodes = n};
}

/* The element of what is folded when it is measured: a double. */
static int64_t element_of(int operation) {
    return operation == SUP_REDUCE || operation == SUP_ALLREDUCE || operation == SUP_REDUCE_SCATTER ||
                   operation == SUP_SCAN || operation == SUP_EXSCAN
               ? 8
               : 1;
}

/* A point that took much longer than a larger one was disturbed: disturbances only add. */
static bool disturbed(const sup_collective_time *t, size_t i, size_t count) {
    for (size_t k = i + 1; k < count; k++)
        if (t->seconds[k] > 0 && t->seconds[i] > DISTURBED * t->seconds[k]) return true;
    return false;
}

/* Points whose time is known both ways; without memory or points: none. */
static bool make_one(const sup_collective_platform *c, const sup_collective_time *t, sup_collective_ratio *r) {
    sup_mapping mapping = mapping_of(t->processes, t->hosts);
    size_t n = t->bytes_count < t->seconds_count ? t->bytes_count : t->seconds_count;
    r->operation = sup_operation_find(t->operation);
    r->processes = t->processes;
    r->hosts = t->hosts > 0 ? t->hosts : 1;
    if (r->operation == SUP_OPERATIONS || sup_choice_read(r->operation, t->algorithm, NULL, &r->choice)) return true;
    if (!r->choice.algorithm) return true;
    r->log_bytes = malloc((n + 1) * sizeof *r->log_bytes);
    r->log_ratio = malloc((n + 1) * sizeof *r->log_ratio);
    if (!r->log_bytes || !r->log_ratio) return false;
    for (size_t i = 0; i < n; i++) {
        sup_job job = {.operation = r->operation,
                       .processes = t->processes,
                       .bytes = t->bytes[i],
                       .element = element_of(r->operation)};
        double seconds;
        if (!(t->seconds[i] > 0) || disturbed(t, i, n) ||
            sup_collective_alone(c, &r->choice, &job, &mapping, NULL, &seconds))
            continue;
        if (!(seconds > 0)) continue;
        r->log_bytes[r->count] = x_of(t->bytes[i]);
        r->log_ratio[r->count++] = log(t->seconds[i] / seconds);
    }
    leave_out_disturbed(r);
    r->spread = spread_of(r);
    return true;
}

/* ---- those that are like no other ---- */

/* All ratios, one after the other. NULL: no memory, or too few. */
static double *all_ratios(const sup_collective_platform *c, size_t *count) {
    *count = 0;
    for (size_t i = 0; i < c->ratio_count; i++) *count += c->ratios[i].count;
    double *all = *count >= FEW ? malloc(*count * sizeof *all) : NULL;
    for (size_t i = 0, at = 0; all && i < c->ratio_count; i++)
        for (size_t k = 0; k < c->ratios[i].count; k++) all[at++] = c->ratios[i].log_ratio[k];
    return all;
}

/* Does another size of the same algorithm say the same? */
static bool is_confirmed(const sup_collective_ratio *r, size_t i, double middle, double limit) {
    double own = r->log_ratio[i] - middle;
    for (size_t k = 0; k < r->count; k++) {
        double other = r->log_ratio[k] - middle;
        if (k != i && own * other > 0 && fabs(other) > limit / 2) return true;
    }
    return false;
}

static void leave_out_far(sup_collective_ratio *r, double middle, double limit) {
    size_t kept = 0;
    uint64_t out = 0; /* a bit a point */
    for (size_t i = 0; i < r->count && i < 64; i++)
        if (fabs(r->log_ratio[i] - middle) > limit && !is_confirmed(r, i, middle, limit)) out |= (uint64_t)1 << i;
    for (size_t i = 0; i < r->count; i++) {
        if (i < 64 && (out >> i & 1)) continue;
        r->log_bytes[kept] = r->log_bytes[i];
        r->log_ratio[kept++] = r->log_ratio[i];
    }
    r->count = kept;
    r->spread = spread_of(r);
}

/* A time that lies far from what all others are off by, and that no other size confirms, is left out: what it stands
 * for takes the ratio of other segments, or none, instead of pulling what lies beside it. */
static void leave_out_strange(sup_collective_platform *c) {
    size_t count;
    double *all = all_ratios(c, &count);
    if (!all) return;
    double middle = sup_stats_median(all, count);
    for (size_t i = 0; i < count; i++) all[i] = fabs(all[i] - middle);
    double limit = fmax(log(FAR_FROM_ALL), DEVIATIONS * 1.4826 * sup_stats_median(all, count));
    free(all);
    for (size_t i = 0; i < c->ratio_count; i++) leave_out_far(&c->ratios[i], middle, limit);
}

sup_status sup_collective_ratios_make(sup_collective_platform *c, sup_diag *diag) {
    double squares = 0, count = 0;
    c->spread = NAN;
    c->ratios = calloc(c->profile->collectives_count + 1, sizeof *c->ratios);
    bool good = c->ratios != NULL;
    for (size_t i = 0; i < c->profile->collectives_count && good; i++) {
        const sup_collective_time *t = &c->profile->collectives[i];
        if (!t->transport || !t->operation || !t->algorithm || strcmp(t->transport, c->transport) != 0) continue;
        sup_collective_ratio *r = &c->ratios[c->ratio_count++];
        good = make_one(c, t, r);
    }
    if (good) leave_out_strange(c);
    for (size_t i = 0; i < c->ratio_count; i++)
        for (size_t k = 0; k < c->ratios[i].count; k++, count++)
            squares += c->ratios[i].log_ratio[k] * c->ratios[i].log_ratio[k];
    if (count > 0) c->spread = sqrt(squares / count);
    return good ? SUP_OK : sup_diag_no_memory(diag);
}

void sup_collective_ratios_free(sup_collective_platform *c) {
    for (size_t i = 0; i < c->ratio_count; i++) {
        free(c->ratios[i].log_bytes);
        free(c->ratios[i].log_ratio);
    }
    free(c->ratios);
}

/* ---- looking up ---- */

static bool same_way(const sup_choice *a, const sup_choice *b) {
    return a->segment_bytes == b->segment_bytes && a->radix == b->radix;
}

/* How far a measured one is: in doublings of processes, and more if it is another way or over as many hosts not. */
static double distance(const sup_collective_ratio *r, const sup_choice *choice, const sup_job *job, int64_t hosts) {
    if (!r->count || r->operation != job->operation || r->choice.algorithm != choice->algorithm ||
        r->choice.hosts != choice->hosts || (r->hosts > 1) != (hosts > 1))
        return INFINITY;
    double d = fabs(log2((double)r->processes / (double)job->processes)) + fabs(log2((double)r->hosts / (double)hosts));
    if (!same_way(&r->choice, choice))
        d += 0.5 + 0.1 * fabs(log2((1.0 + (double)r->choice.segment_bytes) / (1.0 + (double)choice->segment_bytes)));
    return d;
}

double sup_collective_ratio_of(const sup_collective_platform *c, const sup_choice *choice, const sup_job *job,
                               int64_t hosts, double *spread) {
    const sup_collective_ratio *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < c->ratio_count; i++) {
        double d = distance(&c->ratios[i], choice, job, hosts);
        if (d < least) least = d, best = &c->ratios[i];
    }
    *spread = c->spread;
    if (!best) return 1;
    double x = x_of(job->bytes), own = isnan(best->spread) ? OTHER_WAY : best->spread, beyond = 0;
    if (x < best->log_bytes[0]) beyond = best->log_bytes[0] - x;
    if (x > best->log_bytes[best->count - 1]) beyond = x - best->log_bytes[best->count - 1];
    own += DOUBLING * fabs(log2((double)best->processes / (double)job->processes)) + 0.05 * beyond;
    if (!same_way(&best->choice, choice)) own += OTHER_WAY;
    *spread = isnan(c->spread) ? own : fmin(own, fmax(c->spread, LEAST));
    return exp(between(best, x, SIZE_MAX) * exp2(-beyond / HALVED));
}
