/* A room: memory that the members of a group, all on one host, have in common, and collective operations in it. The run
 * stage of Tcomm inside a host, without messages.
 *
 * The memory is a file without a name, made by the first member; the others learn process and descriptor from published
 * words and open it through /proc: nothing is left of it when they end. An operation is a file shared_OPERATION.c and a
 * row of the table in room.c. Small vectors travel inside the lines that carry the sequence numbers; larger ones are
 * copied in and out in chunks that stay in cache, writers and readers at the same time; where the kernel copies between
 * processes (sup_net_copies) large blocks go straight from the owner's memory. Nobody waits for a reader unless its
 * part of the memory is needed again, so that the root of a broadcast runs ahead.
 *
 * Reductions fold slices of the vector, a member each, in the order of members. */
#ifndef SUP_COLL_ROOM_ROOM_H
#define SUP_COLL_ROOM_ROOM_H

#include "coll/coll.h"

typedef struct sup_room sup_room;

/* Collective; every member shares memory with every other (sup_net_shares). slot: its signals, while it opens, and its
 * published words. All have it, or none: SUP_EINVAL: not a member, no such slot; SUP_ENOTSUP, SUP_ENOMEM, SUP_EPEER.
 * Pages cost memory when they are first used: 12 KiB a member for short vectors, up to 4 MiB for long ones. */
sup_status sup_room_open(const sup_net_group *group, int slot, sup_room **out);
/* Local; nobody is in an operation. */
void sup_room_close(sup_room *room);
/* This member cannot go on: whoever waits in the room, now or later, learns the status. */
void sup_room_break(sup_room *room, sup_status status);

/* Can members that sleep make the fence for those who do not? The first to ask is the kernel, which lets a process with
 * threads wait for 10 to 20 ms, and one without for nothing: whoever can asks before there are threads. */
bool sup_room_fences(void);

/* Is there a file for this operation? */
bool sup_room_has(int operation);
/* One operation, its members being the room's. choice: radix and segment of the algorithm "shared"; NULL: the usual.
 * SUP_ENOTSUP, on all members: an element that is folded does not fit into a cell (512 KiB). SUP_EPEER: a member is
 * gone, and the room with it. Arguments are the caller's to check. */
sup_status sup_room_run(sup_room *room, const sup_coll_call *call, const sup_choice *choice);

#endif
