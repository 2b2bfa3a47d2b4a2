/* What a file is, by how it begins. Files of records say so themselves; whatever else the tool writes has a beginning
 * of its own. So one that is to be written can leave those of other kinds alone (file/write.c), at the price of a look
 * at their first bytes. */
#include "base/file/file.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *kind, *begins, *has; /* has: somewhere behind; NULL: nothing more is asked for */
} beginnings[] = {
    {SUP_FILE_REPORT, "<!DOCTYPE html>", "<title>Superstep report: "},
    {SUP_FILE_FIGURE, "<svg ", NULL},
    {SUP_FILE_FIGURE, "<?xml ", "<svg"},
    {SUP_FILE_FIGURE, "\x89PNG\r\n", NULL},
    {SUP_FILE_SOURCE, "/* ", "Written by superstep "},
    {SUP_FILE_RULES, "# Which algorithms Open MPI should take", NULL},
    {SUP_FILE_SWEEP, "# processes total low high ideal", NULL},
    {SUP_FILE_SCRIPT, "set output '", NULL},
};

static bool has(const char *bytes, size_t length, const char *word) {
    return memmem(bytes, length, word, strlen(word)) != NULL;
}

static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/* ---- JSON ---- */

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && is_blank(*at)) at++;
    return at;
}

/* Behind the string that begins at `at`. */
static const char *skip_string(const char *at, const char *end) {
    for (at++; at < end && *at != '"'; at++) at += *at == '\\';
    return at < end ? at + 1 : end;
}

/* The value of the root's member "kind", with its quotes; NULL: there is none, as far as the text goes. Nothing else is
 * checked: a plan that somebody has made a mistake in is a plan. */
static const char *find_member(const char *at, const char *end, size_t *length) {
    static const char key[] = "\"kind\"";
    int depth = 0;
    while (at < end) {
        if (*at != '"') {
            depth += *at == '{' || *at == '[';
            depth -= *at == '}' || *at == ']';
            at++;
            continue;
        }
        const char *word = at;
        at = skip_blanks(skip_string(at, end), end);
        if (at == end || *at != ':' || depth != 1 || strncmp(word, key, sizeof key - 1) != 0) continue;
        at = skip_blanks(at + 1, end);
        if (at == end || *at != '"') return NULL;
        *length = (size_t)(skip_string(at, end) - at);
        return at;
    }
    return NULL;
}

/* "superstep-plan" is a plan. */
static void name_json(const char *bytes, const char *end, char kind[SUP_FILE_KIND]) {
    static const char ours[] = "\"superstep-";
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";
    size_t length = 0, before = sizeof ours - 1;
    const char *value = find_member(bytes, end, &length);
    snprintf(kind, SUP_FILE_KIND, "%s", SUP_FILE_JSON);
    if (!value || length < before + 2 || length - before > SUP_FILE_KIND || strncmp(value, ours, before) != 0) return;
    length -= before + 1;
    if (value[before + length] != '"') return; /* cut */
    for (size_t i = 0; i < length; i++)
        if (!memchr(letters, value[before + i], sizeof letters - 1)) return;
    snprintf(kind, SUP_FILE_KIND, "%.*s", (int)length, value + before);
}

/* ---- all of them ---- */

static bool is_text(const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)bytes[i] < ' ' && !is_blank(bytes[i]) && bytes[i] != '\f' && bytes[i] != '\033')
            return false;
    return true;
}

void sup_file_kind(const void *begins, size_t length, char kind[SUP_FILE_KIND]) {
    const char *bytes = begins, *end;
    if (length > SUP_FILE_LOOK) length = SUP_FILE_LOOK;
    end = bytes + length;
    const char *first = skip_blanks(bytes, end);
    if (first < end && *first == '{' && is_text(bytes, length)) {
        name_json(bytes, end, kind);
        return;
    }
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        size_t n = strlen(beginnings[i].begins);
        if (length < n || memcmp(bytes, beginnings[i].begins, n) != 0) continue;
        if (beginnings[i].has && !has(bytes, length, beginnings[i].has)) continue;
        snprintf(kind, SUP_FILE_KIND, "%s", beginnings[i].kind);
        return;
    }
    snprintf(kind, SUP_FILE_KIND, "%s", is_text(bytes, length) ? SUP_FILE_TEXT : SUP_FILE_BINARY);
}
