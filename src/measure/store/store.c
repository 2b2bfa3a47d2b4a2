/* Points and what visits of them found (store.h). Stage "measure". */
#include "measure/store/work.h"

#include "base/number/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding a point ---- */

static uint64_t mix(uint64_t h, uint64_t value) { return (h ^ value) * UINT64_C(1099511628211); }

static uint64_t mix_text(uint64_t h, const char *text) {
    for (const char *c = text ? text : "\1"; *c; c++) h = mix(h, (unsigned char)*c);
    return mix(h, 0);
}

/* of: with its bytes, or without. */
typedef enum of { POINT, SIZES } of;

static uint64_t hash_of(const sup_trial *t, of what) {
    uint64_t h = mix_text(mix_text(UINT64_C(14695981039346656037), t->kernel), t->engine);
    const uint64_t numbers[] = {(uint64_t)t->kind,    (uint64_t)t->groups,
                                (uint64_t)t->group,   what == POINT ? t->bytes : 0,
                                (uint64_t)t->number,  (uint64_t)t->stride,
                                (uint64_t)t->records, (uint64_t)t->shape,
                                (uint64_t)t->move,    t->cold};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) h = mix(h, numbers[i]);
    for (int i = 0; t->ranks && i < t->groups * t->group; i++) h = mix(h, (uint64_t)t->ranks[i]);
    return h ^ h >> 29;
}

bool sup_same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : !a == !b; }

static bool same_but_bytes(const sup_trial *a, const sup_trial *b) {
    bool numbers = a->kind == b->kind && a->groups == b->groups && a->group == b->group && a->number == b->number &&
                   a->stride == b->stride && a->records == b->records && a->cold == b->cold && a->shape == b->shape &&
                   a->move == b->move;
    if (!numbers || !sup_same_text(a->kernel, b->kernel) || !sup_same_text(a->engine, b->engine)) return false;
    if (!a->ranks != !b->ranks) return false;
    return !a->ranks || !memcmp(a->ranks, b->ranks, (size_t)a->groups * (size_t)a->group * sizeof *a->ranks);
}

static bool same(const sup_trial *a, const sup_trial *b) { return a->bytes == b->bytes && same_but_bytes(a, b); }

/* What means the same is written the same. */
static sup_trial normal(const sup_trial *trial) {
    sup_trial t = *trial;
    if (t.records < 1) t.records = 1;
    if (t.groups < 1) t.groups = 1;
    return t;
}

static size_t slot_of(const sup_store *s, const sup_trial *t, of what) {
    size_t at = hash_of(t, what) & (s->slots - 1), *table = what == POINT ? s->table : s->sizes;
    bool (*equal)(const sup_trial *, const sup_trial *) = what == POINT ? same : same_but_bytes;
    while (table[at] && !equal(&s->points[table[at] - 1]->trial, t)) at = (at + 1) & (s->slots - 1);
    return at;
}

static void enter(sup_store *s, size_t i) {
    sup_point *p = s->points[i];
    s->table[slot_of(s, &p->trial, POINT)] = i + 1;
    size_t *first = &s->sizes[slot_of(s, &p->trial, SIZES)];
    if (!*first) {
        *first = i + 1;
        p->last_size = p;
        return;
    }
    sup_point *head = s->points[*first - 1];
    head->last_size->next_size = p;
    head->last_size = p;
}

static bool grow_table(sup_store *s) {
    if (2 * (s->count + 1) <= s->slots) return true;
    size_t slots = s->slots ? 2 * s->slots : 1024;
    size_t *table = calloc(slots, sizeof *table), *sizes = calloc(slots, sizeof *sizes);
    if (!table || !sizes) {
        free(table);
        free(sizes);
        return false;
    }
    free(s->table);
    free(s->sizes);
    s->table = table;
    s->sizes = sizes;
    s->slots = slots;
    for (size_t i = 0; i < s->count; i++) {
        s->points[i]->next_size = NULL;
        enter(s, i);
    }
    return true;
}

sup_status sup_store_new(int launch, sup_store **out) {
    sup_store *s = calloc(1, sizeof *s);
    if (!s) return SUP_ENOMEM;
    s->launch = launch;
    for (int k = 0; k < SUP_TRIAL_KINDS; k++)
        for (int q = 0; q < SUP_STORE_QUANTITIES; q++) s->scatter[k][q].variance = NAN;
    *out = s;
    return SUP_OK;
}

static void free_point(sup_point *p) {
    if (!p) return;
    for (int v = 0; v < p->values; v++) {
        if (p->found) sup_record_clear(&sup_found_record, &p->found[v]);
        if (p->now) free(p->now[v].seconds);
    }
    free(p->found);
    free(p->now);
    free((char *)p->trial.kernel);
    free((char *)p->trial.engine);
    free((int *)p->trial.ranks);
    free(p);
}

void sup_store_free(sup_store *s) {
    if (!s) return;
    for (size_t i = 0; i < s->count; i++) free_point(s->points[i]);
    free(s->points);
    free(s->table);
    free(s->sizes);
    free(s);
}

int sup_store_launch(const sup_store *s) { return s->launch; }
size_t sup_store_count(const sup_store *s) { return s->count; }
sup_point *sup_store_at(const sup_store *s, size_t index) { return s->points[index]; }

sup_point *sup_store_find(const sup_store *s, const sup_trial *trial) {
    sup_trial t = normal(trial);
    if (!s->slots) return NULL;
    size_t at = s->table[slot_of(s, &t, POINT)];
    return at ? s->points[at - 1] : NULL;
}

const sup_point *sup_store_sizes(const sup_store *s, const sup_trial *trial) {
    sup_trial t = normal(trial);
    if (!s->slots) return NULL;
    size_t at = s->sizes[slot_of(s, &t, SIZES)];
    return at ? s->points[at - 1] : NULL;
}

static sup_point *make_point(const sup_trial *t) {
    sup_point *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    size_t ranks = (size_t)t->groups * (size_t)t->group;
    int *copy = t->ranks ? malloc(ranks * sizeof *copy) : NULL;
    p->trial = *t;
    p->trial.kernel = t->kernel ? strdup(t->kernel) : NULL;
    p->trial.engine = t->engine ? strdup(t->engine) : NULL;
    p->trial.ranks = copy;
    p->footprint = NAN;
    p->values = sup_trial_values(t);
    p->found = calloc((size_t)p->values, sizeof *p->found);
    p->now = calloc((size_t)p->values, sizeof *p->now);
    bool good =
        p->found && p->now && (copy || !t->ranks) && !p->trial.kernel == !t->kernel && !p->trial.engine == !t->engine;
    if (good && copy) memcpy(copy, t->ranks, ranks * sizeof *copy);
    for (int v = 0; v < p->values && p->found; v++) sup_record_init(&sup_found_record, &p->found[v]);
    if (good) return p;
    free_point(p);
    return NULL;
}

sup_point *sup_store_get(sup_store *s, const sup_trial *trial) {
    sup_trial t = normal(trial);
    sup_point *known = sup_store_find(s, &t);
    if (known) {
        known->trial.use = fmax(known->trial.use, t.use);
        return known;
    }
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 256;
        sup_point **grown = realloc(s->points, room * sizeof *grown);
        if (!grown) return NULL;
        s->points = grown;
        s->room = room;
    }
    if (!grow_table(s)) return NULL;
    sup_point *p = make_point(&t);
    if (!p) return NULL;
    s->points[s->count] = p;
    enter(s, s->count++);
    return p;
}

/* ---- batches ---- */

bool sup_point_known(const sup_point *p) {
    for (int v = 0; v < p->values; v++)
        if (!p->found[v].launch_count && !p->now[v].count && !p->now[v].spare) return false;
    return true;
}

sup_status sup_point_add(sup_point *p, int value, double seconds) {
    sup_found_now *now = &p->now[value];
    if (!(seconds >= 0.0) || isinf(seconds)) {
        now->dropped++;
        if (seconds < 0.0 && (now->spare == 0.0 || -seconds < now->spare)) now->spare = -seconds;
        return SUP_OK;
    }
    if (now->count == now->room) {
        size_t room = now->room ? 2 * now->room : 16;
        double *grown = realloc(now->seconds, room * sizeof *grown);
        if (!grown) return SUP_ENOMEM;
        now->seconds = grown;
        now->room = room;
    }
    now->seconds[now->count++] = seconds;
    return SUP_OK;
}

/* ---- what launches found ---- */

static double quantile(const double *sorted, size_t n, double q) {
    double at = q * (double)(n - 1);
    size_t i = (size_t)at;
    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

bool sup_point_now(const sup_store *s, const sup_point *p, int value, sup_launch_found *out) {
    const sup_found_now *now = &p->now[value];
    *out = (sup_launch_found){.launch = s->launch, .n = (int64_t)now->count, .dropped = now->dropped};
    if (!now->count) {
        out->low = out->typical = out->bad = now->spare;
        out->n = now->spare > 0.0;
        return now->spare > 0.0;
    }
    double few[64], *sorted = now->count <= 64 ? few : malloc(now->count * sizeof *sorted);
    if (!sorted) return false;
    memcpy(sorted, now->seconds, now->count * sizeof *sorted);
    sup_stats_sort(sorted, now->count);
    out->low = quantile(sorted, now->count, SUP_FOUND_LOW);
    out->typical = quantile(sorted, now->count, 0.5);
    out->bad = quantile(sorted, now->count, 0.9);
    if (sorted != few) free(sorted);
    return true;
}

size_t sup_point_found(const sup_store *s, const sup_point *p, int value, sup_launch_found *out) {
    const sup_found *f = &p->found[value];
    size_t skip = f->launch_count >= SUP_STORE_LAUNCHES ? f->launch_count - SUP_STORE_LAUNCHES + 1 : 0, count = 0;
    for (size_t i = skip; i < f->launch_count; i++)
        if (f->launch[i] != s->launch || (!p->now[value].count && !p->now[value].spare))
            out[count++] = (sup_launch_found){f->launch[i], f->n[i],       f->dropped_count ? f->dropped[i] : 0,
                                              f->low[i],    f->typical[i], f->bad[i]};
    return count + sup_point_now(s, p, value, &out[count]);
}
