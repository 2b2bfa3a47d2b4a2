/* The tool's frame, shared by all verbs: messages on stderr in one form, exit codes that follow from a status, and
 * numbers read whole or not at all. It belongs to no term of the equation; superstep(1) documents what it does. */
#include "cli/frame/cli.h"

#include "base/file/file.h"
#include "base/file/json.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MESSAGE_SIZE = 2048 };

static const char *also_in;

void sup_cli_also_in(const char *path) { also_in = path; }

/* Whoever is first among several processes. */
static void keep(const char *text) {
    int file = open(also_in, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return;
    dprintf(file, "%s\n", text);
    close(file);
}

/* One write for the whole line: processes of a run share stderr, and a line must not be torn apart. What a user typed
 * may be in it. */
static void say(const char *verb, char *text, const char *hint) {
    char line[MESSAGE_SIZE + 256];
    sup_text_make_plain(text);
    int length = snprintf(line, sizeof line, "superstep%s%s: %s%s\n", verb ? " " : "", verb ? verb : "", text, hint);
    if (length > 0) fputs(line, stderr);
    if (also_in) keep(text);
}

int sup_cli_fail(const char *verb, int code, const char *format, ...) {
    char text[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say(verb, text, "");
    return code;
}

int sup_cli_exit_code(sup_status status) {
    switch (status) {
    case SUP_OK: return SUP_EXIT_OK;
    case SUP_EINVAL: return SUP_EXIT_USAGE;
    case SUP_EIO:
    case SUP_EPARSE:
    case SUP_ENOENT: return SUP_EXIT_FILE;
    case SUP_EVERSION:
    case SUP_EMISMATCH: return SUP_EXIT_MISMATCH;
    default: return SUP_EXIT_SYSTEM;
    }
}

int sup_cli_fail_diag(const char *verb, const sup_diag *diag) {
    char text[MESSAGE_SIZE];
    sup_diag_format(diag, text, sizeof text);
    say(verb, text, "");
    return sup_cli_exit_code(diag->status);
}

int sup_cli_no_memory(const char *verb) { return sup_cli_fail(verb, SUP_EXIT_SYSTEM, "out of memory"); }

int sup_cli_usage(const char *verb, const char *format, ...) {
    char text[MESSAGE_SIZE];
    char hint[128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(hint, sizeof hint, " (try `superstep %s%s--help`)", verb ? verb : "", verb ? " " : "");
    say(verb, text, hint);
    return SUP_EXIT_USAGE;
}

bool sup_cli_int(const char *text, long low, long high, long *out) {
    char *end = NULL;
    /* strtol would skip blanks; "whole decimal number" does not allow them. */
    if (!text || !(*text == '-' || *text == '+' || (*text >= '0' && *text <= '9'))) return false;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < low || value > high) return false;
    *out = value;
    return true;
}

int sup_cli_check_out(const char *verb, const char *path, const char *kind, bool force) {
    sup_diag diag = {0};
    return path && sup_file_check(path, kind, force, &diag) ? sup_cli_fail_diag(verb, &diag) : SUP_EXIT_OK;
}

int sup_cli_write(const char *verb, const char *path, const void *bytes, size_t length, bool force) {
    sup_diag diag = {0};
    return sup_file_write(path, bytes, length, force, &diag) ? sup_cli_fail_diag(verb, &diag) : SUP_EXIT_OK;
}

int sup_cli_emit(const char *verb, json_t *json) {
    char *text = NULL;
    sup_diag diag = {0};
    if (!json) return sup_cli_no_memory(verb);
    sup_status status = sup_json_text(json, &diag, &text, NULL);
    json_decref(json);
    if (status) return sup_cli_fail_diag(verb, &diag);
    fputs(text, stdout);
    free(text);
    return fflush(stdout) ? sup_cli_fail(verb, SUP_EXIT_FILE, "cannot write") : SUP_EXIT_OK;
}

sup_status sup_cli_here(const sup_topology *given, sup_diag *diag, sup_origin *out) {
    sup_topology *loaded = NULL;
    sup_record_init(&sup_origin_record, out);
    sup_status status = given ? SUP_OK : sup_topology_load(0, diag, &loaded);
    if (status) return status;
    status = sup_origin_set(out, given ? given : loaded, NULL, NULL, NULL);
    sup_topology_free(loaded);
    if (status) sup_diag_set(diag, status, NULL, 0, "cannot describe this machine: %s", sup_status_text(status));
    return status;
}

json_t *sup_cli_name(const char *name) {
    if (!name) return json_null();
    json_t *text = json_string(name);
    return text ? text : json_string("?");
}
