/* JSON reading with diagnostics: the ground of both joints (profile, plan) and of every other file the tool reads.
 *
 * jansson builds the tree. It keeps the members of an object in the order of the text and refuses duplicate keys here,
 * so a walk over text and tree side by side needs no decoding of keys: the n-th member of the text is the n-th of the
 * iterator. The walk notes one line per value; null, true and false are shared objects in jansson, which is why a value
 * is named by its parent and its place, not by its own address. */
#include "base/file/json.h"
#include "base/file/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_LIMIT 64

/* An array or object, its own line and where the lines of its children begin in `lines`. */
typedef struct container {
    const json_t *value;
    int line;
    size_t first;
} container;

struct sup_json {
    char name[256];
    json_t *root;
    container *containers; /* sorted by address once the walk is over */
    size_t container_count;
    int *lines;
    size_t line_count;
};

/* ---- limits that must hold before the parser recurses ---- */

static sup_status check_depth(const char *name, const char *text, size_t length, sup_diag *diag) {
    int depth = 0, line = 1;
    bool in_string = false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c == '\n') line++;
        if (in_string) {
            /* An escaped newline is an error that the parser finds; it must still count as a line here. */
            if (c == '\\' && i + 1 < length && text[i + 1] != '\n') i++;
            /* A raw newline cannot stand in a string: the text is broken, and the parser will say where. */
            if (c == '"' || c == '\n') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > DEPTH_LIMIT)
                return sup_diag_set(diag, SUP_EPARSE, name, line, "nested deeper than %d levels", DEPTH_LIMIT);
        } else if (c == ']' || c == '}') {
            depth--;
        }
    }
    return SUP_OK;
}

/* ---- the walk that notes lines ---- */

typedef struct scan {
    const char *at, *end;
    int line;
} scan;

/* Moves to the next character that starts a value, a key or a bracket. The text is known to be valid JSON. */
static void skip_space(scan *s) {
    while (s->at < s->end && strchr(" \t\r\n,:", *s->at)) {
        if (*s->at == '\n') s->line++;
        s->at++;
    }
}

static void skip_string(scan *s) {
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++)
        if (*s->at == '\\') s->at++;
    s->at++;
}

static void skip_scalar(scan *s) {
    if (*s->at == '"') {
        skip_string(s);
        return;
    }
    while (s->at < s->end && !strchr(" \t\r\n,:]}", *s->at)) s->at++;
}

static size_t child_count(const json_t *value) {
    return json_is_array(value) ? json_array_size(value) : json_object_size(value);
}

static bool is_container(const json_t *value) { return json_is_array(value) || json_is_object(value); }

static void count_values(const json_t *value, size_t *containers, size_t *values) {
    ++*containers;
    *values += child_count(value);
    size_t index;
    const char *key;
    json_t *child;
    if (json_is_array(value)) {
        json_array_foreach(value, index, child) {
            if (is_container(child)) count_values(child, containers, values);
        }
    } else {
        json_object_foreach((json_t *)value, key, child) {
            if (is_container(child)) count_values(child, containers, values);
        }
    }
}

static void note_container(sup_json *doc, scan *s, json_t *value);

static void note_child(sup_json *doc, scan *s, json_t *child, int *line) {
    skip_space(s);
    *line = s->line;
    if (is_container(child))
        note_container(doc, s, child);
    else
        skip_scalar(s);
}

static void note_container(sup_json *doc, scan *s, json_t *value) {
    container *c = &doc->containers[doc->container_count++];
    *c = (container){.value = value, .line = s->line, .first = doc->line_count};
    doc->line_count += child_count(value);
    int *line = doc->lines + c->first;
    size_t index;
    const char *key;
    json_t *child;
    s->at++; /* the opening bracket */
    if (json_is_array(value)) {
        json_array_foreach(value, index, child) { note_child(doc, s, child, line++); }
    } else {
        json_object_foreach(value, key, child) {
            skip_space(s);
            skip_string(s);
            note_child(doc, s, child, line++);
        }
    }
    skip_space(s);
    s->at++; /* the closing bracket */
}

static int by_address(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)((const container *)a)->value, y = (uintptr_t)((const container *)b)->value;
    return (x > y) - (x < y);
}

static sup_status note_lines(sup_json *doc, const char *text, size_t length, sup_diag *diag) {
    size_t containers = 0, values = 0;
    count_values(doc->root, &containers, &values);
    doc->containers = calloc(containers, sizeof *doc->containers);
    doc->lines = calloc(values ? values : 1, sizeof *doc->lines);
    if (!doc->containers || !doc->lines) return sup_diag_set(diag, SUP_ENOMEM, doc->name, 0, "out of memory");
    scan s = {text, text + length, 1};
    skip_space(&s);
    note_container(doc, &s, doc->root);
    qsort(doc->containers, doc->container_count, sizeof *doc->containers, by_address);
    return SUP_OK;
}

/* ---- parse and load ---- */

static sup_status parse_error(const char *name, const json_error_t *error, sup_diag *diag) {
    sup_status status = json_error_code(error) == json_error_out_of_memory ? SUP_ENOMEM : SUP_EPARSE;
    return sup_diag_set(diag, status, name, error->line > 0 ? error->line : 1, "not valid JSON: %s", error->text);
}

sup_status sup_json_parse(const char *name, const char *text, size_t length, sup_diag *diag, sup_json **out) {
    if (length > SUP_JSON_MAX)
        return sup_diag_set(diag, SUP_EPARSE, name, 0, "larger than %zu MiB", SUP_JSON_MAX >> 20);
    if (length == 0) return sup_diag_set(diag, SUP_EPARSE, name, 0, "is empty");
    sup_status status = check_depth(name, text, length, diag);
    if (status) return status;
    sup_json *doc = calloc(1, sizeof *doc);
    if (!doc) return sup_diag_set(diag, SUP_ENOMEM, name, 0, "out of memory");
    snprintf(doc->name, sizeof doc->name, "%s", name ? name : "");
    json_error_t error = {0};
    doc->root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    status = doc->root ? note_lines(doc, text, length, diag) : parse_error(name, &error, diag);
    if (status) {
        sup_json_free(doc);
        return status;
    }
    *out = doc;
    return SUP_OK;
}

void sup_json_free(sup_json *doc) {
    if (!doc) return;
    free(doc->lines);
    free(doc->containers);
    json_decref(doc->root);
    free(doc);
}

sup_status sup_json_load(const char *path, sup_diag *diag, sup_json **out) {
    char *text = NULL;
    size_t length = 0;
    sup_status status = sup_file_read(path, SUP_JSON_MAX, diag, &text, &length);
    if (status) return status;
    status = sup_json_parse(path, text, length, diag, out);
    free(text);
    return status;
}

json_t *sup_json_root(const sup_json *doc) { return doc->root; }

/* ---- where things are ---- */

static const container *find_container(const sup_json *doc, const json_t *value) {
    container wanted = {.value = value};
    return bsearch(&wanted, doc->containers, doc->container_count, sizeof wanted, by_address);
}

/* Place of key among the members, or -1. Linear: only errors ask. */
static long member_place(const json_t *object, const char *key) {
    long place = 0;
    const char *name;
    json_t *child;
    json_object_foreach((json_t *)object, name, child) {
        if (strcmp(name, key) == 0) return place;
        place++;
    }
    return -1;
}

int sup_json_line(const sup_json *doc, const json_t *parent, const char *key, int index) {
    const container *c = find_container(doc, parent);
    if (!c) return 0;
    long place = index;
    if (key) place = json_is_object(parent) ? member_place(parent, key) : -1;
    if (place < 0 || (size_t)place >= child_count(parent)) return c->line;
    return doc->lines[c->first + (size_t)place];
}

sup_status sup_json_error(const sup_json *doc, const json_t *parent, const char *key, int index, sup_diag *diag,
                          const char *format, ...) {
    char text[sizeof diag->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sup_diag_set(diag, SUP_EPARSE, doc->name, sup_json_line(doc, parent, key, index), "%s", text);
}

/* ---- typed members ---- */

static const char *type_name(const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "an array";
    case JSON_STRING: return "a string";
    case JSON_INTEGER: return "an integer";
    case JSON_REAL: return "a number with a fraction or exponent";
    case JSON_TRUE:
    case JSON_FALSE: return "a boolean";
    default: return "null";
    }
}

/* The member, if it is of one of the `types` (bits by json_type). SUP_OK with *out NULL: absent and allowed to be. */
static sup_status find_member(const sup_json *doc, const json_t *object, const char *key, bool required, unsigned types,
                              const char *wanted, sup_diag *diag, const json_t **out) {
    const json_t *value = json_object_get(object, key);
    *out = NULL;
    if (!value && required) return sup_json_error(doc, object, NULL, -1, diag, "\"%s\" is missing", key);
    if (value && !(types >> json_typeof(value) & 1))
        return sup_json_error(doc, object, key, -1, diag, "\"%s\" must be %s, not %s", key, wanted, type_name(value));
    *out = value;
    return SUP_OK;
}

#define TYPE(type) (1u << (type))

sup_status sup_json_get_int(const sup_json *doc, const json_t *object, const char *key, bool required, json_int_t low,
                            json_int_t high, sup_diag *diag, json_int_t *out) {
    const json_t *value;
    sup_status status = find_member(doc, object, key, required, TYPE(JSON_INTEGER), "an integer", diag, &value);
    if (!value) return status;
    json_int_t n = json_integer_value(value);
    if (n < low || n > high)
        return sup_json_error(doc, object, key, -1, diag,
                              "\"%s\" is %" JSON_INTEGER_FORMAT ", outside %" JSON_INTEGER_FORMAT
                              " to %" JSON_INTEGER_FORMAT,
                              key, n, low, high);
    *out = n;
    return SUP_OK;
}

sup_status sup_json_get_real(const sup_json *doc, const json_t *object, const char *key, bool required, double low,
                             double high, sup_diag *diag, double *out) {
    const unsigned number = TYPE(JSON_INTEGER) | TYPE(JSON_REAL);
    const json_t *value;
    sup_status status = find_member(doc, object, key, required, number, "a number", diag, &value);
    if (!value) return status;
    double x = json_number_value(value);
    if (!isfinite(x)) return sup_json_error(doc, object, key, -1, diag, "\"%s\" is not a finite number", key);
    if (x < low || x > high)
        return sup_json_error(doc, object, key, -1, diag, "\"%s\" is %g, outside %g to %g", key, x, low, high);
    *out = x;
    return SUP_OK;
}

sup_status sup_json_get_string(const sup_json *doc, const json_t *object, const char *key, bool required,
                               sup_diag *diag, const char **out) {
    const json_t *value;
    sup_status status = find_member(doc, object, key, required, TYPE(JSON_STRING), "a string", diag, &value);
    if (value) *out = json_string_value(value);
    return status;
}

sup_status sup_json_get_bool(const sup_json *doc, const json_t *object, const char *key, bool required, sup_diag *diag,
                             bool *out) {
    const unsigned boolean = TYPE(JSON_TRUE) | TYPE(JSON_FALSE);
    const json_t *value;
    sup_status status = find_member(doc, object, key, required, boolean, "true or false", diag, &value);
    if (value) *out = json_is_true(value);
    return status;
}

sup_status sup_json_get_array(const sup_json *doc, const json_t *object, const char *key, bool required, sup_diag *diag,
                              const json_t **out) {
    const json_t *value;
    sup_status status = find_member(doc, object, key, required, TYPE(JSON_ARRAY), "an array", diag, &value);
    if (value) *out = value;
    return status;
}

sup_status sup_json_get_object(const sup_json *doc, const json_t *object, const char *key, bool required,
                               sup_diag *diag, const json_t **out) {
    const json_t *value;
    sup_status status = find_member(doc, object, key, required, TYPE(JSON_OBJECT), "an object", diag, &value);
    if (value) *out = value;
    return status;
}

/* ---- strict mode ---- */

/* Edit distance with insertion, deletion, substitution and exchange of neighbours; names longer than the table are
 * called far apart. */
static size_t distance(const char *a, const char *b) {
    enum { LONGEST = 63 };
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST) return LONGEST;
    size_t rows[3][LONGEST + 1]; /* the last three, in turn */
    for (size_t j = 0; j <= m; j++) rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (exchanged && before[j - 2] + 1 < best) best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char *sup_nearest(const char *word, const char *const *known) {
    const char *best = NULL;
    size_t best_distance =
        (strlen(word) + 1) / 3 + 1; /* more than a third of the letters wrong is no slip of the hand */
    for (; *known; known++) {
        size_t d = distance(word, *known);
        if (d < best_distance) {
            best_distance = d;
            best = *known;
        }
    }
    return best;
}

sup_status sup_json_only(const sup_json *doc, const json_t *object, const char *const *known, sup_diag *diag) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) {
        const char *const *k = known;
        while (*k && strcmp(*k, key) != 0) k++;
        if (*k) continue;
        const char *meant = sup_nearest(key, known);
        if (meant)
            return sup_json_error(doc, object, key, -1, diag, "unknown key \"%.47s\"; did you mean \"%s\"?", key,
                                  meant);
        return sup_json_error(doc, object, key, -1, diag, "unknown key \"%.47s\"", key);
    }
    return SUP_OK;
}
