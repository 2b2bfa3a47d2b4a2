/* A group: some of the processes of a net, in an order of their own. Barriers and collectives are over groups, so that
 * they serve any set of ranks: those of a section, of a host, the first of each host. */
#ifndef SUP_NET_GROUP_H
#define SUP_NET_GROUP_H

#include "net/net.h"

typedef struct sup_net_group {
    sup_net *net;
    int size;   /* members */
    int self;   /* this process's index; -1: it is no member */
    int *ranks; /* rank of each member; NULL: member i is rank i */
} sup_net_group;

/* Ranks 0 … size-1. Local, O(1), nothing to free. */
static inline sup_net_group sup_net_group_first(sup_net *net, int size) {
    return (sup_net_group){.net = net, .size = size, .self = net->rank < size ? net->rank : -1};
}

/* These ranks in this order; the same on all members. Local, O(P). SUP_EINVAL: a rank that there is not, or twice. */
sup_status sup_net_group_of(sup_net *net, const int *ranks, int size, sup_net_group *out);
void sup_net_group_free(sup_net_group *group);

static inline int sup_net_group_rank(const sup_net_group *group, int member) {
    return group->ranks ? group->ranks[member] : member;
}

/* Who shares a host: hosts are numbered in the order in which they appear. */
typedef struct sup_net_hosts {
    int count;
    int *host_of; /* of each member */
    int *leader;  /* of each host: its first member */
} sup_net_hosts;

/* Local; O(members · hosts). */
sup_status sup_net_group_hosts(const sup_net_group *group, sup_net_hosts *out);
void sup_net_hosts_free(sup_net_hosts *hosts);

#endif
