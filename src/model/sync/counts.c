/* Tsync over messages: how processes learn what is coming, one function for each algorithm of bsp/message/count.c.
 *
 *     direct                  a packet to everyone and from everyone
 *     map, reduce-scatter     log P rounds whose payload grows or shrinks */
#include "model/sync/sync.h"
#include "plan/defaults.h"

#include <math.h>
#include <stdlib.h>

/* Bytes of a stage, which is one round of bsp/message/count_*.c. */
typedef double stage_bytes(const sup_pattern *p, int stage);

typedef struct payload {
    stage_bytes *bytes;
    bool high;
} payload;

static void prepare(const sup_platform *m, const sup_pattern *p, int stage, void *context, sup_signal *signals) {
    const payload *y = context;
    for (size_t c = 0; c < m->class_count; c++)
        signals[c] = sup_sync_message(m, &m->classes[c], y->bytes(p, stage), y->high);
}

#define FORM (0.1 * 1.96) /* relative, of 95 %: what pairs do not say about rounds of them */

static sup_status add_rounds(const sup_platform *m, const sup_generator *generator, stage_bytes *bytes, sup_terms *t,
                             sup_diag *diag) {
    sup_signal *value;
    sup_status st = sup_sync_tables(m, 2, diag, &value);
    if (st) return st;
    payload low = {bytes, false}, up = {bytes, true};
    sup_pattern p = sup_pattern_make(generator, m->processes);
    sup_path path = {.signals = value, .prepare = prepare, .context = &low};
    sup_path above = {.signals = value + m->class_count, .prepare = prepare, .context = &up};
    st = sup_sync_add_path(m, &p, &path, &above, FORM * m->widen, 1, t, diag);
    free(value);
    return st;
}

/* A row of bits a process; those of the members that a round is about. */
static double map_bytes(const sup_pattern *p, int stage) {
    double n = (double)p->processes, d = (double)sup_pattern_shift(p, stage);
    return fmin(d, n - d) * ceil(n / 8);
}

sup_status sup_sync_add_map(const sup_platform *m, sup_terms *t, sup_diag *diag) {
    return add_rounds(m, &sup_generator_dissemination, map_bytes, t, diag);
}

static double sums_bytes(const sup_pattern *p, int stage) {
    double n = (double)p->processes, d = (double)sup_pattern_shift(p, stage);
    return (fmin(2 * d, n) - d) * SUP_WIRE_COUNT;
}

static sup_status add_reduce_scatter(const sup_platform *m, sup_terms *t, sup_diag *diag) {
    return add_rounds(m, &sup_generator_halving, sums_bytes, t, diag);
}

/* Everybody starts P − 1 packets and takes P − 1 in; the farthest decides. */
static sup_status add_direct(const sup_platform *m, sup_terms *t, sup_diag *diag) {
    (void)diag;
    for (int64_t i = 0; i < m->processes; i++) {
        double busy = 0, far = 0, d = 0;
        for (int64_t j = 0; j < m->processes; j++) {
            sup_class_cost c;
            if (j == i) continue;
            sup_platform_pair(m, i, j, &c);
            sup_prediction p = c.known ? sup_pair_time(m, &c, SUP_WIRE_PACKET_HEAD) : (sup_prediction){0};
            busy += c.overhead;
            d += c.d_overhead;
            if (p.value > far) far = p.value;
        }
        t->sync[i] += m->sync_factor * (busy + far);
        t->d_sync[i] += m->sync_factor * (d + FORM * m->widen * (busy + far));
    }
    return SUP_OK;
}

/* A row for each of bsp/message/count.c. */
static const struct counts {
    const char *name;
    sup_status (*add)(const sup_platform *m, sup_terms *t, sup_diag *diag);
} counts[] = {{"direct", add_direct}, {"map", sup_sync_add_map}, {"reduce-scatter", add_reduce_scatter}};
enum { COUNTS = sizeof counts / sizeof *counts };

const char *sup_sync_counts_word(size_t index) { return index < COUNTS ? counts[index].name : NULL; }

sup_status sup_sync_add_counts(const sup_platform *m, const char *name, sup_terms *t, sup_diag *diag) {
    if (!name) name = sup_plan_find_counts(NULL, m->processes);
    for (size_t i = 0; i < COUNTS; i++)
        if (!strcmp(counts[i].name, name)) return counts[i].add(m, t, diag);
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "no price for the counts algorithm \"%.40s\"", name);
}
