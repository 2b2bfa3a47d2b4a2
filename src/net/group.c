/* Groups of processes: see group.h. */
#include "net/group.h"

#include <stdlib.h>
#include <string.h>

sup_status sup_net_group_of(sup_net *net, const int *ranks, int size, sup_net_group *out) {
    if (size < 1 || size > net->size) return SUP_EINVAL;
    sup_net_group g = {.net = net, .size = size, .self = -1, .ranks = malloc((size_t)size * sizeof *g.ranks)};
    bool *taken = calloc((size_t)net->size, sizeof *taken);
    sup_status st = g.ranks && taken ? SUP_OK : SUP_ENOMEM;
    for (int i = 0; i < size && !st; i++) {
        int rank = ranks[i];
        if (rank < 0 || rank >= net->size || taken[rank]) {
            st = SUP_EINVAL;
            break;
        }
        taken[rank] = true;
        g.ranks[i] = rank;
        if (rank == net->rank) g.self = i;
    }
    free(taken);
    if (st)
        free(g.ranks);
    else
        *out = g;
    return st;
}

void sup_net_group_free(sup_net_group *group) {
    free(group->ranks);
    *group = (sup_net_group){0};
}

sup_status sup_net_group_hosts(const sup_net_group *g, sup_net_hosts *out) {
    sup_net_hosts h = {0, calloc((size_t)g->size, sizeof(int)), calloc((size_t)g->size, sizeof(int))};
    if (!h.host_of || !h.leader) {
        sup_net_hosts_free(&h);
        return SUP_ENOMEM;
    }
    for (int i = 0; i < g->size; i++) {
        const char *name = sup_net_host(g->net, sup_net_group_rank(g, i));
        int host = i ? h.host_of[i - 1] : 0; /* neighbours mostly share a host */
        if (i && strcmp(name, sup_net_host(g->net, sup_net_group_rank(g, h.leader[host]))) != 0)
            for (host = 0; host < h.count; host++)
                if (!strcmp(name, sup_net_host(g->net, sup_net_group_rank(g, h.leader[host])))) break;
        if (host == h.count) h.leader[h.count++] = i;
        h.host_of[i] = host;
    }
    *out = h;
    return SUP_OK;
}

void sup_net_hosts_free(sup_net_hosts *hosts) {
    free(hosts->host_of);
    free(hosts->leader);
    *hosts = (sup_net_hosts){0};
}
