/* Who takes part in a barrier and which of them are near each other: partitions inside partitions, by hosts or by a
 * hierarchy of clusters (BSP §7.2). Stage choose, term Tsync; no cost yet. */
#include "choose/barrier/work.h"

#include <stdlib.h>
#include <string.h>

/* ---- hosts ---- */

/* Machines beyond the measured one have their hosts by the classes of pairs: those that a network joins are apart. */
static bool apart(const sup_platform *m, int64_t i, int64_t j) {
    return m->classes[sup_platform_class(m, i, j)].network;
}

enum { BY_CLASS_MAX = 4096 };

static int64_t placed_host(const sup_participants *p, int64_t member, const int64_t *first, int64_t hosts) {
    const sup_platform *m = p->platform;
    int64_t rank = sup_participants_rank(p, member), host = 0, core = 0;
    bool extended = m->block || m->stride;
    if (!extended && !sup_origin_place(&m->profile->signature, rank, &host, &core)) return host;
    if (!m->pairs || p->processes > BY_CLASS_MAX) return m->per_host > 0 ? rank / m->per_host : 0;
    int64_t h = 0;
    while (h < hosts && apart(m, sup_participants_rank(p, first[h]), rank)) h++;
    return h;
}

/* Numbers as they appear. number: by the number that the placement gives, + 1; 0: not seen yet. */
static void number_hosts(sup_participants *p, int64_t *number, int64_t most, int64_t *first) {
    for (int64_t i = 0; i < p->processes; i++) {
        int64_t h = placed_host(p, i, first, p->hosts);
        if (h < 0 || h >= most) h = 0;
        if (!number[h]) {
            first[p->hosts] = i;
            number[h] = ++p->hosts;
        }
        p->host[i] = (int)number[h] - 1;
    }
}

sup_status sup_participants_open(const sup_platform *platform, const int64_t *rank, int64_t processes,
                                 sup_participants *out) {
    sup_participants p = {.platform = platform, .processes = processes, .rank = rank};
    if (processes < 1) return SUP_EINVAL;
    int64_t most = platform->profile->signature.hosts + platform->processes + 1;
    p.host = calloc((size_t)processes, sizeof *p.host);
    int64_t *number = calloc((size_t)most, sizeof *number), *first = malloc((size_t)processes * sizeof *first);
    bool good = p.host && number && first;
    if (good) number_hosts(&p, number, most, first);
    free(number);
    free(first);
    if (!good) {
        free(p.host);
        return SUP_ENOMEM;
    }
    *out = p;
    return SUP_OK;
}

void sup_participants_close(sup_participants *p) {
    free(p->host);
    free(p->seen);
    *p = (sup_participants){0};
}

sup_status sup_barrier_hosts(const sup_platform *platform, int *host, int64_t *hosts) {
    sup_participants p;
    sup_status st = sup_participants_open(platform, NULL, platform->processes, &p);
    if (st) return st;
    memcpy(host, p.host, (size_t)p.processes * sizeof *host);
    *hosts = p.hosts;
    sup_participants_close(&p);
    return SUP_OK;
}

/* ---- partitions ---- */

static sup_status open_nest(int64_t processes, size_t levels, sup_partitions *out) {
    sup_partitions n = {.processes = processes, .levels = levels};
    n.memory = calloc(levels * (size_t)processes, sizeof *n.memory);
    if (!n.memory) return SUP_ENOMEM;
    for (size_t l = 0; l < levels; l++) n.of[l] = n.memory + (int64_t)l * processes;
    *out = n;
    return SUP_OK;
}

static int64_t clusters_of(const sup_partitions *n, size_t level) {
    int64_t count = 0;
    for (int64_t i = 0; i < n->processes; i++) count += n->of[level][i] == i;
    return count;
}

/* Leaves out partitions in which nobody is joined that was not before. Nested ones of as many clusters are the same. */
static void tidy(sup_partitions *n) {
    size_t kept = 0;
    int64_t before = n->processes;
    for (size_t l = 0; l < n->levels; l++) {
        int64_t now = clusters_of(n, l);
        if (now < before) n->of[kept++] = n->of[l];
        before = now;
    }
    if (!kept) n->of[kept++] = n->of[n->levels - 1]; /* one process */
    n->levels = kept;
}

sup_status sup_partitions_blocks(const sup_participants *participants, int64_t size, sup_partitions *out) {
    sup_partitions n;
    int64_t *first = malloc(3 * (size_t)participants->hosts * sizeof *first), *begin = first + participants->hosts;
    int64_t *seen = begin + participants->hosts; /* members of a host so far, and where its block begins */
    sup_status st = first ? open_nest(participants->processes, 3, &n) : SUP_ENOMEM;
    if (!st) {
        for (int64_t h = 0; h < participants->hosts; h++) seen[h] = 0;
        for (int64_t i = 0; i < participants->processes; i++) {
            int h = participants->host[i];
            if (!seen[h]) first[h] = i;
            if (seen[h]++ % size == 0) begin[h] = i;
            n.of[0][i] = begin[h];
            n.of[1][i] = first[h];
        }
        tidy(&n);
        *out = n;
    }
    free(first);
    return st;
}

sup_status sup_partitions_hosts(const sup_participants *participants, sup_partitions *out) {
    return sup_partitions_blocks(participants, 1, out);
}

/* ---- of a hierarchy ---- */

/* cluster[m]: of member m in this level. Its pivot is the hierarchy's if that takes part and stands for a cluster of
 * the level below, else the first that does. */
static void fill_level(const sup_participants *p, const sup_hierarchy *h, size_t level, const int64_t *cluster,
                       const int64_t *below, int64_t *pivot, int64_t *of) {
    const sup_clusters *c = &h->level[level];
    for (int64_t k = 0; k < c->count; k++) pivot[k] = -1;
    for (int64_t i = 0; i < p->processes; i++) {
        int64_t k = cluster[i];
        if (below && below[i] != i) continue;
        if (pivot[k] < 0 || sup_hierarchy_process(h, level, c->pivot[k]) == sup_participants_rank(p, i)) pivot[k] = i;
    }
    for (int64_t i = 0; i < p->processes; i++) of[i] = pivot[cluster[i]];
}

static bool well_formed(const sup_participants *p, const sup_hierarchy *h) {
    int64_t members = h->processes;
    if (!h->levels || h->level[h->levels - 1].count != 1) return false;
    for (size_t l = 0; l < h->levels; l++) {
        const sup_clusters *c = &h->level[l];
        if (c->members != members || c->count < 1 || c->count > members) return false;
        for (int64_t i = 0; i < members; i++)
            if (c->of[i] < 0 || c->of[i] >= c->count) return false;
        for (int64_t k = 0; k < c->count; k++)
            if (c->pivot[k] < 0 || c->pivot[k] >= members || c->of[c->pivot[k]] != k) return false;
        members = c->count;
    }
    for (int64_t i = 0; i < p->processes; i++)
        if (sup_participants_rank(p, i) < 0 || sup_participants_rank(p, i) >= h->processes) return false;
    return true;
}

sup_status sup_partitions_hierarchy(const sup_participants *participants, const sup_hierarchy *h, sup_partitions *out) {
    if (!well_formed(participants, h)) return SUP_EINVAL;
    size_t levels = h->levels < SUP_PARTITION_LEVELS ? h->levels : SUP_PARTITION_LEVELS, at = 0;
    int64_t *cluster = malloc((size_t)participants->processes * sizeof *cluster);
    int64_t *pivot = malloc((size_t)h->processes * sizeof *pivot);
    sup_partitions n;
    sup_status st = cluster && pivot ? open_nest(participants->processes, levels, &n) : SUP_ENOMEM;
    for (size_t l = 0; l < h->levels && !st; l++) {
        for (int64_t i = 0; i < participants->processes; i++)
            cluster[i] = h->level[l].of[l ? cluster[i] : sup_participants_rank(participants, i)];
        if (l + 1 < h->levels && at + 1 == levels) continue; /* too many: the top must have room */
        fill_level(participants, h, l, cluster, at ? n.of[at - 1] : NULL, pivot, n.of[at]);
        at++;
    }
    free(cluster);
    free(pivot);
    if (st) return st;
    tidy(&n);
    *out = n;
    return SUP_OK;
}

sup_partitions sup_partitions_some(const sup_partitions *partitions, unsigned bits) {
    sup_partitions some = {.processes = partitions->processes};
    for (size_t l = 0; l < partitions->levels; l++)
        if (l + 1 == partitions->levels || bits >> l & 1) some.of[some.levels++] = partitions->of[l];
    return some;
}

void sup_partitions_free(sup_partitions *n) {
    free(n->memory);
    *n = (sup_partitions){0};
}

uint64_t sup_partitions_digest(const sup_partitions *n) {
    uint64_t h = 1469598103934665603u;
    for (size_t l = 0; l < n->levels; l++)
        for (int64_t i = 0; i < n->processes; i++) h = (h ^ (uint64_t)n->of[l][i]) * 1099511628211u;
    return h;
}

/* ---- clusters of a level, as lists ---- */

sup_status sup_groups_of(const sup_partitions *n, size_t level, bool whole, sup_groups *out) {
    const int64_t *of = n->of[level], *below = level && !whole ? n->of[level - 1] : NULL;
    int64_t p = n->processes;
    sup_groups g = {0};
    int64_t *at = calloc((size_t)p, sizeof *at);
    g.begin = calloc((size_t)p + 1, sizeof *g.begin);
    g.member = malloc((size_t)p * sizeof *g.member);
    if (!at || !g.begin || !g.member) {
        free(at);
        sup_groups_free(&g);
        return SUP_ENOMEM;
    }
    for (int64_t i = 0; i < p; i++)
        if (!below || below[i] == i) at[of[i]]++;
    for (int64_t i = 0, total = 0; i < p; i++) {
        if (of[i] != i) continue;
        total += at[i];
        at[i] = g.begin[g.count];
        g.begin[++g.count] = total;
    }
    for (int64_t i = 0; i < p; i++) /* pivots first */
        if (of[i] == i) g.member[at[i]++] = i;
    for (int64_t i = 0; i < p; i++)
        if (of[i] != i && (!below || below[i] == i)) g.member[at[of[i]]++] = i;
    free(at);
    *out = g;
    return SUP_OK;
}

void sup_groups_free(sup_groups *g) {
    free(g->begin);
    free(g->member);
    *g = (sup_groups){0};
}

int64_t sup_groups_largest(const sup_groups *g) {
    int64_t most = 0;
    for (int64_t k = 0; k < g->count; k++)
        if (g->begin[k + 1] - g->begin[k] > most) most = g->begin[k + 1] - g->begin[k];
    return most;
}
