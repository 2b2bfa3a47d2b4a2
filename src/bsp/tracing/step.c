/* Steps of one process: supersteps of the same call site with the same communication, here and on all others, are one,
 * with statistics of their times. A program whose supersteps are all different fills the book; then those that are new
 * join the first with the same communication here, and those that are new here are merged, one step a call site.
 * Nothing grows beyond that except the sequence, which has a limit of its own. */
#include "base/number/stats.h"
#include "bsp/tracing/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Over all processes, so that the file stays one that can be read: about 128 Ki steps, 2 Mi items. */
enum { STEPS_ALL = 1 << 17, STEPS_MIN = 64, STEPS_MAX = 4096, ITEMS_ALL = 2 << 20 };

sup_status bsp_trace_book_open(bsp_trace_book *k, int procs) {
    size_t keys = (size_t)procs * SUP_TRACE_KINDS;
    *k = (bsp_trace_book){.procs = procs};
    uint32_t share = (uint32_t)(STEPS_ALL / procs);
    k->step_max = share < STEPS_MIN ? STEPS_MIN : share > STEPS_MAX ? STEPS_MAX : share;
    k->item_max = (size_t)(ITEMS_ALL / procs);
    if (k->item_max < 8 * (size_t)procs) k->item_max = 8 * (size_t)procs;
    k->buckets = 4 * STEPS_MAX;
    k->bucket = calloc(k->buckets, sizeof *k->bucket);
    k->cell = calloc(keys, sizeof *k->cell);
    k->touched = calloc(keys, sizeof *k->touched);
    k->scratch = calloc(keys, sizeof *k->scratch);
    if (k->bucket && k->cell && k->touched && k->scratch) return SUP_OK;
    bsp_trace_book_close(k);
    return SUP_ENOMEM;
}

void bsp_trace_book_close(bsp_trace_book *k) {
    for (uint32_t i = 0; i < k->step_count; i++) {
        free(k->step[i]->items);
        free(k->step[i]->merged);
        free(k->step[i]);
    }
    free(k->step);
    free(k->bucket);
    free(k->cell);
    free(k->touched);
    free(k->scratch);
    free(k->sequence);
    *k = (bsp_trace_book){0};
}

/* ---- finding ---- */

static int by_key(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

/* What was counted, by key, in scratch. Loops over peers ask in order already. */
static void collect(bsp_trace_book *k) {
    size_t i = 1;
    while (i < k->touches && k->touched[i - 1] < k->touched[i]) i++;
    if (i < k->touches) qsort(k->touched, k->touches, sizeof *k->touched, by_key);
    for (i = 0; i < k->touches; i++) {
        uint32_t key = k->touched[i];
        k->scratch[i] = (bsp_trace_item){key, 0, k->cell[key]};
    }
}

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t hash_of(const bsp_trace_book *k, const void *site) {
    uint64_t h = mix(k->touches, (uintptr_t)site);
    for (size_t i = 0; i < k->touches; i++) {
        const bsp_trace_item *t = &k->scratch[i];
        h = mix(mix(mix(h, t->key), t->sum.messages), t->sum.bytes);
    }
    return h;
}

typedef enum how { EXACT, LIKE, MERGED } how; /* the same everywhere; the same here; of the same site */

static bool same(const bsp_trace_book *k, const bsp_trace_step *s, const void *site, uint64_t all, how h) {
    if (s->site != site || (s->merged != NULL) != (h == MERGED)) return false;
    if (h == MERGED) return true;
    size_t bytes = k->touches * sizeof *s->items;
    return (s->all == all || h == LIKE) && s->hash == k->hash && s->item_count == k->touches &&
           (!bytes || !memcmp(s->items, k->scratch, bytes));
}

/* The bucket that has such a step, or where its number belongs. */
static uint32_t *bucket_of(const bsp_trace_book *k, const void *site, uint64_t all, how h) {
    uint64_t hash = h == MERGED ? mix(~0u, (uintptr_t)site) : h == LIKE ? k->hash : mix(k->hash, all);
    size_t at = hash & (k->buckets - 1);
    while (k->bucket[at] && !same(k, k->step[k->bucket[at] - 1], site, all, h)) at = (at + 1) & (k->buckets - 1);
    return &k->bucket[at];
}

/* ---- making ---- */

static sup_status give_items(bsp_trace_book *k, bsp_trace_step *s, bool merged) {
    if (merged) {
        s->merged = calloc((size_t)k->procs * SUP_TRACE_KINDS, sizeof *s->merged);
        return s->merged ? SUP_OK : SUP_ENOMEM;
    }
    if (!k->touches) return SUP_OK;
    s->items = malloc(k->touches * sizeof *s->items);
    if (!s->items) return SUP_ENOMEM;
    memcpy(s->items, k->scratch, k->touches * sizeof *s->items);
    s->item_count = k->touches;
    k->item_count += k->touches;
    return SUP_OK;
}

static sup_status make_step(bsp_trace_book *k, const void *site, uint64_t all, bool merged) {
    if ((k->step_count & (k->step_count + 1)) == 0) { /* 0, 1, 3, 7, …: full */
        size_t room = 2 * (size_t)k->step_count + 1;
        void *more = realloc(k->step, room * sizeof *k->step);
        if (!more) return SUP_ENOMEM;
        k->step = more;
    }
    bsp_trace_step *s = calloc(1, sizeof *s);
    if (!s) return SUP_ENOMEM;
    s->site = site;
    s->hash = k->hash;
    s->all = all;
    s->stride = 1;
    if (give_items(k, s, merged)) {
        free(s);
        return SUP_ENOMEM;
    }
    k->step[k->step_count++] = s;
    return SUP_OK;
}

/* Number of the step that this superstep belongs to, or UINT32_MAX: no memory. Merged steps are found by their site. */
static uint32_t find_merged(bsp_trace_book *k, const void *site) {
    uint32_t *bucket = bucket_of(k, site, 0, MERGED);
    if (*bucket) return *bucket - 1;
    /* Thousands of call sites beyond the thousands of steps: they share the first merged one that comes. */
    if (k->step_count >= k->buckets / 2)
        for (uint32_t i = 0; i < k->step_count; i++)
            if (k->step[i]->merged) return i;
    if (make_step(k, site, 0, true)) return UINT32_MAX;
    *bucket = k->step_count;
    return k->step_count - 1;
}

/* The first of those that are alike here has a second bucket, by which it is found when the book is full. */
static uint32_t find(bsp_trace_book *k, const void *site, uint64_t all) {
    const uint32_t *known = bucket_of(k, site, all, EXACT);
    if (*known) return *known - 1;
    uint32_t *like = bucket_of(k, site, all, LIKE);
    bool full = k->step_count >= k->step_max || k->touches > k->item_max - k->item_count;
    if (full) return *like ? *like - 1 : find_merged(k, site);
    if (make_step(k, site, all, false)) return UINT32_MAX;
    if (!*like) *like = k->step_count;
    uint32_t *exact = bucket_of(k, site, all, EXACT); /* which may be the same */
    *exact = k->step_count;
    return k->step_count - 1;
}

/* ---- statistics ---- */

/* Welford's mean and variance; a sample that halves itself when it is full and takes every stride-th from then on. */
static void add_times(bsp_trace_step *s, const double time[BSP_TRACE_TIMES]) {
    if (s->samples == BSP_TRACE_SAMPLE && s->count % s->stride == 0) {
        s->samples /= 2;
        s->stride *= 2;
        for (int t = 0; t < BSP_TRACE_TIMES; t++)
            for (int i = 0; i < s->samples; i++) s->time[t].sample[i] = s->time[t].sample[2 * i];
    }
    bool take = s->count % s->stride == 0;
    s->count++;
    for (int t = 0; t < BSP_TRACE_TIMES; t++) {
        bsp_trace_spread *d = &s->time[t];
        double x = time[t] > 0 ? time[t] : 0, off = x - d->mean;
        d->mean += off / (double)s->count;
        d->squares += off * (x - d->mean);
        if (s->count == 1 || x < d->min) d->min = x;
        if (x > d->max) d->max = x;
        if (take) d->sample[s->samples] = x;
    }
    s->samples += take;
}

sup_trace_time bsp_trace_summary(const bsp_trace_step *s, int which) {
    const bsp_trace_spread *d = &s->time[which];
    double sorted[BSP_TRACE_SAMPLE];
    memcpy(sorted, d->sample, sizeof sorted);
    sup_stats_sort(sorted, (size_t)s->samples);
    return (sup_trace_time){.mean = fmin(fmax(d->mean, d->min), d->max), /* rounding */
                            .sd = s->count > 1 ? sqrt(d->squares / (double)(s->count - 1)) : 0,
                            .min = d->min,
                            .max = d->max,
                            .median = sup_stats_middle_sorted(sorted, (size_t)s->samples)};
}

/* ---- noting ---- */

static void append(bsp_trace_book *k, uint32_t step) {
    if (k->sequence_count == BSP_TRACE_SEQUENCE_MAX) return;
    if (k->sequence_count == k->sequence_room) {
        size_t room = k->sequence_room ? 2 * k->sequence_room : 1024;
        void *more = realloc(k->sequence, room * sizeof *k->sequence);
        if (!more) {
            k->broken = true;
            return;
        }
        k->sequence = more;
        k->sequence_room = room;
    }
    k->sequence[k->sequence_count++] = step;
}

static void note(bsp_trace_book *k, const void *site, uint64_t all, const bsp_trace_seen *seen, uint64_t early_bytes) {
    uint32_t number = find(k, site, all);
    if (number == UINT32_MAX) {
        k->broken = true;
        return;
    }
    bsp_trace_step *s = k->step[number];
    for (size_t i = 0; s->merged && i < k->touches; i++) {
        s->merged[k->scratch[i].key].messages += k->scratch[i].sum.messages;
        s->merged[k->scratch[i].key].bytes += k->scratch[i].sum.bytes;
    }
    if (!s->count) {
        s->first = *seen;
        s->first_at = k->supersteps;
    }
    s->early_bytes += early_bytes;
    s->calls_new += seen->calls_new;
    s->sync_new += seen->sync_new;
    add_times(s, seen->time);
    append(k, number);
    k->supersteps++;
}

uint64_t bsp_trace_book_hash(bsp_trace_book *k, const void *site) {
    collect(k);
    k->hash = hash_of(k, site);
    return k->hash;
}

void bsp_trace_forget(bsp_trace_book *k) {
    for (size_t i = 0; i < k->touches; i++) k->cell[k->touched[i]] = (bsp_trace_cell){0};
    k->touches = 0;
}

void bsp_trace_book_note(bsp_trace_book *k, bool keep, const void *site, uint64_t all, const bsp_trace_seen *seen,
                         uint64_t early_bytes) {
    if (!keep)
        k->left_out++;
    else if (!k->broken)
        note(k, site, all, seen, early_bytes);
    bsp_trace_forget(k);
}
