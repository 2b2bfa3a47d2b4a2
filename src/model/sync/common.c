/* Tsync: what its files have in common (sync.h). Which pattern a name means, a path added to the term with its half
 * width, the process that takes longest; schedules of messages, and barriers of models that know one cost for all
 * pairs. */
#include "model/sync/sync.h"
#include "plan/defaults.h"

#include <inttypes.h>
#include <stdlib.h>

sup_status sup_sync_pattern(const sup_platform *m, const char *name, sup_diag *diag, sup_pattern *out) {
    if (!name || !strcmp(name, "bsp") || !strcmp(name, "map")) {
        if (m->barrier && m->barrier->processes != m->processes)
            return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "the barrier is of %" PRId64 " processes, not of %" PRId64,
                                m->barrier->processes, m->processes);
        if (!m->barrier) return sup_plan_find_barrier(NULL, &(sup_plan_set){.processes = m->processes}, out);
        *out = *m->barrier;
        return SUP_OK;
    }
    sup_pattern_kind kind;
    if (sup_pattern_kind_read(name, &kind)) {
        *out = sup_pattern_of(kind, m->processes);
        return SUP_OK;
    }
    char names[400];
    sup_generator_names(names, sizeof names);
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "no barrier \"%.40s\": bsp, none, %s, map", name, names);
}

bool sup_sync_reads(const sup_step *step) {
    for (size_t f = 0; f < step->flow_count; f++) {
        const sup_flow *flow = &step->flows[f];
        if (flow->kind != SUP_FLOW_EDGES && (flow->move == SUP_MOVE_GET)) return true;
        if (flow->kind == SUP_FLOW_EDGES)
            for (size_t e = 0; e < flow->edge_count; e++)
                if (flow->edges[e].kind == SUP_MOVE_GET) return true;
    }
    return false;
}

/* ---- adding up ---- */

sup_status sup_sync_add_path(const sup_platform *m, const sup_pattern *p, sup_path *path, sup_path *high, double spread,
                             double times, sup_terms *t, sup_diag *diag) {
    size_t bytes = (size_t)p->processes * sizeof(double);
    memset(t->scratch[0], 0, bytes);
    if (high) memset(t->scratch[1], 0, bytes);
    sup_status st = sup_path_run(m, p, path, t->scratch[0]);
    if (!st && high) st = sup_path_run(m, p, high, t->scratch[1]);
    if (st) return sup_diag_set(diag, st, NULL, 0, "out of memory");
    times *= m->sync_factor;
    for (int64_t i = 0; i < p->processes; i++) {
        double value = t->scratch[0][i], more = high ? t->scratch[1][i] - value : 0;
        t->sync[i] += times * value;
        t->d_sync[i] += times * (more + spread * value);
    }
    return SUP_OK;
}

void sup_sync_clear(sup_terms *t) {
    memset(t->sync, 0, (size_t)t->processes * sizeof(double));
    memset(t->d_sync, 0, (size_t)t->processes * sizeof(double));
}

sup_status sup_sync_tables(const sup_platform *m, size_t tables, sup_diag *diag, sup_signal **out) {
    *out = calloc(tables * m->class_count + 1, sizeof **out);
    return *out ? SUP_OK : sup_diag_no_memory(diag);
}

sup_prediction sup_sync_longest(const sup_terms *t) {
    sup_prediction r = {0};
    for (int64_t i = 0; i < t->processes; i++) {
        double v = t->sync[i], d = t->d_sync[i];
        if (v > r.value) r.value = v;
        if (sup_prediction_least(v, d) > r.low) r.low = sup_prediction_least(v, d);
        if (v + d > r.high) r.high = v + d;
    }
    return r;
}

/* ---- messages ---- */

sup_signal sup_sync_message(const sup_platform *m, const sup_class_cost *c, double bytes, bool high) {
    sup_prediction p = c->known ? sup_pair_time(m, c, bytes) : (sup_prediction){0};
    double o = c->overhead + (high ? c->d_overhead : 0);
    return (sup_signal){.gap = o, .wire = high ? p.high : p.value};
}

typedef struct fixed {
    double bytes;
    bool high;
} fixed;

static void prepare_fixed(const sup_platform *m, const sup_pattern *p, int stage, void *context, sup_signal *signals) {
    const fixed *y = context;
    (void)p;
    for (size_t c = 0; c < m->class_count && stage == 0; c++)
        signals[c] = sup_sync_message(m, &m->classes[c], y->bytes, y->high);
}

sup_status sup_schedule_cost(const sup_platform *m, const sup_pattern *p, double bytes, sup_diag *diag,
                             sup_prediction *out) {
    sup_terms t;
    sup_signal *value = NULL;
    sup_status st = sup_terms_open(p->processes, diag, &t);
    if (st) return st;
    sup_sync_clear(&t);
    st = sup_sync_tables(m, 2, diag, &value);
    if (!st && p->processes > 1 && m->pairs) {
        fixed low = {bytes, false}, up = {bytes, true};
        sup_path path = {.signals = value, .prepare = prepare_fixed, .context = &low};
        sup_path above = {.signals = value + m->class_count, .prepare = prepare_fixed, .context = &up};
        st = sup_sync_add_path(m, p, &path, &above, 0, 1, &t, diag);
    }
    if (!st) *out = sup_sync_longest(&t);
    free(value);
    sup_terms_close(&t);
    return st;
}

/* ---- models without stages of their own ---- */

sup_status sup_sync_classes(const sup_platform *m, const sup_step *step, sup_signal *signals, double spread,
                            sup_terms *t, sup_diag *diag) {
    const char *name = step->sync ? step->sync : "bsp";
    sup_pattern p;
    if (m->processes < 2 || !m->pairs || !strcmp(name, "none")) return SUP_OK;
    sup_status st = sup_sync_pattern(m, name, diag, &p);
    if (st) return st;
    sup_path path = {.signals = signals, .same = true};
    return sup_sync_add_path(m, &p, &path, NULL, spread, !strcmp(name, "bsp") && sup_sync_reads(step) ? 2 : 1, t, diag);
}

sup_status sup_sync_scalar(const sup_platform *m, const sup_step *step, sup_signal signal, double spread, sup_terms *t,
                           sup_diag *diag) {
    sup_signal *value;
    sup_status st = sup_sync_tables(m, 1, diag, &value);
    if (st) return st;
    for (size_t c = 0; c < m->class_count; c++) value[c] = signal;
    st = sup_sync_classes(m, step, value, spread, t, diag);
    free(value);
    return st;
}
