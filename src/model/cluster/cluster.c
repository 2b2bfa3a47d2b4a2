/* Sparse Spatial Selection (BSP §7.2), and a hierarchy by applying it to what it finds. Term Tsync, stage "model".
 *
 * Top down: the members of a part are cut into clusters by sparseness × the part's own diameter, and those again. A cut
 * counts only if it tells clusters apart; all members alone, or all in one, is no cut. The document's 0.35 cuts where
 * distances differ threefold, as hosts do. Sockets and caches differ less: where 0.35 cuts nothing, thresholds in the
 * widest gaps between the part's distances are tried, widest first. What a cut finds is then taken as points itself,
 * with mean distances: if those can be cut (racks of hosts) the coarser cut comes first, and the finer one after it.
 *
 * A measured O has odd entries. One to a pivot would make its process a pivot, too, so that clusters whose mean
 * distance is below the threshold are joined, and everybody goes to the cluster that is nearest on the average. */
#include "model/cluster/cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 4096, GAPS = 8, DEPTH = 16, MANY = 512 };
#define BIN 1.02 /* ratio of distances in one bin: nearer ones have no gap between them */
#define GAP 1.1  /* ratio of the distances around a gap, at least */

/* Points of a matrix of which some are looked at. */
typedef struct points {
    const double *d; /* [all × all], symmetric */
    int64_t all;
    const int64_t *at; /* [count]: row of each */
    int64_t count;
} points;

static inline double between(const points *p, int64_t a, int64_t b) { return p->d[p->at[a] * p->all + p->at[b]]; }

/* ---- one selection ---- */

static double diameter_of(const points *p) {
    double most = 0;
    for (int64_t a = 0; a < p->count; a++)
        for (int64_t b = 0; b < a; b++)
            if (between(p, a, b) > most) most = between(p, a, b);
    return most;
}

static int64_t nearest(const points *p, int64_t member, const int64_t *pivot, int64_t pivots, double *distance) {
    int64_t best = -1;
    *distance = INFINITY;
    for (int64_t k = 0; k < pivots; k++) {
        double d = pivot[k] == member ? -1 : between(p, member, pivot[k]);
        if (d >= *distance) continue;
        *distance = d;
        best = k;
    }
    return best;
}

/* of, pivot: [count]. Returns how many pivots. The second pass: a nearer pivot may have come later. */
static int64_t selection(const points *p, double threshold, int64_t *of, int64_t *pivot) {
    int64_t pivots = 0;
    double d;
    for (int64_t m = 0; m < p->count; m++) {
        nearest(p, m, pivot, pivots, &d);
        if (d >= threshold) pivot[pivots++] = m;
    }
    if (pivots == p->count)
        for (int64_t m = 0; m < p->count; m++) of[m] = m;
    else
        for (int64_t m = 0; m < p->count; m++) of[m] = nearest(p, m, pivot, pivots, &d);
    return pivots;
}

/* ---- is it a cut? ---- */

/* Cheap, and most that is no cut fails it: over all pairs, are those between clusters farther apart? */
static bool apart_at_all(const points *p, const int64_t *of) {
    double sum[2] = {0}, n[2] = {0};
    for (int64_t a = 0; a < p->count; a++)
        for (int64_t b = 0; b < a; b++) {
            int same = of[a] == of[b];
            sum[same] += between(p, a, b);
            n[same]++;
        }
    return n[0] > 0 && n[1] > 0 && sum[0] / n[0] >= SUP_CLUSTER_APART * sum[1] / n[1];
}

/* mean: [clusters × clusters], mean distances; the diagonal is that inside. *inside: that of all pairs inside. */
static sup_status means_of(const points *p, const int64_t *of, int64_t clusters, double *inside, double **mean) {
    size_t cells = (size_t)clusters * (size_t)clusters;
    double *sum = calloc(cells, sizeof *sum), total = 0, pairs = 0;
    uint32_t *n = calloc(cells, sizeof *n);
    if (!sum || !n) {
        free(sum);
        free(n);
        return SUP_ENOMEM;
    }
    for (int64_t a = 0; a < p->count; a++)
        for (int64_t b = 0; b < p->count; b++) {
            if (a == b) continue;
            int64_t cell = of[a] * clusters + of[b];
            sum[cell] += between(p, a, b);
            n[cell]++;
        }
    for (int64_t c = 0; c < clusters; c++) {
        total += sum[c * clusters + c];
        pairs += n[c * clusters + c];
    }
    for (size_t k = 0; k < cells; k++)
        if (n[k]) sum[k] /= n[k];
    free(n);
    *inside = pairs > 0 ? total / pairs : 0;
    *mean = sum;
    return SUP_OK;
}

static bool apart(const double *mean, int64_t clusters, double inside) {
    for (int64_t a = 0; a < clusters; a++)
        for (int64_t b = 0; b < a; b++)
            if (!(mean[a * clusters + b] >= SUP_CLUSTER_APART * inside)) return false;
    return true;
}

/* Room for one cut of any part. */
typedef struct room {
    int64_t *of, *pivot, *group;
} room;

/* ---- what one odd distance to a pivot did ---- */

/* Clusters whose mean distance is below the threshold are one: of several the first. Returns how many are left. */
static int64_t join(const double *mean, int64_t clusters, double threshold, int64_t *into) {
    int64_t left = 0;
    for (int64_t c = 0; c < clusters; c++) {
        double least = threshold;
        int64_t home = -1;
        for (int64_t k = 0; k < c; k++)
            if (mean[c * clusters + k] < least) {
                least = mean[c * clusters + k];
                home = into[k];
            }
        into[c] = home >= 0 ? home : left++;
    }
    return left;
}

/* Everybody goes where the mean distance is least; who is alone stays. sum: [clusters], size: [clusters]. */
static void settle(const points *p, int64_t clusters, double *sum, int64_t *size, int64_t *of, int64_t *fresh) {
    memset(size, 0, (size_t)clusters * sizeof *size);
    for (int64_t m = 0; m < p->count; m++) size[of[m]]++;
    for (int64_t m = 0; m < p->count; m++) {
        fresh[m] = of[m];
        if (size[of[m]] == 1) continue;
        memset(sum, 0, (size_t)clusters * sizeof *sum);
        for (int64_t k = 0; k < p->count; k++)
            if (k != m) sum[of[k]] += between(p, m, k);
        double least = sum[of[m]] / (double)(size[of[m]] - 1);
        for (int64_t c = 0; c < clusters; c++)
            if (c != of[m] && sum[c] / (double)size[c] < least) {
                least = sum[c] / (double)size[c];
                fresh[m] = c;
            }
    }
    memcpy(of, fresh, (size_t)p->count * sizeof *of);
}

/* Selection looks at distances to pivots only; here all count. *clusters: before and after. Nobody loses its last
 * member: a cluster that everybody left would be empty, so that numbers are made dense again. */
static sup_status mend(const points *p, double threshold, int64_t *of, int64_t *clusters) {
    double inside, *mean, *sum = malloc((size_t)*clusters * sizeof *sum);
    int64_t *space = malloc((size_t)(2 * *clusters + p->count) * sizeof *space);
    sup_status st = sum && space ? means_of(p, of, *clusters, &inside, &mean) : SUP_ENOMEM;
    if (!st) {
        int64_t *into = space, *size = space + *clusters, *fresh = size + *clusters;
        int64_t left = join(mean, *clusters, threshold, into), dense = 0;
        free(mean);
        for (int64_t m = 0; m < p->count; m++) of[m] = into[of[m]];
        settle(p, left, sum, size, of, fresh);
        for (int64_t c = 0; c < left; c++) into[c] = -1;
        for (int64_t m = 0; m < p->count; m++) {
            if (into[of[m]] < 0) into[of[m]] = dense++;
            of[m] = into[of[m]];
        }
        *clusters = dense;
    }
    free(space);
    free(sum);
    return st;
}

/* *clusters 0: no cut at this threshold. Else *mean is to be freed. */
static sup_status cut_at(const points *p, double threshold, int64_t *of, int64_t *pivot, int64_t *clusters,
                         double **mean) {
    double inside;
    *clusters = 0;
    int64_t count = selection(p, threshold, of, pivot);
    if (count < 2 || count == p->count || (count > MANY && !apart_at_all(p, of))) return SUP_OK;
    sup_status st = SUP_OK;
    for (int64_t before = count + 1; !st && count > 1 && count < before;) {
        before = count;
        st = mend(p, threshold, of, &count);
    }
    if (st || count < 2 || count == p->count || !apart_at_all(p, of)) return st;
    st = means_of(p, of, count, &inside, mean);
    if (st) return st;
    if (apart(*mean, count, inside))
        *clusters = count;
    else
        free(*mean);
    return SUP_OK;
}

/* ---- gaps between distances ---- */

typedef struct gap {
    double ratio, threshold;
} gap;

static void keep(gap *gaps, int *count, gap g) {
    if (*count == GAPS && gaps[GAPS - 1].ratio >= g.ratio) return;
    int k = *count < GAPS ? (*count)++ : GAPS - 1;
    for (; k > 0 && gaps[k - 1].ratio < g.ratio; k--) gaps[k] = gaps[k - 1];
    gaps[k] = g;
}

/* The widest gaps, widest first. low, high: [BINS] scratch. */
static int gaps_of(const points *p, double *low, double *high, gap gaps[GAPS]) {
    double least = INFINITY, scale = 1 / log(BIN), last = 0;
    int count = 0;
    for (int64_t a = 0; a < p->count; a++)
        for (int64_t b = 0; b < a; b++) {
            double d = between(p, a, b);
            if (d > 0 && d < least) least = d;
        }
    for (int k = 0; k < BINS; k++) low[k] = INFINITY, high[k] = 0;
    for (int64_t a = 0; a < p->count && least < INFINITY; a++)
        for (int64_t b = 0; b < a; b++) {
            double d = fmax(between(p, a, b), least), bin = log(d / least) * scale;
            int k = bin < BINS - 1 ? (int)bin : BINS - 1;
            low[k] = fmin(low[k], d);
            high[k] = fmax(high[k], d);
        }
    for (int k = 0; k < BINS; k++) {
        if (high[k] <= 0) continue;
        if (last > 0 && low[k] >= GAP * last) keep(gaps, &count, (gap){low[k] / last, sqrt(low[k] * last)});
        last = high[k];
    }
    return count;
}

/* ---- the cut of a part ---- */

static sup_status cut_fine(const points *p, double sparseness, const room *r, int64_t *clusters, double **mean) {
    sup_status st = cut_at(p, sparseness * diameter_of(p), r->of, r->pivot, clusters, mean);
    if (st || *clusters) return st;
    gap gaps[GAPS];
    double *bins = malloc(2 * BINS * sizeof *bins);
    if (!bins) return SUP_ENOMEM;
    int count = gaps_of(p, bins, bins + BINS, gaps);
    free(bins);
    for (int k = 0; k < count && !st && !*clusters; k++)
        st = cut_at(p, gaps[k].threshold, r->of, r->pivot, clusters, mean);
    return st;
}

/* Clusters as points: who of them are together. *grouped false: nobody. Else r->of is of those, *mean theirs. */
static sup_status cut_coarser(double sparseness, int64_t members, const room *r, int64_t *clusters, double **mean,
                              bool *grouped) {
    int64_t groups, n = *clusters;
    int64_t *at = malloc(3 * (size_t)n * sizeof *at);
    double *found = NULL;
    *grouped = false;
    if (!at) return SUP_ENOMEM;
    for (int64_t c = 0; c < n; c++) at[c] = c;
    points p = {.d = *mean, .all = n, .at = at, .count = n};
    room inner = {.of = at + n, .pivot = at + 2 * n};
    sup_status st = cut_fine(&p, sparseness, &inner, &groups, &found);
    if (!st && groups) {
        for (int64_t m = 0; m < members; m++) r->of[m] = inner.of[r->of[m]];
        free(*mean);
        *mean = found;
        *clusters = groups;
        *grouped = true;
    }
    free(at);
    return st;
}

/* r->of: the cluster of each point. *clusters 1: it stays whole. */
static sup_status cut(const points *p, double sparseness, const room *r, int64_t *clusters) {
    double *mean = NULL;
    bool again = true;
    *clusters = 0;
    sup_status st = p->count < 3 ? SUP_OK : cut_fine(p, sparseness, r, clusters, &mean);
    while (!st && again && *clusters > 2) st = cut_coarser(sparseness, p->count, r, clusters, &mean, &again);
    if (*clusters) free(mean);
    if (!*clusters) *clusters = 1;
    return st;
}

/* ---- from outside in ---- */

/* Cuts every part of `label` (numbers below *parts) once: `finer` gets the new ones, *parts how many there are. */
static sup_status refine(const double *d, int64_t n, double sparseness, const room *r, const int64_t *label,
                         int64_t *parts, int64_t *finer) {
    int64_t total = 0, *at = r->group;
    sup_status st = SUP_OK;
    for (int64_t part = 0; part < *parts && !st; part++) {
        points p = {.d = d, .all = n, .at = at};
        int64_t clusters;
        for (int64_t m = 0; m < n; m++)
            if (label[m] == part) at[p.count++] = m;
        st = cut(&p, sparseness, r, &clusters);
        for (int64_t m = 0; m < p.count && !st; m++) finer[at[m]] = total + (clusters > 1 ? r->of[m] : 0);
        total += clusters;
    }
    *parts = total;
    return st;
}

static sup_status descend(const double *d, int64_t n, double sparseness, int64_t *memory, sup_hierarchy *out) {
    int64_t *labels = memory, parts = 1, before = 0;
    room r = {labels + DEPTH * n, labels + (DEPTH + 1) * n, labels + (DEPTH + 2) * n};
    int depth = 1;
    sup_status st = SUP_OK;
    memset(labels, 0, (size_t)n * sizeof *labels);
    for (; depth < DEPTH && parts > before && !st; depth++) {
        before = parts;
        st = refine(d, n, sparseness, &r, labels + (depth - 1) * n, &parts, labels + depth * n);
    }
    if (!st) st = sup_hierarchy_start(n, out);
    if (st) return st;
    for (int k = depth - 1; k > 0 && !st; k--) st = sup_hierarchy_add(out, labels + k * n, NULL);
    if (!st) st = sup_hierarchy_finish(out, NULL);
    if (st) sup_hierarchy_free(out);
    return st;
}

/* ---- from a matrix ---- */

/* The mean of both ways; *out NULL: out of memory, or not distances. */
static sup_status symmetric(const double *distance, int64_t n, double **out) {
    enum { TILE = 32 };
    if (n < 1 || n > SUP_CLUSTER_MATRIX_MAX) return SUP_EINVAL;
    double *d = malloc((size_t)n * (size_t)n * sizeof *d);
    if (!d) return SUP_ENOMEM;
    bool good = true;
    for (int64_t i = 0; i < n; i += TILE)
        for (int64_t j = 0; j < n; j += TILE)
            for (int64_t a = i; a < i + TILE && a < n; a++)
                for (int64_t b = j; b < j + TILE && b < n; b++) {
                    double there = distance[a * n + b], back = distance[b * n + a];
                    good &= a == b || (there >= 0 && there <= 1e300 && back >= 0 && back <= 1e300);
                    d[a * n + b] = (there + back) / 2;
                }
    if (!good) {
        free(d);
        return SUP_EINVAL;
    }
    *out = d;
    return SUP_OK;
}

sup_status sup_clusters_find(const double *distance, int64_t members, double sparseness, sup_clusters *out) {
    double *d;
    if (!(sparseness > 0)) return SUP_EINVAL;
    sup_status st = symmetric(distance, members, &d);
    if (st) return st;
    sup_clusters c = {.members = members,
                      .of = malloc((size_t)members * sizeof *c.of),
                      .pivot = malloc((size_t)members * sizeof *c.pivot)};
    int64_t *at = malloc((size_t)members * sizeof *at);
    if (c.of && c.pivot && at) {
        for (int64_t m = 0; m < members; m++) at[m] = m;
        points p = {.d = d, .all = members, .at = at, .count = members};
        double diameter = diameter_of(&p);
        /* where all are at one place there is one cluster */
        c.count = selection(&p, diameter > 0 ? sparseness * diameter : INFINITY, c.of, c.pivot);
        *out = c;
    } else {
        sup_clusters_free(&c);
        st = SUP_ENOMEM;
    }
    free(at);
    free(d);
    return st;
}

sup_status sup_hierarchy_find(const double *distance, int64_t processes, double sparseness, sup_hierarchy *out) {
    double *d;
    if (!(sparseness > 0)) return SUP_EINVAL;
    sup_status st = symmetric(distance, processes, &d);
    if (st) return st;
    int64_t *memory = malloc((DEPTH + 3) * (size_t)processes * sizeof *memory);
    st = memory ? descend(d, processes, sparseness, memory, out) : SUP_ENOMEM;
    free(memory);
    free(d);
    return st;
}
