/* Groups of pairs by topology (pair/class.h), disjoint pairs to measure side by side, and the rules of levels. Tcomm,
 * stage "measure". */
#include "measure/pair/class.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct keyed {
    uint64_t key;
    int rank;
} keyed;

static int by_key(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

enum { CORE, CACHES, NUMA = CACHES + 8, PACKAGE, HOST, ALL, CANDIDATES };

/* Value of a rank at a candidate level; what is unknown is shared with nobody. */
static uint64_t key_of(const sup_rank_place *p, int rank, int candidate) {
    int value = -1;
    if (candidate == ALL) return 0;
    if (candidate == HOST) return (uint64_t)p->host;
    if (candidate == CORE) value = p->core;
    if (candidate >= CACHES && candidate < NUMA) value = p->cache[candidate - CACHES];
    if (candidate == NUMA) value = p->numa;
    if (candidate == PACKAGE) value = p->package;
    if (value < 0) return UINT64_C(1) << 63 | (uint64_t)rank;
    return (uint64_t)p->host << 32 | (uint64_t)value;
}

static void name_of(int candidate, char *name, size_t size) {
    static const char *const names[] = {
        [CORE] = "core", [NUMA] = "numa", [PACKAGE] = "package", [HOST] = "host", [ALL] = "network"};
    if (candidate >= CACHES && candidate < NUMA)
        snprintf(name, size, "L%d", candidate - CACHES + 1);
    else
        snprintf(name, size, "%s", names[candidate]);
}

/* Numbers the groups of a candidate; returns how many. */
static int make_labels(const sup_rank_place *places, int size, int candidate, keyed *room, int *label) {
    for (int i = 0; i < size; i++) room[i] = (keyed){key_of(&places[i], i, candidate), i};
    qsort(room, (size_t)size, sizeof *room, by_key);
    int groups = 0;
    for (int i = 0; i < size; i++) {
        if (i == 0 || room[i].key != room[i - 1].key) groups++;
        label[room[i].rank] = groups - 1;
    }
    return groups;
}

/* Is every group of `inner` inside one of `outer`? room: size entries. */
static bool nested(const int *inner, const int *outer, int size, int *room) {
    for (int i = 0; i < size; i++) room[i] = -1;
    for (int i = 0; i < size; i++) {
        if (room[inner[i]] >= 0 && room[inner[i]] != outer[i]) return false;
        room[inner[i]] = outer[i];
    }
    return true;
}

static void make_order(sup_grouping *g, keyed *room) {
    /* stable sorts from the innermost level outwards leave inner groups together inside outer ones */
    for (int i = 0; i < g->size; i++) g->order[i] = i;
    for (int level = 1; level < g->levels; level++) {
        for (int at = 0; at < g->size; at++)
            room[at] = (keyed){(uint64_t)g->label[level][g->order[at]] << 32 | (uint64_t)at, g->order[at]};
        qsort(room, (size_t)g->size, sizeof *room, by_key);
        for (int at = 0; at < g->size; at++) g->order[at] = room[at].rank;
    }
}

static sup_status add_level(sup_grouping *g, const char *name, int groups, const int *label) {
    int *copy = malloc((size_t)g->size * sizeof *copy);
    if (!copy) return SUP_ENOMEM;
    memcpy(copy, label, (size_t)g->size * sizeof *copy);
    g->label[g->levels] = copy;
    g->groups[g->levels] = groups;
    snprintf(g->name[g->levels], sizeof g->name[0], "%s", name);
    g->levels++;
    return SUP_OK;
}

sup_status sup_grouping_make(const sup_rank_place *places, int size, sup_diag *diag, sup_grouping **out) {
    sup_status status = SUP_ENOMEM;
    sup_grouping *g = calloc(1, sizeof *g);
    keyed *room = calloc((size_t)size, sizeof *room);
    int *label = calloc((size_t)size, sizeof *label), *seen = calloc((size_t)size, sizeof *seen);
    if (!g || !room || !label || !seen) goto done;
    g->size = size;
    g->order = calloc((size_t)size, sizeof *g->order);
    if (!g->order) goto done;
    for (int i = 0; i < size; i++) label[i] = i;
    status = add_level(g, "self", size, label);
    for (int c = 0; c < CANDIDATES && !status; c++) {
        int last = g->levels - 1, groups = make_labels(places, size, c, room, label);
        bool same = groups == g->groups[last];
        if (same || groups > g->groups[last] || !nested(g->label[last], label, size, seen)) continue;
        char name[16];
        name_of(c, name, sizeof name);
        status = add_level(g, name, groups, label);
    }
    if (!status) make_order(g, room);
done:
    free(seen);
    free(label);
    free(room);
    if (status) {
        sup_grouping_free(g);
        return sup_diag_set(diag, status, NULL, 0, "no memory for the places of %d processes", size);
    }
    *out = g;
    return SUP_OK;
}

void sup_grouping_free(sup_grouping *g) {
    if (!g) return;
    for (int l = 0; l < g->levels; l++) free(g->label[l]);
    free(g->order);
    free(g);
}

int sup_grouping_level(const sup_grouping *g, int i, int j) {
    int level = 0;
    while (g->label[level][i] != g->label[level][j]) level++; /* in the last all are together */
    return level;
}

/* The members of a group stand in g->order next to each other, inner groups together: the first half against the second
 * half meets other inner groups wherever that is possible. */
int sup_grouping_match(const sup_grouping *g, int level, int turn, int *pairs) {
    int count = 0;
    for (int from = 0, to; from < g->size; from = to) {
        for (to = from + 1; to < g->size && g->label[level][g->order[to]] == g->label[level][g->order[from]];) to++;
        int half = (to - from) / 2;
        for (int k = 0; k < half; k++) {
            int i = g->order[from + k], j = g->order[to - half + (k + turn) % half];
            if (sup_grouping_level(g, i, j) != level) continue;
            pairs[2 * count] = i;
            pairs[2 * count++ + 1] = j;
        }
    }
    return count;
}

bool sup_grouping_rule(const sup_grouping *g, int level, int64_t *size, int64_t *stride) {
    const int *label = g->label[level];
    if (g->groups[level] == 1 && level == g->levels - 1) {
        *size = 0;
        *stride = 1;
        return true;
    }
    int step = 1, members = 1;
    while (step < g->size && label[step] != label[0]) step++;
    if (step == g->size) step = 1;
    while ((int64_t)members * step < g->size && label[members * step] == label[0]) members++;
    int groups = 0;
    for (int i = 0; i < g->size; i++) {
        int first = i % step + step * (i / step / members * members);
        if (label[i] != label[first]) return false;
        groups += first == i;
    }
    *size = members;
    *stride = step;
    return groups == g->groups[level];
}

int sup_tournament_rounds(int size) { return size < 2 ? 0 : size % 2 ? size : size - 1; }

/* The circle: one stands still (with an odd number nobody does, and one has no partner), the others move on. */
int sup_tournament(int size, int turn, int *pairs) {
    int rounds = sup_tournament_rounds(size), count = 0;
    if (rounds > 0 && size % 2 == 0) {
        pairs[0] = turn % rounds;
        pairs[1] = size - 1;
        count = 1;
    }
    for (int k = 1; 2 * k < rounds + 1; k++) {
        pairs[2 * count] = (turn + k) % rounds;
        pairs[2 * count++ + 1] = (turn - k + rounds) % rounds;
    }
    return count;
}
