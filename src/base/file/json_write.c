/* JSON writing: files that people can read.
 *
 * A value that fits on the rest of a line stands on one; an array of plain values fills lines; everything else goes one
 * member a line. The text depends on the value only, so write, read, write gives the same bytes. Reals have 17
 * significant digits, which is what it takes for a double to come back exactly. Characters that a terminal might obey
 * (text.h) are written as escapes. */
#include "base/file/file.h"
#include "base/file/json.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 110
#define DEPTH_LIMIT 64
#define FLAGS (JSON_ENCODE_ANY | JSON_REAL_PRECISION(17))

typedef struct text {
    char *at;
    size_t length, capacity;
    size_t line_start;
    bool failed;
} text;

static void put(text *t, const char *bytes, size_t length) {
    if (t->failed) return;
    if (t->capacity - t->length < length) {
        size_t capacity = t->capacity * 2 + length;
        char *more = realloc(t->at, capacity);
        if (!more) {
            t->failed = true;
            return;
        }
        t->at = more;
        t->capacity = capacity;
    }
    memcpy(t->at + t->length, bytes, length);
    t->length += length;
}

static void new_line(text *t, int depth) {
    put(t, "\n", 1);
    t->line_start = t->length;
    for (int i = 0; i < depth; i++) put(t, "  ", 2);
}

static int put_piece(const char *bytes, size_t length, void *t) {
    put(t, bytes, length);
    return ((text *)t)->failed ? -1 : 0;
}

/* What no terminal may show is in strings alone, where it can be written as an escape: a reader gets the same string.
 */
static void escape_from(text *t, size_t start) {
    bool plain = true;
    size_t at = start;
    while (at < t->length && plain) at += sup_text_character(t->at + at, &plain);
    if (plain) return;
    char *rest = strndup(t->at + start, t->length - start);
    if (!rest) t->failed = true;
    t->length = start;
    for (const char *s = rest; s && *s;) {
        size_t length = sup_text_character(s, &plain);
        if (plain) put(t, s, length);
        /* one to three bytes of UTF-8: all that is not plain is in the first plane */
        const unsigned char *c = (const unsigned char *)s;
        unsigned code = length == 1   ? c[0]
                        : length == 2 ? (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu)
                                      : (c[0] & 0xfu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
        char escape[8];
        if (!plain) put(t, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", code));
        s += length;
    }
    free(rest);
}

/* On one line, as jansson spaces it: {"a": 1, "b": [1, 2]}. */
static void put_flat(text *t, const json_t *value) {
    size_t start = t->length;
    if (json_dump_callback(value, put_piece, t, FLAGS)) t->failed = true;
    if (!t->failed) put(t, "", 1), t->length--; /* its end, for the look at what may be shown */
    if (!t->failed) escape_from(t, start);
}

static bool is_plain(const json_t *value) { return !json_is_array(value) && !json_is_object(value); }

/* Takes at least the length of the flat text of value off `room`; false once that is more than there is. Stops early,
 * so that asking at every level stays linear. */
static bool fits(const json_t *value, long *room) {
    size_t index;
    const char *key;
    json_t *child;
    *room -= 2;
    if (*room < 0) return false;
    if (is_plain(value)) {
        if (json_is_string(value))
            *room -= (long)json_string_length(value);
        else if (json_is_real(value))
            *room -= 18; /* a guess that must only be the same each time */
        return *room >= 0;
    }
    json_array_foreach(value, index, child) {
        if (!fits(child, room)) return false;
    }
    json_object_foreach((json_t *)value, key, child) {
        *room -= (long)strlen(key) + 4;
        if (!fits(child, room)) return false;
    }
    return true;
}

static void put_value(text *t, const json_t *value, int depth);

static void put_plain_array(text *t, const json_t *array, int depth) {
    size_t index;
    json_t *child;
    put(t, "[", 1);
    new_line(t, depth + 1);
    json_array_foreach(array, index, child) {
        if (index > 0) {
            put(t, ",", 1);
            if (t->length - t->line_start > WIDTH - 24)
                new_line(t, depth + 1);
            else
                put(t, " ", 1);
        }
        put_flat(t, child);
    }
    new_line(t, depth);
    put(t, "]", 1);
}

static void put_array(text *t, const json_t *array, int depth) {
    size_t index;
    json_t *child;
    bool plain = true;
    json_array_foreach(array, index, child) plain = plain && is_plain(child);
    if (plain) {
        put_plain_array(t, array, depth);
        return;
    }
    put(t, "[", 1);
    json_array_foreach(array, index, child) {
        if (index > 0) put(t, ",", 1);
        new_line(t, depth + 1);
        put_value(t, child, depth + 1);
    }
    new_line(t, depth);
    put(t, "]", 1);
}

static void put_object(text *t, const json_t *object, int depth) {
    const char *key;
    json_t *child;
    bool first = true;
    put(t, "{", 1);
    json_object_foreach((json_t *)object, key, child) {
        if (!first) put(t, ",", 1);
        first = false;
        new_line(t, depth + 1);
        json_t *name = json_string(key);
        if (!name) {
            t->failed = true;
            return;
        }
        put_flat(t, name);
        json_decref(name);
        put(t, ": ", 2);
        put_value(t, child, depth + 1);
    }
    new_line(t, depth);
    put(t, "}", 1);
}

static void put_value(text *t, const json_t *value, int depth) {
    long room = WIDTH - (long)(t->length - t->line_start);
    if (t->failed) return;
    /* The root of a file is never one line: keys are easier to find that way. */
    if (is_plain(value) || ((depth > 0 || !json_is_object(value)) && fits(value, &room)))
        put_flat(t, value);
    else if (depth >= DEPTH_LIMIT)
        t->failed = true;
    else if (json_is_array(value))
        put_array(t, value, depth);
    else if (json_object_size(value) == 0)
        put(t, "{}", 2);
    else
        put_object(t, value, depth);
}

sup_status sup_json_text(const json_t *value, sup_diag *diag, char **out, size_t *out_length) {
    text t = {0};
    put_value(&t, value, 0);
    put(&t, "\n", 2); /* with its terminator */
    if (t.failed) {
        free(t.at);
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory while writing JSON");
    }
    *out = t.at;
    if (out_length) *out_length = t.length - 1;
    return SUP_OK;
}

sup_status sup_json_save(const json_t *value, const char *path, sup_diag *diag) {
    char *bytes = NULL;
    size_t length = 0;
    sup_status status = sup_json_text(value, diag, &bytes, &length);
    if (!status) status = sup_file_write(path, bytes, length, true, diag);
    free(bytes);
    return status;
}
