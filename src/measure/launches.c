/* Times of several launches (launches.h): a table of trials, each with the times of up to LAUNCHES_MAX of them. */
#include "measure/launches.h"

#include "base/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES_MAX = 8 };
#define ODD 1.25   /* times the median: such a launch was disturbed as a whole */
#define DEAR_S 0.1 /* a trial that took so long is not repeated: others need the time more */
#define CALM 0.1   /* share of disturbed batches at which a launch counts half as much as one without any */
#define HEADER "superstep launches 1 "

/* What makes a group's trial the same in another launch; without how long it may take. */
typedef struct key {
    int32_t kind, groups, group, number, records, stride, cold, unused; /* unused: 0, so that there are no gaps */
    uint64_t ranks, bytes;                                              /* ranks: a hash */
} key;

typedef struct entry {
    key key;
    int32_t count; /* times: the last one is of `launch`, if that is now */
    int32_t launch;
    sup_timing timing[LAUNCHES_MAX];
} entry;

struct sup_launches {
    int now; /* number of this launch, 0 … */
    entry *entries;
    size_t count, room;
};

static uint64_t hash_ranks(const int *ranks, int count) {
    uint64_t h = UINT64_C(14695981039346656037);
    for (int i = 0; i < count; i++) h = (h ^ (uint64_t)(unsigned)ranks[i]) * UINT64_C(1099511628211);
    return h;
}

static key key_of(const sup_trial *t, int group) {
    key k = {0}; /* keys are compared as bytes */
    k.kind = (int32_t)t->kind;
    k.groups = t->groups;
    k.group = t->group;
    k.number = t->number;
    k.records = t->records;
    k.stride = t->stride;
    k.cold = t->cold;
    k.ranks = hash_ranks(t->ranks + (size_t)group * (size_t)t->group, t->group);
    k.bytes = t->bytes;
    return k;
}

static entry *find(const sup_launches *l, const key *k) {
    for (size_t i = 0; i < l->count; i++)
        if (!memcmp(&l->entries[i].key, k, sizeof *k)) return &l->entries[i];
    return NULL;
}

static entry *add(sup_launches *l, const key *k) {
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : 256;
        entry *grown = realloc(l->entries, room * sizeof *grown);
        if (!grown) return NULL;
        l->entries = grown;
        l->room = room;
    }
    entry *e = &l->entries[l->count++];
    memset(e, 0, sizeof *e);
    e->key = *k;
    e->launch = -1;
    return e;
}

/* A second time in one launch replaces the first if it is quicker: disturbance only ever adds. */
static void keep(entry *e, int now, const sup_timing *t) {
    bool again = e->launch == now && e->count > 0;
    if (again && t->seconds >= e->timing[e->count - 1].seconds) return;
    if (!again && e->count == LAUNCHES_MAX) return;
    if (!again) e->count++;
    e->timing[e->count - 1] = *t;
    e->launch = now;
}

/* The mean over launches without odd ones, the calm ones first; the interval is half of what they span, or that of a
 * launch if that is wider. What was counted is counted for all, but the batches: those of earlier launches were counted
 * there. */
static void combine(const entry *e, sup_timing *out) {
    double seconds[LAUNCHES_MAX], sum = 0.0, weights = 0.0, least = INFINITY, most = 0.0, ci = INFINITY;
    int used = 0;
    int64_t n = 0, reruns = 0;
    for (int i = 0; i < e->count; i++) seconds[i] = e->timing[i].seconds;
    double limit = ODD * sup_stats_median(seconds, (size_t)e->count);
    for (int i = 0; i < e->count; i++) {
        const sup_timing *t = &e->timing[i];
        n += t->n;
        reruns += t->reruns;
        if (t->seconds > limit) continue;
        double weight = CALM / (CALM + sup_timing_beside(t));
        sum += weight * t->seconds;
        weights += weight;
        least = fmin(least, t->seconds);
        most = fmax(most, t->seconds);
        ci = fmin(ci, t->ci);
        used++;
    }
    if (used == 0) return;
    out->seconds = sum / weights;
    out->ci = used > 1 ? fmax(ci, (most - least) / 2.0) : ci;
    out->n = n;
    out->reruns = reruns;
}

/* Long transfers take most of the time and differ least from launch to launch. */
static bool too_expensive(const sup_lab *lab, const sup_trial *trial) {
    if (!lab->launches || trial->groups != 1) return false;
    key k = key_of(trial, 0);
    const entry *e = find(lab->launches, &k);
    return e && e->launch != lab->launches->now && e->timing[0].spent_s > DEAR_S;
}

sup_status sup_lab_run(sup_lab *lab, const sup_trial *trial, sup_diag *diag, sup_timing *out) {
    if (too_expensive(lab, trial) && sup_lab_known(lab, trial, out)) return SUP_OK;
    sup_status status = lab->run(lab, trial, diag, out);
    if (status || !lab->launches || trial->kind == SUP_TRIAL_EAGER) return status; /* which is a vote, not a time */
    for (int g = 0; g < trial->groups; g++) {
        if (out[g].status || out[g].n < 1) continue;
        key k = key_of(trial, g);
        entry *e = find(lab->launches, &k);
        if (!e) e = add(lab->launches, &k);
        if (!e) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
        keep(e, lab->launches->now, &out[g]);
        combine(e, &out[g]);
    }
    return SUP_OK;
}

bool sup_lab_known(const sup_lab *lab, const sup_trial *trial, sup_timing *out) {
    for (int g = 0; g < trial->groups; g++) {
        key k = key_of(trial, g);
        const entry *e = lab->launches ? find(lab->launches, &k) : NULL;
        if (!e) return false;
        out[g] = (sup_timing){0};
        combine(e, &out[g]);
    }
    return true;
}

static int ascending(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

size_t sup_lab_known_sizes(const sup_lab *lab, const sup_trial *trial, size_t *bytes, size_t most) {
    size_t found = 0;
    key like = key_of(trial, 0);
    for (size_t i = 0; lab->launches && i < lab->launches->count && found < most; i++) {
        key k = lab->launches->entries[i].key;
        uint64_t size = k.bytes;
        k.bytes = like.bytes;
        if (!memcmp(&k, &like, sizeof k)) bytes[found++] = (size_t)size;
    }
    qsort(bytes, found, sizeof *bytes, ascending);
    return found;
}

sup_status sup_lab_try(sup_lab *lab, sup_session *session, double share, const char *text, const sup_trial *trial,
                       sup_diag *diag, sup_timing *out) {
    sup_status status = sup_session_tick(session, share, text);
    if (status) return status;
    double left = sup_session_left(session);
    if (left <= 0.0) return sup_lab_known(lab, trial, out) ? SUP_OK : SUP_ETIMEOUT;
    sup_trial t = *trial;
    t.max_seconds = fmin(t.max_seconds, fmax(left, 1e-3));
    status = sup_lab_run(lab, &t, diag, out);
    if (status) return status;
    for (int g = 0; g < t.groups; g++) {
        sup_session_count(session, (uint64_t)out[g].batches, (uint64_t)out[g].rejected);
        if (out[g].status) return out[g].status;
    }
    sup_session_look(session);
    return SUP_OK;
}

/* ---- the file: of this program's own processes, on this machine ---- */

static bool read_entries(FILE *file, sup_launches *l) {
    uint64_t entries;
    if (fread(&entries, sizeof entries, 1, file) != 1) return false;
    for (uint64_t i = 0; i < entries; i++) {
        key k;
        int32_t count;
        if (fread(&k, sizeof k, 1, file) != 1 || fread(&count, sizeof count, 1, file) != 1) return false;
        if (count < 1 || count > LAUNCHES_MAX) return false;
        entry *e = add(l, &k);
        if (!e || fread(e->timing, sizeof *e->timing, (size_t)count, file) != (size_t)count) return false;
        e->count = count;
    }
    return true;
}

sup_status sup_launches_open(const char *path, sup_launches **out) {
    sup_launches *l = calloc(1, sizeof *l);
    if (!l) return SUP_ENOMEM;
    FILE *file = fopen(path, "rbe");
    bool absent = !file && errno == ENOENT;
    if (!file && !absent) free(l);
    if (!file) {
        *out = absent ? l : NULL;
        return absent ? SUP_OK : SUP_EIO;
    }
    char header[sizeof HEADER] = "";
    bool good = fread(header, 1, sizeof header - 1, file) == sizeof header - 1 && !strcmp(header, HEADER) &&
                fread(&l->now, sizeof l->now, 1, file) == 1 && l->now >= 0 && l->now < INT32_MAX &&
                read_entries(file, l);
    fclose(file);
    l->now++;
    if (!good) sup_launches_free(l);
    *out = good ? l : NULL;
    return good ? SUP_OK : SUP_EPARSE;
}

sup_status sup_launches_save(const sup_launches *l, const char *path) {
    FILE *file = fopen(path, "wbe");
    if (!file) return SUP_EIO;
    uint64_t entries = l->count;
    bool good = fwrite(HEADER, 1, sizeof HEADER - 1, file) == sizeof HEADER - 1 &&
                fwrite(&l->now, sizeof l->now, 1, file) == 1 && fwrite(&entries, sizeof entries, 1, file) == 1;
    for (size_t i = 0; i < l->count && good; i++) {
        const entry *e = &l->entries[i];
        good = fwrite(&e->key, sizeof e->key, 1, file) == 1 && fwrite(&e->count, sizeof e->count, 1, file) == 1 &&
               fwrite(e->timing, sizeof *e->timing, (size_t)e->count, file) == (size_t)e->count;
    }
    return fclose(file) == 0 && good ? SUP_OK : SUP_EIO;
}

void sup_launches_free(sup_launches *l) {
    if (!l) return;
    free(l->entries);
    free(l);
}
