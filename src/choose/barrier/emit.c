/* Emitted barriers (emit.h): the check of the name, the signals in order. */
#include "choose/barrier/emit.h"

#include <stdlib.h>
#include <string.h>

/* Of C11, and of C++ where that costs nothing. */
static const char *const keywords[] = {"alignas",  "alignof", "auto",     "bool",          "break",       "case",
                                       "catch",    "char",    "class",    "const",         "constexpr",   "continue",
                                       "default",  "delete",  "do",       "double",        "else",        "enum",
                                       "extern",   "false",   "float",    "for",           "goto",        "if",
                                       "inline",   "int",     "long",     "main",          "namespace",   "new",
                                       "operator", "private", "public",   "register",      "restrict",    "return",
                                       "short",    "signed",  "sizeof",   "static",        "struct",      "switch",
                                       "template", "this",    "throw",    "true",          "try",         "typedef",
                                       "typename", "union",   "unsigned", "using",         "virtual",     "void",
                                       "volatile", "while",   "nullptr",  "static_assert", "thread_local"};

static sup_status check_name(const char *name, sup_diag *diag) {
    size_t length = strlen(name), i = 0;
    while (name[i] == '_' || (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z') ||
           (i && name[i] >= '0' && name[i] <= '9'))
        i++;
    if (!length || i < length)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "\"%.64s\" is no name of a function in C", name);
    if (length > SUP_EMIT_NAME_MAX)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "the name of the function is longer than %d characters",
                            SUP_EMIT_NAME_MAX);
    bool reserved = name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
    for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++) reserved |= !strcmp(name, keywords[k]);
    if (reserved || !strncmp(name, "MPI_", 4) || !strncmp(name, "atomic_", 7))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "\"%.64s\" means something else in C", name);
    return SUP_OK;
}

static int by_sender(const void *a, const void *b) {
    const sup_pattern_edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static int by_receiver(const void *a, const void *b, void *context) {
    const sup_pattern_edge *edges = context, *x = &edges[*(const size_t *)a], *y = &edges[*(const size_t *)b];
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static sup_status list_edges(const sup_pattern *p, sup_emit_source *s, sup_diag *diag) {
    for (int stage = 0; stage < p->stages; stage++) s->count += sup_pattern_stage(p, stage, NULL);
    if (s->count > SUP_EMIT_EDGES_MAX)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%zu signals are too many for a source file: more than %d",
                            s->count, SUP_EMIT_EDGES_MAX);
    s->edges = calloc(s->count + 1, sizeof *s->edges);
    s->begin = calloc((size_t)p->stages + 1, sizeof *s->begin);
    for (int k = 0; k < 2; k++) s->order[k] = calloc(s->count + 1, sizeof **s->order);
    if (!s->edges || !s->begin || !s->order[0] || !s->order[1]) return sup_diag_no_memory(diag);
    for (size_t e = 0; e < s->count; e++) s->order[0][e] = s->order[1][e] = e;
    for (int stage = 0; stage < p->stages; stage++) {
        size_t at = s->begin[stage], n = sup_pattern_stage(p, stage, s->edges + at);
        qsort(s->edges + at, n, sizeof *s->edges, by_sender);
        qsort_r(s->order[1] + at, n, sizeof **s->order, by_receiver, s->edges);
        s->begin[stage + 1] = at + n;
    }
    return SUP_OK;
}

sup_status sup_emit_barrier(const sup_emit_form *form, const sup_pattern *pattern, const char *function,
                            const char *title, FILE *out, sup_diag *diag) {
    sup_emit_source s = {.pattern = pattern, .function = function, .title = title};
    sup_status status = check_name(function, diag);
    if (!status) status = list_edges(pattern, &s, diag);
    if (!status) {
        status = form->write(&s, out);
        if (!status && ferror(out)) status = SUP_EIO;
        if (status) sup_diag_set(diag, status, NULL, 0, status == SUP_EIO ? "cannot write" : "out of memory");
    }
    for (int k = 0; k < 2; k++) free(s.order[k]);
    free(s.begin);
    free(s.edges);
    return status;
}
