/* Tsync: bsp_sync as the exchanges of our runtime do it, and barriers by name by their longest path (BSP §5.6.5).
 *
 *     shared memory   one barrier; a second one if anybody reads (bsp/shared/shared.c)
 *     messages        counts (sync/counts.c); answers to gets are one more round trip
 *
 * Where the profile has supersteps that ask for nothing, bsp_sync takes what those took (sync/empty.c). A plan's
 * barrier takes the place of dissemination over shared memory. */
#include "model/sync/sync.h"

/* ---- what a step that reads takes more ---- */

/* The answer to a get is asked for after the packets are there. */
static void add_answers(const sup_platform *m, sup_terms *t) {
    for (int64_t i = 0; i < m->processes; i++) {
        sup_class_cost c;
        sup_platform_pair(m, i, i ? 0 : m->processes - 1, &c);
        t->sync[i] += m->sync_factor * c.latency;
        t->d_sync[i] += m->sync_factor * c.d_latency;
    }
}

static bool gets_measured(const sup_platform *m) {
    if (sup_platform_nodes(m) && m->processes > m->per_host) return true; /* with the pairs: flow_pairs.c */
    for (size_t i = 0; i < m->profile->exchanges_count; i++) {
        const sup_exchange_time *x = &m->profile->exchanges[i];
        if (x->move == SUP_MOVE_GET && x->sync_s && x->transport && !strcmp(x->transport, m->transport)) return true;
    }
    return false;
}

/* ---- bsp_sync as ours is ---- */

static sup_status add_ours(const sup_platform *m, bool reads, sup_terms *t, sup_diag *diag) {
    bool shared = sup_platform_shared_memory(m);
    sup_pattern p;
    sup_status st = shared ? sup_sync_pattern(m, NULL, diag, &p) : SUP_OK;
    if (st) return st;
    st = sup_sync_add_empty(m, t, diag);
    bool computed = st == SUP_ENOENT;
    if (computed) st = shared ? sup_sync_add_signals(m, &p, 1, t, diag) : sup_sync_add_counts(m, m->counts, t, diag);
    if (st || !reads) return st;
    if (shared) return sup_sync_add_signals(m, &p, 1, t, diag);
    add_answers(m, t);
    return SUP_OK;
}

static sup_status add_named(const sup_platform *m, const sup_step *step, bool reads, sup_terms *t, sup_diag *diag) {
    const char *name = step->sync ? step->sync : "bsp";
    if (m->processes < 2 || !m->pairs || !strcmp(name, "none")) return SUP_OK;
    if (!strcmp(name, "map")) return sup_sync_add_map(m, t, diag);
    if (!strcmp(name, "bsp")) return add_ours(m, reads, t, diag);
    sup_pattern p;
    sup_status st = sup_sync_pattern(m, name, diag, &p);
    return st ? st : sup_sync_add_signals(m, &p, 1, t, diag);
}

/* Exchanges of gets were measured with all that a sync with gets does. */
sup_status sup_sync_flow(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    return add_named(m, step, sup_sync_reads(step) && !gets_measured(m), t, diag);
}

sup_status sup_sync_pair(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    return add_named(m, step, sup_sync_reads(step), t, diag);
}

/* ---- a barrier by itself ---- */

sup_status sup_barrier_cost(const sup_platform *m, const sup_pattern *p, bool meyer, sup_diag *diag,
                            sup_prediction *out) {
    sup_terms t;
    sup_status st = sup_terms_open(p->processes, diag, &t);
    if (st) return st;
    sup_sync_clear(&t);
    if (p->processes > 1 && m->pairs)
        st = meyer ? sup_sync_add_eq54(m, p, &t, diag) : sup_sync_add_signals(m, p, 1, &t, diag);
    if (!st) *out = sup_sync_longest(&t);
    sup_terms_close(&t);
    return st;
}
