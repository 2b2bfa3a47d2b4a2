/* Tasks, crews and stages of a collective (collective/stages.h): kept once each, found by their hash. Term Tcomm. */
#include "model/collective/stages.h"

#include <stdlib.h>
#include <string.h>

#define STAGES_MOST ((size_t)1 << 26)

/* Room for one more; false and failed: there is none. */
static bool grow(sup_stages *s, void **at, size_t *room, size_t need, size_t size) {
    if (need <= *room) return true;
    size_t more = *room ? 2 * *room : 32;
    while (more < need) more *= 2;
    void *p = realloc(*at, more * size);
    if (!p) {
        s->failed = true;
        return false;
    }
    *at = p;
    *room = more;
    return true;
}
#define GROW(s, list, more) \
    grow(s, (void **)&(s)->list, &(s)->list##_room, (s)->list##_count + (more), sizeof *(s)->list)

void sup_stages_free(sup_stages *s) {
    free(s->parts);
    free(s->tasks);
    free(s->members);
    free(s->crews);
    free(s->stage_crews);
    free(s->stages);
    free(s->task_index.slots);
    free(s->crew_index.slots);
    *s = (sup_stages){0};
}

sup_status sup_stages_status(const sup_stages *s, sup_diag *diag) {
    return s->failed ? sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory for the stages of a collective") : SUP_OK;
}

static uint64_t mix(uint64_t h, uint64_t value) {
    h = (h ^ value) * 0x9e3779b97f4a7c15U;
    return h ^ (h >> 29);
}

/* ---- the index: numbers + 1 by hash; 0 is free ---- */

static void put(sup_index *x, uint64_t hash, size_t number) {
    size_t at = hash & (x->size - 1);
    while (x->slots[at]) at = (at + 1) & (x->size - 1);
    x->slots[at] = number + 1;
}

/* Space for one more; hash_of(n) by the caller's array, which begins with items of this size. */
static bool widen(sup_stages *s, sup_index *x, const void *items, size_t size, size_t hash_at) {
    if (2 * (x->used + 1) < x->size) return true;
    sup_index wide = {.size = x->size ? 2 * x->size : 64, .used = x->used};
    wide.slots = calloc(wide.size, sizeof *wide.slots);
    if (!wide.slots) {
        s->failed = true;
        return false;
    }
    for (size_t i = 0; i < x->size; i++) {
        if (!x->slots[i]) continue;
        uint64_t hash;
        memcpy(&hash, (const char *)items + (x->slots[i] - 1) * size + hash_at, sizeof hash);
        put(&wide, hash, x->slots[i] - 1);
    }
    free(x->slots);
    *x = wide;
    return true;
}

/* ---- tasks ---- */

static int part_order(const sup_part *a, const sup_part *b) {
    if (a->early != b->early) return b->early - a->early;
    if (a->kind != b->kind) return a->kind - b->kind;
    if (a->channel != b->channel) return a->channel - b->channel;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* Few parts, mostly in order: by insertion; equal ones are added up on the way. */
static size_t tidy(sup_part *parts, size_t count) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        sup_part p = parts[i];
        size_t at = n;
        while (at > 0 && part_order(&parts[at - 1], &p) > 0) at--;
        if (at > 0 && part_order(&parts[at - 1], &p) == 0) {
            parts[at - 1].count += p.count;
            continue;
        }
        memmove(parts + at + 1, parts + at, (n - at) * sizeof *parts);
        parts[at] = p;
        n++;
    }
    return n;
}

static bool same_parts(const sup_part *a, const sup_part *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (part_order(&a[i], &b[i]) != 0 || a[i].count != b[i].count) return false;
    return true;
}

size_t sup_stages_task(sup_stages *s, sup_part *parts, size_t count) {
    sup_task t = {.first = s->parts_count, .count = tidy(parts, count), .hash = 1};
    for (size_t i = 0; i < t.count; i++) {
        const sup_part *p = &parts[i];
        t.hash = mix(mix(t.hash, (uint64_t)p->bytes),
                     (uint64_t)p->count * 64 + (uint64_t)p->kind * 8 + (uint64_t)p->channel * 2 + (uint64_t)p->early);
        if (p->kind == SUP_SEND) t.sends += p->count;
        if (p->kind == SUP_RECEIVE) t.receives += p->count;
    }
    sup_index *x = &s->task_index;
    for (size_t at = x->size ? t.hash & (x->size - 1) : 0; x->size && x->slots[at]; at = (at + 1) & (x->size - 1)) {
        const sup_task *known = &s->tasks[x->slots[at] - 1];
        if (known->hash == t.hash && known->count == t.count && same_parts(s->parts + known->first, parts, t.count))
            return x->slots[at] - 1;
    }
    if (!GROW(s, parts, t.count) || !GROW(s, tasks, 1) ||
        !widen(s, x, s->tasks, sizeof *s->tasks, offsetof(sup_task, hash)))
        return 0;
    memcpy(s->parts + s->parts_count, parts, t.count * sizeof *parts);
    s->parts_count += t.count;
    s->tasks[s->tasks_count] = t;
    put(x, t.hash, s->tasks_count);
    x->used++;
    return s->tasks_count++;
}

/* ---- crews ---- */

static size_t tidy_members(sup_member *m, size_t count) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        sup_member one = m[i];
        size_t at = n;
        while (at > 0 && m[at - 1].task > one.task) at--;
        if (at > 0 && m[at - 1].task == one.task) {
            m[at - 1].ranks += one.ranks;
            continue;
        }
        memmove(m + at + 1, m + at, (n - at) * sizeof *m);
        m[at] = one;
        n++;
    }
    return n;
}

static bool same_members(const sup_member *a, const sup_member *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (a[i].task != b[i].task || a[i].ranks != b[i].ranks) return false;
    return true;
}

size_t sup_stages_crew(sup_stages *s, sup_member *members, size_t count) {
    sup_crew c = {.first = s->members_count, .count = tidy_members(members, count), .hash = 1};
    for (size_t i = 0; i < c.count; i++) c.hash = mix(mix(c.hash, members[i].task), (uint64_t)members[i].ranks);
    sup_index *x = &s->crew_index;
    for (size_t at = x->size ? c.hash & (x->size - 1) : 0; x->size && x->slots[at]; at = (at + 1) & (x->size - 1)) {
        const sup_crew *known = &s->crews[x->slots[at] - 1];
        if (known->hash == c.hash && known->count == c.count &&
            (!c.count || same_members(s->members + known->first, members, c.count)))
            return x->slots[at] - 1;
    }
    if (!GROW(s, members, c.count) || !GROW(s, crews, 1) ||
        !widen(s, x, s->crews, sizeof *s->crews, offsetof(sup_crew, hash)))
        return 0;
    if (c.count) memcpy(s->members + s->members_count, members, c.count * sizeof *members);
    s->members_count += c.count;
    s->crews[s->crews_count] = c;
    put(x, c.hash, s->crews_count);
    x->used++;
    return s->crews_count++;
}

/* ---- stages ---- */

static bool stages_until(sup_stages *s, size_t count) {
    if (count > STAGES_MOST) s->failed = true;
    if (s->failed || count <= s->stages_count) return !s->failed;
    if (!GROW(s, stages, count - s->stages_count)) return false;
    while (s->stages_count < count) s->stages[s->stages_count++] = (sup_stage){.times = 1, .first = -1};
    return true;
}

/* Crews of a stage stay in the order of their numbers, so that equal stages look the same. */
void sup_stages_add(sup_stages *s, size_t stage, size_t crew) {
    if (!stages_until(s, stage + 1) || !GROW(s, stage_crews, 1)) return;
    int64_t *link = &s->stages[stage].first;
    while (*link >= 0 && s->stage_crews[*link].crew < crew) link = &s->stage_crews[*link].next;
    if (*link >= 0 && s->stage_crews[*link].crew == crew) return;
    s->stage_crews[s->stage_crews_count] = (sup_stage_crew){crew, *link};
    *link = (int64_t)s->stage_crews_count++;
}

static bool same_stage(const sup_stages *s, const sup_stage *a, const sup_stage *b) {
    int64_t i = a->first, j = b->first;
    if (a->signals != b->signals) return false;
    while (i >= 0 && j >= 0) {
        if (s->stage_crews[i].crew != s->stage_crews[j].crew) return false;
        i = s->stage_crews[i].next;
        j = s->stage_crews[j].next;
    }
    return i < 0 && j < 0;
}

void sup_stages_fold(sup_stages *s) {
    size_t n = 0;
    for (size_t i = 0; i < s->stages_count; i++) {
        if (s->stages[i].first < 0 && !(s->stages[i].signals > 0)) continue;
        if (n && same_stage(s, &s->stages[n - 1], &s->stages[i]))
            s->stages[n - 1].times += s->stages[i].times;
        else
            s->stages[n++] = s->stages[i];
    }
    s->stages_count = n;
}

/* The crew of another set of stages. */
static size_t bring_crew(sup_stages *s, const sup_stages *more, size_t crew) {
    const sup_crew *c = &more->crews[crew];
    sup_member *members = malloc((c->count + 1) * sizeof *members);
    size_t n = 0;
    if (!members) {
        s->failed = true;
        return 0;
    }
    for (size_t i = 0; i < c->count; i++) {
        const sup_member *m = &more->members[c->first + i];
        const sup_task *t = &more->tasks[m->task];
        sup_part *parts = malloc((t->count + 1) * sizeof *parts);
        if (!parts) {
            s->failed = true;
            break;
        }
        memcpy(parts, more->parts + t->first, t->count * sizeof *parts);
        members[n++] = (sup_member){sup_stages_task(s, parts, t->count), m->ranks};
        free(parts);
    }
    size_t number = s->failed ? 0 : sup_stages_crew(s, members, n);
    free(members);
    return number;
}

void sup_stages_append(sup_stages *s, const sup_stages *more) {
    size_t base = s->stages_count;
    if (more->failed) s->failed = true;
    if (!stages_until(s, base + more->stages_count)) return;
    for (size_t i = 0; i < more->stages_count && !s->failed; i++) {
        const sup_stage *stage = &more->stages[i];
        s->stages[base + i].times = stage->times;
        s->stages[base + i].signals = stage->signals;
        for (int64_t k = stage->first; k >= 0 && !s->failed; k = more->stage_crews[k].next) {
            size_t crew = bring_crew(s, more, more->stage_crews[k].crew);
            if (!s->failed) sup_stages_add(s, base + i, crew);
        }
    }
}
