/* Who uses which signal slots and tags of a net: the only place where their numbers are given out. A row is a range,
 * its size and its user, who divides it as it likes. Each range begins where the one above it ends, so no two overlap;
 * that all of them fit is checked below.
 *
 * Slots and tags are of a pair of processes, and slots of published words of one: barriers of groups that share no rank
 * may use the same ones at the same time, all others need a row each. */
#ifndef SUP_NET_NUMBERS_H
#define SUP_NET_NUMBERS_H

#include "net/net.h"

#define SUP_NET_RANGE(name, count) name, name##_LAST = name + (count)-1

enum sup_net_slot {
    SUP_NET_RANGE(SUP_SLOT_SYNC, 2),       /* bsp/engine/planned.c: the barrier of bsp_sync */
    SUP_NET_RANGE(SUP_SLOT_TRACE, 2),      /* bsp/tracing/trace.c: the barrier before it in a recorded run */
    SUP_NET_RANGE(SUP_SLOT_TRIAL, 2),      /* measure/lab/net.c: the barrier that is measured */
    SUP_NET_RANGE(SUP_SLOT_TOGETHER, 2),   /* … and the one before what is timed by itself */
    SUP_NET_RANGE(SUP_SLOT_BEAT, 2),       /* measure/lab/body.c: broadcasts, and that they were copied */
    SUP_NET_RANGE(SUP_SLOT_COLL, 4),       /* bsp: collective operations (coll/coll.h) */
    SUP_NET_RANGE(SUP_SLOT_COLL_TRIAL, 4), /* measure: those that are measured */
    SUP_NET_RANGE(SUP_SLOT_INSIDE, 1),     /* net/inside.c: which memory the processes of a host share */
    SUP_SLOT_END
};

enum sup_net_tag {
    SUP_NET_RANGE(SUP_TAG_MESSAGE, 128),  /* bsp/message/message.h: supersteps over messages */
    SUP_NET_RANGE(SUP_TAG_TRACE, 32),     /* bsp/tracing/trace.c: rounds of the barrier of a recorded run */
    SUP_NET_RANGE(SUP_TAG_TRACE_PART, 3), /* bsp/tracing/part.c: what was recorded, to rank 0 */
    SUP_NET_RANGE(SUP_TAG_CHECK, 3),      /* bsp/check/check.h: checking mode */
    SUP_NET_RANGE(SUP_TAG_SECTION, 1),    /* bsp/calls/section.c: what rank 0 tells the others before a section */
    SUP_NET_RANGE(SUP_TAG_LAST_WORDS, 2), /* bsp/calls/last_words.c: why a run ends */
    SUP_NET_RANGE(SUP_TAG_TRIAL, 9),      /* measure/lab/net.h: trials */
    SUP_NET_RANGE(SUP_TAG_COLL, 4),       /* bsp: collective operations (coll/coll.h) */
    SUP_NET_RANGE(SUP_TAG_COLL_TRIAL, 4), /* measure: those that are measured */
    SUP_TAG_END
};

_Static_assert(SUP_SLOT_END <= SUP_NET_SLOTS, "more signal slots than a net has");
_Static_assert(SUP_TAG_END <= SUP_NET_TAG_MAX + 1, "more tags than a net has");

/* Barriers that take turns lie in one cache line: a measured one beside the one before it, as in a recorded run. */
enum { SUP_SLOTS_OF_A_LINE = 64 / sizeof(uint64_t) };
_Static_assert(SUP_SLOT_SYNC / SUP_SLOTS_OF_A_LINE == SUP_SLOT_TRACE_LAST / SUP_SLOTS_OF_A_LINE &&
                   SUP_SLOT_TRIAL / SUP_SLOTS_OF_A_LINE == SUP_SLOT_TOGETHER_LAST / SUP_SLOTS_OF_A_LINE,
               "barriers that take turns are in two cache lines");

#endif
