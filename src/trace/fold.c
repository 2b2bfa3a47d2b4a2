/* Folding of a sequence: repetitions found by period, from short to long, so that inner loops become one token before
 * outer ones are looked for.
 *
 *     A B B A B B A B B C   period 1 →   A X A X A X C   period 2 →   Y C        X = B·2, Y = (A X)·3
 *
 * A token below `classes` is a class, above it a loop. Equal loops are one token, so comparing tokens compares loops.
 */
#include "trace/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PERIOD_MAX = 4096, SHORT = 8 }; /* a loop no longer than this, unrolled, is written out */
#define WORK_MAX 400000000u

typedef struct loop {
    size_t body;     /* in the pool */
    uint32_t length; /* of the body */
    uint32_t next;   /* in the chain of its bucket, +1 */
    uint64_t repeat;
    uint64_t unrolled; /* supersteps in it */
    int depth;
} loop;

typedef struct folder {
    uint32_t classes;
    loop *loops;
    uint32_t *pool, *bucket;
    size_t loop_count, loop_room, pool_count, pool_room, buckets;
    uint64_t work;
} folder;

static sup_status make_room(void **list, size_t *room, size_t need, size_t size) {
    if (need <= *room) return SUP_OK;
    size_t more = *room + *room / 2 + need + 64, bytes;
    if (__builtin_mul_overflow(more, size, &bytes)) return SUP_ENOMEM;
    void *grown = realloc(*list, bytes);
    if (!grown) return SUP_ENOMEM;
    *list = grown;
    *room = more;
    return SUP_OK;
}

static const loop *loop_of(const folder *f, uint32_t token) {
    return token < f->classes ? NULL : &f->loops[token - f->classes];
}

static uint64_t unrolled(const folder *f, uint32_t token) {
    const loop *l = loop_of(f, token);
    return l ? l->unrolled : 1;
}

static uint64_t hash_body(const uint32_t *body, uint32_t length, uint64_t repeat) {
    uint64_t h = 1469598103934665603u ^ repeat;
    for (uint32_t i = 0; i < length; i++) h = (h ^ body[i]) * 1099511628211u;
    return h ^ h >> 29;
}

static sup_status rehash(folder *f) {
    size_t buckets = f->buckets ? 4 * f->buckets : 256;
    uint32_t *fresh = calloc(buckets, sizeof *fresh);
    if (!fresh) return SUP_ENOMEM;
    for (size_t i = 0; i < f->loop_count; i++) {
        loop *l = &f->loops[i];
        uint32_t *head = &fresh[hash_body(f->pool + l->body, l->length, l->repeat) & (buckets - 1)];
        l->next = *head;
        *head = (uint32_t)i + 1;
    }
    free(f->bucket);
    f->bucket = fresh;
    f->buckets = buckets;
    return SUP_OK;
}

/* Nesting of a loop with this body. */
static int depth_above(const folder *f, const uint32_t *body, uint32_t length) {
    int depth = 0;
    for (uint32_t i = 0; i < length; i++) {
        const loop *l = loop_of(f, body[i]);
        if (l && l->depth > depth) depth = l->depth;
    }
    return depth + 1;
}

/* The token of body · repeat. */
static sup_status intern(folder *f, const uint32_t *body, uint32_t length, uint64_t repeat, uint32_t *token) {
    if (f->loop_count * 2 >= f->buckets && rehash(f)) return SUP_ENOMEM;
    uint32_t *head = &f->bucket[hash_body(body, length, repeat) & (f->buckets - 1)];
    for (uint32_t i = *head; i; i = f->loops[i - 1].next) {
        assert(f->loops);
        const loop *l = &f->loops[i - 1];
        if (l->length == length && l->repeat == repeat && !memcmp(f->pool + l->body, body, length * sizeof *body)) {
            *token = f->classes + i - 1;
            return SUP_OK;
        }
    }
    if (f->loop_count >= UINT32_MAX / 2 - f->classes) return SUP_ENOMEM;
    void *loops = f->loops, *pool = f->pool;
    sup_status status = make_room(&loops, &f->loop_room, f->loop_count + 1, sizeof *f->loops);
    f->loops = loops;
    if (!status) status = make_room(&pool, &f->pool_room, f->pool_count + length, sizeof *f->pool);
    f->pool = pool;
    if (status) return status;
    uint64_t total = 0;
    for (uint32_t i = 0; i < length; i++) total += unrolled(f, body[i]);
    memcpy(f->pool + f->pool_count, body, length * sizeof *body);
    f->loops[f->loop_count] = (loop){.body = f->pool_count,
                                     .length = length,
                                     .next = *head,
                                     .repeat = repeat,
                                     .unrolled = total * repeat,
                                     .depth = depth_above(f, body, length)};
    f->pool_count += length;
    *token = f->classes + (uint32_t)f->loop_count;
    *head = (uint32_t)++f->loop_count;
    return SUP_OK;
}

/* Replaces what repeats with this period, in place; *count shrinks. */
static sup_status fold_period(folder *f, uint32_t *s, size_t *count, uint32_t period) {
    size_t n = *count, in = 0, out = 0;
    while (in < n) {
        size_t end = in; /* s[in … end) equals itself one period on */
        while (end + period < n && s[end] == s[end + period]) end++;
        if (end - in >= period && depth_above(f, s + in, period) < SUP_TRACE_DEPTH) {
            uint64_t repeat = (end - in) / period + 1;
            uint32_t token;
            sup_status status = intern(f, s + in, period, repeat, &token);
            if (status) return status;
            s[out++] = token;
            in += repeat * period;
            continue;
        }
        /* nothing that starts before the mismatch can be longer */
        size_t stop = end < n ? end + 1 : n;
        while (in < stop) s[out++] = s[in++];
    }
    *count = out;
    return SUP_OK;
}

/* Shortest period first; again from the shortest when much was folded, and at the end if anything was. */
static sup_status fold_all(folder *f, uint32_t *s, size_t *count) {
    bool any = false;
    for (uint32_t period = 1; f->work < WORK_MAX; period++) {
        if (period > PERIOD_MAX || 2 * (size_t)period > *count) {
            if (!any) break;
            any = false;
            period = 1;
        }
        size_t before = *count;
        f->work += before + 1;
        sup_status status = fold_period(f, s, count, period);
        if (status) return status;
        any = any || *count < before;
        if (before - *count > before / 16) period = 0;
    }
    return SUP_OK;
}

/* ---- writing ---- */

typedef struct output {
    const folder *f;
    size_t left; /* numbers that may still be written */
    bool full;
} output;

/* A loop of classes only that is short. */
static bool is_short(const folder *f, uint32_t token) {
    const loop *l = loop_of(f, token);
    if (!l) return true;
    if (l->unrolled > SHORT) return false;
    for (uint32_t i = 0; i < l->length; i++)
        if (!is_short(f, f->pool[l->body + i])) return false;
    return true;
}

static void write_out(const folder *f, uint32_t token, int64_t *to, size_t *n) {
    const loop *l = loop_of(f, token);
    if (!l) to[(*n)++] = token;
    for (uint64_t r = 0; l && r < l->repeat; r++)
        for (uint32_t i = 0; i < l->length; i++) write_out(f, f->pool[l->body + i], to, n);
}

/* Short tokens from `at` on become the classes of run; returns where it stopped. */
static size_t write_classes(output *o, const uint32_t *tokens, size_t count, size_t at, sup_trace_run *run,
                            sup_status *status) {
    size_t stop = at, need = 0, n = 0;
    for (; stop < count && is_short(o->f, tokens[stop]); stop++) {
        size_t more = (size_t)unrolled(o->f, tokens[stop]);
        if (more > o->left - need) {
            o->full = true;
            break;
        }
        need += more;
    }
    run->classes = need ? malloc(need * sizeof *run->classes) : NULL;
    if (need && !run->classes) *status = SUP_ENOMEM;
    for (size_t i = at; i < stop && run->classes; i++) write_out(o->f, tokens[i], run->classes, &n);
    run->classes_count = n;
    o->left -= need;
    return stop;
}

static bool all_short(const folder *f, const uint32_t *tokens, size_t count) {
    size_t i = 0;
    while (i < count && is_short(f, tokens[i])) i++;
    return i == count;
}

/* Appends runs for the tokens that fit; *kept counts supersteps. A loop that does not fit whole is left out. */
static sup_status write_runs(output *o, const uint32_t *tokens, size_t count, sup_trace_run **list, size_t *list_count,
                             size_t *kept) {
    sup_status status = SUP_OK;
    for (size_t i = 0; i < count && !status && !o->full;) {
        sup_trace_run *run = SUP_APPEND(&sup_trace_run_record, *list, *list_count);
        if (!run) return SUP_ENOMEM;
        size_t inside = 0;
        const loop *l = loop_of(o->f, tokens[i]);
        if (is_short(o->f, tokens[i])) {
            i = write_classes(o, tokens, count, i, run, &status);
            inside = run->classes_count;
        } else {
            const uint32_t *body = o->f->pool + l->body;
            run->repeat = (int64_t)l->repeat;
            if (all_short(o->f, body, l->length))
                write_classes(o, body, l->length, 0, run, &status);
            else
                status = write_runs(o, body, l->length, &run->body, &run->body_count, &inside);
            inside = o->full ? 0 : (size_t)l->unrolled;
            i++;
        }
        if (!inside && !status) { /* nothing of it fitted */
            sup_record_clear(&sup_trace_run_record, run);
            --*list_count;
            break;
        }
        *kept += inside;
    }
    return status;
}

sup_status sup_trace_fold(uint32_t *sequence, size_t count, uint32_t classes, size_t most, sup_trace_run **out,
                          size_t *out_count, size_t *kept) {
    folder f = {.classes = classes};
    output o = {.f = &f, .left = most};
    size_t tokens = count, before = *out_count;
    *kept = 0;
    sup_status status = fold_all(&f, sequence, &tokens);
    if (!status) status = write_runs(&o, sequence, tokens, out, out_count, kept);
    while (status && *out_count > before) sup_record_clear(&sup_trace_run_record, &(*out)[--*out_count]);
    free(f.bucket);
    free(f.pool);
    free(f.loops);
    return status;
}
