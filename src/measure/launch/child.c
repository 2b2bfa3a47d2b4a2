/* One process of a launch (child.h): reads the request, measures, leaves the result. Stage "measure". */
#include "measure/launch/child.h"

#include "base/file/file.h"
#include "measure/launch/target.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST 1e18

static const sup_field request_fields[] = {
    SUP_F_STRING(sup_request, target, "target"),
    SUP_F_STRING_MAYBE(sup_request, transport, "transport"),
    SUP_F_INT(sup_request, launch, "launch", 0, SUP_INT_MAX),
    SUP_F_REAL(sup_request, seconds, "seconds", 0, MOST),
    SUP_F_REAL_MAYBE(sup_request, until, "until", 0, MOST),
    SUP_F_INT_OR(sup_request, rounds, "rounds", 0, SUP_INT_MAX, 0),
    SUP_F_BOOL_OR(sup_request, exhaustive, "exhaustive", false),
    SUP_F_BOOL_OR(sup_request, cold, "cold", false),
    SUP_F_BOOL_OR(sup_request, rdma, "rdma", false),
    SUP_F_INT_OR(sup_request, deep, "deep", 0, SUP_MEASURE_ALL, 0),
    SUP_F_BOOL_OR(sup_request, others, "others", false),
    SUP_F_STRINGS(sup_request, setups, "setups", false),
    SUP_F_STRINGS(sup_request, kernels, "kernels", false),
    SUP_F_STRINGS(sup_request, plugins, "plugins", false),
    SUP_F_RECORDS(sup_request, visits, "visits", false, &sup_visited_record),
    SUP_F_MAYBE(sup_request, kinds, "kinds", &sup_kinds_record),
    SUP_F_INTS(sup_request, barriers, "barriers", false, -1, SUP_INT_MAX),
    SUP_F_STRINGS(sup_request, collectives, "collectives", false),
    SUP_F_BOOL_OR(sup_request, rotates, "rotates", false),
    SUP_F_INT_OR(sup_request, bytes, "bytes", 0, SUP_INT_MAX, 0),
    SUP_F_REAL_MAYBE(sup_request, part_s, "part_s", 0, MOST),
    SUP_F_STRING_MAYBE(sup_request, engine, "engine"),
    SUP_F_END,
};
SUP_RECORD(sup_request_record, "request", sup_request, request_fields, NULL);

static const sup_field result_fields[] = {
    SUP_F_INT(sup_result, launch, "launch", 0, SUP_INT_MAX),
    SUP_F_BOOL_OR(sup_result, complete, "complete", false),
    SUP_F_INT(sup_result, rounds, "rounds", 0, SUP_INT_MAX),
    SUP_F_INT(sup_result, batches, "batches", 0, SUP_INT_MAX),
    SUP_F_INT(sup_result, dropped, "dropped", 0, SUP_INT_MAX),
    SUP_F_REAL(sup_result, spent_s, "spent_s", 0, MOST),
    SUP_F_BOOL_OR(sup_result, oversubscribed, "oversubscribed", false),
    SUP_F_INTS(sup_result, places, "places", false, -1, SUP_INT_MAX),
    SUP_F_RECORDS(sup_result, visits, "visits", false, &sup_visited_record),
    SUP_F_MAYBE(sup_result, interruptions, "interruptions", &sup_interruptions_record),
    SUP_F_RECORDS(sup_result, warnings, "warnings", false, &sup_warning_record),
    SUP_F_END,
};
SUP_RECORD(sup_result_record, "result", sup_result, result_fields, NULL);

static sup_status save(const sup_record *record, const void *object, const char *path, sup_diag *diag) {
    json_t *json = NULL;
    sup_status status = sup_record_write(record, object, diag, &json);
    if (!status) status = sup_json_save(json, path, diag);
    json_decref(json);
    return status;
}

static sup_status load(const sup_record *record, const char *path, sup_diag *diag, void *object) {
    sup_json *doc = NULL;
    sup_status status = sup_json_load(path, diag, &doc);
    if (status) return status;
    status = sup_record_read(record, doc, sup_json_root(doc), false, diag, object);
    sup_json_free(doc);
    return status;
}

sup_status sup_request_save(const sup_request *request, const char *path, sup_diag *diag) {
    return save(&sup_request_record, request, path, diag);
}
sup_status sup_result_load(const char *path, sup_diag *diag, sup_result *out) {
    return load(&sup_result_record, path, diag, out);
}

/* ---- the process ---- */

typedef struct child {
    char stop[4200];
    int progress; /* file; -1 none */
    sup_turns turns;
} child;

static const char *beside(const char *request, const char *what, char *path, size_t size) {
    snprintf(path, size, "%s.%s", request, what);
    return path;
}

/* One line of fixed length, so that a reader never sees a piece of an older one behind it. */
static bool tell(void *context, double fraction, const char *text, double seconds_left) {
    child *c = context;
    char line[200];
    (void)seconds_left;
    int used = snprintf(line, sizeof line - 1, "%.4f %.150s", fraction, text ? text : "");
    if (used > 0 && (size_t)used < sizeof line - 1 && c->progress >= 0) {
        memset(line + used, '\n', sizeof line - (size_t)used);
        if (pwrite(c->progress, line, sizeof line, 0) < 0) c->progress = -1; /* then without */
    }
    return access(c->stop, F_OK) != 0;
}

static sup_status leave(const char *path, const sup_request *request, sup_session *session, sup_store *store,
                        sup_result *result, sup_diag *diag) {
    char file[4200];
    size_t count;
    const sup_warning *warnings = sup_session_warnings(session, &count);
    result->launch = request->launch;
    result->batches = (int64_t)sup_session_batches(session);
    result->dropped = (int64_t)sup_session_dropped(session);
    result->spent_s = sup_session_spent(session);
    sup_status status = sup_store_write(store, request->transport, true, &result->visits, &result->visits_count);
    for (size_t i = 0; i < count && !status; i++)
        status = sup_warning_add_copy(&result->warnings, &result->warnings_count, &warnings[i]);
    if (status) return sup_diag_set(diag, status, NULL, 0, "out of memory");
    return save(&sup_result_record, result, beside(path, "result", file, sizeof file), diag);
}

static sup_status measure(const char *path, const sup_request *request, child *c, sup_diag *diag) {
    sup_session_options about = sup_session_defaults();
    sup_session *session = NULL;
    sup_store *store = NULL;
    sup_result result;
    const sup_target_kind *target = sup_target_find(request->target);
    if (!target) return sup_diag_set(diag, SUP_EPARSE, path, 0, "there is no target \"%.64s\"", request->target);
    sup_record_init(&sup_result_record, &result);
    result.leads = target->alone;
    about.budget_s = request->seconds;
    about.progress = tell;
    about.progress_context = c;
    about.turns = c->turns.file >= 0 ? &c->turns : NULL;
    sup_status status = sup_session_open(&about, diag, &session);
    if (!status) status = sup_store_new((int)request->launch, &store);
    if (!status) status = sup_store_read(store, request->transport, request->visits, request->visits_count);
    if (!status) status = target->run(request, session, store, diag, &result);
    if (status == SUP_EINTR) status = SUP_OK;        /* what is there is there */
    if (!status && result.leads && !request->launch) /* numbers begin with 1: there was no request */
        status = sup_diag_set(diag, SUP_ENOENT, path, 0, "no such file");
    if (!status && result.leads) status = leave(path, request, session, store, &result, diag);
    sup_record_clear(&sup_result_record, &result);
    sup_store_free(store);
    sup_session_close(session);
    return status;
}

/* On another host the file need not be there: who only follows needs to know the target alone. */
static sup_status follow(const char *path, const char *target, sup_diag *diag) {
    sup_request request;
    child c = {.progress = -1, .turns = {.file = -1}};
    sup_record_init(&sup_request_record, &request);
    sup_status status = sup_record_set_string(&request.target, target);
    request.seconds = 1.0;
    if (!status) status = measure(path, &request, &c, diag);
    sup_record_clear(&sup_request_record, &request);
    return status;
}

sup_status sup_measure_child(const char *path, const char *target, sup_diag *diag) {
    char file[4200];
    child c = {.progress = -1, .turns = {.file = -1}};
    sup_request request;
    sup_status status = load(&sup_request_record, path, diag, &request);
    if (status == SUP_ENOENT && target) return follow(path, target, diag);
    if (status) return status;
    beside(path, "stop", c.stop, sizeof c.stop);
    c.progress = open(beside(path, "progress", file, sizeof file), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    sup_turns_join(path, &c.turns);
    status = measure(path, &request, &c, diag);
    sup_turns_leave(&c.turns);
    if (c.progress >= 0) close(c.progress);
    sup_record_clear(&sup_request_record, &request);
    return status;
}
