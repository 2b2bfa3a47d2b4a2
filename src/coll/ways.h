/* Inside the collective operations (coll.h): what is open, and the ways to carry one out. */
#ifndef SUP_COLL_WAYS_H
#define SUP_COLL_WAYS_H

#include "coll/coll.h"
#include "plan/collective.h"

/* Memory that grows and is kept. */
typedef struct sup_coll_memory {
    unsigned char *at;
    size_t bytes;
} sup_coll_memory;

enum { SUP_COLL_CHUNK = 32, SUP_COLL_NUMBERS = 4 };
/* Requests stay where they are while they are under way. */
typedef struct sup_coll_chunk {
    sup_net_req req[SUP_COLL_CHUNK];
    int64_t expects[SUP_COLL_CHUNK]; /* bytes of a receive; -1: it is a send */
} sup_coll_chunk;

/* Members that work together: the whole group, or those of one host. */
typedef struct sup_coll_scope {
    sup_net_group group;
    sup_choices *choices; /* SUP_OPERATIONS of them, made when they are asked for; no choices: not yet */
} sup_coll_scope;

struct sup_coll {
    sup_coll_scope all, host;
    struct sup_room *room; /* of the members of the own host; NULL: messages there, too */
    sup_coll_options options;
    /* Members by host: order[first[h]] … are those of host h, in the order of the group. */
    int hosts, own_host;
    int *host_of, *place; /* of each member: its host, and its index there */
    int *order, *first;
    bool memory;            /* hosts of several members have rooms */
    bool plain;             /* one host, which has one */
    bool in_order;          /* order[i] = i: hosts are stretches of the group */
    int *ranks;             /* room for one of each host */
    int64_t *numbers;       /* room for SUP_COLL_NUMBERS a member */
    sup_coll_chunk **chunk; /* of requests */
    int chunks;
    sup_coll_memory temp;   /* TEMP of schedules */
    sup_coll_memory turned; /* operands of folds that have no place of their own */
    sup_coll_memory stage;  /* blocks of a host */
    sup_status broken;      /* not SUP_OK: somebody has given up, and so have all */
    bool lost;              /* requests may be under way for ever */
};

/* SUP_ENOMEM. What was there is lost if it grows. */
sup_status sup_coll_reserve(sup_coll_memory *memory, size_t bytes);
/* Not if it is nothing, or is there. */
void sup_coll_move(void *to, const void *from, int64_t bytes);

sup_job sup_coll_job(const sup_coll_call *call, int64_t processes, const sup_choice *choice);
/* to = to ∘ from; before: to = from ∘ to. spoils: `from` may hold anything afterwards. SUP_ENOMEM. */
sup_status sup_coll_fold(sup_coll *coll, const sup_fold *fold, void *to, void *from, int64_t bytes, bool before,
                         bool spoils);
/* An operation of a group of one: what would come from oneself. */
sup_status sup_coll_alone(const sup_coll_call *call);

/* Blocks of different lengths? */
bool sup_coll_has_blocks(const sup_job *job);
/* Do all members know how many bytes there are in all? */
bool sup_coll_knows_total(const sup_job *job);

/* What holds for this operation in this scope. */
const sup_choices *sup_coll_table(const sup_coll *coll, const sup_coll_scope *scope, int operation);

typedef bool sup_coll_can_fn(const sup_coll *coll, const sup_job *job, const sup_choice *choice);
/* The call's own choice; the one for this size; the next of the table that can, from there on; any (*other is room for
 * it). NULL: none can, or the call's own cannot. The same on all members. */
const sup_choice *sup_coll_pick(const sup_coll *coll, const sup_coll_scope *scope, sup_coll_can_fn *can,
                                const sup_coll_call *call, const sup_job *job, sup_choice *other);

/* ---- what members tell each other beside the data (agree.c) ---- */

/* Collective: the worst status of all members, on all of them; slot: the group's first. SUP_EPEER. Needs no memory. */
sup_status sup_coll_agree(const sup_net_group *group, int slot, sup_status status);
/* Has a member said so? */
sup_status sup_coll_heard(const sup_net_group *group, int slot);

/* ---- ways ---- */

/* Messages between the members of a group, by the schedule of choice->algorithm. */
sup_coll_can_fn sup_messages_can;
sup_status sup_run_messages(sup_coll *coll, const sup_net_group *group, const sup_coll_call *call,
                            const sup_choice *choice);

/* In the room of these members; by messages where there is none, or it has no place for elements so long. */
sup_status sup_run_inside(sup_coll *coll, const sup_coll_scope *scope, const sup_coll_call *call,
                          const sup_choice *choice);

/* Over hosts: between one member of each by messages, inside each by what is best there. */
sup_coll_can_fn sup_hosts_can;
sup_status sup_run_hosts(sup_coll *coll, const sup_coll_call *call, const sup_choice *choice);

#endif
