/* What forms of emitted barriers use (emit.h): the comment, texts with names in them, the signals of a rank. */
#include "choose/barrier/emit.h"

#include "base/text.h"

#include <superstep/version.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

/* A title comes from a file name, perhaps, and must not end the comment. */
static void put_title(const char *title, FILE *out) {
    char text[101];
    snprintf(text, sizeof text, "%s", title);
    sup_text_make_plain(text);
    for (const char *c = text; *c; c++) putc((c[0] == '*' && c[1] == '/') || *c == '\\' ? '?' : *c, out);
}

void sup_emit_about(const sup_emit_source *s, FILE *out) {
    const sup_pattern *p = s->pattern;
    fprintf(out, "/* %s: a barrier for %" PRId64 " process%s, \"", s->function, p->processes,
            p->processes == 1 ? "" : "es");
    put_title(s->title, out);
    fprintf(out, "\",\n * %d stage%s, %zu signal%s. Written by superstep %s.\n", p->stages, p->stages == 1 ? "" : "s",
            s->count, s->count == 1 ? "" : "s", sup_version_string());
}

void sup_emit_text(const sup_emit_source *s, const char *text, size_t number, FILE *out) {
    for (const char *c = text; *c; c++) {
        if (*c != '@') {
            putc(*c, out);
            continue;
        }
        switch (*++c) {
        case 'F': fputs(s->function, out); break;
        case 'U':
            for (const char *f = s->function; *f; f++) putc(toupper((unsigned char)*f), out);
            break;
        case 'P': fprintf(out, "%" PRId64, s->pattern->processes); break;
        case 'L': fprintf(out, "%" PRId64, s->pattern->processes - 1); break;
        default: fprintf(out, "%zu", number); break;
        }
    }
}

/* First of the stage's signals in this order whose end is at `rank` or behind it. */
static size_t find_end(const sup_emit_source *s, int stage, int64_t rank, bool receives) {
    size_t low = s->begin[stage], high = s->begin[stage + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const sup_pattern_edge *e = &s->edges[s->order[receives][middle]];
        if ((receives ? e->to : e->from) < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const size_t *sup_emit_own(const sup_emit_source *s, int stage, int64_t rank, bool receives, size_t *count) {
    size_t first = find_end(s, stage, rank, receives);
    *count = find_end(s, stage, rank + 1, receives) - first;
    return s->order[receives] + first;
}

size_t sup_emit_most(const sup_emit_source *s) {
    size_t most = 0, sends, receives;
    for (int stage = 0; stage < s->pattern->stages; stage++)
        for (int64_t rank = 0; rank < s->pattern->processes; rank++) {
            sup_emit_own(s, stage, rank, false, &sends);
            sup_emit_own(s, stage, rank, true, &receives);
            if (sends + receives > most) most = sends + receives;
        }
    return most;
}
