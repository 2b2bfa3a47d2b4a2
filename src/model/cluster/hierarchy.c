/* Levels of clusters (cluster.h): how they are kept and made, from the innermost out. Term Tsync, stage "model". */
#include "model/cluster/cluster.h"

#include <stdio.h>
#include <stdlib.h>

void sup_clusters_free(sup_clusters *c) {
    free(c->of);
    free(c->pivot);
    *c = (sup_clusters){0};
}

void sup_hierarchy_free(sup_hierarchy *h) {
    for (size_t l = 0; l < h->levels; l++) sup_clusters_free(&h->level[l]);
    free(h->level);
    *h = (sup_hierarchy){0};
}

int64_t sup_hierarchy_process(const sup_hierarchy *h, size_t level, int64_t member) {
    while (level > 0) member = h->level[--level].pivot[member];
    return member;
}

void sup_hierarchy_labels(const sup_hierarchy *h, size_t level, int64_t *of) {
    for (int64_t p = 0; p < h->processes; p++) {
        int64_t member = p;
        for (size_t l = 0; l <= level; l++) member = h->level[l].of[member];
        of[p] = member;
    }
}

/* ---- making ---- */

sup_status sup_hierarchy_start(int64_t processes, sup_hierarchy *out) {
    if (processes < 1) return SUP_EINVAL;
    *out = (sup_hierarchy){.processes = processes};
    return SUP_OK;
}

typedef struct labelled {
    int64_t label, member;
} labelled;

static int by_label(const void *a, const void *b) {
    const labelled *x = a, *y = b;
    if (x->label != y->label) return x->label < y->label ? -1 : 1;
    return (x->member > y->member) - (x->member < y->member);
}

/* Clusters are numbered as they appear. room: [members], in any order. */
static void number(labelled *room, int64_t members, sup_clusters *c) {
    qsort(room, (size_t)members, sizeof *room, by_label);
    for (int64_t k = 0; k < members; k++) { /* everybody points to the first who has its label */
        bool same = k > 0 && room[k].label == room[k - 1].label;
        c->of[room[k].member] = same ? c->of[room[k - 1].member] : room[k].member;
    }
    for (int64_t m = 0; m < members; m++) {
        if (c->of[m] == m) {
            c->pivot[c->count] = m;
            c->of[m] = c->count++;
        } else {
            c->of[m] = c->of[c->of[m]];
        }
    }
}

static int64_t members_of(const sup_hierarchy *h) { return h->levels ? h->level[h->levels - 1].count : h->processes; }

sup_status sup_hierarchy_add(sup_hierarchy *h, const int64_t *label, const char *name) {
    int64_t members = members_of(h);
    sup_clusters *grown = realloc(h->level, (h->levels + 1) * sizeof *grown);
    if (!grown) return SUP_ENOMEM;
    h->level = grown;
    sup_clusters c = {.members = members,
                      .of = malloc((size_t)members * sizeof *c.of),
                      .pivot = malloc((size_t)members * sizeof *c.pivot)};
    labelled *room = malloc((size_t)members * sizeof *room);
    if (!c.of || !c.pivot || !room) {
        free(room);
        sup_clusters_free(&c);
        return SUP_ENOMEM;
    }
    for (int64_t m = 0; m < members; m++)
        room[m] = (labelled){label ? label[sup_hierarchy_process(h, h->levels, m)] : 0, m};
    number(room, members, &c);
    free(room);
    if (c.count == members && (members > 1 || h->levels)) {
        sup_clusters_free(&c);
        return SUP_OK;
    }
    snprintf(c.name, sizeof c.name, "%s", name ? name : "");
    h->level[h->levels++] = c;
    return SUP_OK;
}

sup_status sup_hierarchy_finish(sup_hierarchy *h, const char *name) {
    if (h->levels && h->level[h->levels - 1].count == 1) return SUP_OK;
    return sup_hierarchy_add(h, NULL, name);
}
