/* A profile made ready for questions: flat arrays of pair classes, for one transport and one number of processes, with
 * what-ifs and extensions applied. Profile in, no cost yet. */
#include "model/equation/model.h"

#include "base/number/student.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static double number(const sup_platform *m, const sup_number *n) { return sup_platform_number(m, n).value; }

static double half_width(const sup_platform *m, const sup_number *n) {
    sup_prediction p = sup_platform_number(m, n);
    return p.high - p.value;
}

static void fill_class(const sup_platform *m, const sup_pair_class *from, sup_class_cost *c) {
    *c = (sup_class_cost){.name = from->name,
                          .known = from->latency_s && (from->per_byte_s || from->time_s),
                          .overhead = number(m, from->overhead_s),
                          .latency = number(m, from->latency_s),
                          .per_byte = number(m, from->per_byte_s),
                          .d_overhead = half_width(m, from->overhead_s),
                          .d_latency = half_width(m, from->latency_s),
                          .d_per_byte = half_width(m, from->per_byte_s),
                          .time = from->time_s ? from->time_s->curve : NULL,
                          .overhead_f = 1,
                          .latency_f = 1,
                          .byte_f = 1,
                          .measured_latency = number(m, from->latency_s)};
    if (c->time && !from->per_byte_s) /* the slope at a megabyte */
        c->per_byte = fmax(0, sup_curve_at(c->time, 1048576.0) - sup_curve_at(c->time, 0)) / 1048576.0;
    for (size_t k = 0; k < m->edit_count; k++)
        if (!m->edits[k].ranged) sup_platform_edit(&m->edits[k], c);
}

static sup_status take_edits(sup_platform *m, const char *text, sup_diag *diag) {
    m->sync_factor = 1;
    if (!text) return SUP_OK;
    sup_status st = sup_edits_parse(text, m->processes, diag, &m->edits, &m->edit_count);
    for (size_t k = 0; !st && k < m->edit_count; k++) {
        m->ranged |= m->edits[k].ranged && m->edits[k].what <= SUP_EDIT_B;
        if (m->edits[k].what == SUP_EDIT_SYNC) m->sync_factor *= m->edits[k].factor;
    }
    return st;
}

static sup_status cannot_extend(sup_diag *diag, const char *why) {
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "this profile cannot be extended: %s", why);
}

/* Matrix: every host must look like the first, every pair of hosts like the first two. */
static sup_status extend_matrix(sup_platform *m, int64_t per_host, sup_diag *diag) {
    const sup_pairs *p = m->pairs;
    for (int64_t i = 0; i < p->processes; i++)
        for (int64_t j = 0; j < p->processes; j++) {
            int64_t far = i / per_host == j / per_host ? 0 : per_host;
            if (sup_pairs_class(p, i, j) != sup_pairs_class(p, i % per_host, j % per_host + far))
                return cannot_extend(diag, "its hosts are not alike");
        }
    m->block = per_host;
    return SUP_OK;
}

/* Levels inside a host stay; those dealt round-robin to the hosts are dealt to more. */
static sup_status extend_levels(sup_platform *m, int64_t hosts, int64_t nodes, sup_diag *diag) {
    const sup_pairs *p = m->pairs;
    bool cyclic = false;
    for (size_t l = 0; l < p->levels_count; l++) cyclic |= p->levels[l].size && p->levels[l].stride != 1;
    if (p->exceptions_count || sup_kinds_count(p->kinds) > 1)
        return cannot_extend(diag, "its processes are not all alike");
    if (!cyclic) return SUP_OK;
    m->stride = calloc(p->levels_count, sizeof *m->stride);
    if (!m->stride) return sup_diag_no_memory(diag);
    for (size_t l = 0; l < p->levels_count; l++) {
        m->stride[l] = p->levels[l].stride == hosts ? nodes : p->levels[l].stride;
        if (p->levels[l].size > 1 && p->levels[l].stride != 1 && p->levels[l].stride != hosts)
            return cannot_extend(diag, "its levels are neither blocks nor dealt to the hosts");
    }
    return SUP_OK;
}

static sup_status extend(sup_platform *m, const char *text, int64_t asked, sup_diag *diag) {
    int64_t nodes, hosts = m->profile->signature.hosts, measured = m->profile->signature.processes;
    sup_status st = sup_extend_parse(text, diag, &nodes);
    if (st) return st;
    if (hosts < 2)
        return cannot_extend(diag, "it is of one host, and says nothing about pairs on different hosts; "
                                   "`superstep measure --hosts FILE` on two or more does");
    if (!m->pairs || measured % hosts) return cannot_extend(diag, "its hosts have different numbers of processes");
    if (m->pairs->matrix_count && m->pairs->processes != measured)
        return cannot_extend(diag, "its matrix of pairs is of another number of processes than the profile");
    m->per_host = measured / hosts;
    if (nodes > SUP_PROGRAM_PROCESSES_MAX / m->per_host) return cannot_extend(diag, "too many processes");
    m->processes = nodes * m->per_host;
    if (asked > m->processes)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%" PRId64 " processes on %" PRId64 " nodes of %" PRId64, asked,
                            nodes, m->per_host);
    if (asked) m->processes = asked;
    return m->pairs->levels_count ? extend_levels(m, hosts, nodes, diag) : extend_matrix(m, m->per_host, diag);
}

/* One process sends nothing, and nothing needs to be known of it. */
static bool is_alone(const char *transport) { return transport && !strcmp(transport, "self"); }

static sup_status too_many(int64_t measured, int64_t asked, bool extends, sup_diag *diag) {
    char measure[64] = "";
    if (asked <= SUP_MODEL_MEASURED_MOST)
        snprintf(measure, sizeof measure, "`superstep measure -n %" PRId64 "`", asked);
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                        "the profile is of %" PRId64 " process%s, not of %" PRId64
                        "; %s%s%s`superstep machine compose`%s",
                        measured, measured == 1 ? "" : "es", asked, measure, extends ? ", --extend nodes=N" : "",
                        *measure || extends ? " or " : "", *measure || extends ? "" : " makes larger ones");
}

static sup_status choose_processes(sup_platform *m, const sup_platform_options *o, sup_diag *diag) {
    int64_t measured = m->pairs ? m->pairs->processes : m->profile->signature.processes;
    bool alone = is_alone(m->transport);
    if (alone && o->processes > 1)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "there is one process over self, not %" PRId64, o->processes);
    if (alone) measured = 1;
    int64_t hosts = m->profile->signature.hosts > 0 ? m->profile->signature.hosts : 1;
    if (o->extend) return extend(m, o->extend, o->processes, diag);
    m->processes = o->processes ? o->processes : measured;
    if (m->processes > measured && m->processes > 1)
        return too_many(measured, m->processes, o->extends && hosts > 1, diag);
    m->per_host = (measured + hosts - 1) / hosts;
    if (m->per_host > m->processes) m->per_host = m->processes;
    return SUP_OK;
}

static sup_status choose_transport(sup_platform *m, const char *wanted, sup_diag *diag) {
    const sup_profile *p = m->profile;
    m->transport = wanted ? wanted : p->signature.transport;
    m->pairs = sup_profile_pairs(p, m->transport);
    if (!m->pairs && !wanted && p->pairs_count) {
        m->pairs = &p->pairs[0];
        m->transport = m->pairs->transport;
    }
    char advice[SUP_MODEL_ADVICE];
    if (!m->pairs && wanted && !is_alone(wanted))
        return sup_diag_set(diag, SUP_ENOENT, NULL, 0, "the profile has no pairs (O, L, B) over %s%s", wanted,
                            sup_model_advice(wanted, 0, advice));
    return SUP_OK;
}

/* Levels that are nested powers of two: the width of i XOR j says it all. */
static void find_widths(sup_platform *m) {
    const sup_pairs *p = m->pairs;
    bool powers = true;
    if (m->block || m->stride || p->exceptions_count || !p->levels_count) return;
    for (size_t l = 0; l < p->levels_count; l++) {
        const sup_pair_level *v = &p->levels[l];
        if (v->classes_count != 1 || (v->size && v->stride != 1)) return;
        powers &= (v->size & (v->size - 1)) == 0;
    }
    m->regular = true;
    if (!powers) return;
    for (int w = 0; w <= 64; w++) {
        size_t l = 0;
        while (p->levels[l].size && (w > 62 || ((int64_t)1 << w) > p->levels[l].size)) l++;
        m->width_class[w] = (uint16_t)p->levels[l].classes[0];
    }
    m->by_width = true;
}

enum { TABLED_MOST = 512 };

/* Levels and exceptions are looked through, with divisions, for every pair that is priced: where there are few
 * processes, once for all. */
static sup_status make_table(sup_platform *m) {
    int64_t n = m->processes;
    if (!m->block && !m->stride && m->pairs->processes > n)
        n = m->pairs->processes; /* barriers of more were measured */
    if (m->by_width || n > TABLED_MOST) return SUP_OK;
    m->table = malloc((size_t)(n * n) * sizeof *m->table);
    if (!m->table) return SUP_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) m->table[i * n + j] = (uint16_t)sup_platform_class_slow(m, i, j);
    m->tabled = n;
    return SUP_OK;
}

/* A pair that nobody measured: it must not cost nothing. Levels are looked through by sup_platform_need_pairs. */
static void find_unknown(sup_platform *m) {
    int64_t n = m->processes < m->pairs->processes ? m->processes : m->pairs->processes;
    m->unknown[0] = m->unknown[1] = -1;
    if (m->regular || n > SUP_PAIRS_MATRIX_MAX) return;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            if (i == j || m->classes[sup_platform_class(m, i, j)].known) continue;
            m->unknown[0] = i;
            m->unknown[1] = j;
            return;
        }
}

static sup_status make_classes(sup_platform *m, sup_diag *diag) {
    if (!m->pairs) return SUP_OK;
    m->class_count = m->pairs->classes_count;
    size_t n = m->class_count ? m->class_count : 1;
    m->classes = calloc(n, sizeof *m->classes);
    m->signals = calloc(n, sizeof *m->signals);
    m->d_signals = calloc(n, sizeof *m->d_signals);
    m->words = calloc(n, sizeof *m->words);
    if (!m->classes || !m->signals || !m->d_signals || !m->words) return sup_diag_no_memory(diag);
    for (size_t c = 0; c < m->class_count; c++) fill_class(m, &m->pairs->classes[c], &m->classes[c]);
    find_widths(m);
    if (make_table(m)) return sup_diag_no_memory(diag);
    sup_platform_hosts(m);
    find_unknown(m);
    return SUP_OK;
}

static sup_status open_one(const sup_profile *profile, const sup_platform_options *options, sup_diag *diag,
                           sup_platform **out) {
    sup_platform *m = calloc(1, sizeof *m);
    sup_regular **alike = calloc(1, sizeof *alike);
    if (!m || !alike) {
        free(m);
        free(alike);
        return sup_diag_no_memory(diag);
    }
    m->alike = alike;
    m->profile = profile;
    m->confidence = options->confidence > 0 ? options->confidence : SUP_MODEL_CONFIDENCE;
    m->widen = sup_student_two_sided(m->confidence, INFINITY) / sup_student_two_sided(0.95, INFINITY);
    m->barrier = options->barrier;
    m->counts = options->counts;
    m->engine = options->engine;
    m->typical = options->typical;
    m->regular_from = options->regular_from > 0 ? options->regular_from : SUP_REGULAR_FROM;
    m->compute_scale = options->compute_scale > 0 ? options->compute_scale : 1;
    m->compute_spread = options->compute_spread;
    sup_status st = choose_transport(m, options->transport, diag);
    if (!st) st = choose_processes(m, options, diag);
    if (!st) st = take_edits(m, options->what_if, diag);
    if (!st) st = make_classes(m, diag);
    if (!st) st = sup_platform_calibrate(m, diag);
    if (!st) st = sup_platform_exchanges(m, diag);
    if (st) {
        sup_platform_free(m);
        return st;
    }
    *out = m;
    return SUP_OK;
}

/* And its twin: the same questions, answered in what a run usually sees. Of very many processes, which nobody measured,
 * the ratios of section noise say that well enough, in half the time. */
enum { TWIN_MOST = 1 << 16 };

sup_status sup_platform_open(const sup_profile *profile, const sup_platform_options *options, sup_diag *diag,
                             sup_platform **out) {
    sup_platform *m;
    sup_status st = open_one(profile, options, diag, &m);
    if (st) return st;
    sup_platform_options usual = *options;
    usual.typical = true;
    if (!options->typical && m->processes <= TWIN_MOST) st = open_one(profile, &usual, diag, &m->twin);
    if (st) {
        sup_platform_free(m);
        return st;
    }
    *out = m;
    return SUP_OK;
}

void sup_platform_free(sup_platform *m) {
    if (!m) return;
    free(m->alike);
    free(m->edits);
    free(m->stride);
    free(m->table);
    free(m->classes);
    free(m->signals);
    free(m->d_signals);
    free(m->words);
    for (size_t i = 0; i < m->ratio_count; i++) sup_pattern_free(&m->ratios[i].pattern);
    free(m->ratios);
    free(m->exchanges.share);
    sup_platform_free(m->twin);
    free(m);
}
