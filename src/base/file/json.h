/* JSON reading with diagnostics: a parsed document that knows the line of each of its values.
 *
 * jansson parses; a second light pass over the text notes where each value stands, so that "wrong type" and "out of
 * range" can name the line and the path as well as "missing comma". A reader built on this takes a file whole or not at
 * all. */
#ifndef SUP_BASE_FILE_JSON_H
#define SUP_BASE_FILE_JSON_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct sup_json sup_json;

/* name is what diagnostics call the text. Limits: 256 MiB, nesting 64, no duplicate keys, no trailing text.
 * SUP_EPARSE with line and reason; SUP_ENOENT / SUP_EIO for files. */
sup_status sup_json_parse(const char *name, const char *text, size_t length, sup_diag *diag, sup_json **out);
#define SUP_JSON_MAX ((size_t)256 << 20) /* bytes of a text */
sup_status sup_json_load(const char *path, sup_diag *diag, sup_json **out);
void sup_json_free(sup_json *doc);

json_t *sup_json_root(const sup_json *doc);

/* Line (from 1) of member `key` (objects) or element `index` (arrays) of `parent`; of parent itself with key NULL and
 * index -1. 0 if parent does not belong to the document. */
int sup_json_line(const sup_json *doc, const json_t *parent, const char *key, int index);

/* Fills diag for a value that is wrong: SUP_EPARSE, file name, its line. Returns SUP_EPARSE. */
sup_status sup_json_error(const sup_json *doc, const json_t *parent, const char *key, int index, sup_diag *diag,
                          const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Typed members. Absent with `required`: an error at the parent's line. Absent otherwise: SUP_OK, *out untouched. The
 * numeric readers check the closed range; real refuses NaN and infinities (JSON has none, but 1e999 parses). */
sup_status sup_json_get_int(const sup_json *doc, const json_t *object, const char *key, bool required, json_int_t low,
                            json_int_t high, sup_diag *diag, json_int_t *out);
sup_status sup_json_get_real(const sup_json *doc, const json_t *object, const char *key, bool required, double low,
                             double high, sup_diag *diag, double *out);
sup_status sup_json_get_string(const sup_json *doc, const json_t *object, const char *key, bool required,
                               sup_diag *diag, const char **out);
sup_status sup_json_get_bool(const sup_json *doc, const json_t *object, const char *key, bool required, sup_diag *diag,
                             bool *out);
sup_status sup_json_get_array(const sup_json *doc, const json_t *object, const char *key, bool required, sup_diag *diag,
                              const json_t **out);
sup_status sup_json_get_object(const sup_json *doc, const json_t *object, const char *key, bool required,
                               sup_diag *diag, const json_t **out);

/* Strict mode: the first member of object whose key is not in the NULL-terminated list is an error that names it and,
 * where one is close, the key that was probably meant. */
sup_status sup_json_only(const sup_json *doc, const json_t *object, const char *const *known, sup_diag *diag);

/* The one of a NULL-terminated list that was probably meant by a mistyped word; NULL: none is close. */
const char *sup_nearest(const char *word, const char *const *known);

/* The text that sup_json_save writes, for the caller to free: indented, short values on one line, ends in a newline.
 * out_length may be NULL. */
sup_status sup_json_text(const json_t *value, sup_diag *diag, char **out, size_t *out_length);

/* Writes value to path as sup_file_write does, over a file of its own kind. */
sup_status sup_json_save(const json_t *value, const char *path, sup_diag *diag);

#endif
