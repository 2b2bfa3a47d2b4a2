/* Measured collectives in a file (taulop/bench.h): rows as profiles have them, of sizes that no profile was fitted to,
 * so that predictions can be judged again without measuring. Tcomm.
 *
 *     {"transport": "shm", "processes": 2, "measured": [{"operation": "broadcast", "algorithm": "binomial", …}]} */
#include "cli/taulop/bench.h"

#include "base/file/file.h"
#include "base/file/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct saved {
    char *transport;
    int64_t processes;
    int64_t *node_of;
    sup_collective_time *measured;
    size_t node_of_count, measured_count;
    struct json_t *extra;
} saved;

static const sup_field saved_fields[] = {
    SUP_F_STRING(saved, transport, "transport"),
    SUP_F_INT(saved, processes, "processes", 2, 1048576),
    SUP_F_INTS(saved, node_of, "node_of", false, 0, 1048576),
    SUP_F_RECORDS(saved, measured, "measured", true, &sup_collective_time_record),
    SUP_F_END,
};

static sup_status check_saved(const sup_where *w, const void *object) {
    const saved *s = object;
    if (s->node_of_count && s->node_of_count != (size_t)s->processes)
        return sup_where_fail(w, "node_of", -1, "\"node_of\" has %zu values for %lld processes", s->node_of_count,
                              (long long)s->processes);
    return SUP_OK;
}
static SUP_RECORD(saved_record, "measured collectives", saved, saved_fields, check_saved);

/* ---- writing ---- */

static const char *algorithm_of(const sup_bench_row *r, char text[SUP_CHOICE_TEXT]) {
    return r->of.operation == SUP_CASE_MESSAGE ? "direct" : sup_choice_text(&r->of.choice, text);
}

static sup_status add_value(double value, double **list, size_t *count) {
    double *grown = realloc(*list, (*count + 1) * sizeof *grown);
    if (!grown) return SUP_ENOMEM;
    *list = grown;
    grown[(*count)++] = value;
    return SUP_OK;
}

static sup_status add_size(int64_t bytes, sup_collective_time *t) {
    int64_t *grown = realloc(t->bytes, (t->bytes_count + 1) * sizeof *grown);
    if (!grown) return SUP_ENOMEM;
    t->bytes = grown;
    grown[t->bytes_count++] = bytes;
    return SUP_OK;
}

/* The row's list: the one whose sizes it goes on. */
static sup_collective_time *list_of(saved *s, const sup_bench *b, const sup_bench_row *r) {
    char text[SUP_CHOICE_TEXT];
    const char *operation = sup_bench_operation(r->of.operation), *algorithm = algorithm_of(r, text);
    for (size_t i = 0; i < s->measured_count; i++) {
        sup_collective_time *t = &s->measured[i];
        if (!strcmp(t->operation, operation) && !strcmp(t->algorithm, algorithm)) return t;
    }
    sup_collective_time *t = SUP_APPEND(&sup_collective_time_record, s->measured, s->measured_count);
    if (!t) return NULL;
    t->processes = b->processes;
    t->hosts = b->nodes;
    sup_status status = sup_record_set_string(&t->transport, b->transport);
    if (!status) status = sup_record_set_string(&t->operation, operation);
    if (!status) status = sup_record_set_string(&t->algorithm, algorithm);
    return status ? NULL : t;
}

static sup_status add_row(saved *s, const sup_bench *b, const sup_bench_row *r) {
    if (!isfinite(r->seconds)) return SUP_OK;
    sup_collective_time *t = list_of(s, b, r);
    if (!t) return SUP_ENOMEM;
    sup_status status = add_size(r->of.bytes, t);
    if (!status) status = add_value(r->seconds, &t->seconds, &t->seconds_count);
    if (!status) status = add_value(isfinite(r->ci) ? r->ci : r->seconds, &t->ci, &t->ci_count);
    return status ? status : add_value(r->typical, &t->typical, &t->typical_count);
}

sup_status sup_bench_save(const sup_bench *b, const char *path, bool over, sup_diag *diag) {
    saved s;
    json_t *json = NULL;
    sup_record_init(&saved_record, &s);
    s.processes = b->processes;
    sup_status status = sup_record_set_string(&s.transport, b->transport);
    if (!status && b->node_of)
        status = sup_record_set_ints(&s.node_of, &s.node_of_count, b->node_of, (size_t)b->processes);
    for (size_t i = 0; i < b->count && !status; i++) status = add_row(&s, b, &b->rows[i]);
    if (status)
        sup_diag_set(diag, status, NULL, 0, "out of memory");
    else
        status = sup_record_write(&saved_record, &s, diag, &json);
    char *text = NULL;
    size_t length = 0;
    if (!status) status = sup_json_text(json, diag, &text, &length);
    if (!status) status = sup_file_write(path, text, length, over, diag);
    free(text);
    json_decref(json);
    sup_record_clear(&saved_record, &s);
    return status;
}

/* ---- reading ---- */

static sup_status read_case(const sup_collective_time *t, const char *path, sup_diag *diag, sup_collective_case *out) {
    sup_diag why = {0};
    *out = (sup_collective_case){.operation = SUP_CASE_MESSAGE};
    if (!strcmp(t->operation, SUP_CASE_MESSAGE_NAME)) return SUP_OK;
    out->operation = sup_operation_find(t->operation);
    if (out->operation >= SUP_OPERATIONS)
        return sup_diag_set(diag, SUP_EPARSE, path, 0, "there is no operation \"%.64s\"", t->operation);
    if (sup_choice_read(out->operation, t->algorithm, &why, &out->choice) || !out->choice.algorithm)
        return sup_diag_set(diag, SUP_EPARSE, path, 0, "%s: there is no algorithm \"%.64s\"", t->operation,
                            t->algorithm);
    return SUP_OK;
}

static sup_status take_rows(const saved *s, const char *path, sup_diag *diag, sup_bench *b) {
    size_t all = 0;
    for (size_t i = 0; i < s->measured_count; i++) all += s->measured[i].bytes_count;
    if (!(b->rows = calloc(all + 1, sizeof *b->rows))) return sup_diag_no_memory(diag);
    for (size_t i = 0; i < s->measured_count; i++) {
        const sup_collective_time *t = &s->measured[i];
        sup_collective_case one;
        sup_status status = read_case(t, path, diag, &one);
        if (status) return status;
        if (t->processes != s->processes || strcmp(t->transport, s->transport) != 0)
            return sup_diag_set(diag, SUP_EPARSE, path, 0, "%s %s is of other processes or another transport",
                                t->operation, t->algorithm);
        for (size_t k = 0; k < t->bytes_count; k++) {
            sup_bench_row *r = &b->rows[b->count++];
            *r = (sup_bench_row){.of = one,
                                 .seconds = t->seconds[k],
                                 .ci = t->ci_count ? t->ci[k] : NAN,
                                 .typical = t->typical_count ? t->typical[k] : NAN};
            r->of.bytes = t->bytes[k];
        }
    }
    return SUP_OK;
}

static sup_status take_nodes(saved *s, sup_diag *diag, sup_bench *b) {
    b->processes = s->processes;
    b->nodes = 1;
    for (size_t i = 0; i < s->node_of_count; i++)
        if (s->node_of[i] >= b->nodes) b->nodes = s->node_of[i] + 1;
    if (b->nodes > s->processes)
        return sup_diag_set(diag, SUP_EPARSE, NULL, 0, "\"node_of\": more hosts than processes");
    b->node_of = s->node_of_count ? s->node_of : NULL;
    if (b->node_of) s->node_of = NULL;
    s->node_of_count = s->node_of ? s->node_of_count : 0;
    b->transport = s->transport;
    s->transport = NULL;
    return SUP_OK;
}

sup_status sup_bench_load(const char *path, sup_diag *diag, sup_bench *b) {
    saved s;
    sup_json *doc = NULL;
    sup_status status = sup_json_load(path, diag, &doc);
    if (status) return status;
    status = sup_record_read(&saved_record, doc, sup_json_root(doc), false, diag, &s);
    sup_json_free(doc);
    if (status) return status;
    status = take_rows(&s, path, diag, b);
    if (!status) status = take_nodes(&s, diag, b);
    sup_record_clear(&saved_record, &s);
    return status;
}
