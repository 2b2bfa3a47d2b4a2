/* Tsync of the model `meyer`: the source document's barrier (eq. 5.4 with its two rules) and its bsp_sync, a message
 * map that rides on a dissemination (fig. 6.2) and then an internal barrier, which it takes to be a tree.
 *
 * The document's cost of a synchronisation is one number, the longest path: "the cost function for an additional tree
 * barrier is added to the prediction obtained by the function in Figure 6.2" (§6.5). So the two maxima are added, and
 * all processes get the sum. */
#include "model/sync/sync.h"

#include <math.h>
#include <stdlib.h>

/* Eq. 5.4; path.c has its rules: at least O_ii, and O_jj for a receiver j that waits. */
sup_status sup_sync_add_eq54(const sup_platform *m, const sup_pattern *p, sup_terms *t, sup_diag *diag) {
    sup_signal *value;
    sup_status st = sup_sync_tables(m, 2, diag, &value);
    if (st) return st;
    sup_signal *high = value + m->class_count;
    for (size_t c = 0; c < m->class_count; c++) {
        const sup_class_cost *k = &m->classes[c];
        value[c] = (sup_signal){.gap = 2 * k->latency, .over = k->overhead};
        high[c] = (sup_signal){.gap = 2 * (k->latency + k->d_latency), .over = k->overhead + k->d_overhead};
    }
    sup_path path = {.signals = value, .vector = true};
    sup_path above = {.signals = high, .vector = true};
    st = sup_sync_add_path(m, p, &path, &above, 0, 1, t, diag);
    free(value);
    return st;
}

/* Fig. 6.2: two messages (head and data) each way; a map of integers that doubles. Cost of one process's stage. */
static double map_cost(const sup_platform *m, int64_t r, int64_t d, double ints, bool high) {
    int64_t n = m->processes, to = (r + d) % n, from = (r - d + n) % n;
    sup_class_cost out, in, back;
    sup_platform_pair(m, r, to, &out);
    sup_platform_pair(m, from, r, &in);
    sup_platform_pair(m, to, r, &back);
    double up = high ? 1 : 0;
    double b_out = out.per_byte + up * out.d_per_byte, b_in = in.per_byte + up * in.d_per_byte;
    double overhead = fmax(sup_platform_self(m, r), back.overhead + up * back.d_overhead);
    double latency = 2 * (out.latency + up * out.d_latency) + 2 * (in.latency + up * in.d_latency);
    return overhead + latency + 16 * (b_out + b_in) + 4 * ints * 4 * b_out + 2 * ints * 4 * b_in;
}

/* Own times at the end of a stage of shift d: neighbours of a regular machine pay the same over long stretches. */
static void map_stage(const sup_platform *m, int64_t d, double ints, bool high, const double *t, double *f) {
    int64_t n = m->processes;
    for (int64_t i = 0; i < n;) {
        int64_t from = i < d ? i - d + n : i - d;
        int64_t end = sup_platform_run(m, n, i, d), source_end = sup_platform_run(m, n, from, d) - from + i;
        if (source_end < end) end = source_end;
        double cost = map_cost(m, i, d, ints, high);
        for (; i < end; i++) f[i] = t[i] + cost;
    }
}

static double later(double a, double b) { return a > b ? a : b; }

/* The recursion ends one stage behind the last, where it returns O_rr. */
static void map_pass(const sup_platform *m, bool high, double *t, double *f) {
    sup_pattern p = sup_pattern_make(&sup_generator_dissemination, m->processes);
    int64_t n = m->processes;
    for (int s = 0; s < p.stages; s++) {
        int64_t d = (int64_t)1 << s;
        double ints = (s < p.stages - 1 ? (double)d : (double)(n - d)) * (double)n;
        map_stage(m, d, ints, high, t, f);
        for (int64_t j = 0; j < d; j++) t[j] = later(f[j], f[j - d + n]);
        for (int64_t j = d; j < n; j++) t[j] = later(f[j], f[j - d]);
    }
    for (int64_t i = 0; i < n; i++) t[i] += sup_platform_self(m, i);
}

/* From now on everybody takes as long as the slowest. */
static void level(sup_terms *t) {
    sup_prediction longest = sup_sync_longest(t);
    for (int64_t i = 0; i < t->processes; i++) {
        t->sync[i] = longest.value;
        t->d_sync[i] = longest.high - longest.value;
    }
}

static sup_status add_leveled(const sup_platform *m, const sup_pattern *p, sup_terms *t, sup_diag *diag) {
    sup_prediction before = {t->sync[0], 0, t->sync[0] + t->d_sync[0]};
    sup_sync_clear(t);
    sup_status st = sup_sync_add_eq54(m, p, t, diag);
    level(t);
    for (int64_t i = 0; i < t->processes; i++) {
        t->sync[i] += before.value;
        t->d_sync[i] += before.high - before.value;
    }
    return st;
}

sup_status sup_sync_meyer(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    const char *name = step->sync ? step->sync : "bsp";
    sup_pattern p;
    if (m->processes < 2 || !m->pairs || !strcmp(name, "none")) return SUP_OK;
    bool plain = strcmp(name, "bsp") != 0 && strcmp(name, "map") != 0;
    if (plain || m->barrier) {
        sup_status st = sup_sync_pattern(m, name, diag, &p);
        return st ? st : add_leveled(m, &p, t, diag);
    }
    size_t bytes = (size_t)m->processes * sizeof(double);
    for (int high = 0; high < 2; high++) {
        memset(t->scratch[high], 0, bytes);
        map_pass(m, high, t->scratch[high], t->scratch[2]);
    }
    for (int64_t i = 0; i < m->processes; i++) {
        t->sync[i] += m->sync_factor * t->scratch[0][i];
        t->d_sync[i] += m->sync_factor * (t->scratch[1][i] - t->scratch[0][i]);
    }
    level(t);
    p = sup_pattern_make(&sup_generator_tree, m->processes);
    return add_leveled(m, &p, t, diag);
}
