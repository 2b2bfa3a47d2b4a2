/* Reading a description file, superstep-program(5): requirements written by hand or by another program, JSON, whole or
 * not at all, every mistake with its line. */
#include "program/program.h"

#include "base/pattern/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const sup_json *doc;
    sup_diag *diag;
    const char *name; /* of the file */
} reader;

#define TRY(call)              \
    do {                       \
        sup_status st_ = call; \
        if (st_) return st_;   \
    } while (0)

static sup_status get_copy(const reader *r, const json_t *object, const char *key, bool required, char **out) {
    const char *text = NULL;
    TRY(sup_json_get_string(r->doc, object, key, required, r->diag, &text));
    if (!text) return SUP_OK;
    *out = strdup(text);
    return *out ? SUP_OK : sup_diag_no_memory(r->diag);
}

static sup_status get_name(const reader *r, const json_t *object, const char *key, bool required,
                           const char *const *names, int *out) {
    const char *text = NULL;
    TRY(sup_json_get_string(r->doc, object, key, required, r->diag, &text));
    if (!text) return SUP_OK;
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], text)) {
            *out = i;
            return SUP_OK;
        }
    char all[200] = "";
    for (int i = 0; names[i]; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
    return sup_json_error(r->doc, object, key, -1, r->diag, "\"%s\" is \"%.40s\"; it may be %s", key, text, all);
}

static sup_status get_count(const reader *r, const json_t *object, const char *key, double low, double high,
                            int64_t *out) {
    json_int_t value = *out;
    TRY(sup_json_get_int(r->doc, object, key, false, (json_int_t)low, (json_int_t)high, r->diag, &value));
    *out = value;
    return SUP_OK;
}

/* A number, or a list of numbers, all in [0, high]. */
static sup_status get_vector(const reader *r, const json_t *object, const char *key, bool required, double high,
                             sup_vector *out) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_array(value)) return sup_json_get_real(r->doc, object, key, required, 0, high, r->diag, &out->all);
    size_t n = json_array_size(value);
    if (!n) return sup_json_error(r->doc, object, key, -1, r->diag, "\"%s\" is an empty list", key);
    out->each = calloc(n, sizeof *out->each);
    if (!out->each) return sup_diag_no_memory(r->diag);
    out->count = n;
    for (size_t i = 0; i < n; i++) {
        const json_t *x = json_array_get(value, i);
        double d = json_is_number(x) ? json_number_value(x) : NAN;
        if (!(d >= 0 && d <= high))
            return sup_json_error(r->doc, value, NULL, (int)i, r->diag, "\"%s\"[%zu] must be a number in 0 … %g", key,
                                  i, high);
        out->each[i] = d;
    }
    return SUP_OK;
}

/* ---- computation ---- */

static sup_status read_work(const reader *r, const json_t *json, sup_work *w) {
    static const char *const known[] = {"kernel",          "units",   "total_units", "seconds",
                                        "footprint_bytes", "overlap", NULL};
    TRY(sup_json_only(r->doc, json, known, r->diag));
    TRY(get_copy(r, json, "kernel", false, &w->kernel));
    TRY(sup_json_get_real(r->doc, json, "overlap", false, 0, 1, r->diag, &w->overlap));
    bool units = json_object_get(json, "units"), total = json_object_get(json, "total_units"),
         seconds = json_object_get(json, "seconds");
    if (units + total + seconds != 1)
        return sup_json_error(r->doc, json, NULL, -1, r->diag,
                              "computation needs one of \"units\", \"total_units\" and \"seconds\"");
    if (seconds == (w->kernel != NULL))
        return sup_json_error(r->doc, json, NULL, -1, r->diag,
                              seconds ? "\"seconds\" and \"kernel\" exclude each other" : "units of which \"kernel\"?");
    w->total = total;
    if (total)
        TRY(sup_json_get_real(r->doc, json, "total_units", true, 0, 1e18, r->diag, &w->units.all));
    else
        TRY(get_vector(r, json, seconds ? "seconds" : "units", true, seconds ? 1e9 : 1e18, &w->units));
    return get_vector(r, json, "footprint_bytes", false, SUP_PROGRAM_BYTES_MAX, &w->bytes);
}

/* ---- communication ---- */

static sup_status real_at(const reader *r, const json_t *list, size_t i, double high, const char *what, double *out) {
    const json_t *x = json_array_get(list, i);
    double d = json_is_number(x) ? json_number_value(x) : NAN;
    if (!(d >= 0 && d <= high))
        return sup_json_error(r->doc, list, NULL, (int)i, r->diag, "%s must be a number in 0 … %g", what, high);
    *out = d;
    return SUP_OK;
}

static sup_status rank_at(const reader *r, const json_t *list, size_t i, const char *what, int64_t *out) {
    const json_t *x = json_array_get(list, i);
    json_int_t d = json_is_integer(x) ? json_integer_value(x) : -1;
    if (d < 0 || d >= SUP_PROGRAM_PROCESSES_MAX)
        return sup_json_error(r->doc, list, NULL, (int)i, r->diag, "%s must be a rank", what);
    *out = d;
    return SUP_OK;
}

/* Beside the description, unless its name says where. */
static sup_status read_edges_file(const reader *r, const json_t *json, sup_flow *f) {
    const char *name = NULL;
    char *path = NULL;
    TRY(sup_json_get_string(r->doc, json, "edges_file", true, r->diag, &name));
    if (json_object_get(json, "edges"))
        return sup_json_error(r->doc, json, "edges", -1, r->diag, "\"edges\" and \"edges_file\" exclude each other");
    const char *slash = strrchr(r->name, '/');
    int folder = *name == '/' || !slash ? 0 : (int)(slash - r->name + 1);
    if (asprintf(&path, "%.*s%s", folder, r->name, name) < 0) return sup_diag_no_memory(r->diag);
    sup_diag why = {0};
    sup_status st = sup_flow_read_edges(f, path, &why);
    if (st && !why.line) /* not about one of its lines */
        st = sup_json_error(r->doc, json, "edges_file", -1, r->diag, "%.120s: %s", path, why.text);
    else if (st && r->diag)
        *r->diag = why;
    free(path);
    return st;
}

/* [[from, to, messages, bytes], …] */
static sup_status read_sparse(const reader *r, const json_t *json, sup_flow *f) {
    const json_t *edges = NULL;
    if (json_object_get(json, "edges_file")) return read_edges_file(r, json, f);
    TRY(sup_json_get_array(r->doc, json, "edges", true, r->diag, &edges));
    for (size_t i = 0; i < json_array_size(edges); i++) {
        const json_t *one = json_array_get(edges, i);
        sup_edge e = {.overlap = f->overlap, .kind = f->move};
        if (!json_is_array(one) || json_array_size(one) != 4)
            return sup_json_error(r->doc, edges, NULL, (int)i, r->diag, "an edge is [from, to, messages, bytes]");
        TRY(rank_at(r, one, 0, "from", &e.from));
        TRY(rank_at(r, one, 1, "to", &e.to));
        TRY(real_at(r, one, 2, 1e12, "messages", &e.messages));
        TRY(real_at(r, one, 3, SUP_PROGRAM_BYTES_MAX, "bytes", &e.bytes));
        if (e.messages == 0 && e.bytes > 0)
            return sup_json_error(r->doc, one, NULL, 2, r->diag, "%g bytes in no message", e.bytes);
        if (e.messages > 0 && !sup_flow_add_edge(f, e)) return sup_diag_no_memory(r->diag);
    }
    return SUP_OK;
}

static sup_status dense_row(const reader *r, const json_t *matrix, size_t row, size_t p, const char *key,
                            const json_t **out) {
    *out = json_array_get(matrix, row);
    if (!json_is_array(*out) || json_array_size(*out) != p)
        return sup_json_error(r->doc, matrix, NULL, (int)row, r->diag, "row %zu of \"%s\" must have %zu entries", row,
                              key, p);
    return SUP_OK;
}

/* Two P×P matrices; entries without messages are left out, so what is sparse stays sparse. */
static sup_status read_dense(const reader *r, const json_t *json, sup_flow *f) {
    const json_t *messages = NULL, *bytes = NULL;
    TRY(sup_json_get_array(r->doc, json, "messages", true, r->diag, &messages));
    TRY(sup_json_get_array(r->doc, json, "bytes", true, r->diag, &bytes));
    size_t p = json_array_size(messages);
    if (p < 1 || p > SUP_PROGRAM_DENSE_MAX || json_array_size(bytes) != p)
        return sup_json_error(r->doc, json, "bytes", -1, r->diag,
                              "\"messages\" and \"bytes\" must be P x P, P = 1 … %d", SUP_PROGRAM_DENSE_MAX);
    f->side = (int64_t)p;
    for (size_t i = 0; i < p; i++) {
        const json_t *m, *b;
        TRY(dense_row(r, messages, i, p, "messages", &m));
        TRY(dense_row(r, bytes, i, p, "bytes", &b));
        for (size_t j = 0; j < p; j++) {
            sup_edge e = {(int64_t)i, (int64_t)j, 0, 0, f->overlap, f->move};
            TRY(real_at(r, m, j, 1e12, "a number of messages", &e.messages));
            TRY(real_at(r, b, j, SUP_PROGRAM_BYTES_MAX, "a number of bytes", &e.bytes));
            if (e.messages == 0 && e.bytes > 0)
                return sup_json_error(r->doc, b, NULL, (int)j, r->diag, "%g bytes in no message", e.bytes);
            if (e.messages > 0 && !sup_flow_add_edge(f, e)) return sup_diag_no_memory(r->diag);
        }
    }
    return SUP_OK;
}

static sup_status read_sides(const reader *r, const json_t *json, const char *key, int dims, double high,
                             int64_t *out) {
    const json_t *list = NULL;
    TRY(sup_json_get_array(r->doc, json, key, false, r->diag, &list));
    if (!list) return SUP_OK;
    if (json_array_size(list) != (size_t)dims)
        return sup_json_error(r->doc, json, key, -1, r->diag, "\"%s\" must have %d sides", key, dims);
    for (int d = 0; d < dims; d++) {
        const json_t *x = json_array_get(list, (size_t)d);
        json_int_t side = json_is_integer(x) ? json_integer_value(x) : 0;
        if (side < 1 || (double)side > high)
            return sup_json_error(r->doc, list, NULL, d, r->diag, "a side must be a whole number in 1 … %g", high);
        out[d] = side;
    }
    return SUP_OK;
}

/* Axes count from 0 in the file. */
static sup_status get_axis(const reader *r, const json_t *json, int dims, sup_flow *f) {
    int64_t axis = -1;
    TRY(get_count(r, json, "axis", 0, dims - 1, &axis));
    f->axis = (int)axis + 1;
    if (f->axis && f->corners)
        return sup_json_error(r->doc, json, "axis", -1, r->diag, "\"axis\" and \"corners\" exclude each other");
    return SUP_OK;
}

static sup_status read_generator(const reader *r, const json_t *json, sup_flow *f) {
    static const char *const algorithms[] = {"flat", "binomial", "two-phase", NULL};
    bool stencil = f->kind == SUP_FLOW_STENCIL_2D || f->kind == SUP_FLOW_STENCIL_3D;
    int dims = f->kind == SUP_FLOW_STENCIL_3D ? 3 : 2;
    f->cell_bytes = 8;
    f->depth = f->degree = f->iterations = f->seed = 1;
    f->periodic = f->kind == SUP_FLOW_RING || f->kind == SUP_FLOW_SHIFT;
    f->offset = 1;
    f->corners = f->kind == SUP_FLOW_RING;
    TRY(sup_json_get_real(r->doc, json, "messages", false, 1, 1e12, r->diag, &f->messages));
    if (stencil || f->kind == SUP_FLOW_SUMMA) TRY(read_sides(r, json, "grid", dims, 1 << 30, f->grid));
    if (stencil) TRY(read_sides(r, json, "cells", dims, 1e15, f->cells));
    TRY(sup_json_get_real(r->doc, json, "bytes", !f->cells[0], 0, SUP_PROGRAM_BYTES_MAX, r->diag, &f->bytes));
    if (f->cells[0] && json_object_get(json, "bytes"))
        return sup_json_error(r->doc, json, "bytes", -1, r->diag, "\"cells\" and \"bytes\" exclude each other");
    TRY(sup_json_get_real(r->doc, json, "cell_bytes", false, 1, 1e9, r->diag, &f->cell_bytes));
    TRY(get_count(r, json, "depth", 1, 1e9, &f->depth));
    TRY(sup_json_get_bool(r->doc, json, "periodic", false, r->diag, &f->periodic));
    TRY(sup_json_get_bool(r->doc, json, "corners", false, r->diag, &f->corners));
    if (f->kind == SUP_FLOW_RING) TRY(sup_json_get_bool(r->doc, json, "both_ways", false, r->diag, &f->corners));
    TRY(get_count(r, json, "root", 0, 1 << 30, &f->root));
    TRY(get_count(r, json, "offset", -(1 << 30), 1 << 30, &f->offset));
    if (stencil) TRY(get_axis(r, json, dims, f));
    TRY(get_count(r, json, "degree", 0, 64, &f->degree));
    TRY(get_count(r, json, "seed", 0, 9e15, &f->seed));
    TRY(get_count(r, json, "iterations", 1, 1e12, &f->iterations));
    return get_name(r, json, "algorithm", false, algorithms, &f->algorithm);
}

/* What a pattern understands, besides "pattern", "kind" and "overlap". */
static sup_status only_its_own(const reader *r, const json_t *json, const char *pattern, int kind) {
    static const char *const own[SUP_FLOW_KINDS + 1][12] = {
        [SUP_FLOW_EDGES] = {"edges", "edges_file", NULL},
        [SUP_FLOW_STENCIL_2D] = {"grid", "cells", "cell_bytes", "depth", "bytes", "messages", "periodic", "corners",
                                 "axis"},
        [SUP_FLOW_STENCIL_3D] = {"grid", "cells", "cell_bytes", "depth", "bytes", "messages", "periodic", "corners",
                                 "axis"},
        [SUP_FLOW_RING] = {"bytes", "messages", "periodic", "both_ways"},
        [SUP_FLOW_ALL_TO_ALL] = {"bytes", "messages"},
        [SUP_FLOW_BROADCAST] = {"bytes", "messages", "root", "algorithm"},
        [SUP_FLOW_RANDOM] = {"bytes", "messages", "degree", "seed"},
        [SUP_FLOW_SUMMA] = {"bytes", "messages", "grid", "iterations"},
        [SUP_FLOW_SHIFT] = {"bytes", "messages", "offset", "periodic"},
        [SUP_FLOW_GATHER] = {"bytes", "messages", "root"},
        [SUP_FLOW_DOUBLING] = {"bytes", "messages"},
        [SUP_FLOW_KINDS] = {"messages", "bytes", NULL}, /* dense */
    };
    const char *known[16] = {"pattern", "kind", "overlap"};
    const char *const *mine = own[!strcmp(pattern, "dense") ? SUP_FLOW_KINDS : kind];
    for (size_t i = 0; mine[i]; i++) known[3 + i] = mine[i];
    return sup_json_only(r->doc, json, known, r->diag);
}

static sup_status read_flow(const reader *r, const json_t *json, sup_flow *f) {
    static const char *const patterns[] = {"sparse",    "stencil-2d", "stencil-3d", "ring",  "all-to-all",
                                           "broadcast", "random",     "summa",      "shift", "gather",
                                           "doubling",  "dense",      NULL};
    TRY(get_name(r, json, "pattern", true, patterns, &f->kind));
    const char *pattern = patterns[f->kind];
    bool dense = !strcmp(pattern, "dense");
    if (dense) f->kind = SUP_FLOW_EDGES;
    TRY(only_its_own(r, json, pattern, f->kind));
    TRY(get_name(r, json, "kind", false, sup_move_names, &f->move));
    f->overlap = f->move == SUP_MOVE_HPPUT || f->move == SUP_MOVE_HPGET;
    TRY(sup_json_get_real(r->doc, json, "overlap", false, 0, 1, r->diag, &f->overlap));
    if (dense) return read_dense(r, json, f);
    return f->kind == SUP_FLOW_EDGES ? read_sparse(r, json, f) : read_generator(r, json, f);
}

/* ---- the whole ---- */

/* NULL: "bsp". */
static sup_status get_sync(const reader *r, const json_t *json, char **out) {
    const char *text = NULL;
    TRY(sup_json_get_string(r->doc, json, "sync", false, r->diag, &text));
    if (!text || !strcmp(text, "bsp")) return SUP_OK;
    sup_pattern_kind kind;
    if (strcmp(text, "none") != 0 && strcmp(text, "map") != 0 && !sup_pattern_kind_read(text, &kind)) {
        char why[440];
        sup_pattern_kind_why(text, why, sizeof why);
        return sup_json_error(r->doc, json, "sync", -1, r->diag,
                              "\"sync\" may be bsp, none, map, or a barrier NAME[:RADIX]; %s", why);
    }
    *out = strdup(text);
    return *out ? SUP_OK : sup_diag_no_memory(r->diag);
}

static sup_status read_step(const reader *r, const json_t *json, sup_step *s) {
    static const char *const known[] = {"name", "repeat", "compute", "communicate", "sync", NULL};
    const json_t *list = NULL;
    TRY(sup_json_only(r->doc, json, known, r->diag));
    TRY(get_copy(r, json, "name", false, &s->name));
    TRY(get_count(r, json, "repeat", 1, 1e15, &s->repeat));
    TRY(get_sync(r, json, &s->sync));
    TRY(sup_json_get_array(r->doc, json, "compute", false, r->diag, &list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        if (!json_is_object(one)) return sup_json_error(r->doc, list, NULL, (int)i, r->diag, "not an object");
        sup_work *w = sup_step_add_work(s);
        if (!w) return sup_diag_no_memory(r->diag);
        w->line = sup_json_line(r->doc, one, NULL, -1);
        TRY(read_work(r, one, w));
    }
    list = NULL;
    TRY(sup_json_get_array(r->doc, json, "communicate", false, r->diag, &list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        if (!json_is_object(one)) return sup_json_error(r->doc, list, NULL, (int)i, r->diag, "not an object");
        sup_flow *f = sup_step_add_flow(s);
        if (!f) return sup_diag_no_memory(r->diag);
        f->line = sup_json_line(r->doc, one, NULL, -1);
        TRY(read_flow(r, one, f));
    }
    return SUP_OK;
}

static sup_status read_root(const reader *r, sup_program *p) {
    static const char *const known[] = {"kind", "schema", "name", "processes", "supersteps", NULL};
    const json_t *root = sup_json_root(r->doc), *steps = NULL;
    const char *kind = NULL;
    int64_t schema = 0;
    TRY(sup_record_file_kind(r->doc, r->diag, &kind, &schema));
    if (strcmp(kind, SUP_PROGRAM_KIND) != 0)
        return sup_json_error(r->doc, root, "kind", -1, r->diag, "the kind must be \"" SUP_PROGRAM_KIND "\"");
    if (schema > SUP_PROGRAM_SCHEMA) {
        sup_json_error(r->doc, root, "schema", -1, r->diag, "schema %d is newer than this version knows (%d)",
                       (int)schema, SUP_PROGRAM_SCHEMA);
        if (r->diag) r->diag->status = SUP_EVERSION;
        return SUP_EVERSION;
    }
    TRY(sup_json_only(r->doc, root, known, r->diag));
    TRY(get_copy(r, root, "name", false, &p->name));
    TRY(get_count(r, root, "processes", 1, 1 << 30, &p->processes));
    TRY(sup_json_get_array(r->doc, root, "supersteps", true, r->diag, &steps));
    if (!json_array_size(steps)) return sup_json_error(r->doc, root, "supersteps", -1, r->diag, "no superstep");
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *one = json_array_get(steps, i);
        if (!json_is_object(one)) return sup_json_error(r->doc, steps, NULL, (int)i, r->diag, "not an object");
        sup_step *s = sup_program_add_step(p);
        if (!s) return sup_diag_no_memory(r->diag);
        s->line = sup_json_line(r->doc, one, NULL, -1);
        TRY(read_step(r, one, s));
    }
    return SUP_OK;
}

sup_status sup_program_parse(const sup_json *doc, const char *name, sup_diag *diag, sup_program **out) {
    reader r = {doc, diag, name};
    sup_program *p = sup_program_new();
    if (!p || !(p->file = strdup(name))) {
        sup_program_free(p);
        return sup_diag_no_memory(r.diag);
    }
    sup_status status = read_root(&r, p);
    if (status) {
        sup_program_free(p);
        return status;
    }
    *out = p;
    return SUP_OK;
}
