/* The section of pairs in a profile from what was measured (pair.h): classes with O, L, B and curves, and how to
 * find the class of a pair: levels where the placement follows a rule, else a matrix. Tcomm, stage "measure". */
#include "measure/pair/work.h"

#include "base/number/student.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sup_status fill_line(const sup_work_class *c, sup_pair_class *out) {
    sup_line line;
    sup_timing sum = {0};
    if (c->sizes.count < 2 || sup_sizes_line(&c->sizes, &line)) return SUP_OK;
    for (size_t i = 0; i < c->sizes.count; i++) sup_timing_count(&sum, &c->sizes.timing[i]);
    double t = line.n > 2 ? sup_student_two_sided(0.95, (double)line.n - 2.0) : NAN;
    sup_status status = sup_number_new(line.intercept, t * line.intercept_sd, &sum, &out->latency_s);
    return status ? status : sup_number_new(line.slope, t * line.slope_sd, &sum, &out->per_byte_s);
}

static void class_name(const sup_pair_work *w, const sup_work_class *c, char *name, size_t size) {
    const char *level = w->grouping->name[c->level];
    int length = snprintf(name, size, "%s", level);
    if (w->kinds > 1 && length > 0 && (size_t)length < size)
        length += snprintf(name + length, size - (size_t)length, " %s-%s", w->kinds_of->names[c->kind_a],
                           w->kinds_of->names[c->kind_b]);
    if (c->split > 0 && length > 0 && (size_t)length < size)
        snprintf(name + length, size - (size_t)length, " deviating %d", c->split);
}

static sup_status fill_class(const sup_pair_work *w, sup_work_class *c, sup_pairs *pairs) {
    char name[256];
    sup_pair_class *out = SUP_APPEND(&sup_pair_class_record, pairs->classes, pairs->classes_count);
    if (!out) return SUP_ENOMEM;
    class_name(w, c, name, sizeof name);
    sup_status status = sup_record_set_string(&out->name, name);
    if (status) return status;
    out->measured = c->measured > 0 ? c->measured : 0;
    out->overhead_s = c->overhead;
    c->overhead = NULL;
    if (c->level == 0 || c->sizes.count == 0) return SUP_OK;
    status = sup_sizes_file_curve(&c->sizes, w->diag, &out->time_s);
    return status ? status : fill_line(c, out);
}

static bool follows_rules(const sup_pair_work *w) {
    int64_t size, stride;
    for (int level = 0; level < w->grouping->levels; level++)
        if (!sup_grouping_rule(w->grouping, level, &size, &stride)) return false;
    return true;
}

/* A level of the rules, with the classes of its pairs by kind. */
static sup_status fill_level(const sup_pair_work *w, int level, int64_t size, int64_t stride, sup_pairs *pairs) {
    size_t cells = (size_t)w->kinds * (size_t)w->kinds;
    int64_t *classes = calloc(cells, sizeof *classes);
    sup_pair_level *out = SUP_APPEND(&sup_pair_level_record, pairs->levels, pairs->levels_count);
    sup_status status = classes && out ? sup_record_set_string(&out->name, w->grouping->name[level]) : SUP_ENOMEM;
    if (!status) {
        out->size = size;
        out->stride = stride;
        for (size_t k = 0; k < cells; k++) classes[k] = w->rule[(size_t)level * cells + k];
        status = sup_record_set_ints(&out->classes, &out->classes_count, classes, cells);
    }
    free(classes);
    return status;
}

static sup_status fill_levels(const sup_pair_work *w, sup_pairs *pairs) {
    sup_status status = SUP_OK;
    for (int level = 0; level < w->grouping->levels && !status; level++) {
        int64_t size, stride;
        sup_grouping_rule(w->grouping, level, &size, &stride);
        status = fill_level(w, level, size, stride, pairs);
    }
    return status;
}

/* Row by row, runs of j with one class that is not the rule's. Only called if anything deviates. */
static sup_status fill_exceptions(const sup_pair_work *w, sup_pairs *pairs) {
    int size = w->lab->size;
    size_t count = 0, room = 256;
    int64_t *list = malloc(room * sizeof *list);
    if (!list) return SUP_ENOMEM;
    for (int i = 0; i < size; i++) {
        int last = -1;
        for (int j = 0; j < size; j++) {
            int class = sup_pair_class_of(w, i, j);
            bool differs = class != sup_pair_base_class(w, i, j);
            if (differs && last == class) {
                list[count - 2] = j;
            } else if (differs) {
                if (count + 4 > room) {
                    int64_t *grown = realloc(list, 2 * room * sizeof *grown);
                    if (!grown) goto free_list;
                    list = grown;
                    room *= 2;
                }
                list[count++] = i;
                list[count++] = j;
                list[count++] = j;
                list[count++] = class;
            }
            last = differs ? class : -1;
        }
    }
    sup_status status = sup_record_set_ints(&pairs->exceptions, &pairs->exceptions_count, list, count);
    free(list);
    return status;

free_list:
    free(list);
    return SUP_ENOMEM;
}

static sup_status fill_matrix(const sup_pair_work *w, sup_pairs *pairs) {
    int size = w->lab->size;
    uint16_t *dense = malloc((size_t)size * (size_t)size * sizeof *dense);
    if (!dense) return SUP_ENOMEM;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            dense[(size_t)i * (size_t)size + (size_t)j] = (uint16_t)sup_pair_class_of(w, i, j);
    sup_status status = sup_pairs_set_matrix(pairs, size, dense);
    free(dense);
    return status;
}

/* A placement without a rule that is too large for a matrix: the outermost class for everybody. */
static sup_status fill_outermost(const sup_pair_work *w, sup_pairs *pairs) {
    sup_session_warn(w->session, SUP_WARNING_PAIRS_WITHOUT_RULE,
                     &(sup_about){.transport = w->lab->transport,
                                  .class = w->grouping->name[w->grouping->levels - 1],
                                  .number = {w->lab->size}});
    sup_status status = fill_level(w, 0, 1, 1, pairs);
    return status ? status : fill_level(w, w->grouping->levels - 1, 0, 1, pairs);
}

static bool anything_deviates(const sup_pair_work *w) {
    for (int c = 0; c < w->classes_count; c++)
        if (w->classes[c].split > 0) return true;
    return false;
}

/* The section of the transport: the one that is there is replaced. */
static sup_pairs *section(sup_profile *profile, const char *transport) {
    for (size_t i = 0; i < profile->pairs_count; i++)
        if (!strcmp(profile->pairs[i].transport, transport)) {
            sup_record_clear(&sup_pairs_record, &profile->pairs[i]);
            return &profile->pairs[i];
        }
    return SUP_APPEND(&sup_pairs_record, profile->pairs, profile->pairs_count);
}

sup_status sup_pair_fill(sup_pair_work *w, sup_profile *profile) {
    sup_pairs *pairs = section(profile, w->lab->transport);
    if (!pairs) return SUP_ENOMEM;
    sup_status status = sup_record_set_string(&pairs->transport, w->lab->transport);
    pairs->processes = w->lab->size;
    pairs->interference = w->interference;
    pairs->kinds = profile->kinds;
    for (int c = 0; c < w->classes_count && !status; c++) status = fill_class(w, &w->classes[c], pairs);
    if (status) return status;
    sup_pair_each_fill(w, pairs);
    bool rules = follows_rules(w);
    if (!rules && w->lab->size <= SUP_PAIRS_MATRIX_MAX) return fill_matrix(w, pairs);
    status = rules ? fill_levels(w, pairs) : fill_outermost(w, pairs);
    if (!status && rules && anything_deviates(w)) status = fill_exceptions(w, pairs);
    return status;
}
