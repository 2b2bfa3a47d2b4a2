/* Section "clusters", Tsync (BSP §7.2): what the model finds in the O of a profile's pairs, beside what hwloc and the
 * placement say, and where the two differ. */
#include "model/cluster/cluster.h"
#include "report/page/page.h"
#include "report/section/sections.h"

#include <ctype.h>
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

/* room: [2 × processes]. */
static void put_row(sup_table *t, const char *by, const sup_hierarchy *h, size_t level, int64_t *room) {
    const sup_clusters *c = &h->level[level];
    int64_t *of = room, *size = room + h->processes, least = h->processes, most = 0;
    char members[160];
    memset(size, 0, (size_t)h->processes * sizeof *size);
    sup_hierarchy_labels(h, level, of);
    for (int64_t p = 0; p < h->processes; p++) size[of[p]]++;
    for (int64_t k = 0; k < c->count; k++) {
        if (size[k] < least) least = size[k];
        if (size[k] > most) most = size[k];
    }
    sup_cell_text(t, by);
    c->name[0] ? sup_cell_text(t, c->name) : sup_table_cell(t, "%zu", level);
    sup_cell_count(t, c->count);
    least == most ? sup_cell_count(t, most) : sup_table_cell(t, "%" PRId64 " to %" PRId64, least, most);
    write_members(h, level, members, sizeof members);
    sup_cell_text(t, members);
}

static sup_status put_rows(sup_table *t, const char *by, const sup_hierarchy *h) {
    int64_t *room = malloc(2 * (size_t)h->processes * sizeof *room);
    if (!room) return SUP_ENOMEM;
    for (size_t l = 0; l < h->levels; l++) put_row(t, by, h, l, room);
    free(room);
    return SUP_OK;
}

static sup_status put_differences(sup_table *t, const sup_hierarchy *costs, const sup_hierarchy *topology) {
    sup_cluster_difference *d = NULL;
    size_t count = 0;
    sup_status st = sup_hierarchy_compare(costs, topology, &d, &count);
    if (st) return st;
    for (size_t k = 0; k < count; k++) {
        char text[256];
        sup_cluster_difference_text(&d[k], text, sizeof text);
        *text = (char)toupper((unsigned char)*text);
        sup_table_note(t, "%s.", text);
    }
    if (!count) sup_table_note(t, "Cost and topology say the same.");
    free(d);
    return SUP_OK;
}

static sup_status fill(const sup_platform *m, sup_table *t) {
    sup_diag diag = {0};
    sup_hierarchy costs, topology;
    sup_status st = sup_hierarchy_of_platform(m, SUP_CLUSTER_SPARSENESS, &diag, &costs);
    if (st) return st;
    st = sup_hierarchy_of_topology(m, &diag, &topology);
    if (!st) {
        st = put_rows(t, "cost", &costs);
        if (!st) st = put_rows(t, "topology", &topology);
        if (!st) st = put_differences(t, &costs, &topology);
        sup_hierarchy_free(&topology);
    }
    sup_hierarchy_free(&costs);
    return st;
}

static void put_table(const sup_pairs *pairs, const sup_platform *m, sup_sink *sink) {
    char title[128];
    snprintf(title, sizeof title, "over %s: clusters of %" PRId64 " processes", pairs->transport, m->processes);
    sup_table *t = sup_table_new(title, "by", "level", "clusters>", "processes in each>", "ranks", NULL);
    if (fill(m, t)) {
        sup_table_free(t);
        return;
    }
    if (!sup_pairs_each_known(pairs))
        sup_table_note(t, "Cost is that of classes of pairs, which were made by topology; `superstep measure "
                          "--exhaustive` looks at each pair for itself.");
    sup_sink_put(sink, t);
}

/* Of every transport whose pairs of three processes or more were measured. */
static void clusters_tables(const sup_profile *profile, sup_sink *sink) {
    for (size_t i = 0; i < profile->pairs_count; i++) {
        const sup_pairs *pairs = &profile->pairs[i];
        sup_platform_options o = {.transport = pairs->transport};
        sup_diag diag = {0};
        sup_platform *m = NULL;
        if (pairs->processes < 3 || pairs->processes > MOST || sup_platform_open(profile, &o, &diag, &m)) continue;
        put_table(pairs, m, sink);
        sup_platform_free(m);
    }
}

/* Not in a profile's file: `show` asks for it beside the pairs. */
const sup_section sup_section_clusters = {
    .name = "clusters",
    .tables = clusters_tables,
};
