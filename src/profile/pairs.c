/* Pairwise communication in a profile (pairs.h): tables, checks, and the class of a pair. */
#include "profile/pairs.h"

#include "machine/origin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CLASS_MAX 65535

/* ---- kinds ---- */

static sup_status check_kinds(const sup_where *w, const void *object) {
    const sup_kinds *k = object;
    if (k->names_count == 0 || k->names_count > 256)
        return sup_where_fail(w, "names", -1, "\"names\" must have 1 to 256 entries");
    if (k->runs_count == 0 || k->runs_count % 2)
        return sup_where_fail(w, "runs", -1, "\"runs\" must be pairs of count and kind");
    for (size_t i = 0; i < k->runs_count; i += 2) {
        if (k->runs[i] == 0) return sup_where_fail(w, "runs", (int)i, "a run of 0 processes");
        if (k->runs[i + 1] >= (int64_t)k->names_count)
            return sup_where_fail(w, "runs", (int)i + 1, "kind %" PRId64 " has no name", k->runs[i + 1]);
    }
    return SUP_OK;
}

static sup_status derive_kinds(const sup_where *w, void *object) {
    sup_kinds *k = object;
    size_t runs = k->runs_count / 2;
    int64_t *ends = calloc(runs ? runs : 1, sizeof *ends), end = 0;
    if (!ends) return sup_diag_no_memory(w->diag);
    for (size_t i = 0; i < runs; i++) ends[i] = end += k->runs[2 * i];
    free(k->ends);
    k->ends = ends;
    return SUP_OK;
}

static void release_kinds(void *object) { free(((sup_kinds *)object)->ends); }

static const sup_field kinds_fields[] = {
    SUP_F_STRINGS(sup_kinds, names, "names", true),
    SUP_F_INTS(sup_kinds, runs, "runs", true, 0, SUP_PROCESSES_MAX),
    SUP_F_END,
};
SUP_RECORD_DERIVED(sup_kinds_record, "kinds", sup_kinds, kinds_fields, check_kinds, derive_kinds, release_kinds);

size_t sup_kinds_count(const sup_kinds *kinds) { return kinds ? kinds->names_count : 1; }

int sup_kinds_of(const sup_kinds *kinds, int64_t rank) {
    if (!kinds || kinds->names_count <= 1) return 0;
    size_t low = 0, high = kinds->runs_count / 2 - 1;
    rank %= kinds->ends[high];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rank < kinds->ends[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return (int)kinds->runs[2 * low + 1];
}

/* ---- levels and classes ---- */

static const sup_field level_fields[] = {
    SUP_F_STRING(sup_pair_level, name, "name"),
    SUP_F_INT(sup_pair_level, size, "size", 0, SUP_PROCESSES_MAX),
    SUP_F_INT_OR(sup_pair_level, stride, "stride", 1, SUP_PROCESSES_MAX, 1),
    SUP_F_INTS(sup_pair_level, classes, "classes", true, 0, CLASS_MAX),
    SUP_F_END,
};
SUP_RECORD(sup_pair_level_record, "level of pairs", sup_pair_level, level_fields, NULL);

static const sup_field class_fields[] = {
    SUP_F_STRING(sup_pair_class, name, "name"),
    SUP_F_INT_OR(sup_pair_class, measured, "measured", 0, SUP_INT_MAX, 0),
    SUP_F_MAYBE(sup_pair_class, overhead_s, "overhead_s", &sup_number_record),
    SUP_F_MAYBE(sup_pair_class, latency_s, "latency_s", &sup_number_record),
    SUP_F_MAYBE(sup_pair_class, per_byte_s, "per_byte_s", &sup_number_record),
    SUP_F_MAYBE(sup_pair_class, time_s, "time_s", &sup_file_curve_record),
    SUP_F_END,
};
SUP_RECORD(sup_pair_class_record, "class of pairs", sup_pair_class, class_fields, NULL);

static sup_status check_levels(const sup_where *w, const sup_pairs *p) {
    for (size_t i = 0; i < p->levels_count; i++) {
        const sup_pair_level *level = &p->levels[i];
        for (size_t k = 0; k < level->classes_count; k++)
            if (level->classes[k] >= (int64_t)p->classes_count)
                return sup_where_fail(w, "levels", (int)i, "level \"%s\" names class %" PRId64 ", there are %zu",
                                      level->name, level->classes[k], p->classes_count);
        if ((level->size == 0) != (i + 1 == p->levels_count))
            return sup_where_fail(w, "levels", (int)i, "the last level, and no other, must have size 0 (everybody)");
    }
    return SUP_OK;
}

static sup_status check_matrix(const sup_where *w, const sup_pairs *p) {
    if (p->processes > SUP_PAIRS_MATRIX_MAX)
        return sup_where_fail(w, "matrix", -1, "a matrix of %" PRId64 " processes; more than %d need levels",
                              p->processes, SUP_PAIRS_MATRIX_MAX);
    if (p->matrix_count % 2) return sup_where_fail(w, "matrix", -1, "\"matrix\" must be pairs of count and class");
    int64_t total = 0, wanted = p->processes * p->processes;
    for (size_t i = 0; i < p->matrix_count; i += 2) {
        if (p->matrix[i + 1] >= (int64_t)p->classes_count)
            return sup_where_fail(w, "matrix", (int)i + 1, "\"matrix\" names class %" PRId64 ", there are %zu",
                                  p->matrix[i + 1], p->classes_count);
        if (p->matrix[i] == 0) return sup_where_fail(w, "matrix", (int)i, "a run of 0 entries");
        total += p->matrix[i];
        if (total > wanted) break;
    }
    if (total != wanted)
        return sup_where_fail(w, "matrix", -1, "\"matrix\" has %s than %" PRId64 " · %" PRId64 " entries",
                              total > wanted ? "more" : "fewer", p->processes, p->processes);
    return SUP_OK;
}

static sup_status check_exceptions(const sup_where *w, const sup_pairs *p) {
    if (p->exceptions_count % 4)
        return sup_where_fail(w, "exceptions", -1, "\"exceptions\" must be groups of i, first j, last j, class");
    for (size_t k = 0; k < p->exceptions_count; k += 4) {
        const int64_t *e = p->exceptions + k;
        if (e[0] >= p->processes || e[2] >= p->processes || e[1] > e[2])
            return sup_where_fail(w, "exceptions", (int)k, "exception %zu is not a row and a range of 0 to %" PRId64,
                                  k / 4, p->processes - 1);
        if (e[3] >= (int64_t)p->classes_count)
            return sup_where_fail(w, "exceptions", (int)k + 3, "exception %zu names class %" PRId64 ", there are %zu",
                                  k / 4, e[3], p->classes_count);
        if (k > 0 && (e[-4] > e[0] || (e[-4] == e[0] && e[-2] >= e[1])))
            return sup_where_fail(w, "exceptions", (int)k,
                                  "exception %zu overlaps the one before it or is out of order", k / 4);
    }
    return SUP_OK;
}

static sup_status check_pairs(const sup_where *w, const void *object) {
    const sup_pairs *p = object;
    if (p->classes_count == 0 || p->classes_count > CLASS_MAX)
        return sup_where_fail(w, "classes", -1, "\"classes\" must have 1 to %d entries", CLASS_MAX);
    if ((p->levels_count == 0) == (p->matrix_count == 0))
        return sup_where_fail(w, NULL, -1, "pairs need \"levels\" or a \"matrix\", one of them");
    sup_status status = p->levels_count ? check_levels(w, p) : check_matrix(w, p);
    if (!status) status = check_exceptions(w, p);
    return status ? status : sup_pairs_check_each(w, p);
}

static sup_status derive_pairs(const sup_where *w, void *object) {
    sup_pairs *p = object;
    if (!p->matrix_count) return SUP_OK;
    size_t total = (size_t)p->processes * (size_t)p->processes, at = 0;
    uint16_t *dense = calloc(total + 1, sizeof *dense);
    if (!dense) return sup_diag_no_memory(w->diag);
    for (size_t i = 0; i + 1 < p->matrix_count; i += 2)
        for (int64_t k = 0; k < p->matrix[i] && at < total; k++) dense[at++] = (uint16_t)p->matrix[i + 1];
    free(p->dense);
    p->dense = dense;
    return SUP_OK;
}

static void release_pairs(void *object) { free(((sup_pairs *)object)->dense); }

static const sup_field pairs_fields[] = {
    SUP_F_STRING(sup_pairs, transport, "transport"),
    SUP_F_INT(sup_pairs, processes, "processes", 1, SUP_PROCESSES_MAX),
    SUP_F_REAL_MAYBE(sup_pairs, interference, "interference", 0, 1e9),
    SUP_F_RECORDS(sup_pairs, levels, "levels", false, &sup_pair_level_record),
    SUP_F_INTS(sup_pairs, matrix, "matrix", false, 0, SUP_INT_MAX),
    SUP_F_INTS(sup_pairs, exceptions, "exceptions", false, 0, SUP_PROCESSES_MAX),
    SUP_F_RECORDS(sup_pairs, classes, "classes", true, &sup_pair_class_record),
    SUP_F_MAYBE(sup_pairs, each, "each", &sup_pair_each_record),
    SUP_F_END,
};
SUP_RECORD_DERIVED(sup_pairs_record, "pairs", sup_pairs, pairs_fields, check_pairs, derive_pairs, release_pairs);

sup_status sup_pairs_check_kinds(const sup_where *where, const sup_pairs *pairs, const sup_kinds *kinds) {
    size_t count = sup_kinds_count(kinds);
    for (size_t i = 0; i < pairs->levels_count; i++)
        if (pairs->levels[i].classes_count != count * count)
            return sup_where_fail(where, "levels", (int)i,
                                  "level \"%s\" has %zu classes; %zu kinds of process need %zu", pairs->levels[i].name,
                                  pairs->levels[i].classes_count, count, count * count);
    return SUP_OK;
}

/* ---- lookup ---- */

static int find_exception(const sup_pairs *p, int64_t i, int64_t j) {
    size_t low = 0, high = p->exceptions_count / 4;
    while (low < high) { /* first exception that does not end before (i, j) */
        size_t middle = low + (high - low) / 2;
        const int64_t *e = p->exceptions + 4 * middle;
        if (e[0] < i || (e[0] == i && e[2] < j))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == p->exceptions_count / 4) return -1;
    const int64_t *e = p->exceptions + 4 * low;
    return e[0] == i && e[1] <= j ? (int)e[3] : -1;
}

static bool together(const sup_pair_level *level, int64_t i, int64_t j) {
    if (level->size == 0) return true;
    if (level->stride == 1) return i / level->size == j / level->size;
    return i % level->stride == j % level->stride && i / level->stride / level->size == j / level->stride / level->size;
}

int sup_pairs_class(const sup_pairs *pairs, int64_t i, int64_t j) {
    if (pairs->exceptions_count) {
        int class = find_exception(pairs, i, j);
        if (class >= 0) return class;
    }
    if (pairs->dense) return pairs->dense[i * pairs->processes + j];
    const sup_pair_level *level = pairs->levels;
    while (!together(level, i, j)) level++; /* the last holds everybody */
    if (level->classes_count == 1) return (int)level->classes[0];
    size_t kinds = sup_kinds_count(pairs->kinds);
    return (int)level->classes[(size_t)sup_kinds_of(pairs->kinds, i) * kinds + (size_t)sup_kinds_of(pairs->kinds, j)];
}

sup_status sup_pairs_set_matrix(sup_pairs *pairs, int64_t processes, const uint16_t *classes) {
    if (processes < 1 || processes > SUP_PAIRS_MATRIX_MAX) return SUP_EINVAL;
    size_t total = (size_t)processes * (size_t)processes, runs = 1;
    for (size_t i = 1; i < total; i++) runs += classes[i] != classes[i - 1];
    int64_t *matrix = calloc(2 * runs, sizeof *matrix);
    if (!matrix) return SUP_ENOMEM;
    size_t run = 0;
    for (size_t i = 0; i < total; i++) {
        if (i > 0 && classes[i] != classes[i - 1]) run++;
        matrix[2 * run]++;
        matrix[2 * run + 1] = classes[i];
    }
    free(pairs->matrix);
    pairs->matrix = matrix;
    pairs->matrix_count = 2 * runs;
    pairs->processes = processes;
    sup_where nowhere = {.record = &sup_pairs_record};
    return derive_pairs(&nowhere, pairs);
}
