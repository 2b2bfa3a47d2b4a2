/* Clustering of tasks and affinity of workers: the formulas of CACHE §3.2 and §3.3 (term Tcomp, stage run). */
#include "tile/cluster.h"

#include <stdlib.h>
#include <string.h>

sup_span sup_cluster_contiguous(int64_t tasks, int workers, int worker) {
    int64_t each = tasks / workers, more = tasks % workers;
    return (sup_span){each * worker + (worker < more ? worker : more), each + (worker < more)};
}

sup_status sup_siblings_make(const sup_topology *topology, const int *cores, int workers, sup_siblings *out) {
    const sup_level *last = sup_topology_last_level(topology);
    int *room = calloc(3 * (size_t)workers, sizeof *room);
    int *seen = calloc((size_t)workers, sizeof *seen); /* copy of the cache behind each group; -1 none */
    if (!room || !seen) {
        free(room);
        free(seen);
        return SUP_ENOMEM;
    }
    sup_siblings s = {.workers = workers, .group_of = room, .place = room + workers, .size = room + 2 * workers};
    for (int w = 0; w < workers; w++) {
        int copy = last && cores[w] >= 0 ? last->group_of[cores[w]] : -1, g = 0;
        while (g < s.groups && (copy < 0 || seen[g] != copy)) g++;
        if (g == s.groups) seen[s.groups++] = copy;
        s.group_of[w] = g;
        s.place[w] = s.size[g]++;
        if (s.size[g] > s.largest) s.largest = s.size[g];
    }
    free(seen);
    *out = s;
    return SUP_OK;
}

void sup_siblings_free(sup_siblings *siblings) {
    free(siblings->group_of);
    memset(siblings, 0, sizeof *siblings);
}

int64_t sup_cluster_size(size_t llc_bytes, size_t tcl_bytes, int sharing) {
    int64_t n = (int64_t)(llc_bytes / (tcl_bytes ? tcl_bytes : 1)), q = sharing > 0 ? sharing : 1;
    if (n < 1) n = 1;
    return (n + q - 1) / q * q;
}

/* What cannot be dealt out evenly to the groups, the "CC cluster", is |T| mod (N·n): the document's formula for its
 * size, N·(|T| mod (N·n)) + |T| mod N, counts tasks as clusters. */
sup_schedule sup_schedule_make(int64_t tasks, int workers, int64_t cluster, const sup_siblings *siblings) {
    sup_schedule s = {.tasks = tasks, .workers = workers};
    if (cluster > 0 && siblings && siblings->groups > 0) {
        s.cluster = cluster;
        s.siblings = siblings;
        s.rounds = tasks / cluster / siblings->groups;
    }
    return s;
}

/* Members j of a cluster of N with j mod n = i. */
static int64_t share_of(int64_t cluster, int size, int place) { return (cluster - place + size - 1) / size; }

int64_t sup_schedule_count(const sup_schedule *s, int worker) {
    if (!s->siblings) return sup_cluster_contiguous(s->tasks, s->workers, worker).count;
    const sup_siblings *b = s->siblings;
    int64_t dealt = s->rounds * s->cluster * b->groups;
    int64_t own = s->rounds * share_of(s->cluster, b->size[b->group_of[worker]], b->place[worker]);
    return own + sup_cluster_contiguous(s->tasks - dealt, s->workers, worker).count;
}

int64_t sup_schedule_task(const sup_schedule *s, int worker, int64_t step) {
    if (!s->siblings) return sup_cluster_contiguous(s->tasks, s->workers, worker).first + step;
    const sup_siblings *b = s->siblings;
    int group = b->group_of[worker], size = b->size[group], place = b->place[worker];
    int64_t share = share_of(s->cluster, size, place), dealt = s->rounds * s->cluster * b->groups;
    if (share > 0 && step < s->rounds * share) {
        int64_t round = step / share;
        return (round * b->groups + group) * s->cluster + place + (step % share) * size;
    }
    return dealt + sup_cluster_contiguous(s->tasks - dealt, s->workers, worker).first + step - s->rounds * share;
}
