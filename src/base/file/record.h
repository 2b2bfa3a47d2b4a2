/* Records: C structs and JSON objects described by one table, so that reading, checking, writing and freeing a file
 * format cannot disagree.
 *
 * A record type lists its fields in the order of the file. From that list come
 *   - reading: type, range and presence of every member are checked, errors have line and reason; a member that the
 *     table does not know is an error (strict) or kept in `extra` and written back (not strict), at any depth;
 *   - checking of a struct that was filled by a program, by the same rules;
 *   - writing: members in table order, absent ones left out, then the kept ones;
 *   - freeing.
 * What a table cannot say (segments must not overlap) is the record's own `check`.
 *
 * Every struct of a record type has a member `struct json_t *extra`. A variable-length member NAME of a struct is a
 * pointer NAME and a size_t NAME_count. The struct owns all it points to; strings come from malloc. */
#ifndef SUP_BASE_FILE_RECORD_H
#define SUP_BASE_FILE_RECORD_H

#include "base/file/json.h"

#include <math.h>
#include <stdint.h>

typedef enum sup_field_type {
    SUP_FIELD_END,
    SUP_FIELD_INT,     /* int64_t */
    SUP_FIELD_REAL,    /* double; NaN is "absent" */
    SUP_FIELD_BOOL,    /* bool */
    SUP_FIELD_STRING,  /* char *; NULL is "absent" */
    SUP_FIELD_ENUM,    /* int: place in `names` */
    SUP_FIELD_INTS,    /* int64_t * and count */
    SUP_FIELD_REALS,   /* double * and count */
    SUP_FIELD_STRINGS, /* char ** and count */
    SUP_FIELD_NUMBERS, /* sup_named * and count: an object whose members are numbers of any names */
    SUP_FIELD_RECORD,  /* a struct, always there */
    SUP_FIELD_MAYBE,   /* pointer to a struct; NULL is "absent" */
    SUP_FIELD_RECORDS  /* pointer to structs and count */
} sup_field_type;

typedef struct sup_named {
    char *name;
    double value;
} sup_named;

typedef struct sup_record sup_record;

typedef struct sup_field {
    sup_field_type type;
    const char *key;
    bool required;
    size_t offset, count_offset;
    double low, high; /* closed range of numbers; length range of strings and arrays is up to the limits below */
    double fallback;  /* INT, BOOL, ENUM: what "absent" means; left out on writing */
    const char *const *names; /* ENUM: NULL-terminated */
    const sup_record *record; /* RECORD, MAYBE, RECORDS */
} sup_field;

/* Where a check stands: inside a file, or (doc NULL) in memory only. */
typedef struct sup_where {
    const sup_json *doc;
    const json_t *object;
    const sup_record *record;
    sup_diag *diag;
} sup_where;

struct sup_record {
    const char *what; /* for messages about structs in memory: "pair class" */
    size_t size, extra_offset;
    const sup_field *fields;
    /* NULL, or what the table cannot say. Fields have been checked one by one. */
    sup_status (*check)(const sup_where *where, const void *object);
    /* NULL, or fills members that are derived from the fields; may be called again. */
    sup_status (*derive)(const sup_where *where, void *object);
    /* NULL, or frees what the struct holds beside its fields. */
    void (*release)(void *object);
};

/* const sup_record NAME, of struct T: SUP_RECORD(sup_gamma_record, "reduction cost", sup_gamma, gamma_fields, NULL). */
#define SUP_RECORD(name, words, T, table, check) SUP_RECORD_DERIVED(name, words, T, table, check, NULL, NULL)
#define SUP_RECORD_DERIVED(name, words, T, table, check, derive, release) \
    const sup_record name = {words, sizeof(T), offsetof(T, extra), table, check, derive, release}

/* Integers that a double holds exactly: the range of file integers is given as double. */
#define SUP_INT_MAX 9007199254740992.0
#define SUP_STRING_LIMIT 4096

/* One row of a table: member m of struct T has the key k; `need` says whether a file must have it. The first fails to
 * compile where the member is not of the type. */
#define SUP_FIELD_AT(T, m, ctype) \
    (offsetof(T, m) + 0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((T *)0)->m), ctype) ? 1 : -1]))
/* ".low = 0" says nothing; the rest of a macro must not be empty. */
#define SUP_F_(ftype, at, k, need, ...) \
    { .type = SUP_FIELD_##ftype, .offset = (at), .key = (k), .required = (need), __VA_ARGS__ }
#define SUP_F_ONE_(ftype, T, m, ctype, k, need, ...) SUP_F_(ftype, SUP_FIELD_AT(T, m, ctype), k, need, __VA_ARGS__)
#define SUP_F_LIST_(ftype, T, m, ctype, k, need, ...) \
    SUP_F_ONE_(ftype, T, m, ctype, k, need, .count_offset = offsetof(T, m##_count), __VA_ARGS__)
#define SUP_F_RECORDS_(T, m, k, need, ...) \
    SUP_F_(RECORDS, offsetof(T, m), k, need, .count_offset = offsetof(T, m##_count), __VA_ARGS__)

#define SUP_F_INT(T, m, k, lo, hi) SUP_F_ONE_(INT, T, m, int64_t, k, true, .low = (lo), .high = (hi))
#define SUP_F_INT_OR(T, m, k, lo, hi, absent) \
    SUP_F_ONE_(INT, T, m, int64_t, k, false, .low = (lo), .high = (hi), .fallback = (absent))
#define SUP_F_REAL(T, m, k, lo, hi) SUP_F_ONE_(REAL, T, m, double, k, true, .low = (lo), .high = (hi))
#define SUP_F_REAL_MAYBE(T, m, k, lo, hi) SUP_F_ONE_(REAL, T, m, double, k, false, .low = (lo), .high = (hi))
#define SUP_F_BOOL_OR(T, m, k, absent) SUP_F_ONE_(BOOL, T, m, bool, k, false, .fallback = (absent))
#define SUP_F_STRING(T, m, k) SUP_F_ONE_(STRING, T, m, char *, k, true, .low = 0)
#define SUP_F_STRING_MAYBE(T, m, k) SUP_F_ONE_(STRING, T, m, char *, k, false, .low = 0)
#define SUP_F_ENUM(T, m, k, list) SUP_F_ONE_(ENUM, T, m, int, k, true, .names = (list))
#define SUP_F_ENUM_OR(T, m, k, list, absent) \
    SUP_F_ONE_(ENUM, T, m, int, k, false, .names = (list), .fallback = (absent))
#define SUP_F_INTS(T, m, k, need, lo, hi) SUP_F_LIST_(INTS, T, m, int64_t *, k, need, .low = (lo), .high = (hi))
#define SUP_F_REALS(T, m, k, need, lo, hi) SUP_F_LIST_(REALS, T, m, double *, k, need, .low = (lo), .high = (hi))
#define SUP_F_STRINGS(T, m, k, need) SUP_F_LIST_(STRINGS, T, m, char **, k, need, .low = 0)
#define SUP_F_NUMBERS(T, m, k) SUP_F_LIST_(NUMBERS, T, m, sup_named *, k, false, .low = 0)
#define SUP_F_RECORD(T, m, k, r) SUP_F_(RECORD, offsetof(T, m), k, true, .record = (r))
#define SUP_F_MAYBE(T, m, k, r) SUP_F_(MAYBE, offsetof(T, m), k, false, .record = (r))
#define SUP_F_NEED(T, m, k, r) SUP_F_(MAYBE, offsetof(T, m), k, true, .record = (r))
#define SUP_F_RECORDS(T, m, k, need, r) SUP_F_RECORDS_(T, m, k, need, .record = (r))
#define SUP_F_END \
    { .type = SUP_FIELD_END }

/* Sets a struct to "everything absent". */
void sup_record_init(const sup_record *record, void *object);
/* Frees what the struct owns (not the struct) and sets it to "everything absent". */
void sup_record_clear(const sup_record *record, void *object);

/* Reads one JSON object. On failure *object is as after sup_record_init. */
sup_status sup_record_read(const sup_record *record, const sup_json *doc, const json_t *json, bool strict,
                           sup_diag *diag, void *object);
/* The same rules for a struct in memory: SUP_EINVAL. */
sup_status sup_record_check(const sup_record *record, const void *object, sup_diag *diag);
/* Fills the derived members of a struct that was filled by a program and is right. Reading does it by itself. */
sup_status sup_record_ready(const sup_record *record, void *object, sup_diag *diag);
/* A new reference for the caller. The struct must be right (sup_record_check). SUP_ENOMEM. */
sup_status sup_record_write(const sup_record *record, const void *object, sup_diag *diag, json_t **out);

/* Replaces what `to` holds (a struct in its initial state, or one of its own) by a copy of what `from` holds, which
 * must be right. SUP_ENOMEM. */
sup_status sup_record_copy(const sup_record *record, const void *from, void *to);

/* Where a check of the element `index` (a member itself: -1) of where's member `key` would stand. */
sup_where sup_where_below(const sup_where *where, const char *key, int index, const sup_record *record);

/* For a record's check: fills diag and returns SUP_EPARSE with the line of the member (or of its element, index ≥ 0),
 * or SUP_EINVAL in memory. */
sup_status sup_where_fail(const sup_where *where, const char *key, int index, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* For a record's check: the list of that member has a value, and each is above the one before. */
sup_status sup_where_ascending(const sup_where *where, const char *key, const int64_t *list, size_t count);

/* Appends a struct in its initial state to a RECORDS member: *items and *count are that member,
 * grown by this function alone. NULL: no memory. */
void *sup_record_append(const sup_record *record, void **items, size_t *count);
#define SUP_APPEND(record, list, list_count) sup_record_append(record, (void **)&(list), &(list_count))
/* A single record for a member that may be absent, in its initial state; freed with its owner. NULL: no memory. */
void *sup_record_make(const sup_record *record);
/* Replaces a string member by a copy of text (NULL: absent). */
sup_status sup_record_set_string(char **member, const char *text);
/* Replaces a list member by a copy of count values. */
sup_status sup_record_set_ints(int64_t **member, size_t *member_count, const int64_t *values, size_t count);
sup_status sup_record_set_reals(double **member, size_t *member_count, const double *values, size_t count);
/* Appends to a NUMBERS member. */
sup_status sup_named_append(sup_named **member, size_t *member_count, const char *name, double value);

/* A file whose root is a record with the members kind, created, tool (strings) and schema (int), which say what it is.
 */
typedef struct sup_record_file {
    const char *kind; /* "superstep-profile" */
    int64_t schema;   /* the newest this build knows */
    const sup_record *record;
} sup_record_file;

/* The kind and schema of a document: SUP_EPARSE if it has none, whatever the schema. */
sup_status sup_record_file_kind(const sup_json *doc, sup_diag *diag, const char **kind, int64_t *schema);
sup_status sup_record_file_parse(const sup_record_file *file, const sup_json *doc, bool strict, sup_diag *diag,
                                 void **out);
sup_status sup_record_file_read(const sup_record_file *file, const char *path, bool strict, sup_diag *diag, void **out);
/* Checks, then formats / writes the file (sup_file_write). */
sup_status sup_record_file_text(const sup_record_file *file, const void *object, sup_diag *diag, char **out,
                                size_t *out_length);
sup_status sup_record_file_save(const sup_record_file *file, const void *object, const char *path, bool over,
                                sup_diag *diag);
/* For a root's check: kind is file's own, created is a time like 2026-01-31T12:00:00Z. */
sup_status sup_record_file_check(const sup_where *where, const sup_record_file *file, const char *kind,
                                 const char *created);
/* With its kind, schema, the time (UTC; < 0: now) and the version of this build. SUP_ENOMEM. */
sup_status sup_record_file_new(const sup_record_file *file, int64_t now_unix_s, sup_diag *diag, void **out);
void sup_record_file_free(const sup_record_file *file, void *object);

/* The same with types, for the file T_file whose root is a struct T; of sup_trace:
 *     sup_trace_new     an empty one that says what it is; now_unix_s < 0: created now
 *     sup_trace_read    whole or not at all. strict: unknown keys are errors; otherwise they are kept and written back.
 *                       SUP_ENOENT, SUP_EIO, SUP_EPARSE with line, SUP_EVERSION
 *     sup_trace_parse   the same of a document
 *     sup_trace_write   checks, then writes the file, over one of its kind
 *     sup_trace_put     the same; over one of its kind only if it may (`over`)
 *     sup_trace_text    checks, then formats; to be freed
 *     sup_trace_check   the rules of the file for a struct in memory: SUP_EINVAL
 *     sup_trace_ready   makes the derived members of one that was filled by hand */
#define SUP_RECORD_FILE_FUNCTIONS(T)                                                                     \
    extern const sup_record_file T##_file;                                                               \
    static inline sup_status T##_new(int64_t now_unix_s, sup_diag *diag, T **out) {                      \
        void *object = NULL;                                                                             \
        sup_status status = sup_record_file_new(&T##_file, now_unix_s, diag, &object);                   \
        if (!status) *out = object;                                                                      \
        return status;                                                                                   \
    }                                                                                                    \
    static inline sup_status T##_read(const char *path, bool strict, sup_diag *diag, T **out) {          \
        void *object = NULL;                                                                             \
        sup_status status = sup_record_file_read(&T##_file, path, strict, diag, &object);                \
        if (!status) *out = object;                                                                      \
        return status;                                                                                   \
    }                                                                                                    \
    static inline sup_status T##_parse(const sup_json *doc, bool strict, sup_diag *diag, T **out) {      \
        void *object = NULL;                                                                             \
        sup_status status = sup_record_file_parse(&T##_file, doc, strict, diag, &object);                \
        if (!status) *out = object;                                                                      \
        return status;                                                                                   \
    }                                                                                                    \
    static inline sup_status T##_write(const T *object, const char *path, sup_diag *diag) {              \
        return sup_record_file_save(&T##_file, object, path, true, diag);                                \
    }                                                                                                    \
    static inline sup_status T##_put(const T *object, const char *path, bool over, sup_diag *diag) {     \
        return sup_record_file_save(&T##_file, object, path, over, diag);                                \
    }                                                                                                    \
    static inline sup_status T##_text(const T *object, sup_diag *diag, char **out, size_t *out_length) { \
        return sup_record_file_text(&T##_file, object, diag, out, out_length);                           \
    }                                                                                                    \
    static inline sup_status T##_check(const T *object, sup_diag *diag) {                                \
        return sup_record_check(T##_file.record, object, diag);                                          \
    }                                                                                                    \
    static inline sup_status T##_ready(T *object, sup_diag *diag) {                                      \
        return sup_record_ready(T##_file.record, object, diag);                                          \
    }                                                                                                    \
    static inline void T##_free(T *object) { sup_record_file_free(&T##_file, object); }

#endif
