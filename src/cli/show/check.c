/* superstep check: are these files well-formed profiles, plans or traces, what are they of, and do they fit this
 * machine? The joints of the flow pass through files; this is the verb that looks at them without using them. */
#include "cli/frame/cli.h"

#include "base/text.h"
#include "plan/plan.h"
#include "profile/profile.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "check"

struct request {
    bool strict, here, json;
};

/* The files that are checked: how each is read, and where its head is in what comes of it. */
static const struct kind {
    const sup_record_file *file;
    size_t origin, created, tool;
} kinds[] = {
    {&sup_profile_file, offsetof(sup_profile, signature), offsetof(sup_profile, created), offsetof(sup_profile, tool)},
    {&sup_plan_file, offsetof(sup_plan, signature), offsetof(sup_plan, created), offsetof(sup_plan, tool)},
    {&sup_trace_file, offsetof(sup_trace, signature), offsetof(sup_trace, created), offsetof(sup_trace, tool)},
};

/* A file that was read; the pointers lead into object. */
struct opened {
    sup_json *doc;
    void *object;
    const sup_record_file *file;
    const sup_origin *origin;
    int64_t schema;
    const char *created, *tool;
};

static void close_file(struct opened *f) {
    if (f->object) sup_record_file_free(f->file, f->object);
    sup_json_free(f->doc);
}

static sup_status open_file(const char *path, bool strict, sup_diag *diag, struct opened *f) {
    const char *name = NULL;
    sup_status status = sup_json_load(path, diag, &f->doc);
    if (!status) status = sup_record_file_kind(f->doc, diag, &name, &f->schema);
    if (status) return status;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct kind *k = &kinds[i];
        if (strcmp(name, k->file->kind) != 0) continue;
        f->file = k->file;
        status = sup_record_file_parse(k->file, f->doc, strict, diag, &f->object);
        if (status) return status;
        const char *object = f->object;
        f->origin = (const void *)(object + k->origin);
        f->created = *(char *const *)(const void *)(object + k->created);
        f->tool = *(char *const *)(const void *)(object + k->tool);
        return SUP_OK;
    }
    return sup_json_error(f->doc, sup_json_root(f->doc), "kind", -1, diag,
                          "the kind must be \"" SUP_PROFILE_KIND "\", \"" SUP_PLAN_KIND "\" or \"" SUP_TRACE_KIND "\"");
}

/* ---- text ---- */

/* The next field that is a section of the file, from `field` on; NULL: none. */
static const sup_field *next_section(const struct opened *f, const sup_field *field, const json_t **section) {
    for (; field->type; field++) {
        *section = json_object_get(sup_json_root(f->doc), field->key);
        if (*section && (field->type == SUP_FIELD_RECORDS || field->type == SUP_FIELD_MAYBE)) return field;
    }
    return NULL;
}

/* "pairs (2), barrier": the sections that are there. */
static void print_sections(const struct opened *f) {
    const char *gap = "";
    const json_t *section;
    printf("  sections  ");
    for (const sup_field *s = f->file->record->fields; (s = next_section(f, s, &section)); s++) {
        if (json_is_array(section) && json_array_size(section) == 0) continue;
        printf("%s%s", gap, s->key);
        if (json_is_array(section)) printf(" (%zu)", json_array_size(section));
        gap = ", ";
    }
    printf("%s\n", *gap ? "" : "none");
}

static void print_quality(const sup_quality *quality) {
    printf("  quality   %.1f %% of batches disturbed", 100 * quality->rejection_rate);
    if (quality->busy) printf(", the machine was busy");
    if (!quality->complete) printf(", not complete");
    printf("\n");
    for (size_t i = 0; i < quality->warnings_count; i++)
        sup_text_print(stdout, "            %s\n", quality->warnings[i].text);
}

static void print_text(const char *path, const struct opened *f, bool here, const sup_diag *mismatch) {
    const sup_origin *o = f->origin;
    sup_text_print(stdout, "%s: %s, schema %" PRId64 "\n", path, f->file->kind, f->schema);
    sup_text_print(stdout, "  made      %s by %s\n", f->created, f->tool);
    if (o->machine)
        sup_text_print(stdout, "  machine   %s\n", o->machine);
    else
        sup_text_print(stdout, "  machine   %s, %" PRId64 " core%s a host\n", o->cpu, o->cores,
                       o->cores == 1 ? "" : "s");
    sup_text_print(stdout, "  run       %" PRId64 " process%s on %" PRId64 " host%s over %s", o->processes,
                   o->processes == 1 ? "" : "es", o->hosts, o->hosts == 1 ? "" : "s", o->transport);
    if (o->policy) sup_text_print(stdout, ", placed %s", o->policy);
    printf("\n");
    print_sections(f);
    const sup_profile *profile = f->file == &sup_profile_file ? f->object : NULL;
    if (profile && profile->quality) print_quality(profile->quality);
    if (here) printf("  here      %s\n", mismatch ? "does not fit this machine" : "fits this machine");
}

/* ---- JSON ---- */

static json_t *sections_json(const struct opened *f) {
    json_t *sections = json_object();
    const json_t *section;
    for (const sup_field *s = f->file->record->fields; (s = next_section(f, s, &section)); s++)
        json_object_set_new(sections, s->key,
                            json_integer(json_is_array(section) ? (json_int_t)json_array_size(section) : 1));
    return sections;
}

static json_t *file_json(const char *path, const struct opened *f, bool here, const sup_diag *mismatch) {
    const sup_origin *o = f->origin;
    json_t *json = json_pack("{s:o, s:b, s:s, s:I, s:s, s:s, s:{s:s, s:s, s:I, s:I, s:I, s:s}, s:o}", "file",
                             sup_cli_name(path), "good", 1, "kind", f->file->kind, "schema", (json_int_t)f->schema,
                             "created", f->created, "tool", f->tool, "signature", "topology", o->topology, "cpu",
                             o->cpu, "cores", (json_int_t)o->cores, "hosts", (json_int_t)o->hosts, "processes",
                             (json_int_t)o->processes, "transport", o->transport, "sections", sections_json(f));
    if (here) json_object_set_new(json, "here", json_boolean(!mismatch));
    if (mismatch) json_object_set_new(json, "mismatch", json_string(mismatch->text));
    return json;
}

static json_t *error_json(const char *path, const sup_diag *diag) {
    return json_pack("{s:o, s:b, s:i, s:s}", "file", sup_cli_name(path), "good", 0, "line", diag->line, "error",
                     diag->text);
}

/* ---- the verb ---- */

static int worse(int a, int b) { return a > b ? a : b; }

/* Checks one file; `all` collects JSON, NULL prints text. */
static int check_file(const char *path, const struct request *request, const sup_origin *here, json_t *all) {
    struct opened f = {0};
    sup_diag diag = {0}, difference;
    int code = SUP_EXIT_OK;
    if (open_file(path, request->strict, &diag, &f)) {
        if (!diag.file[0]) snprintf(diag.file, sizeof diag.file, "%s", path);
        code = sup_cli_fail_diag(VERB, &diag);
        if (all) json_array_append_new(all, error_json(path, &diag));
    } else {
        const sup_diag *mismatch = NULL;
        if (here && sup_origin_match(f.origin, here, SUP_SIGNATURE_ANY_RUN, &difference)) mismatch = &difference;
        if (mismatch) code = sup_cli_fail(VERB, SUP_EXIT_MISMATCH, "%s: %s", path, mismatch->text);
        if (all)
            json_array_append_new(all, file_json(path, &f, here != NULL, mismatch));
        else
            print_text(path, &f, here != NULL, mismatch);
    }
    close_file(&f);
    return code;
}

static int check_files(const struct request *request, char **paths, const sup_origin *here) {
    int code = SUP_EXIT_OK;
    json_t *all = request->json ? json_array() : NULL;
    for (; *paths; paths++) code = worse(code, check_file(*paths, request, here, all));
    if (all) return worse(code, sup_cli_emit(VERB, all));
    if (fflush(stdout)) return sup_cli_fail(VERB, SUP_EXIT_FILE, "cannot write");
    return code;
}

static int run_check(int argc, char **argv) {
    struct request request = {0};
    int code = sup_options_parse(&sup_verb_check, &request, &argc, &argv);
    if (code >= 0) return code;
    if (!argc) return sup_cli_usage(VERB, "no file given");
    sup_origin here;
    sup_diag diag;
    if (request.here && sup_cli_here(NULL, &diag, &here)) return sup_cli_fail_diag(VERB, &diag);
    code = check_files(&request, argv, request.here ? &here : NULL);
    if (request.here) sup_record_clear(&sup_origin_record, &here);
    return code;
}

static const sup_option options[] = {
    SUP_FLAG("strict", struct request, strict, "a key that this version does not know is an error"),
    SUP_FLAG("here", struct request, here, "also say whether each file is of this machine"),
    SUP_FLAG("json", struct request, json, "JSON instead of text"),
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_check = {
    .name = VERB,
    .summary = "read profiles, plans and traces and say whether they are right",
    .usage = "superstep check [--strict] [--here] [--json] FILE...",
    .about = "Reads profiles, plans and traces whole, says what they are, or where and why they are wrong.",
    .more = "Ends with 0 if all files are good, 3 if one cannot be read or is malformed, 4 if one is of a later "
            "version or (--here) of another machine.",
    .options = options,
    .arguments = (const sup_option[]){{.value = "FILE", .kind = SUP_VALUE_FILE}, {0}},
    .most = -1,
    .run = run_check,
};
