/* Tcomm of a composed machine: levels of pairs inside a node, and the link's class for everybody else (compose.h). A
 * level stays if nodes hold whole groups of it. */
#include "model/compose/compose.h"

#include "profile/composed.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- levels of a node ---- */

static sup_status add_level(sup_pair_level **levels, size_t *count, const char *name, int64_t size, int64_t stride,
                            const int64_t *classes, size_t classes_count) {
    sup_pair_level *l = sup_record_append(&sup_pair_level_record, (void **)levels, count);
    if (!l) return SUP_ENOMEM;
    l->size = size;
    l->stride = stride;
    sup_status status = sup_record_set_string(&l->name, name);
    if (!status) status = sup_record_set_ints(&l->classes, &l->classes_count, classes, classes_count);
    return status;
}

static void drop_levels(sup_pair_level *levels, size_t count) {
    for (size_t i = 0; i < count; i++) sup_record_clear(&sup_pair_level_record, &levels[i]);
    free(levels);
}

/* The same class for all kinds of process. */
static sup_status add_plain(sup_pair_level **levels, size_t *count, const sup_pairs *p, const char *name, int64_t size,
                            int64_t class) {
    size_t kinds = sup_kinds_count(p->kinds), n = kinds * kinds;
    int64_t *classes = calloc(n, sizeof *classes);
    if (!classes) return SUP_ENOMEM;
    for (size_t i = 0; i < n; i++) classes[i] = class;
    sup_status status = add_level(levels, count, name, size, 1, classes, n);
    free(classes);
    return status;
}

/* ---- a matrix, or single pairs that differ ---- */

/* Blocks of consecutive ranks whose sizes are where the first row changes: is every pair as they say? */
static bool is_regular(const sup_pairs *p, const int64_t *sizes, size_t count) {
    for (int64_t i = 0; i < p->processes; i++)
        for (int64_t j = 0; j < p->processes; j++) {
            size_t l = 0;
            while (l + 1 < count && i / sizes[l] != j / sizes[l]) l++;
            int64_t like = l ? sizes[l - 1] : 0; /* the first rank of the first row in that level */
            if (sup_pairs_class(p, i, j) != sup_pairs_class(p, 0, like)) return false;
        }
    return true;
}

/* The class with the greatest latency among pairs of two, and that of a process with itself. */
static void worst_classes(const sup_pairs *p, int64_t *self, int64_t *other) {
    double worst = -1;
    *self = sup_pairs_class(p, 0, 0);
    *other = *self;
    for (int64_t i = 0; i < p->processes; i++)
        for (int64_t j = 0; j < p->processes; j++) {
            int64_t c = sup_pairs_class(p, i, j);
            const sup_number *latency = p->classes[c].latency_s;
            if (i == j || !latency || latency->value <= worst) continue;
            worst = latency->value;
            *other = c;
        }
}

enum { LEVELS = 16 };

/* Levels that say the same as the matrix; or all pairs of a node are taken to be as far apart as the farthest. */
static sup_status levels_of_matrix(sup_composed *say, const sup_pairs *p, sup_pair_level **levels, size_t *count) {
    int64_t sizes[LEVELS], n = p->processes;
    size_t found = 0;
    for (int64_t j = 1; j < n && found < LEVELS; j++)
        if (j == 1 || sup_pairs_class(p, 0, j) != sup_pairs_class(p, 0, j - 1)) sizes[found++] = j;
    if (found < LEVELS) sizes[found++] = n;
    if (sup_kinds_count(p->kinds) == 1 && found <= LEVELS && is_regular(p, sizes, found)) {
        for (size_t l = 0; l < found; l++) {
            int64_t class = sup_pairs_class(p, 0, l ? sizes[l - 1] : 0);
            sup_status status =
                add_plain(levels, count, p, p->classes[class].name, l + 1 < found ? sizes[l] : 0, class);
            if (status) return status;
        }
        return SUP_OK;
    }
    int64_t self, other;
    worst_classes(p, &self, &other);
    sup_status status = add_plain(levels, count, p, p->classes[self].name, 1, self);
    if (!status) status = add_plain(levels, count, p, p->classes[other].name, 0, other);
    if (!status)
        status = sup_composed_rule(say,
                                   "over %.40s pairs of a node follow no order of ranks: all are taken to be as far "
                                   "apart as the farthest, \"%.60s\"",
                                   p->transport, p->classes[other].name);
    return status;
}

/* ---- from a node to all nodes ---- */

/* Levels whose groups lie inside nodes; the outermost that a node reaches holds a whole node. */
static sup_status fit_levels(sup_composed *say, const char *transport, const sup_pair_level *from, size_t from_count,
                             sup_pair_level **levels, size_t *count) {
    int64_t cores = say->node_processes;
    for (size_t l = 0; l < from_count; l++) {
        const sup_pair_level *v = &from[l];
        int64_t stride = v->size == 1 ? 1 : v->stride;
        /* what holds a node, or all that was measured of one */
        bool last = v->size == 0 || v->size >= (cores + stride - 1) / stride || v->size * stride >= say->measured;
        if (!last && cores % (v->size * stride)) {
            sup_status status = sup_composed_rule(say,
                                                  "over %.40s groups \"%.40s\" of %" PRId64
                                                  " do not fill nodes of %" PRId64 ": priced as the next",
                                                  transport, v->name, v->size, cores);
            if (status) return status;
            continue;
        }
        sup_status status =
            add_level(levels, count, v->name, last ? cores : v->size, last ? 1 : stride, v->classes, v->classes_count);
        if (status || last) return status;
    }
    return SUP_OK;
}

static sup_status set_number(sup_number **to, double value, double doubt) {
    sup_number *n = sup_record_make(&sup_number_record);
    if (!n) return SUP_ENOMEM;
    n->value = value;
    n->ci = doubt * value;
    n->n = 2; /* of one sample nobody shows an interval */
    *to = n;
    return SUP_OK;
}

static sup_status add_link_class(sup_pairs *p, const sup_compose_link *way) {
    const sup_link *link = way->link;
    sup_pair_class *c = SUP_APPEND(&sup_pair_class_record, p->classes, p->classes_count);
    if (!c) return SUP_ENOMEM;
    if (way->class) {
        sup_status status = sup_record_copy(&sup_pair_class_record, way->class, c);
        return status ? status : sup_record_set_string(&c->name, link->name);
    }
    double bytes = isnan(link->bandwidth_uncertainty) ? link->uncertainty : link->bandwidth_uncertainty;
    sup_status status = sup_record_set_string(&c->name, link->name);
    if (!status) status = set_number(&c->overhead_s, link->overhead_s, link->uncertainty);
    if (!status) status = set_number(&c->latency_s, link->latency_s, link->uncertainty);
    if (!status) status = set_number(&c->per_byte_s, 1.0 / link->bandwidth_bytes_per_s, bytes);
    return status;
}

static void doubt(sup_number *n) {
    if (n && !(n->ci >= SUP_COMPOSE_DOUBT * n->value)) n->ci = SUP_COMPOSE_DOUBT * n->value;
}

/* Cores that nobody measured are as far from the others as the farthest, about. */
static void widen(sup_pairs *p, const sup_pair_level *outer) {
    for (size_t k = 0; k < outer->classes_count; k++) {
        sup_pair_class *c = &p->classes[outer->classes[k]];
        doubt(c->overhead_s);
        doubt(c->latency_s);
        doubt(c->per_byte_s);
    }
}

static sup_status make_levels(const sup_composed *say, sup_pairs *p, const sup_compose_link *link,
                              sup_pair_level **levels, size_t *count) {
    if (say->node_processes > say->measured && *count) widen(p, &(*levels)[*count - 1]);
    if (say->nodes == 1) {
        if (*count) (*levels)[*count - 1].size = 0;
        return SUP_OK;
    }
    sup_status status = add_link_class(p, link);
    return status ? status : add_plain(levels, count, p, "nodes", 0, (int64_t)p->classes_count - 1);
}

sup_status sup_compose_pairs(sup_profile *made, sup_pairs *p, const sup_compose_link *link) {
    sup_composed *say = made->composed;
    sup_pair_level *own = NULL, *levels = NULL;
    size_t own_count = 0, count = 0;
    sup_status status = SUP_OK;
    bool single = p->matrix_count || p->exceptions_count;
    p->kinds = made->kinds;
    if (single) status = levels_of_matrix(say, p, &own, &own_count);
    if (!status)
        status = fit_levels(say, p->transport, single ? own : p->levels, single ? own_count : p->levels_count, &levels,
                            &count);
    if (!status) status = make_levels(say, p, link, &levels, &count);
    drop_levels(own, own_count);
    if (status) {
        drop_levels(levels, count);
        return status;
    }
    drop_levels(p->levels, p->levels_count);
    p->levels = levels;
    p->levels_count = count;
    free(p->matrix);
    free(p->exceptions);
    free(p->dense);
    p->matrix = p->exceptions = NULL;
    p->dense = NULL;
    p->matrix_count = p->exceptions_count = 0;
    if (p->each) sup_record_clear(&sup_pair_each_record, p->each); /* of the node's processes only */
    free(p->each);
    p->each = NULL;
    p->processes = say->nodes * say->node_processes;
    return SUP_OK;
}
