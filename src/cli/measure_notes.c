/* What a process that measures over a transport tells the tool that started it, beside the profile: how many batches
 * there were, whether time sufficed, and warnings (a file of one JSON object, written whole when all is done); or, if
 * it fails, why (a file that whoever fails first writes). */
#include "cli/measure.h"

#include "base/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct notes {
    int64_t batches, rejected;
    bool complete;
    sup_warning *warnings;
    size_t warnings_count;
    struct json_t *extra;
} notes;

static const sup_field fields[] = {
    SUP_F_INT(notes, batches, "batches", 0, SUP_INT_MAX),
    SUP_F_INT(notes, rejected, "rejected", 0, SUP_INT_MAX),
    SUP_F_BOOL_OR(notes, complete, "complete", true),
    SUP_F_RECORDS(notes, warnings, "warnings", false, &sup_warning_record),
    SUP_F_END,
};
static const sup_record record = {.what = "notes",
                                  .size = sizeof(notes),
                                  .extra_offset = offsetof(notes, extra),
                                  .fields = fields};

sup_status sup_measuring_write_notes(const char *folder, const sup_session *session, bool complete, sup_diag *diag) {
    char path[SUP_MEASURE_PATH];
    size_t count;
    const sup_warning *warnings = sup_session_warnings(session, &count);
    double batches = (double)sup_session_batches(session);
    notes n = {.batches = (int64_t)batches,
               .rejected = (int64_t)round(sup_session_rejection_rate(session) * batches),
               .complete = complete,
               .warnings = (sup_warning *)warnings, /* which stay the session's */
               .warnings_count = count};
    json_t *json = NULL;
    sup_status status = sup_record_write(&record, &n, diag, &json);
    if (!status) status = sup_json_save(json, sup_measuring_path(folder, SUP_MEASURE_NOTES, path), diag);
    json_decref(json);
    return status;
}

void sup_measuring_take_notes(sup_measuring *m, unsigned what) {
    char path[SUP_MEASURE_PATH];
    notes n;
    sup_json *doc = NULL;
    if (sup_json_load(sup_measuring_path(m->folder, SUP_MEASURE_NOTES, path), NULL, &doc)) return; /* not so far */
    if (!sup_record_read(&record, doc, sup_json_root(doc), false, NULL, &n)) {
        if (what & SUP_NOTES_COUNTS) sup_session_count(m->session, (uint64_t)n.batches, (uint64_t)n.rejected);
        if (what & SUP_NOTES_REMARKS) m->complete = m->complete && n.complete;
        for (size_t i = 0; i < n.warnings_count && (what & SUP_NOTES_REMARKS); i++)
            sup_session_pass_on(m->session, &n.warnings[i]);
        sup_record_clear(&record, &n);
    }
    sup_json_free(doc);
}

static bool first_line(const sup_measuring *m, const char *name, char *text, size_t size) {
    char path[SUP_MEASURE_PATH];
    return sup_file_first_line(sup_measuring_path(m->folder, name, path), text, size);
}

void sup_measuring_reason(const sup_measuring *m, int status, char *text, size_t size) {
    if (first_line(m, SUP_MEASURE_WHY, text, size) || first_line(m, SUP_MEASURE_LOG, text, size)) return;
    if (WIFSIGNALED(status))
        snprintf(text, size, "killed by signal %d", WTERMSIG(status));
    else
        snprintf(text, size, "ended with status %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}
