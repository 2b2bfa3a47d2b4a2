/* Collective operations on a group of processes: the run stage of Tcomm.
 *
 *     sup_coll *c;
 *     sup_coll_open(&group, &options, &diag, &c);                       collective
 *     sup_coll_call call = {.operation = SUP_BROADCAST, .root = 0, .out = data, .bytes = n};
 *     sup_coll_run(c, &call);                                           collective
 *
 * Three ways, one table (coll.c): an algorithm of schedule/schedule.h is carried out action by action over messages
 * (messages/run.c); the members of one host work in memory that they share (shared_OPERATION.c on room.h); over several
 * hosts the first of each go by messages and each host by its memory (hosts/run.c).
 *
 * Which one: the call's own choice, or the one that the plan, else the table of defaults, has for so many processes and
 * bytes (plan/collective.h); where that one cannot do it (the fold does not commute, blocks differ in length), the next
 * of the table that can. All members pass the same operation, root, sizes, fold and choice. Where blocks differ in
 * length all members give arrays, lengths with places: all lengths in an allgather and a reduce-scatter; in an alltoall
 * what it sends and gets; in a gather the root those of OUT and the others in_bytes, one number, in a scatter the other
 * way round. The result of a reduction is a function of all this and the group alone: no clock decides about brackets.
 *
 * Waiting lets the net make progress; SUP_EPEER: somebody is gone. */
#ifndef SUP_COLL_COLL_H
#define SUP_COLL_COLL_H

#include "coll/fold/fold.h"
#include "net/group.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

typedef struct sup_coll sup_coll;

typedef struct sup_coll_options {
    const sup_plan *plan; /* NULL: the defaults; must stay */
    int tag;              /* first of SUP_COLL_TAGS tags of messages that are its own */
    int slot;             /* first of SUP_COLL_SLOTS signal slots that are its own */
    bool no_memory;       /* messages only */
    bool mpi;             /* sup_coll_look may answer: leave it to MPI (an algorithm of NULL) */
    const int *host_of;   /* number of each member's host, if not by the names of hosts: other levels, tests */
} sup_coll_options;
enum { SUP_COLL_TAGS = 4, SUP_COLL_SLOTS = 4 };

typedef struct sup_coll_call {
    int operation; /* sup_operation */
    int root;
    const void *in;
    void *out;
    int64_t bytes; /* as in sup_job */
    const int64_t *in_bytes, *in_at, *out_bytes, *out_at;
    const sup_fold *fold;     /* reductions */
    const sup_choice *choice; /* NULL: looked up */
} sup_coll_call;

/* SUP_ENOMEM, SUP_EPEER, SUP_EINVAL: not a member. Either all members have it or none has, for the same reason: also
 * that of an earlier group of these slots in which a member could not go on. */
sup_status sup_coll_open(const sup_net_group *group, const sup_coll_options *options, sup_diag *diag, sup_coll **out);
/* Collective. */
void sup_coll_close(sup_coll *coll);
/* SUP_EINVAL: arguments, or the call's own choice cannot do it here (sup_coll_can; or the fold does not commute);
 * SUP_EMISMATCH: members do not agree about sizes. SUP_EPEER, SUP_ENOMEM, SUP_EPERM (the kernel no longer copies): a
 * member could not go on; from then on for good, on all members, in the operation in which they would wait for it at
 * the latest. Then the net may use the call's buffers until it is closed. */
sup_status sup_coll_run(sup_coll *coll, const sup_coll_call *call);
/* This member cannot go on, or take part in the next operation, and nobody shall wait for it: from now on every
 * operation ends with the status, on all members. So it stays for as long as the net is open. */
void sup_coll_end(sup_coll *coll, sup_status status);
/* Would this choice work for this job on this group? All members find the same. */
bool sup_coll_can(const sup_coll *coll, const sup_job *job, const sup_choice *choice);
/* Collective, on one host: each member's number becomes the greatest of all, for less than the shortest operation
 * takes. SUP_ENOTSUP, on all members: they share no memory. */
sup_status sup_coll_greatest(sup_coll *coll, int64_t *number);
/* What sup_coll_run takes where the call has no choice of its own. */
const sup_choice *sup_coll_look(const sup_coll *coll, int operation, int64_t total_bytes);

#endif
