/* The trace: what the supersteps of a program asked for and took, recorded while it ran. superstep-trace(5) describes
 * the file.
 *
 * It is the third file of the flow: the runtime writes it, models read it as a program's requirements, and what they
 * predict is compared with the times in it. Three tables hold a run of any length:
 *
 *     processes[r].steps   what process r met: supersteps of one call site with the same communication are one step
 *     classes              what all met together: for each process, which of its steps
 *     sequence             the order of the classes, with repetitions folded
 *
 * Communication of a step is held as totals over its `count` supersteps, so that it is exact; the functions at the end
 * give it per superstep. Ownership as in a profile: a trace owns everything reachable from it. */
#ifndef SUP_TRACE_TRACE_H
#define SUP_TRACE_TRACE_H

#include "base/file/record.h"
#include "machine/origin.h"

#define SUP_TRACE_SCHEMA 1
#define SUP_TRACE_KIND "superstep-trace"
#define SUP_TRACE_DEPTH 24 /* nesting of the sequence */

typedef struct sup_trace_site {
    char *place;  /* "prog+0x1234": object and offset of the return address */
    char *line;   /* "prog.c:42" of the call; NULL: there is no debugging information */
    char *symbol; /* function, NULL unknown */
    struct json_t *extra;
} sup_trace_site;

/* Seconds of the supersteps of a step on one process. The median is of a sample where there are many. */
typedef struct sup_trace_time {
    double mean, sd, min, max, median;
    struct json_t *extra;
} sup_trace_time;

/* The first superstep of a step: the first of its kind. */
typedef struct sup_trace_first {
    int64_t superstep; /* which of those that were recorded, from 0 */
    double compute_s, calls_s, wait_s, sync_s;
    int64_t calls_new_bytes, sync_new_bytes;
    struct json_t *extra;
} sup_trace_first;

typedef enum sup_trace_kind {
    SUP_TRACE_PUT,
    SUP_TRACE_HPPUT,
    SUP_TRACE_GET,
    SUP_TRACE_HPGET,
    SUP_TRACE_SEND,
    SUP_TRACE_KINDS
} sup_trace_kind;

/* Communication with one process, per superstep. */
typedef struct sup_trace_item {
    int64_t peer;
    int kind;               /* sup_trace_kind */
    bool overlappable;      /* unbuffered: may travel while the process computes */
    bool incoming;          /* a get: the bytes come from peer */
    double messages, bytes; /* whole numbers unless the step is merged */
} sup_trace_item;

typedef struct sup_trace_step {
    int64_t site;  /* place in sites */
    int64_t count; /* supersteps */
    bool merged;   /* their communication differed: the numbers are totals of different supersteps */
    /* peer, messages, bytes, peer, … ; peers ascend */
    int64_t *puts, *hpputs, *gets, *hpgets, *sends;
    size_t puts_count, hpputs_count, gets_count, hpgets_count, sends_count;
    int64_t early_bytes; /* of those bytes, how many were on their way before the sync began */
    /* Bytes of memory that this process touched first inside large calls, and in syncs; 0 also where it is not known.
     */
    int64_t calls_new_bytes, sync_new_bytes;
    sup_trace_first *first; /* NULL: files of earlier versions */
    sup_trace_time compute_s, wait_s, sync_s;
    sup_trace_time *calls_s;  /* inside puts, gets and sends; NULL: files of earlier versions, compute_s holds them */
    sup_trace_time *behind_s; /* computation after the first unbuffered transfer was asked for; NULL: not known */
    sup_trace_item *items;    /* derived: all kinds, by peer, then kind */
    size_t items_count;
    struct json_t *extra;
} sup_trace_step;

typedef struct sup_trace_process {
    double wall_s; /* begin to end */
    sup_trace_step *steps;
    size_t steps_count;
    struct json_t *extra;
} sup_trace_process;

typedef struct sup_trace_class {
    int64_t count;
    bool merged;    /* too many classes: others with the same steps on the lower ranks were counted here */
    int64_t *steps; /* [rank]: place in processes[rank].steps */
    size_t steps_count;
    struct json_t *extra;
} sup_trace_class;

/* A stretch of supersteps: `classes` in order, or `body` in order, `repeat` times over. */
typedef struct sup_trace_run {
    int64_t repeat;
    int64_t *classes;
    struct sup_trace_run *body;
    size_t classes_count, body_count;
    struct json_t *extra;
} sup_trace_run;

typedef struct sup_trace {
    char *kind;
    int64_t schema;
    char *created, *tool;
    sup_origin signature;
    char *program;
    char **arguments;
    size_t arguments_count;
    char *engine;
    int64_t supersteps; /* recorded */
    int64_t left_out;   /* met while recording was switched off */
    sup_trace_site *sites;
    sup_trace_process *processes;
    sup_trace_class *classes;
    sup_trace_run *sequence; /* of the first sequence_length supersteps */
    size_t sites_count, processes_count, classes_count, sequence_count;
    int64_t sequence_length; /* derived */
    struct json_t *extra;
} sup_trace;

SUP_RECORD_FILE_FUNCTIONS(sup_trace)

extern const sup_record sup_trace_site_record, sup_trace_step_record, sup_trace_first_record, sup_trace_process_record,
    sup_trace_class_record, sup_trace_run_record;

/* ---- what models ask ---- */

/* What rank met in a superstep of class number `which`: compute_s, wait_s, sync_s and the communication that the rank
 * itself asked for, in items. O(1). */
const sup_trace_step *sup_trace_step_of(const sup_trace *trace, size_t which, int64_t rank);

/* ---- what the recorder asks ---- */

/* Finds repetitions, loops inside loops: appends to the list `out` (a RECORDS member) runs whose unrolling is the
 * beginning of `sequence` (numbers below `classes`): all of it, or as much as `most` numbers can hold. *kept says how
 * much. Periods are tried from short to long until about 4·10^8 comparisons are made. `sequence` is used up.
 * SUP_ENOMEM: out is as it was. */
sup_status sup_trace_fold(uint32_t *sequence, size_t count, uint32_t classes, size_t most, sup_trace_run **out,
                          size_t *out_count, size_t *kept);

#endif
