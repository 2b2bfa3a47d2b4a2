/* Files of one record: profile, plan. What the file claims to be is looked at first, so that a file of a later build is
 * refused for that and not for the first member this build does not know. */
#include "base/file/file.h"
#include "base/file/record.h"

#include <assert.h>
#include <superstep/version.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

sup_status sup_record_file_kind(const sup_json *doc, sup_diag *diag, const char **kind, int64_t *schema) {
    const json_t *root = sup_json_root(doc);
    if (!json_is_object(root)) return sup_json_error(doc, root, NULL, -1, diag, "the file must be one JSON object");
    const char *name = NULL;
    json_int_t version = 0;
    sup_status status = sup_json_get_string(doc, root, "kind", true, diag, &name);
    if (!status) status = sup_json_get_int(doc, root, "schema", true, 1, INT64_MAX, diag, &version);
    if (status) return status;
    *kind = name;
    *schema = version;
    return SUP_OK;
}

sup_status sup_record_file_parse(const sup_record_file *file, const sup_json *doc, bool strict, sup_diag *diag,
                                 void **out) {
    const json_t *root = sup_json_root(doc);
    const char *kind = NULL;
    int64_t schema = 0;
    sup_status status = sup_record_file_kind(doc, diag, &kind, &schema);
    if (status) return status;
    assert(kind);
    if (strcmp(kind, file->kind) != 0)
        return sup_json_error(doc, root, "kind", -1, diag, "this is a %.39s file, not a %s", kind, file->kind);
    if (schema > file->schema) {
        sup_json_error(doc, root, "schema", -1, diag,
                       "schema version %" PRId64 " is newer than this build knows (%" PRId64 "): update superstep",
                       schema, file->schema);
        if (diag) diag->status = SUP_EVERSION;
        return SUP_EVERSION;
    }
    void *object = malloc(file->record->size);
    if (!object) return sup_diag_no_memory(diag);
    status = sup_record_read(file->record, doc, root, strict, diag, object);
    if (status) {
        free(object);
        return status;
    }
    *out = object;
    return SUP_OK;
}

sup_status sup_record_file_text(const sup_record_file *file, const void *object, sup_diag *diag, char **out,
                                size_t *out_length) {
    json_t *json = NULL;
    sup_status status = sup_record_check(file->record, object, diag);
    if (!status) status = sup_record_write(file->record, object, diag, &json);
    if (!status) status = sup_json_text(json, diag, out, out_length);
    json_decref(json);
    return status;
}

sup_status sup_record_file_save(const sup_record_file *file, const void *object, const char *path, bool over,
                                sup_diag *diag) {
    char *text = NULL;
    size_t length = 0;
    sup_status status = sup_record_file_text(file, object, diag, &text, &length);
    if (!status) status = sup_file_write(path, text, length, over, diag);
    free(text);
    return status;
}

sup_status sup_record_file_read(const sup_record_file *file, const char *path, bool strict, sup_diag *diag,
                                void **out) {
    sup_json *doc = NULL;
    sup_status status = sup_json_load(path, diag, &doc);
    if (status) return status;
    status = sup_record_file_parse(file, doc, strict, diag, out);
    sup_json_free(doc);
    return status;
}

/* The member of that name; every file has these. */
static void *member(const sup_record_file *file, void *object, const char *name) {
    const sup_field *f = file->record->fields;
    while (f->key && strcmp(f->key, name) != 0) f++;
    assert(f->key);
    return (char *)object + f->offset;
}

static sup_status stamp(const sup_record_file *file, int64_t now_unix_s, void *object) {
    time_t now = now_unix_s < 0 ? time(NULL) : (time_t)now_unix_s;
    struct tm utc;
    char text[40] = "1970-01-01T00:00:00Z";
    if (gmtime_r(&now, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    *(int64_t *)member(file, object, "schema") = file->schema;
    sup_status status = sup_record_set_string(member(file, object, "kind"), file->kind);
    if (!status) status = sup_record_set_string(member(file, object, "created"), text);
    if (!status) status = sup_record_set_string(member(file, object, "tool"), "superstep " SUP_VERSION_STRING);
    return status;
}

sup_status sup_record_file_check(const sup_where *where, const sup_record_file *file, const char *kind,
                                 const char *created) {
    if (strcmp(kind, file->kind) != 0) return sup_where_fail(where, "kind", -1, "\"kind\" must be \"%s\"", file->kind);
    static const char shape[] = "dddd-dd-ddTdd:dd:ddZ";
    size_t i = 0;
    while (shape[i] && (shape[i] == 'd' ? isdigit((unsigned char)created[i]) : created[i] == shape[i])) i++;
    if (shape[i] || created[i])
        return sup_where_fail(where, "created", -1, "\"created\" must be a time like 2026-01-31T12:00:00Z");
    return SUP_OK;
}

sup_status sup_record_file_new(const sup_record_file *file, int64_t now_unix_s, sup_diag *diag, void **out) {
    void *object = malloc(file->record->size);
    if (!object) return sup_diag_no_memory(diag);
    sup_record_init(file->record, object);
    if (stamp(file, now_unix_s, object)) {
        sup_record_file_free(file, object);
        return sup_diag_no_memory(diag);
    }
    *out = object;
    return SUP_OK;
}

void sup_record_file_free(const sup_record_file *file, void *object) {
    if (!object) return;
    sup_record_clear(file->record, object);
    free(object);
}
