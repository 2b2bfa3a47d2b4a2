/* Records: reading, checking and freeing of structs by table (record.h). Writing is in record_write.c. */
#include "base/file/record.h"
#include "base/list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Members are reached as void * whatever they point to: both compilers let a void * alias every pointer. */
#define AT(type, object, field) (*(type *)((char *)(object) + (field)->offset))
#define COUNT(object, field) (*(size_t *)((char *)(object) + (field)->count_offset))
#define EXTRA(object, record) (*(json_t **)((char *)(object) + (record)->extra_offset))

sup_status sup_where_fail(const sup_where *where, const char *key, int index, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!where->doc) return sup_diag_set(where->diag, SUP_EINVAL, NULL, 0, "%s: %s", where->record->what, text);
    const json_t *list = key && index >= 0 ? json_object_get(where->object, key) : NULL;
    if (json_is_array(list)) return sup_json_error(where->doc, list, NULL, index, where->diag, "%s", text);
    return sup_json_error(where->doc, where->object, key, -1, where->diag, "%s", text);
}

sup_where sup_where_below(const sup_where *where, const char *key, int index, const sup_record *record) {
    const json_t *value = where->doc ? json_object_get(where->object, key) : NULL;
    if (value && index >= 0) value = json_array_get(value, (size_t)index);
    return (sup_where){where->doc, value, record, where->diag};
}

sup_status sup_where_ascending(const sup_where *w, const char *key, const int64_t *list, size_t count) {
    if (count == 0) return sup_where_fail(w, key, -1, "\"%s\" is empty", key);
    for (size_t i = 1; i < count; i++)
        if (list[i] <= list[i - 1]) return sup_where_fail(w, key, (int)i, "\"%s\" must ascend", key);
    return SUP_OK;
}

/* ---- life ---- */

void sup_record_init(const sup_record *record, void *object) {
    memset(object, 0, record->size);
    for (const sup_field *f = record->fields; f->type; f++) {
        switch (f->type) {
        case SUP_FIELD_INT: AT(int64_t, object, f) = (int64_t)f->fallback; break;
        case SUP_FIELD_REAL: AT(double, object, f) = NAN; break;
        case SUP_FIELD_BOOL: AT(bool, object, f) = f->fallback != 0; break;
        case SUP_FIELD_ENUM: AT(int, object, f) = (int)f->fallback; break;
        case SUP_FIELD_RECORD: sup_record_init(f->record, &AT(char, object, f)); break;
        default: break;
        }
    }
}

static void free_field(const sup_field *f, void *object) {
    switch (f->type) {
    case SUP_FIELD_STRING:
    case SUP_FIELD_INTS:
    case SUP_FIELD_REALS: free(AT(void *, object, f)); break;
    case SUP_FIELD_STRINGS:
        for (size_t i = 0; i < COUNT(object, f); i++) free(AT(char **, object, f)[i]);
        free(AT(char **, object, f));
        break;
    case SUP_FIELD_NUMBERS:
        for (size_t i = 0; i < COUNT(object, f); i++) free(AT(sup_named *, object, f)[i].name);
        free(AT(sup_named *, object, f));
        break;
    case SUP_FIELD_RECORD: sup_record_clear(f->record, &AT(char, object, f)); break;
    case SUP_FIELD_MAYBE:
        if (AT(void *, object, f)) sup_record_clear(f->record, AT(void *, object, f));
        free(AT(void *, object, f));
        break;
    case SUP_FIELD_RECORDS:
        for (size_t i = 0; i < COUNT(object, f); i++)
            sup_record_clear(f->record, AT(char *, object, f) + i * f->record->size);
        free(AT(void *, object, f));
        break;
    default: break;
    }
}

void sup_record_clear(const sup_record *record, void *object) {
    if (record->release) record->release(object);
    json_decref(EXTRA(object, record));
    for (const sup_field *f = record->fields; f->type; f++) free_field(f, object);
    sup_record_init(record, object);
}

void *sup_record_append(const sup_record *record, void **items, size_t *count) {
    if (!sup_list_room(items, *count, record->size)) return NULL;
    void *item = (char *)*items + *count * record->size;
    sup_record_init(record, item);
    ++*count;
    return item;
}

void *sup_record_make(const sup_record *record) {
    void *object = malloc(record->size);
    if (object) sup_record_init(record, object);
    return object;
}

sup_status sup_record_set_string(char **member, const char *text) {
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy) return SUP_ENOMEM;
    free(*member);
    *member = copy;
    return SUP_OK;
}

static sup_status set_list(void **member, size_t *member_count, const void *values, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return SUP_ENOMEM;
    void *copy = count ? malloc(bytes) : NULL;
    if (count && !copy) return SUP_ENOMEM;
    if (count) memcpy(copy, values, bytes);
    free(*member);
    *member = copy;
    *member_count = count;
    return SUP_OK;
}

sup_status sup_record_set_ints(int64_t **member, size_t *member_count, const int64_t *values, size_t count) {
    void *list = *member;
    sup_status status = set_list(&list, member_count, values, count, sizeof *values);
    *member = list;
    return status;
}

sup_status sup_record_set_reals(double **member, size_t *member_count, const double *values, size_t count) {
    void *list = *member;
    sup_status status = set_list(&list, member_count, values, count, sizeof *values);
    *member = list;
    return status;
}

sup_status sup_named_append(sup_named **member, size_t *member_count, const char *name, double value) {
    char *copy = sup_list_room(member, *member_count, sizeof **member) ? strdup(name) : NULL;
    if (!copy) return SUP_ENOMEM;
    (*member)[(*member_count)++] = (sup_named){copy, value};
    return SUP_OK;
}

/* ---- values: the rules that hold in a file and in memory ---- */

static sup_status check_int(const sup_where *w, const sup_field *f, int index, int64_t n) {
    /* Beyond 2^53 a comparison as double is inexact, and no limit lies there. */
    if ((double)n >= f->low && (double)n <= f->high) return SUP_OK;
    return sup_where_fail(w, f->key, index, "\"%s\" is %lld, outside %.17g to %.17g", f->key, (long long)n, f->low,
                          f->high);
}

static sup_status check_real(const sup_where *w, const sup_field *f, int index, double x) {
    if (!isfinite(x)) return sup_where_fail(w, f->key, index, "\"%s\" is not a finite number", f->key);
    if (x >= f->low && x <= f->high) return SUP_OK;
    return sup_where_fail(w, f->key, index, "\"%s\" is %g, outside %g to %g", f->key, x, f->low, f->high);
}

/* Names reach terminals and file names of plots: no control characters, no empty ones. */
static sup_status check_string(const sup_where *w, const sup_field *f, int index, const char *s) {
    size_t length = strlen(s);
    if (length == 0) return sup_where_fail(w, f->key, index, "\"%s\" is empty", f->key);
    if (length > SUP_STRING_LIMIT)
        return sup_where_fail(w, f->key, index, "\"%s\" is longer than %d bytes", f->key, SUP_STRING_LIMIT);
    for (; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            return sup_where_fail(w, f->key, index, "\"%s\" contains a control character", f->key);
    return SUP_OK;
}

static int name_count(const sup_field *f) {
    int n = 0;
    while (f->names[n]) n++;
    return n;
}

/* A number of any name: finite, and the name is as good as any other string. */
static sup_status check_named(const sup_where *w, const sup_field *f, const sup_named *n) {
    sup_status status = check_string(w, f, -1, n->name);
    if (status || isfinite(n->value)) return status;
    return sup_where_fail(w, f->key, -1, "\"%s\" has a number that is not finite", f->key);
}

static sup_status check_list(const sup_where *w, const sup_field *f, const void *object) {
    sup_status status = SUP_OK;
    for (size_t i = 0; i < COUNT(object, f) && !status; i++) {
        if (f->type == SUP_FIELD_INTS) status = check_int(w, f, (int)i, AT(int64_t *, object, f)[i]);
        if (f->type == SUP_FIELD_REALS) status = check_real(w, f, (int)i, AT(double *, object, f)[i]);
        if (f->type == SUP_FIELD_STRINGS) status = check_string(w, f, (int)i, AT(char **, object, f)[i]);
        if (f->type == SUP_FIELD_NUMBERS) status = check_named(w, f, &AT(sup_named *, object, f)[i]);
    }
    return status;
}

/* One level; the levels below have been checked or will be. `object` may hold "absent" where that is allowed. */
static sup_status check_field(const sup_where *w, const sup_field *f, const void *object) {
    switch (f->type) {
    case SUP_FIELD_INT:
        if (!f->required && AT(const int64_t, object, f) == (int64_t)f->fallback) return SUP_OK;
        return check_int(w, f, -1, AT(const int64_t, object, f));
    case SUP_FIELD_REAL:
        if (!f->required && isnan(AT(const double, object, f))) return SUP_OK;
        return check_real(w, f, -1, AT(const double, object, f));
    case SUP_FIELD_STRING:
        if (AT(char *const, object, f)) return check_string(w, f, -1, AT(char *const, object, f));
        return f->required ? sup_where_fail(w, NULL, -1, "\"%s\" is missing", f->key) : SUP_OK;
    case SUP_FIELD_ENUM:
        if (AT(const int, object, f) >= 0 && AT(const int, object, f) < name_count(f)) return SUP_OK;
        return sup_where_fail(w, f->key, -1, "\"%s\" has no value of number %d", f->key, AT(const int, object, f));
    case SUP_FIELD_INTS:
    case SUP_FIELD_REALS:
    case SUP_FIELD_STRINGS:
    case SUP_FIELD_NUMBERS: return check_list(w, f, object);
    case SUP_FIELD_MAYBE:
        if (AT(void *const, object, f) || !f->required) return SUP_OK;
        return sup_where_fail(w, NULL, -1, "\"%s\" is missing", f->key);
    default: return SUP_OK;
    }
}

static sup_status check_level(const sup_where *w, const void *object) {
    for (const sup_field *f = w->record->fields; f->type; f++) {
        sup_status status = check_field(w, f, object);
        if (status) return status;
    }
    return w->record->check ? w->record->check(w, object) : SUP_OK;
}

/* Calls `visit` for every record directly below object. */
static sup_status each_below(const sup_record *record, void *object, sup_diag *diag,
                             sup_status (*visit)(const sup_record *, void *, sup_diag *)) {
    sup_status status = SUP_OK;
    for (const sup_field *f = record->fields; f->type && !status; f++) {
        if (f->type == SUP_FIELD_RECORD)
            status = visit(f->record, &AT(char, object, f), diag);
        else if (f->type == SUP_FIELD_MAYBE && AT(void *, object, f))
            status = visit(f->record, AT(void *, object, f), diag);
        else if (f->type == SUP_FIELD_RECORDS)
            for (size_t i = 0; i < COUNT(object, f) && !status; i++)
                status = visit(f->record, AT(char *, object, f) + i * f->record->size, diag);
    }
    return status;
}

static sup_status check_all(const sup_record *record, void *object, sup_diag *diag) {
    sup_status status = each_below(record, object, diag, check_all);
    sup_where where = {.record = record, .diag = diag};
    return status ? status : check_level(&where, object);
}

sup_status sup_record_check(const sup_record *record, const void *object, sup_diag *diag) {
    return check_all(record, (void *)object, diag); /* which writes nothing */
}

sup_status sup_record_ready(const sup_record *record, void *object, sup_diag *diag) {
    sup_status status = each_below(record, object, diag, sup_record_ready);
    sup_where where = {.record = record, .diag = diag};
    return !status && record->derive ? record->derive(&where, object) : status;
}

/* ---- reading ---- */

static sup_status read_record(const sup_where *w, bool strict, void *object);

static sup_status wrong_type(const sup_where *w, const sup_field *f, int index, const char *wanted) {
    const char *what = index >= 0 ? "every element of " : "";
    return sup_where_fail(w, f->key, index, "%s\"%s\" must be %s", what, f->key, wanted);
}

static sup_status read_string(const sup_where *w, const sup_field *f, int index, const json_t *value, char **out) {
    if (!json_is_string(value)) return wrong_type(w, f, index, "a string");
    *out = strdup(json_string_value(value));
    return *out ? SUP_OK : sup_diag_no_memory(w->diag);
}

static sup_status read_enum(const sup_where *w, const sup_field *f, const json_t *value, int *out) {
    char all[256] = "";
    if (!json_is_string(value)) return wrong_type(w, f, -1, "a string");
    for (int i = 0; f->names[i]; i++) {
        if (strcmp(f->names[i], json_string_value(value)) == 0) {
            *out = i;
            return SUP_OK;
        }
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", f->names[i]);
    }
    return sup_where_fail(w, f->key, -1, "\"%s\" must be one of: %s", f->key, all);
}

static sup_status read_scalar(const sup_where *w, const sup_field *f, const json_t *value, void *object) {
    switch (f->type) {
    case SUP_FIELD_INT:
        if (!json_is_integer(value)) return wrong_type(w, f, -1, "an integer");
        AT(int64_t, object, f) = json_integer_value(value);
        /* Here and not only at the end: what stands for "absent" in memory is not a value of the file. */
        return check_int(w, f, -1, AT(int64_t, object, f));
    case SUP_FIELD_REAL:
        if (!json_is_number(value)) return wrong_type(w, f, -1, "a number");
        AT(double, object, f) = json_number_value(value);
        return SUP_OK;
    case SUP_FIELD_BOOL:
        if (!json_is_boolean(value)) return wrong_type(w, f, -1, "true or false");
        AT(bool, object, f) = json_is_true(value);
        return SUP_OK;
    case SUP_FIELD_STRING: return read_string(w, f, -1, value, &AT(char *, object, f));
    default: return read_enum(w, f, value, &AT(int, object, f));
    }
}

static size_t element_size(const sup_field *f) {
    if (f->type == SUP_FIELD_INTS) return sizeof(int64_t);
    return f->type == SUP_FIELD_REALS ? sizeof(double) : sizeof(char *);
}

static sup_status read_list(const sup_where *w, const sup_field *f, const json_t *array, void *object) {
    size_t count = json_array_size(array), index;
    json_t *value;
    if (count == 0) return SUP_OK;
    void *list = calloc(count, element_size(f));
    if (!list) return sup_diag_no_memory(w->diag);
    /* Attached before it is filled, so that a failure half way frees the strings read so far. */
    AT(void *, object, f) = list;
    COUNT(object, f) = count;
    json_array_foreach(array, index, value) {
        sup_status status = SUP_OK;
        if (f->type == SUP_FIELD_INTS && json_is_integer(value))
            ((int64_t *)list)[index] = json_integer_value(value);
        else if (f->type == SUP_FIELD_REALS && json_is_number(value))
            ((double *)list)[index] = json_number_value(value);
        else if (f->type == SUP_FIELD_STRINGS)
            status = read_string(w, f, (int)index, value, &((char **)list)[index]);
        else
            status = wrong_type(w, f, (int)index, f->type == SUP_FIELD_INTS ? "an integer" : "a number");
        if (status) return status;
    }
    return SUP_OK;
}

static sup_status read_numbers(const sup_where *w, const sup_field *f, const json_t *object, void *into) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value) {
        if (!json_is_number(value)) return wrong_type(w, f, -1, "an object of numbers");
        if (sup_named_append(&AT(sup_named *, into, f), &COUNT(into, f), name, json_number_value(value)))
            return sup_diag_no_memory(w->diag);
    }
    return SUP_OK;
}

static sup_status read_records(const sup_where *w, const sup_field *f, const json_t *array, bool strict, void *object) {
    size_t index;
    json_t *value;
    json_array_foreach(array, index, value) {
        if (!json_is_object(value)) return wrong_type(w, f, (int)index, "an object");
        void *item = sup_record_append(f->record, &AT(void *, object, f), &COUNT(object, f));
        if (!item) return sup_diag_no_memory(w->diag);
        sup_where below = {w->doc, value, f->record, w->diag};
        sup_status status = read_record(&below, strict, item);
        if (status) return status;
    }
    return SUP_OK;
}

static sup_status read_field(const sup_where *w, const sup_field *f, bool strict, void *object) {
    const json_t *value = json_object_get(w->object, f->key);
    if (!value) return f->required ? sup_where_fail(w, NULL, -1, "\"%s\" is missing", f->key) : SUP_OK;
    sup_where below = {w->doc, value, f->record, w->diag};
    switch (f->type) {
    case SUP_FIELD_RECORD:
        if (!json_is_object(value)) return wrong_type(w, f, -1, "an object");
        return read_record(&below, strict, &AT(char, object, f));
    case SUP_FIELD_MAYBE:
        if (!json_is_object(value)) return wrong_type(w, f, -1, "an object");
        AT(void *, object, f) = sup_record_make(f->record);
        if (!AT(void *, object, f)) return sup_diag_no_memory(w->diag);
        return read_record(&below, strict, AT(void *, object, f));
    case SUP_FIELD_INTS:
    case SUP_FIELD_REALS:
    case SUP_FIELD_STRINGS:
        if (!json_is_array(value)) return wrong_type(w, f, -1, "an array");
        return read_list(w, f, value, object);
    case SUP_FIELD_NUMBERS:
        if (!json_is_object(value)) return wrong_type(w, f, -1, "an object of numbers");
        return read_numbers(w, f, value, object);
    case SUP_FIELD_RECORDS:
        if (!json_is_array(value)) return wrong_type(w, f, -1, "an array");
        return read_records(w, f, value, strict, object);
    default: return read_scalar(w, f, value, object);
    }
}

/* Members that the table does not know: an error, or kept. */
static sup_status read_unknown(const sup_where *w, bool strict, void *object) {
    enum { MOST = 64 };
    const char *known[MOST + 1];
    size_t count = 0, present = 0;
    for (const sup_field *f = w->record->fields; f->type && count < MOST; f++) {
        known[count] = f->key;
        present += json_object_get(w->object, known[count++]) != NULL;
    }
    known[count] = NULL;
    if (present == json_object_size(w->object)) return SUP_OK;
    if (strict) return sup_json_only(w->doc, w->object, known, w->diag);
    json_t *extra = json_object();
    if (!extra) return sup_diag_no_memory(w->diag);
    EXTRA(object, w->record) = extra;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)w->object, key, value) {
        size_t i = 0;
        while (i < count && strcmp(known[i], key) != 0) i++;
        if (i == count && json_object_set(extra, key, value)) return sup_diag_no_memory(w->diag);
    }
    return SUP_OK;
}

static sup_status read_record(const sup_where *w, bool strict, void *object) {
    sup_status status = read_unknown(w, strict, object);
    for (const sup_field *f = w->record->fields; f->type && !status; f++) status = read_field(w, f, strict, object);
    if (!status) status = check_level(w, object);
    return !status && w->record->derive ? w->record->derive(w, object) : status;
}

sup_status sup_record_read(const sup_record *record, const sup_json *doc, const json_t *json, bool strict,
                           sup_diag *diag, void *object) {
    sup_where where = {doc, json, record, diag};
    sup_record_init(record, object);
    sup_status status = read_record(&where, strict, object);
    if (status) sup_record_clear(record, object);
    return status;
}
