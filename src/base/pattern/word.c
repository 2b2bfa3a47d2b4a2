/* Barriers as words, levels of clusters among them (pattern.h): "tree:4"; "2 linear, dissemination". */
#include "base/pattern/pattern.h"

#include <stdlib.h>
#include <string.h>

/* One level from the text of `length` characters; sized: it begins with how many members its clusters have. */
static bool read_level(const char *text, size_t length, bool sized, sup_pattern_level *out) {
    char word[2 * SUP_PATTERN_WORD], *kind = word;
    if (length >= sizeof word) return false;
    memcpy(word, text, length);
    word[length] = 0;
    *out = (sup_pattern_level){.stride = 1};
    if (sized) {
        if (*word < '1' || *word > '9') return false;
        long long size = strtoll(word, &kind, 10);
        if (*kind++ != ' ' || size < 2 || size > INT32_MAX) return false;
        out->size = size;
    }
    return sup_pattern_kind_read(kind, &out->kind);
}

sup_status sup_pattern_read(const char *word, int64_t processes, sup_pattern *out) {
    sup_pattern_level levels[SUP_PATTERN_LEVELS_MOST];
    size_t count = 0;
    for (const char *at = word;; count++) {
        const char *comma = strstr(at, ", ");
        if (count == SUP_PATTERN_LEVELS_MOST) return SUP_EINVAL;
        if (!read_level(at, comma ? (size_t)(comma - at) : strlen(at), comma != NULL, &levels[count]))
            return SUP_EINVAL;
        if (!comma) break;
        at = comma + 2;
    }
    if (count) return sup_pattern_from_levels(processes, levels, count + 1, out);
    *out = sup_pattern_of(levels[0].kind, processes);
    return SUP_OK;
}

bool sup_pattern_same(const sup_pattern *a, const sup_pattern *b) {
    if (a->processes != b->processes || a->stages != b->stages || !a->edges != !b->edges) return false;
    if (!a->edges) return a->generator == b->generator && a->radix == b->radix;
    if (memcmp(a->begin, b->begin, ((size_t)a->stages + 1) * sizeof *a->begin)) return false;
    for (size_t e = 0; e < a->begin[a->stages]; e++) {
        const sup_pattern_edge *x = &a->edges[e], *y = &b->edges[e];
        if (x->from != y->from || x->to != y->to || x->common != y->common) return false;
    }
    return true;
}
