/* Records: from struct to JSON, members in the order of the table, what is absent left out, what was kept last. */
#include "base/file/record.h"

#define AT(type, object, field) (*(type const *)((const char *)(object) + (field)->offset))
#define COUNT(object, field) (*(const size_t *)((const char *)(object) + (field)->count_offset))

static json_t *write_record(const sup_record *record, const void *object);

static json_t *list_element(const sup_field *f, const void *object, size_t i) {
    switch (f->type) {
    case SUP_FIELD_INTS: return json_integer(AT(int64_t *, object, f)[i]);
    case SUP_FIELD_REALS: return json_real(AT(double *, object, f)[i]);
    case SUP_FIELD_STRINGS: return json_string(AT(char **, object, f)[i]);
    default: return write_record(f->record, AT(char *, object, f) + i * f->record->size);
    }
}

static json_t *write_list(const sup_field *f, const void *object) {
    json_t *array = json_array();
    for (size_t i = 0; array && i < COUNT(object, f); i++) {
        if (json_array_append_new(array, list_element(f, object, i))) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *write_numbers(const sup_field *f, const void *object) {
    json_t *numbers = json_object();
    for (size_t i = 0; numbers && i < COUNT(object, f); i++) {
        const sup_named *n = &AT(sup_named *, object, f)[i];
        if (json_object_set_new(numbers, n->name, json_real(n->value))) {
            json_decref(numbers);
            return NULL;
        }
    }
    return numbers;
}

static bool is_absent(const sup_field *f, const void *object) {
    if (f->required) return false;
    switch (f->type) {
    case SUP_FIELD_INT: return AT(int64_t, object, f) == (int64_t)f->fallback;
    case SUP_FIELD_REAL: return isnan(AT(double, object, f));
    case SUP_FIELD_BOOL: return AT(bool, object, f) == (f->fallback != 0);
    case SUP_FIELD_STRING: return AT(char *, object, f) == NULL;
    case SUP_FIELD_ENUM: return AT(int, object, f) == (int)f->fallback;
    case SUP_FIELD_MAYBE: return AT(void *, object, f) == NULL;
    case SUP_FIELD_RECORD: return false;
    default: return COUNT(object, f) == 0;
    }
}

static json_t *write_field(const sup_field *f, const void *object) {
    switch (f->type) {
    case SUP_FIELD_INT: return json_integer(AT(int64_t, object, f));
    case SUP_FIELD_REAL: return json_real(AT(double, object, f));
    case SUP_FIELD_BOOL: return json_boolean(AT(bool, object, f));
    case SUP_FIELD_STRING: return json_string(AT(char *, object, f));
    case SUP_FIELD_ENUM: return json_string(f->names[AT(int, object, f)]);
    case SUP_FIELD_RECORD: return write_record(f->record, &AT(char, object, f));
    case SUP_FIELD_MAYBE: return write_record(f->record, AT(void *, object, f));
    case SUP_FIELD_NUMBERS: return write_numbers(f, object);
    default: return write_list(f, object);
    }
}

static json_t *write_record(const sup_record *record, const void *object) {
    json_t *json = json_object();
    json_t *extra = *(json_t *const *)((const char *)object + record->extra_offset);
    for (const sup_field *f = record->fields; json && f->type; f++) {
        if (is_absent(f, object)) continue;
        /* json_object_set_new fails on a NULL value too. */
        if (json_object_set_new(json, f->key, write_field(f, object))) goto drop;
    }
    if (json && extra && json_object_update_missing(json, extra)) goto drop;
    return json;
drop:
    json_decref(json);
    return NULL;
}

sup_status sup_record_write(const sup_record *record, const void *object, sup_diag *diag, json_t **out) {
    json_t *json = write_record(record, object);
    if (!json) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory, or a text that is not UTF-8");
    *out = json;
    return SUP_OK;
}

/* By way of JSON, so that only reading and writing know how to walk through a struct. */
sup_status sup_record_copy(const sup_record *record, const void *from, void *to) {
    json_t *json = write_record(record, from);
    if (!json) return SUP_ENOMEM;
    sup_record_clear(record, to);
    sup_status status = sup_record_read(record, NULL, json, false, NULL, to);
    json_decref(json);
    return status;
}
