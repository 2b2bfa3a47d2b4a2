/* Patterns of exchanges, one function each; see patterns.h (term Tcomm). */
#include "patterns.h"

#include <stdint.h>
#include <string.h>

enum { DEGREE = 3 };

static int none(int p, int me, int k) { return p < 0 ? me + k : -1; }
static int one(int p, int me, int k) { return k == 0 && me == 0 && p > 1 ? 1 : -1; }
static int back(int p, int me, int k) { return k == 0 && me == 1 && p > 1 ? 0 : -1; }
static int couples(int p, int me, int k) { return k == 0 && me % 2 == 0 && me + 1 < p ? me + 1 : -1; }
static int shift(int p, int me, int k) { return k == 0 ? (me + 1) % p : -1; }
static int out(int p, int me, int k) { return me == 0 && k + 1 < p ? k + 1 : -1; }
static int in(int p, int me, int k) { return k == 0 && me > 0 && p > 1 ? 0 : -1; }
static int all(int p, int me, int k) { return k + 1 < p ? (me + k + 1) % p : -1; }
static int half(int p, int me, int k) { return k == 0 && me < p / 2 ? me + p / 2 : -1; }

static int ring(int p, int me, int k) {
    if (k == 0) return (me + 1) % p;
    return k == 1 && p > 2 ? (me + p - 1) % p : -1;
}

static int tree(int p, int me, int k) {
    int far = 1;
    while (2 * far < p) far *= 2;
    return k == 0 && me < far && me + far < p ? me + far : -1;
}

/* The most even grid; it has at least as many rows. */
static int columns_of(int p) {
    int columns = 1;
    for (int c = 1; c * c <= p; c++)
        if (p % c == 0) columns = c;
    return columns;
}

static int grid(int p, int me, int k) {
    int columns = columns_of(p), rows = p / columns, r = me / columns, c = me % columns;
    switch (k) {
    case 0: return (r + 1) % rows * columns + c;
    case 1: return (r + rows - 1) % rows * columns + c;
    case 2: return r * columns + (c + 1) % columns;
    case 3: return r * columns + (c + columns - 1) % columns;
    default: return -1;
    }
}

static int transpose(int p, int me, int k) {
    int columns = columns_of(p), rows = p / columns;
    return k == 0 ? me % columns * rows + me / columns : -1;
}

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t z = (a * 64 + b + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Floyd's choice of different numbers among P − 1. */
static int sparse(int p, int me, int k) {
    int n = p - 1, degree = n < DEGREE ? n : DEGREE, chosen[DEGREE];
    if (k >= degree) return -1;
    for (int i = 0; i <= k; i++) {
        int j = n - degree + i, t = (int)(mix((uint64_t)me, (uint64_t)i) % (uint64_t)(j + 1));
        for (int before = 0; before < i; before++)
            if (chosen[before] == t) t = j;
        chosen[i] = t;
    }
    return chosen[k] < me ? chosen[k] : chosen[k] + 1;
}

static const pattern patterns[] = {
    {"none", none, 0},     {"one", one, 0},
    {"back", back, 0},     {"couples", couples, 0},
    {"shift", shift, 0},   {"ring", ring, 0},
    {"grid", grid, 0},     {"out", out, 0},
    {"in", in, 0},         {"all", all, 0},
    {"tree", tree, 0},     {"half", half, 0},
    {"sparse", sparse, 1}, {"transpose", transpose, 0},
};

const pattern *pattern_find(const char *name) {
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (!strcmp(patterns[i].name, name)) return &patterns[i];
    return NULL;
}

size_t pattern_bytes(const pattern *which, size_t bytes, int me, int k) {
    if (!which->random) return bytes;
    return bytes / 2 + (size_t)(mix((uint64_t)me, (uint64_t)k + 32) % (bytes + 1));
}
