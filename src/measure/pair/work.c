/* Classes of pairs while they are measured, and their trials (pair/work.h). Tcomm, stage "measure". */
#include "measure/pair/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CURVE_BYTES ((size_t)1 << 20)
#define CURVE_POINTS 15 /* bends only */
#define CURVE_STEP 4.0
#define DEEP_POINTS 48
#define DEEP_STEP 2.0

int sup_pair_kind_of(const sup_pair_work *w, int rank) { return w->kinds > 1 ? sup_kinds_of(w->kinds_of, rank) : 0; }

int sup_pair_base_class(const sup_pair_work *w, int i, int j) {
    int level = sup_grouping_level(w->grouping, i, j);
    return w->rule[(level * w->kinds + sup_pair_kind_of(w, i)) * w->kinds + sup_pair_kind_of(w, j)];
}

/* Where the exception of the pair i < j is, or would be. */
static size_t exception_at(const sup_pair_work *w, int i, int j) {
    size_t low = 0, high = w->exceptions_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const sup_pair_exception *e = &w->exceptions[middle];
        if (e->i < i || (e->i == i && e->j < j))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int sup_pair_class_of(const sup_pair_work *w, int i, int j) {
    if (w->exceptions_count) {
        int low = i < j ? i : j, high = i < j ? j : i;
        size_t at = exception_at(w, low, high);
        if (at < w->exceptions_count && w->exceptions[at].i == low && w->exceptions[at].j == high)
            return w->exceptions[at].class;
    }
    const int *odd = w->odd + (size_t)sup_grouping_level(w->grouping, i, j) * (size_t)w->lab->size;
    int first = odd[i], second = odd[j], base = sup_pair_base_class(w, i, j);
    if (first < 0 && second < 0) return base;
    if (first < 0 || second < 0) return first < 0 ? second : first;
    return w->classes[first].typical[1] >= w->classes[second].typical[1] ? first : second; /* the slower one decides */
}

sup_status sup_pair_add_exception(sup_pair_work *w, int i, int j, int class) {
    sup_pair_exception e = {i < j ? i : j, i < j ? j : i, class};
    size_t at = exception_at(w, e.i, e.j);
    if (at < w->exceptions_count && w->exceptions[at].i == e.i && w->exceptions[at].j == e.j) {
        w->exceptions[at] = e;
        return SUP_OK;
    }
    if (w->exceptions_count == w->exceptions_room) {
        size_t room = w->exceptions_room ? 2 * w->exceptions_room : 64;
        sup_pair_exception *grown = realloc(w->exceptions, room * sizeof *grown);
        if (!grown) return SUP_ENOMEM;
        w->exceptions = grown;
        w->exceptions_room = room;
    }
    memmove(w->exceptions + at + 1, w->exceptions + at, (w->exceptions_count - at) * sizeof e);
    w->exceptions[at] = e;
    w->exceptions_count++;
    return SUP_OK;
}

static int add_class(sup_pair_work *w, int level, int a, int b) {
    sup_work_class *grown = realloc(w->classes, ((size_t)w->classes_count + 1) * sizeof *grown);
    if (!grown) return -1;
    w->classes = grown;
    sup_work_class *c = &grown[w->classes_count];
    memset(c, 0, sizeof *c);
    c->level = level;
    c->kind_a = a;
    c->kind_b = b;
    c->typical_pair[0] = -1;
    bool deep = sup_lab_is_deep(w->lab, SUP_MEASURE_PAIRS);
    sup_sizes_init(&c->sizes, 1, CURVE_BYTES, deep ? DEEP_POINTS : CURVE_POINTS, deep ? DEEP_STEP : CURVE_STEP);
    return w->classes_count++;
}

int sup_pair_split(sup_pair_work *w, int base) {
    if (w->classes_count >= SUP_PAIR_CLASSES) return -1;
    int fresh = add_class(w, w->classes[base].level, w->classes[base].kind_a, w->classes[base].kind_b);
    if (fresh < 0) return -1;
    int number = 1;
    for (int k = 0; k < fresh; k++)
        if (w->classes[k].split >= number && w->classes[k].level == w->classes[base].level)
            number = w->classes[k].split + 1;
    w->classes[fresh].split = number;
    return fresh;
}

sup_status sup_pair_make_classes(sup_pair_work *w) {
    size_t levels = (size_t)w->grouping->levels, kinds = (size_t)w->kinds, size = (size_t)w->lab->size;
    w->rule = calloc(levels * kinds * kinds, sizeof *w->rule);
    w->odd = malloc(levels * size * sizeof *w->odd);
    if (!w->rule || !w->odd) return SUP_ENOMEM;
    for (size_t i = 0; i < levels * size; i++) w->odd[i] = -1;
    for (int level = 0; level < w->grouping->levels; level++)
        for (int a = 0; a < w->kinds; a++)
            for (int b = a; b < w->kinds; b++) {
                int class = add_class(w, level, a, b);
                if (class < 0) return SUP_ENOMEM;
                w->rule[(level * w->kinds + a) * w->kinds + b] = class;
                w->rule[(level * w->kinds + b) * w->kinds + a] = class;
            }
    return SUP_OK;
}

void sup_pair_work_free(sup_pair_work *w) {
    for (int i = 0; i < w->classes_count; i++) free(w->classes[i].overhead);
    if (w->each) sup_record_clear(&sup_pair_each_record, w->each);
    free(w->each);
    free(w->exceptions);
    free(w->odd);
    free(w->rule);
    free(w->classes);
    sup_grouping_free(w->grouping);
}

sup_status sup_pair_ask(sup_pair_work *w, const sup_trial *trial, const char *text, sup_timing *out) {
    return sup_lab_ask(w->lab, w->session, text, trial, w->diag, out);
}
