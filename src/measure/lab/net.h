/* A lab over a net: lab/net.c (who does what when) calls lab/body.c (what is timed; lab/collective.c, lab/signal.c) and
 * lab/gather_places.c (where everybody is); all use lab/net_common.c. Another kind of trial is a body and a row of
 * sup_bodies.
 *
 *     rank 0:       sup_lab_net_open; lab->store = …;  sup_lab_ask, sup_rounds_run;  sup_lab_net_close
 *     the others:   sup_lab_net_open; sup_lab_net_serve                              until rank 0 closes */
#ifndef SUP_MEASURE_LAB_NET_H
#define SUP_MEASURE_LAB_NET_H

#include "base/memory.h"
#include "coll/coll.h"
#include "coll/messages/barrier.h"
#include "measure/lab/lab.h"
#include "measure/noise/gaps.h"
#include "net/net.h"
#include "net/numbers.h"

/* Tags of the measurements; programs that measure use no others meanwhile. */
enum {
    SUP_LAB_TAG_TRIAL = SUP_TAG_TRIAL, /* rank 0: what comes next */
    SUP_LAB_TAG_RESULT,                /* to rank 0 */
    SUP_LAB_TAG_GO,                    /* leader: a batch of so many repetitions */
    SUP_LAB_TAG_READY,
    SUP_LAB_TAG_START,
    SUP_LAB_TAG_REPORT, /* to the leader: seconds, disturbed */
    SUP_LAB_TAG_DATA,
    SUP_LAB_TAG_ACK,
    SUP_LAB_TAG_PLACE,
};
_Static_assert((int)SUP_LAB_TAG_PLACE == (int)SUP_TAG_TRIAL_LAST, "tags of trials");

#define SUP_LAB_WORD 96                         /* characters of what trials call a barrier or a collective */
#define SUP_LAB_BROADCAST_MAX ((size_t)1 << 20) /* bytes of one of the two segments of the broadcast setup */

/* A barrier that can be measured. */
typedef struct sup_lab_barrier {
    char word[SUP_PATTERN_WORD]; /* what trials call it: "tree:4" */
    sup_barrier *barrier;        /* through sup_lab_begin_barrier */
} sup_lab_barrier;

typedef struct sup_lab_net {
    sup_lab lab;
    sup_net *net;
    const sup_clock *clock;
    bool watch;      /* ask whether a batch was disturbed */
    int schedstat;   /* file of the kernel that says how long we waited for a core; -1: none */
    uint64_t serial; /* of the trial: the same for everybody, never twice on one net */
    sup_memory out, in;
    sup_net_req *reqs;
    size_t reqs_room;
    sup_lab_barrier *barriers;
    size_t barrier_count;
    sup_barrier *latest;    /* of them */
    sup_barrier *together;  /* before what is timed by itself */
    sup_coll *coll;         /* collective operations of all processes; NULL: they are not measured */
    sup_net_region *region; /* two segments for the broadcast setup; NULL: none to be had */
    sup_gaps gaps;          /* that this process saw */
    void (*elsewhere)(void *context);
    void *context;
    sup_turns *turns;
    sup_rank_place *places; /* rank 0 */
} sup_lab_net;

/* Which of the lab's barriers it is; -1: none. The same on all processes. */
int sup_lab_find_barrier(const sup_lab_net *lab, const char *word);
/* For whoever begins a trial: they share two slots, so all processes must have left the one before. */
sup_barrier *sup_lab_begin_barrier(sup_lab_net *lab, int number);
/* That of a superstep of our runtime. */
sup_barrier *sup_lab_sync_barrier(sup_lab_net *lab);

/* One process's part in a trial. */
typedef struct sup_participants {
    sup_lab_net *lab;
    sup_trial trial; /* ranks: of its own group */
    int me;          /* index in the group */
    bool apart;      /* the group is on several hosts: who waits may sleep or yield */
    size_t out_at, in_at;
    uint64_t beat; /* broadcasts, or supersteps, so far */
} sup_participants;

/* What every process of the group does in a batch; *elapsed: its own seconds for all repetitions. */
typedef sup_status sup_body(sup_participants *participants, uint64_t repetitions, double *elapsed);

typedef struct sup_body_kind {
    sup_body *run;   /* NULL: not over a net */
    bool slowest;    /* the slowest process's seconds count, not the leader's */
    bool everybody;  /* has a barrier: the group is all processes */
    bool barrier;    /* `kernel` names one; in the body it is `number` */
    bool collective; /* `kernel` names an operation and how it is done */
    bool shares;     /* memory that the whole group addresses directly */
    bool publishes;  /* the first writes a word that all of the group can read */
    bool to_all;     /* a block of `bytes` for each of the group */
    bool couples;    /* the group is even */
    bool votes;      /* the result is what was seen, not a time */
    bool share;      /* … or a share of the time: one repetition is a batch, and none is disturbed */
} sup_body_kind;

extern const sup_body_kind sup_bodies[SUP_TRIAL_KINDS];

/* Bodies of lab/body_parts.c. */
sup_body sup_body_segment, sup_body_fetch, sup_body_pack;
/* Bodies of lab/signal.c. */
sup_body sup_body_signal, sup_body_signal_out, sup_body_signal_back, sup_body_publish;
/* Memory that packing reads, in multiples of what it writes. */
size_t sup_body_pack_parts(const sup_trial *trial);
/* Body of lab/collective.c. */
sup_body sup_body_collective;
/* How many blocks of the trial's bytes its buffers have. */
size_t sup_body_collective_blocks(const sup_trial *trial);
/* Can it be done here? All processes find the same. */
bool sup_body_collective_can(const sup_participants *participants);
/* What looking at the clock twice adds to a time, ns. */
int64_t sup_lab_clock_cost(const sup_lab_net *lab);

/* Buffers and requests that the trial needs. */
sup_status sup_participants_prepare(sup_participants *participants, sup_diag *diag);

/* Blocking messages. */
sup_status sup_lab_send(sup_net *net, int peer, int tag, const void *data, size_t length);
sup_status sup_lab_receive(sup_net *net, int peer, int tag, void *data, size_t room, size_t *length);

/* Collective: everybody's place at rank 0, and what everybody must know of all: whether there are more processes than
 * cores, and the number from which on signal values are new. */
sup_status sup_lab_places(sup_lab_net *lab, sup_diag *diag);

/* What all processes saw of interruptions, at rank 0; collective, as a visit is. */
sup_status sup_lab_net_gaps(sup_lab *lab, sup_gaps *all, sup_diag *diag);

typedef struct sup_lab_options {
    const sup_clock *clock;           /* NULL: the machine's; each process its own in tests */
    bool no_watch;                    /* count every batch, disturbed or not */
    bool collectives;                 /* can also measure these */
    void (*elsewhere)(void *context); /* what the others do meanwhile; NULL: they are never sent */
    void *context;
    sup_turns *turns; /* for which the others wait when rank 0 does; NULL */
} sup_lab_options;

/* Collective: rank 0 gets the lab (whose store it sets), the others a lab to serve with. */
sup_status sup_lab_net_open(sup_net *net, const sup_lab_options *options, sup_diag *diag, sup_lab **out);
/* Collective: one more barrier, of a pattern that all have. SUP_ENOMEM. */
sup_status sup_lab_net_add(sup_lab *lab, const char *word, const sup_pattern *pattern);
/* The others' part: takes trials until rank 0 closes. */
sup_status sup_lab_net_serve(sup_lab *lab, sup_diag *diag);
/* Rank 0: the others do what options.elsewhere says, and come back to serve. */
sup_status sup_lab_net_elsewhere(sup_lab *lab, sup_diag *diag);
/* Rank 0 releases the others from serve; everybody frees. */
void sup_lab_net_close(sup_lab *lab);

#endif
