/* superstep report and show, "clusters by cost": what the model finds in the O of a profile's pairs, beside what hwloc
 * and the placement say. Model stage, for people; term Tsync. */
#include "cli/report/clusters.h"

#include "model/cluster/cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16 }; /* processes: more nobody reads, and a composed machine has what it was composed of */

/* "0-3 | 4-7 | …" */
static void write_members(const sup_hierarchy *h, size_t level, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int64_t c = 0; c < h->level[level].count; c++) {
        char ranks[64];
        sup_hierarchy_ranks(h, level, c, ranks, sizeof ranks);
        if (used + strlen(ranks) + sizeof " | …" + 3 > size) {
            snprintf(text + used, size - used, " | …");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", c ? " | " : "", ranks);
    }
}

static sup_status add_row(const sup_hierarchy *h, size_t level, const char *by, int64_t *room, sup_cluster_table *t) {
    sup_cluster_row *grown = realloc(t->rows, (t->rows_count + 1) * sizeof *grown);
    if (!grown) return SUP_ENOMEM;
    t->rows = grown;
    const sup_clusters *c = &h->level[level];
    sup_cluster_row *r = &grown[t->rows_count++];
    *r = (sup_cluster_row){.by = by, .clusters = c->count, .least = h->processes};
    if (c->name[0])
        snprintf(r->level, sizeof r->level, "%s", c->name);
    else
        snprintf(r->level, sizeof r->level, "%zu", level);
    int64_t *of = room, *size = room + h->processes;
    memset(size, 0, (size_t)h->processes * sizeof *size);
    sup_hierarchy_labels(h, level, of);
    for (int64_t p = 0; p < h->processes; p++) size[of[p]]++;
    for (int64_t k = 0; k < c->count; k++) {
        if (size[k] < r->least) r->least = size[k];
        if (size[k] > r->most) r->most = size[k];
    }
    write_members(h, level, r->members, sizeof r->members);
    return SUP_OK;
}

static sup_status add_rows(const sup_hierarchy *h, const char *by, sup_cluster_table *t) {
    int64_t *room = malloc(2 * (size_t)h->processes * sizeof *room);
    sup_status st = room ? SUP_OK : SUP_ENOMEM;
    for (size_t l = 0; l < h->levels && !st; l++) st = add_row(h, l, by, room, t);
    free(room);
    return st;
}

static sup_status add_differences(const sup_hierarchy *costs, const sup_hierarchy *topology, sup_cluster_table *t) {
    sup_cluster_difference *d = NULL;
    size_t count = 0;
    sup_status st = sup_hierarchy_compare(costs, topology, &d, &count);
    if (!st && count) {
        t->differences = calloc(count, sizeof *t->differences);
        st = t->differences ? SUP_OK : SUP_ENOMEM;
        for (size_t k = 0; k < count && !st; k++) {
            sup_cluster_difference_text(&d[k], t->differences[k], sizeof t->differences[k]);
            if (t->differences[k][0] >= 'a' && t->differences[k][0] <= 'z') t->differences[k][0] -= 'a' - 'A';
            t->differences_count++;
        }
    }
    free(d);
    return st;
}

static sup_status fill(const sup_platform *m, sup_cluster_table *t) {
    sup_diag diag = {0};
    sup_hierarchy costs, topology;
    sup_status st = sup_hierarchy_of_platform(m, SUP_CLUSTER_SPARSENESS, &diag, &costs);
    if (st) return st;
    st = sup_hierarchy_of_topology(m, &diag, &topology);
    if (!st) {
        st = add_rows(&costs, "cost", t);
        if (!st) st = add_rows(&topology, "topology", t);
        if (!st) st = add_differences(&costs, &topology, t);
        sup_hierarchy_free(&topology);
    }
    sup_hierarchy_free(&costs);
    return st;
}

static sup_status make_table(const sup_profile *profile, const sup_pairs *pairs, sup_cluster_table *out) {
    sup_platform_options o = {.transport = pairs->transport};
    sup_diag diag = {0};
    sup_platform *m = NULL;
    sup_status st = sup_platform_open(profile, &o, &diag, &m);
    if (st) return st;
    *out = (sup_cluster_table){.processes = m->processes, .each = sup_pairs_each_known(pairs)};
    snprintf(out->transport, sizeof out->transport, "%s", pairs->transport);
    st = fill(m, out);
    if (st) {
        free(out->rows);
        free(out->differences);
    }
    sup_platform_free(m);
    return st;
}

void sup_report_clusters(const sup_profile *profile, sup_cluster_tables *out) {
    *out = (sup_cluster_tables){.at = calloc(profile->pairs_count + 1, sizeof *out->at)};
    for (size_t i = 0; out->at && i < profile->pairs_count; i++) {
        const sup_pairs *pairs = &profile->pairs[i];
        if (pairs->processes < 3 || pairs->processes > MOST) continue;
        if (!make_table(profile, pairs, &out->at[out->count])) out->count++;
    }
}
