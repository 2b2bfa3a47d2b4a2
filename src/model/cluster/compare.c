/* Where clusters by cost and those by topology differ (cluster.h): data first, then words. Term Tsync, stage "model".
 */
#include "model/cluster/cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Labels of all processes at all levels of both. */
typedef struct view {
    const sup_hierarchy *h;
    int64_t *label; /* [level][process] */
    int64_t *size;  /* [level][cluster]: processes */
} view;

static void close_view(view *v) {
    free(v->label);
    free(v->size);
}

static sup_status open_view(const sup_hierarchy *h, view *v) {
    size_t cells = h->levels * (size_t)h->processes;
    *v = (view){.h = h, .label = malloc(cells * sizeof *v->label), .size = calloc(cells, sizeof *v->size)};
    if (!v->label || !v->size) {
        close_view(v);
        return SUP_ENOMEM;
    }
    for (size_t l = 0; l < h->levels; l++) {
        int64_t *label = v->label + l * (size_t)h->processes, *size = v->size + l * (size_t)h->processes;
        sup_hierarchy_labels(h, l, label);
        for (int64_t p = 0; p < h->processes; p++) size[label[p]]++;
    }
    return SUP_OK;
}

static int64_t label_at(const view *v, size_t level, int64_t p) {
    return v->label[level * (size_t)v->h->processes + (size_t)p];
}
static int64_t size_at(const view *v, size_t level, int64_t c) {
    return v->size[level * (size_t)v->h->processes + (size_t)c];
}

static int64_t first_of(const view *v, size_t level, int64_t cluster) {
    return sup_hierarchy_process(v->h, level + 1, cluster);
}

/* Are all processes of the cluster in one of y's level? */
static bool held_by(const view *x, size_t level, int64_t cluster, const view *y, size_t other) {
    int64_t first = first_of(x, level, cluster), home = label_at(y, other, first);
    int64_t left = size_at(x, level, cluster);
    for (int64_t p = first; left > 0; p++) {
        if (label_at(x, level, p) != cluster) continue;
        if (label_at(y, other, p) != home) return false;
        left--;
    }
    return true;
}

/* The innermost level of y that holds the cluster in one; *same: with nobody else. */
static size_t holder(const view *x, size_t level, int64_t cluster, const view *y, bool *same) {
    size_t other = 0;
    while (!held_by(x, level, cluster, y, other)) other++; /* the last holds all */
    int64_t home = label_at(y, other, first_of(x, level, cluster));
    *same = size_at(y, other, home) == size_at(x, level, cluster);
    return other;
}

/* One process alone, everybody, or what the level inside has already. */
static bool says_nothing(const view *v, size_t level, int64_t cluster) {
    int64_t size = size_at(v, level, cluster);
    if (size == 1 || size == v->h->processes) return true;
    return level > 0 && size_at(v, level - 1, label_at(v, level - 1, first_of(v, level, cluster))) == size;
}

/* ---- words ---- */

char *sup_hierarchy_ranks(const sup_hierarchy *h, size_t level, int64_t cluster, char *buf, size_t size) {
    size_t used = 0;
    int64_t from = -1, to = -1;
    bool cut = false;
    if (size) buf[0] = '\0';
    for (int64_t p = 0; p <= h->processes && !cut; p++) {
        int64_t member = p;
        for (size_t l = 0; l <= level && p < h->processes; l++) member = h->level[l].of[member];
        bool in = p < h->processes && member == cluster;
        if (in && from < 0) from = p;
        if (in) to = p;
        if (in || from < 0) continue;
        char run[48];
        int n = to > from ? snprintf(run, sizeof run, "%s%" PRId64 "-%" PRId64, used ? "," : "", from, to)
                          : snprintf(run, sizeof run, "%s%" PRId64, used ? "," : "", from);
        cut = used + (size_t)n + sizeof ",…" > size;
        if (cut) memcpy(run, used ? ",…" : "…", used ? sizeof ",…" : sizeof "…");
        if (used + strlen(run) < size) memcpy(buf + used, run, strlen(run) + 1);
        used += strlen(run);
        from = -1;
    }
    return buf;
}

char *sup_cluster_difference_text(const sup_cluster_difference *d, char *buf, size_t size) {
    char more[64] = "";
    if (d->clusters > 1)
        snprintf(more, sizeof more, ", and %" PRId64 " more such group%s", d->clusters - 1, d->clusters > 2 ? "s" : "");
    switch (d->what) {
    case SUP_CLUSTERS_ONLY_TOPOLOGY:
        snprintf(buf, size, "processes %s share one %s, but cost does not tell them from others%s", d->ranks, d->name,
                 more);
        break;
    case SUP_CLUSTERS_INSIDE:
        snprintf(buf, size, "cost sets processes %s apart inside one %s%s", d->ranks, d->name, more);
        break;
    case SUP_CLUSTERS_ACROSS:
        snprintf(buf, size, "cost joins processes %s, which do not share one %s%s", d->ranks, d->name, more);
        break;
    }
    return buf;
}

/* ---- the comparison ---- */

typedef struct list {
    sup_cluster_difference *at;
    size_t count;
} list;

/* Clusters of one level that differ alike are one entry. */
static sup_status note(list *l, size_t from, const view *v, size_t level, int64_t cluster, sup_cluster_difference d) {
    for (size_t k = from; k < l->count; k++)
        if (l->at[k].what == d.what && !strcmp(l->at[k].name, d.name)) {
            l->at[k].clusters++;
            return SUP_OK;
        }
    sup_cluster_difference *grown = realloc(l->at, (l->count + 1) * sizeof *grown);
    if (!grown) return SUP_ENOMEM;
    l->at = grown;
    sup_hierarchy_ranks(v->h, level, cluster, d.ranks, sizeof d.ranks);
    d.processes = size_at(v, level, cluster);
    d.clusters = 1;
    grown[l->count++] = d;
    return SUP_OK;
}

static void set_name(sup_cluster_difference *d, const sup_clusters *level) {
    snprintf(d->name, sizeof d->name, "%s", level->name[0] ? level->name : "machine");
}

static sup_status only_topology(const view *topology, const view *costs, list *l) {
    sup_status st = SUP_OK;
    for (size_t level = 0; level < topology->h->levels; level++) {
        size_t from = l->count;
        for (int64_t c = 0; c < topology->h->level[level].count && !st; c++) {
            bool same;
            sup_cluster_difference d = {.what = SUP_CLUSTERS_ONLY_TOPOLOGY};
            if (says_nothing(topology, level, c)) continue;
            holder(topology, level, c, costs, &same);
            set_name(&d, &topology->h->level[level]);
            if (!same) st = note(l, from, topology, level, c, d);
        }
    }
    return st;
}

/* A cluster by cost lies inside an innermost group of the topology, is made of whole groups, or cuts across some. */
static sup_status only_costs(const view *costs, const view *topology, list *l) {
    sup_status st = SUP_OK;
    for (size_t level = 0; level < costs->h->levels; level++) {
        size_t from = l->count;
        for (int64_t c = 0; c < costs->h->level[level].count && !st; c++) {
            bool same;
            sup_cluster_difference d = {.what = SUP_CLUSTERS_INSIDE};
            if (says_nothing(costs, level, c)) continue;
            size_t in = holder(costs, level, c, topology, &same);
            if (same) continue;
            if (in > 0) d.what = SUP_CLUSTERS_ACROSS;
            set_name(&d, &topology->h->level[in > 0 ? in - 1 : 0]);
            st = note(l, from, costs, level, c, d);
        }
    }
    return st;
}

sup_status sup_hierarchy_compare(const sup_hierarchy *costs, const sup_hierarchy *topology,
                                 sup_cluster_difference **out, size_t *count) {
    view a, b;
    list l = {0};
    if (costs->processes != topology->processes || !costs->levels || !topology->levels) return SUP_EINVAL;
    sup_status st = open_view(costs, &a);
    if (st) return st;
    st = open_view(topology, &b);
    if (st) {
        close_view(&a);
        return st;
    }
    st = only_topology(&b, &a, &l);
    if (!st) st = only_costs(&a, &b, &l);
    close_view(&b);
    close_view(&a);
    if (st) {
        free(l.at);
        return st;
    }
    *out = l.at;
    *count = l.count;
    return SUP_OK;
}
