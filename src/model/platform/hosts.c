/* Which classes of pairs join hosts: their messages go through a network channel, those of the others through shared
 * memory. Tcomm; profile in, no cost yet. Only the placement that was measured is asked: classes mean the same in an
 * extended machine. */
#include "model/equation/model.h"

typedef struct hosts {
    sup_platform *m;
    int64_t each; /* processes of a host where no placement is recorded */
} hosts;

static int64_t host_of(const hosts *h, int64_t rank) {
    int64_t host, core;
    if (sup_origin_place(&h->m->profile->signature, rank, &host, &core)) return rank / h->each;
    return host;
}

static void look(hosts *h, int64_t i, int64_t j) {
    if (i >= h->m->pairs->processes || j >= h->m->pairs->processes || i == j) return;
    int class = sup_pairs_class(h->m->pairs, i, j);
    if (!h->m->classes[class].network && host_of(h, i) != host_of(h, j)) h->m->classes[class].network = true;
}

/* All pairs of small machines. Of large ones, whose classes are levels: from some ranks to those near and to those at
 * distances that grow by half, which meets every level. */
enum { ALL = 256, SOME = 16 };

static void look_around(hosts *h) {
    int64_t p = h->m->pairs->processes, from = p <= ALL ? p : SOME;
    for (int64_t i = 0; i < from; i++)
        for (int64_t d = 1; d < p; d = d < ALL ? d + 1 : d + d / 2) {
            look(h, i, i + d);
            look(h, i + d, i);
        }
    const int64_t *e = h->m->pairs->exceptions;
    for (size_t k = 0; k + 3 < h->m->pairs->exceptions_count; k += 4) look(h, e[k], e[k + 1]);
}

/* Pairs of all kinds of processes that are as far apart as these. */
static void complete_levels(sup_platform *m) {
    for (size_t l = 0; l < m->pairs->levels_count; l++) {
        const sup_pair_level *level = &m->pairs->levels[l];
        bool joins = false;
        for (size_t k = 0; k < level->classes_count; k++) joins |= m->classes[level->classes[k]].network;
        for (size_t k = 0; k < level->classes_count; k++) m->classes[level->classes[k]].network |= joins;
    }
}

void sup_platform_hosts(sup_platform *m) {
    const sup_origin *s = &m->profile->signature;
    if (!m->pairs || s->hosts < 2) return;
    hosts h = {.m = m, .each = (m->pairs->processes + s->hosts - 1) / s->hosts};
    look_around(&h);
    complete_levels(m);
}
