/* Mappings of ranks to nodes, from text: "seq:8", "rr:8", "one", "0,0,1,1" (PART §5.2.2). Term Tcomm. */
#include "model/collective/collective.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define NODE_MOST ((int64_t)1 << 40)

static sup_status wrong(const char *text, sup_diag *diag) {
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                        "\"%.64s\" is no mapping: seq:N (N ranks on each node), rr:N (in turn over N nodes), one, or "
                        "the node of each rank: 0,0,1,1",
                        text);
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Nodes get numbers 0, 1, … in their order, so that tables over nodes are as short as they can be. */
static sup_status number_nodes(sup_mapping *m, sup_diag *diag) {
    size_t n = (size_t)m->processes, used = 0;
    int64_t *names = malloc(n * sizeof *names);
    if (!names) return sup_diag_no_memory(diag);
    memcpy(names, m->node_of, n * sizeof *names);
    qsort(names, n, sizeof *names, by_value);
    for (size_t i = 0; i < n; i++)
        if (!i || names[i] != names[used - 1]) names[used++] = names[i];
    for (size_t i = 0; i < n; i++) {
        const int64_t *at = bsearch(&m->node_of[i], names, used, sizeof *names, by_value);
        m->node_of[i] = at ? at - names : 0;
    }
    m->nodes = (int64_t)used;
    free(names);
    return SUP_OK;
}

/* "0,0,1,1": as many as there are ranks. */
static sup_status read_list(const char *text, sup_diag *diag, sup_mapping *m) {
    const char *at = text;
    int64_t n = 0, node;
    m->node_of = malloc((size_t)m->processes * sizeof *m->node_of);
    if (!m->node_of) return sup_diag_no_memory(diag);
    for (;; at++, n++) {
        if (!sup_text_int(&at, 0, NODE_MOST, &node) || (*at && *at != ',')) return wrong(text, diag);
        if (n < m->processes) m->node_of[n] = node;
        if (!*at) break;
    }
    if (++n != m->processes)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "the mapping has nodes of %lld ranks, but there are %lld",
                            (long long)n, (long long)m->processes);
    return number_nodes(m, diag);
}

sup_status sup_mapping_read(const char *text, int64_t processes, sup_diag *diag, sup_mapping *out) {
    sup_mapping m = {.kind = SUP_MAPPING_SEQUENTIAL, .processes = processes, .size = processes, .nodes = 1};
    bool turns = !strncmp(text, "rr:", 3);
    const char *at = text + (turns ? 3 : 4);
    if (processes < 1) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a mapping of no ranks");
    if (!strcmp(text, "one")) {
        *out = m;
        return SUP_OK;
    }
    if (turns || !strncmp(text, "seq:", 4)) {
        if (!sup_text_int(&at, 1, NODE_MOST, &m.size) || *at) return wrong(text, diag);
        if (turns) m.kind = SUP_MAPPING_ROUND_ROBIN;
        if (m.size > processes) m.size = processes;
        m.nodes = turns ? m.size : (processes + m.size - 1) / m.size;
        *out = m;
        return SUP_OK;
    }
    m.kind = SUP_MAPPING_CUSTOM;
    sup_status status = read_list(text, diag, &m);
    if (status)
        sup_mapping_free(&m);
    else
        *out = m;
    return status;
}

int64_t sup_mapping_used(const sup_mapping *m) {
    if (m->kind == SUP_MAPPING_SEQUENTIAL) return (m->processes + m->size - 1) / m->size;
    if (m->kind == SUP_MAPPING_ROUND_ROBIN) return m->size < m->processes ? m->size : m->processes;
    return m->nodes;
}

int64_t sup_mapping_fullest(const sup_mapping *m) {
    if (m->kind == SUP_MAPPING_SEQUENTIAL) return m->size < m->processes ? m->size : m->processes;
    if (m->kind == SUP_MAPPING_ROUND_ROBIN) return (m->processes + m->size - 1) / m->size;
    int64_t most = 0, *count = calloc((size_t)m->nodes, sizeof *count);
    for (int64_t i = 0; count && i < m->processes; i++)
        if (++count[m->node_of[i]] > most) most = count[m->node_of[i]];
    free(count);
    return most;
}

void sup_mapping_free(sup_mapping *mapping) {
    free(mapping->node_of);
    *mapping = (sup_mapping){0};
}
