/* Inside collective operations over hosts: what hosts/run.c and hosts_OPERATION.c share.
 *
 * Members are in packed order where those of a host lie side by side: host after host, in each in the order of the
 * group. One member of each host, its representative, takes part in what goes on between hosts. */
#ifndef SUP_COLL_HOSTS_HOSTS_H
#define SUP_COLL_HOSTS_HOSTS_H

#include "coll/ways.h"

/* Blocks of members: of one length and one behind the other, or as the arrays say. */
typedef struct sup_blocks {
    int64_t each;
    const int64_t *bytes, *at;
} sup_blocks;

static inline int64_t sup_block_bytes(const sup_blocks *b, int i) { return b->bytes ? b->bytes[i] : b->each; }

/* What the hosts' parts of all blocks are, in packed order: how long, and where they begin. The arrays are the coll's.
 */
typedef struct sup_packed {
    sup_blocks hosts;  /* of each host */
    sup_blocks inside; /* of each member of the own one */
    int64_t total, own, own_at;
    bool straight; /* packed order is that of the group, and blocks lie so: nothing need be moved */
} sup_packed;
sup_packed sup_hosts_pack(sup_coll *coll, const sup_blocks *blocks);
/* Between the packed form and a buffer of blocks. */
void sup_hosts_unpack(const sup_coll *coll, const sup_blocks *blocks, const unsigned char *packed, unsigned char *to);
void sup_hosts_pack_up(const sup_coll *coll, const sup_blocks *blocks, const unsigned char *from,
                       unsigned char *packed);

static inline int sup_host_size(const sup_coll *c, int h) { return c->first[h + 1] - c->first[h]; }

/* Who stands for host h: its first member, or `chosen` if it is there (-1: nobody is). */
int sup_hosts_stand_in(const sup_coll *coll, int h, int chosen);
/* The group of those. */
sup_net_group sup_hosts_group(sup_coll *coll, int chosen);
bool sup_hosts_am(const sup_coll *coll, int chosen);

/* Among the members of the own host; root is an index among them. */
sup_status sup_hosts_inside(sup_coll *coll, const sup_coll_call *call);
/* Among representatives; others have nothing to do. */
sup_status sup_hosts_between(sup_coll *coll, const sup_net_group *group, const sup_coll_call *call,
                             const sup_choice *choice);

sup_status sup_hosts_gather(sup_coll *coll, const sup_coll_call *call, const sup_choice *choice);
sup_status sup_hosts_scatter(sup_coll *coll, const sup_coll_call *call, const sup_choice *choice);
sup_status sup_hosts_allgather(sup_coll *coll, const sup_coll_call *call, const sup_choice *choice);
sup_status sup_hosts_reduce_scatter(sup_coll *coll, const sup_coll_call *call, const sup_choice *choice);
sup_status sup_hosts_alltoall(sup_coll *coll, const sup_coll_call *call, const sup_choice *choice);
sup_status sup_hosts_scan(sup_coll *coll, const sup_coll_call *call, const sup_choice *choice);

#endif
