/* Questions to a platform: of which class a pair of processes is, and what the numbers of that class are (matrices O,
 * L, B of BSP §5.6 without P² entries). */
#include "model/equation/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sup_platform_note(sup_platform *m, const char *format, ...) {
    if (m->note_count == 4) return;
    va_list args;
    va_start(args, format);
    vsnprintf(m->notes[m->note_count], sizeof m->notes[0], format, args);
    va_end(args);
    for (int i = 0; i < m->note_count; i++)
        if (!strcmp(m->notes[i], m->notes[m->note_count])) return;
    m->note_count++;
}

/* ---- what is said of it later ---- */

void sup_platform_scale(sup_platform *m, double scale, double spread) {
    for (; m; m = m->twin) {
        m->compute_scale = scale;
        m->compute_spread = spread;
    }
}

void sup_platform_barrier(sup_platform *m, const sup_pattern *barrier) {
    for (; m; m = m->twin) m->barrier = barrier;
}

/* ---- measured numbers ---- */

static sup_prediction times(sup_prediction p, double factor) {
    return (sup_prediction){factor * p.value, factor * p.low, factor * p.high};
}

/* A number without an interval is taken to be known to a tenth. What a run usually sees is what one more launch sees.
 */
sup_prediction sup_platform_number(const sup_platform *m, const sup_number *n) {
    if (!n) return (sup_prediction){0};
    double half = m->widen * (isnan(n->ci) ? 0.1 * n->value : n->ci), launches = (double)n->launches;
    if (m->typical && n->launches > 1)
        half = fmax(half, 1.96 * m->widen * sup_number_scatter(n) * n->value * sqrt(1 + 1 / launches));
    sup_prediction p = {n->value, fmax(0, n->value - half), n->value + half};
    return m->typical ? times(p, sup_number_typical(n)) : p;
}

sup_prediction sup_platform_curve(const sup_platform *m, const sup_file_curve *c, double x) {
    if (!c || !c->curve) return (sup_prediction){0};
    sup_prediction p = sup_curve_predict(c->curve, x, m->confidence);
    return m->typical ? times(p, sup_file_curve_typical(c, x)) : p;
}

/* ---- class of a pair ---- */

static bool together(const sup_platform *m, size_t level, int64_t i, int64_t j) {
    const sup_pair_level *l = &m->pairs->levels[level];
    int64_t stride = m->stride ? m->stride[level] : l->stride;
    if (l->size == 0) return true;
    if (stride == 1) return i / l->size == j / l->size;
    return i % stride == j % stride && i / stride / l->size == j / stride / l->size;
}

int sup_platform_class_slow(const sup_platform *m, int64_t i, int64_t j) {
    if (m->block) { /* hosts beyond the measured ones are like the first two */
        int64_t a = i / m->block, b = j / m->block;
        return sup_pairs_class(m->pairs, i % m->block, j % m->block + (a == b ? 0 : m->block));
    }
    if (!m->stride) return sup_pairs_class(m->pairs, i, j);
    size_t level = 0;
    while (!together(m, level, i, j)) level++;
    return (int)m->pairs->levels[level].classes[0];
}

/* Pairs at a distance of d ranks (wrapped around: P − shift) are together in a group of `size` as long as the lower of
 * them is in its first size − d ranks. Groups not above d never hold both. */
int64_t sup_platform_run(const sup_platform *m, int64_t processes, int64_t i, int64_t shift) {
    bool wrapped = i + shift >= processes;
    int64_t end = wrapped ? processes : processes - shift, d = wrapped ? processes - shift : shift;
    if (!m->regular || m->ranged) return i + 1;
    for (size_t l = 0; l < m->pairs->levels_count; l++) {
        int64_t size = m->pairs->levels[l].size;
        if (!size) break;
        if (size <= d) continue;
        int64_t at = i % size, turn = wrapped ? d : size - d;
        int64_t next = i - at + (at < turn ? turn : size);
        if (next < end) end = next;
    }
    return end;
}

double sup_platform_self(const sup_platform *m, int64_t rank) {
    sup_class_cost c;
    if (!m->pairs) return 0;
    if (!m->ranged) return m->classes[sup_platform_class(m, rank, rank)].overhead;
    sup_platform_pair(m, rank, rank, &c);
    return c.overhead;
}

void sup_platform_edit(const sup_edit *e, sup_class_cost *c) {
    if (e->what == SUP_EDIT_O) c->overhead *= e->factor, c->d_overhead *= e->factor, c->overhead_f *= e->factor;
    if (e->what == SUP_EDIT_L) c->latency *= e->factor, c->d_latency *= e->factor, c->latency_f *= e->factor;
    if (e->what == SUP_EDIT_B) c->per_byte *= e->factor, c->d_per_byte *= e->factor, c->byte_f *= e->factor;
}

void sup_platform_pair(const sup_platform *m, int64_t i, int64_t j, sup_class_cost *out) {
    *out = m->classes[sup_platform_class(m, i, j)];
    if (!m->ranged) return;
    for (size_t k = 0; k < m->edit_count; k++) {
        const sup_edit *e = &m->edits[k];
        if (e->ranged && i >= e->from[0] && i <= e->from[1] && j >= e->to[0] && j <= e->to[1])
            sup_platform_edit(e, out);
    }
}

static sup_status not_known(const sup_platform *m, int64_t i, int64_t j, const char *model, sup_diag *diag) {
    const sup_class_cost *c = &m->classes[sup_platform_class(m, i, j)];
    char advice[SUP_MODEL_ADVICE];
    return sup_diag_set(diag, SUP_ENOENT, NULL, 0,
                        "model %s needs latency and time per byte of pairs \"%s\" over %s, such as %" PRId64
                        " and %" PRId64 ", which the profile does not have%s",
                        model, c->name ? c->name : "?", m->transport, i, j, sup_model_advice(m->transport, 0, advice));
}

/* Every level must have its numbers, as far as P processes reach into it. */
sup_status sup_platform_need_pairs(const sup_platform *m, const char *model, sup_diag *diag) {
    if (m->processes == 1) return SUP_OK;
    if (!m->pairs)
        return sup_diag_set(diag, SUP_ENOENT, NULL, 0,
                            "model %s needs pairs (O, L, B), which the profile does not have; `superstep measure -n "
                            "%" PRId64 "` measures them",
                            model, m->processes);
    for (int64_t j = 1; j < m->processes; j = j < 64 ? j + 1 : 2 * j)
        if (!m->classes[sup_platform_class(m, 0, j)].known) return not_known(m, 0, j, model, diag);
    return m->regular || m->unknown[0] < 0 ? SUP_OK : not_known(m, m->unknown[0], m->unknown[1], model, diag);
}
