/* Schedules of collective operations: who sends what to whom, in which stage. Tcomm, below model and run stage.
 *
 *     const sup_algorithm *a = sup_algorithm_find(SUP_ALLGATHER, "ring");
 *     a->walk(&job, rank, &walker);       calls walker.take for every action of this rank, stage after stage
 *
 * The one place that knows an algorithm: the runtime (src/coll) carries out the actions of its own rank, the model
 * (model/collective/collective.h) prices those of all ranks. An algorithm is one file OPERATION_NAME.c with a const
 * object, and a row of the table in algorithms.c. Algorithms that work in memory which all members share have a row,
 * too (plans name them, models price them), but no actions: they do not exchange messages.
 *
 * Buffers. "Block i" is of rank i. `bytes` is a block's where there are blocks, else the whole vector's.
 *
 *     operation        IN                     OUT
 *     broadcast        –                      the vector; the root's is what all get
 *     scatter          root: P blocks         own block
 *     gather           own block              root: P blocks
 *     allgather        own block              P blocks
 *     reduce           vector                 root: vector
 *     allreduce        vector                 vector
 *     reduce-scatter   P blocks               own block
 *     alltoall         P blocks, i to rank i  P blocks, i from rank i
 *     scan, exscan     vector                 vector (exscan: rank 0's is left alone)
 *     barrier          –                      –
 *
 * IN and OUT of reduce, allreduce, scan and exscan may be the same memory; IN of an allgather or gather may be the
 * block's place in OUT, OUT of a scatter the block's place in IN. Who carries out the actions leaves out a copy onto
 * itself; no action writes to IN. */
#ifndef SUP_SCHEDULE_SCHEDULE_H
#define SUP_SCHEDULE_SCHEDULE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sup_operation {
    SUP_BROADCAST,
    SUP_SCATTER,
    SUP_GATHER,
    SUP_ALLGATHER,
    SUP_REDUCE,
    SUP_ALLREDUCE,
    SUP_REDUCE_SCATTER,
    SUP_ALLTOALL,
    SUP_SCAN,
    SUP_EXSCAN,
    SUP_BARRIER,
    SUP_OPERATIONS
} sup_operation;

/* "broadcast", …, "barrier": as plans, profiles and options name them. */
extern const char *const sup_operation_names[SUP_OPERATIONS];
/* SUP_OPERATIONS: there is none. Also takes the usual short forms: bcast, reducescatter, a2a. */
int sup_operation_find(const char *name);

/* What is asked for. Blocks of one size need `bytes` only; for others (MPI's v-variants) the arrays say how long block
 * i is and where it lies, in the buffers of the rank that walks: in_… for IN, out_… for OUT; NULL where the operation
 * has no blocks there. An array of zeros stands for blocks of nothing. Either all ranks give arrays or none does: of a
 * scatter the root in_…, the others the same if they know it, or out_bytes, which then points to the length of their
 * own block alone; of a gather the root out_…, the others likewise. An allgather takes out_… (also for the own block in
 * IN), a reduce-scatter in_… (also for OUT), an alltoall both. */
typedef struct sup_job {
    int operation;
    int64_t processes, root;
    int64_t bytes;
    int64_t element;       /* bytes; a vector that is folded is cut between elements only; 0: 1 */
    int64_t segment_bytes; /* pipelines cut at so many bytes; 0: not at all */
    int radix;             /* of algorithms that have one; 0: the usual */
    const int64_t *in_bytes, *in_at, *out_bytes, *out_at; /* NULL: blocks of `bytes`, one behind the other */
} sup_job;

typedef enum sup_buffer { SUP_IN, SUP_OUT, SUP_TEMP } sup_buffer;
typedef enum sup_action_kind {
    SUP_SEND,    /* `bytes` at `at` of `buffer` to `peer` */
    SUP_RECEIVE, /* the same from `peer` */
    SUP_COPY,    /* … to `to_at` of `to` */
    SUP_FOLD /* to = to ∘ buffer; `before`: to = buffer ∘ to. May leave anything in `buffer` if that is SUP_TEMP */
} sup_action_kind;

/* A rank's stages come in ascending order. Sends and receives of one stage are under way together; those of a stage
 * begin when all that this rank did in earlier stages is complete. A copy or a fold begins when all communication of
 * its stage that came before it in the walk is complete, and is complete before anything that comes after it begins.
 * Between two ranks messages are received in the order in which they are sent; both ends say the same stage and bytes.
 * A send may wait until it is received. Actions of no bytes are left out, except the messages of a barrier. */
typedef struct sup_action {
    int kind, stage;
    int64_t peer;
    int buffer, to; /* sup_buffer */
    int64_t at, to_at, bytes;
    bool before;
} sup_action;

typedef struct sup_walker sup_walker;
struct sup_walker {
    sup_status (*take)(sup_walker *walker, const sup_action *action); /* not SUP_OK ends the walk */
};

enum {
    SUP_ALGORITHM_SHARED = 1,   /* works in memory that all members share; has no walk */
    SUP_ALGORITHM_SEGMENTS = 2, /* makes use of segment_bytes */
    SUP_ALGORITHM_ORDERED = 4,  /* folds neighbours in the order of ranks: right for folds that do not commute */
    SUP_ALGORITHM_BLOCKS = 8,   /* takes blocks of different lengths, if all ranks know all lengths that it needs */
    SUP_ALGORITHM_ALIKE = 16,   /* all ranks do the same, shifted or mirrored, in every stage */
};

typedef struct sup_algorithm {
    int operation;
    const char *name, *summary;
    unsigned traits;
    int radix, radix_most; /* usual and greatest radix; 0: it has none */
    /* Can it do this job (P even, a power of two, …)? NULL: any. */
    bool (*fits)(const sup_job *job);
    /* Bytes of TEMP that this rank needs. NULL: none. */
    int64_t (*temp)(const sup_job *job, int64_t rank);
    sup_status (*walk)(const sup_job *job, int64_t rank, sup_walker *walker);
} sup_algorithm;

extern const sup_algorithm *const sup_algorithms[];                       /* all of them, by operation, then NULL */
const sup_algorithm *sup_algorithm_find(int operation, const char *name); /* NULL: there is none */
/* Also: is it of this operation, does it take blocks of different lengths where they are? */
bool sup_algorithm_fits(const sup_algorithm *algorithm, const sup_job *job);
/* The sum over blocks, P · bytes, or bytes: what sizes of decisions mean. All ranks must decide alike, so it is 0 for a
 * barrier and where each knows only some of the lengths: scatter, gather and alltoall of blocks that differ. */
int64_t sup_job_total(const sup_job *job);
/* SUP_EINVAL: no processes, a root that is none of them, negative or overflowing counts. */
sup_status sup_job_check(const sup_job *job, sup_diag *diag);

/* Which algorithm, and how: "ring", "pipeline/64K" (segments), "shared:4" (radix), "hosts binomial": the algorithm
 * between the first ranks of each host, shared memory inside. The one form in which plans, profiles and options name
 * it. */
typedef struct sup_choice {
    const sup_algorithm *algorithm; /* NULL: leave it to MPI, "mpi" (in the preload library) */
    int64_t segment_bytes;
    int radix;
    bool hosts;
} sup_choice;
#define SUP_CHOICE_TEXT 64
sup_status sup_choice_read(int operation, const char *text, sup_diag *diag, sup_choice *out);
const char *sup_choice_text(const sup_choice *choice, char text[SUP_CHOICE_TEXT]);

#endif
