/* Patterns as lists of numbers (cases.h). A pattern is
 *
 *     generator (index in sup_generators, -1: edges), radix, processes, stages, edges, then four numbers an edge
 *
 * Those of generators keep the order in which they signal. Stage "measure", Tsync. */
#include "measure/launch/cases.h"

#include <stdlib.h>

enum { HEAD = 5, EDGE = 4, EDGES_MOST = 1 << 20 };

static int64_t index_of(const sup_generator *g) {
    for (int64_t i = 0; sup_generators[i]; i++)
        if (sup_generators[i] == g && g->barrier) return i;
    return -1;
}

static size_t edges_of(const sup_pattern *p) {
    size_t n = 0;
    for (int s = 0; s < p->stages && index_of(p->generator) < 0; s++) n += sup_pattern_stage(p, s, NULL);
    return n;
}

static void pack_one(const sup_pattern *p, sup_pattern_edge *room, int64_t **at) {
    size_t edges = edges_of(p);
    const int64_t head[HEAD] = {index_of(p->generator), p->radix, p->processes, p->stages, (int64_t)edges};
    for (int i = 0; i < HEAD; i++) *(*at)++ = head[i];
    for (int s = 0; s < p->stages && edges; s++) {
        size_t n = sup_pattern_stage(p, s, room);
        for (size_t e = 0; e < n; e++) {
            *(*at)++ = s;
            *(*at)++ = room[e].from;
            *(*at)++ = room[e].to;
            *(*at)++ = room[e].common;
        }
    }
}

sup_status sup_barriers_pack(const sup_pattern *patterns, size_t count, int64_t **list, size_t *length) {
    size_t all = 0, most = 0;
    if (count > SUP_BARRIERS_MOST) return SUP_EINVAL;
    for (size_t i = 0; i < count; i++) {
        size_t n = edges_of(&patterns[i]);
        all += n;
        if (n > most) most = n;
    }
    if (all > EDGES_MOST) return SUP_EINVAL;
    *length = HEAD * count + EDGE * all;
    *list = calloc(*length + 1, sizeof **list);
    sup_pattern_edge *room = calloc(most + 1, sizeof *room);
    if (!*list || !room) {
        free(*list);
        free(room);
        return SUP_ENOMEM;
    }
    int64_t *at = *list;
    for (size_t i = 0; i < count; i++) pack_one(&patterns[i], room, &at);
    free(room);
    return SUP_OK;
}

static bool good_kind(sup_pattern_kind k) {
    return k.generator->barrier && (k.generator->radix ? k.radix >= 2 && k.radix <= k.generator->radix_most : !k.radix);
}

static sup_status unpack_edges(const int64_t *head, const int64_t *from, sup_pattern *out) {
    size_t n = (size_t)head[4];
    sup_pattern_edge *edges = calloc(n + 1, sizeof *edges);
    if (!edges) return SUP_ENOMEM;
    for (size_t e = 0; e < n; e++, from += EDGE) {
        int stage = from[0] >= 0 && from[0] < head[3] ? (int)from[0] : -1;
        edges[e] = (sup_pattern_edge){.from = from[1], .to = from[2], .stage = stage, .common = from[3] != 0};
    }
    return sup_pattern_from_edges(head[2], (int)head[3], edges, n, out);
}

/* *used: numbers of the list that it took. */
static sup_status unpack_one(const int64_t *list, size_t length, sup_pattern *out, size_t *used) {
    if (length < HEAD) return SUP_EPARSE;
    const int64_t known = list[0], radix = list[1], processes = list[2], stages = list[3], edges = list[4];
    int64_t generators = 0;
    while (sup_generators[generators]) generators++;
    if (known < -1 || known >= generators || radix < 0 || radix > INT32_MAX || processes < 1 || processes > INT32_MAX)
        return SUP_EPARSE;
    if (stages < 0 || stages > EDGES_MOST || edges < 0 || edges > (int64_t)((length - HEAD) / EDGE)) return SUP_EPARSE;
    *used = HEAD + EDGE * (size_t)edges;
    if (known < 0) {
        sup_status status = unpack_edges(list, list + HEAD, out);
        return status == SUP_EINVAL ? SUP_EPARSE : status;
    }
    sup_pattern_kind kind = {sup_generators[known], (int)radix};
    if (edges || !good_kind(kind)) return SUP_EPARSE;
    *out = sup_pattern_of(kind, processes);
    return SUP_OK;
}

sup_status sup_barriers_unpack(const int64_t *list, size_t length, sup_pattern **out, size_t *count) {
    sup_pattern *all = calloc(SUP_BARRIERS_MOST, sizeof *all);
    size_t n = 0, used = 0;
    sup_status status = all ? SUP_OK : SUP_ENOMEM;
    for (size_t at = 0; at < length && !status; at += used) {
        status = n < SUP_BARRIERS_MOST ? unpack_one(list + at, length - at, &all[n], &used) : SUP_EPARSE;
        if (!status) n++;
    }
    if (status) {
        for (size_t i = 0; i < n; i++) sup_pattern_free(&all[i]);
        free(all);
        return status;
    }
    *out = all;
    *count = n;
    return SUP_OK;
}
