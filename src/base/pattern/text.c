/* Patterns as text (pattern/text.h). */
#include "base/pattern/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *path;
    sup_diag *diag;
    int line;
    int64_t processes; /* 0: not said */
    int64_t most;      /* greatest number seen, + 1 */
    int stages;
    sup_pattern_edge *edges;
    size_t count, room;
} reader;

#define FAIL(r, ...) sup_diag_set((r)->diag, SUP_EPARSE, (r)->path, (r)->line, __VA_ARGS__)

/* The next word of [*p, end): up to a blank or a comment; NULL: there is none. */
static const char *next_word(const char **p, const char *end, size_t *length) {
    while (*p < end && (**p == ' ' || **p == '\t' || **p == '\r')) ++*p;
    if (*p == end || **p == '#') return NULL;
    const char *begin = *p;
    while (*p < end && **p != ' ' && **p != '\t' && **p != '\r' && **p != '#') ++*p;
    *length = (size_t)(*p - begin);
    return begin;
}

/* Digits at *p, none of them behind end; what is too large for any use stays too large. false: there is none. */
static bool read_number(const char **p, const char *end, int64_t *out) {
    const char *begin = *p;
    for (*out = 0; *p < end && isdigit((unsigned char)**p); ++*p)
        if (*out < INT32_MAX) *out = 10 * *out + (**p - '0');
    return *p > begin;
}

static int shown(size_t length) { return length < 40 ? (int)length : 40; }

/* ---- reading ---- */

static sup_status keep(reader *r, const sup_pattern_edge *edge) {
    if (r->count == SUP_PATTERN_TEXT_SIGNALS) return FAIL(r, "more than %zu signals", SUP_PATTERN_TEXT_SIGNALS);
    if (r->count == r->room) {
        size_t room = 2 * r->room + 256;
        sup_pattern_edge *edges = reallocarray(r->edges, room, sizeof *edges);
        if (!edges) return sup_diag_set(r->diag, SUP_ENOMEM, r->path, r->line, "out of memory");
        r->edges = edges;
        r->room = room;
    }
    r->edges[r->count++] = *edge;
    return SUP_OK;
}

static sup_status check_rank(const reader *r, int64_t rank) {
    if (r->processes && rank >= r->processes)
        return FAIL(r, "there is no process %" PRId64 ": they are 0 to %" PRId64, rank, r->processes - 1);
    if (rank >= SUP_PATTERN_COVERS_MAX)
        return FAIL(r, "process %" PRId64 " is too many: a pattern has at most %d processes", rank,
                    SUP_PATTERN_COVERS_MAX);
    return SUP_OK;
}

/* FROM>TO or FROM>>TO. */
static sup_status read_signal(reader *r, const char *word, size_t length) {
    const char *p = word, *end = word + length;
    sup_pattern_edge e = {.stage = r->stages};
    bool good = read_number(&p, end, &e.from) && p < end && *p++ == '>';
    if (good && p < end && *p == '>') e.common = true, p++;
    if (!good || !read_number(&p, end, &e.to) || p != end)
        return FAIL(r, "expected signals FROM>TO, not \"%.*s\"", shown(length), word);
    sup_status st = check_rank(r, e.from);
    if (!st) st = check_rank(r, e.to);
    if (st) return st;
    if (e.from == e.to) return FAIL(r, "process %" PRId64 " signals itself", e.from);
    if (e.from >= r->most) r->most = e.from + 1;
    if (e.to >= r->most) r->most = e.to + 1;
    return keep(r, &e);
}

static int by_ends(const void *a, const void *b) {
    const sup_pattern_edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static sup_status check_repeated(const reader *r, size_t first) {
    if (r->count - first < 2) return SUP_OK;
    qsort(r->edges + first, r->count - first, sizeof *r->edges, by_ends);
    for (size_t e = first + 1; e < r->count; e++)
        if (!by_ends(&r->edges[e - 1], &r->edges[e]))
            return FAIL(r, "the signal %" PRId64 ">%" PRId64 " is repeated", r->edges[e].from, r->edges[e].to);
    return SUP_OK;
}

/* "7:" at the beginning of the first word; *used: how much of the word that is. */
static sup_status read_stage_number(const reader *r, const char *word, size_t length, size_t *used) {
    const char *p = word, *end = word + length;
    int64_t number;
    *used = 0;
    if (!memchr(word, ':', length)) return SUP_OK;
    if (!read_number(&p, end, &number) || p == end || *p != ':')
        return FAIL(r, "expected the number of a stage before ':', not \"%.*s\"", shown(length), word);
    if (number != r->stages) return FAIL(r, "this is stage %d, not %" PRId64, r->stages, number);
    *used = (size_t)(p + 1 - word);
    return SUP_OK;
}

static sup_status read_stage(reader *r, const char *word, size_t length, const char *p, const char *end) {
    size_t first = r->count, used;
    if (r->stages == SUP_PATTERN_TEXT_STAGES) return FAIL(r, "more than %d stages", SUP_PATTERN_TEXT_STAGES);
    sup_status st = read_stage_number(r, word, length, &used);
    if (!st && used < length) st = read_signal(r, word + used, length - used);
    while (!st && (word = next_word(&p, end, &length))) st = read_signal(r, word, length);
    if (!st) st = check_repeated(r, first);
    r->stages++;
    return st;
}

static bool is_word(const char *word, size_t length, const char *text) {
    return length == strlen(text) && !memcmp(word, text, length);
}

static sup_status read_processes(reader *r, const char *p, const char *end) {
    size_t length;
    if (r->processes || r->stages) return FAIL(r, "\"processes\" must be said once, before the stages");
    const char *word = next_word(&p, end, &length), *at = word;
    int64_t number = 0;
    bool good = word && read_number(&at, word + length, &number) && at == word + length;
    if (!good || number < 1 || number > SUP_PATTERN_COVERS_MAX)
        return FAIL(r, "\"processes\" needs a number from 1 to %d", SUP_PATTERN_COVERS_MAX);
    if (next_word(&p, end, &length)) return FAIL(r, "nothing may follow the number of processes");
    r->processes = number;
    return SUP_OK;
}

static sup_status read_line(reader *r, const char *p, const char *end) {
    size_t length;
    const char *word = next_word(&p, end, &length);
    if (!word) return SUP_OK;
    return is_word(word, length, "processes") ? read_processes(r, p, end) : read_stage(r, word, length, p, end);
}

sup_status sup_pattern_read_text(const char *text, size_t length, const char *path, sup_diag *diag, sup_pattern *out) {
    reader r = {.path = path, .diag = diag};
    const char *end = text + length;
    sup_status st = SUP_OK;
    while (text < end && !st) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        r.line++;
        st = read_line(&r, text, stop);
        text = stop < end ? stop + 1 : end;
    }
    if (!st && !r.processes && !r.most) {
        r.line = r.line ? r.line : 1;
        st = FAIL(&r, "no signals, and no number of processes");
    }
    if (st) {
        free(r.edges);
        return st;
    }
    st = sup_pattern_from_edges(r.processes ? r.processes : r.most, r.stages, r.edges, r.count, out);
    return st ? sup_diag_set(diag, st, path, 0, "%s", sup_status_text(st)) : SUP_OK;
}

/* ---- writing ---- */

sup_status sup_pattern_write_text(const sup_pattern *p, FILE *out) {
    sup_pattern_edge *edges = calloc(sup_pattern_widest(p) + 1, sizeof *edges);
    if (!edges) return SUP_ENOMEM;
    fprintf(out, "processes %" PRId64 "\n", p->processes);
    for (int s = 0; s < p->stages; s++) {
        size_t n = sup_pattern_stage(p, s, edges);
        fprintf(out, "%d:", s);
        for (size_t e = 0; e < n; e++)
            fprintf(out, " %" PRId64 "%s%" PRId64, edges[e].from, edges[e].common ? ">>" : ">", edges[e].to);
        fprintf(out, "\n");
    }
    free(edges);
    return ferror(out) ? SUP_EIO : SUP_OK;
}
