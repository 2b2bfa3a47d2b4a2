/* Check mode (`superstep run --check`): finds errors that the engines do not look for, and names their source
 * line.
 *
 *     site.c             which call of the program this is, as file and line
 *     check.c            the wrapper around the engine: notes every call, verifies at the sync
 *     check/agree.c      collective calls: the same on every process?
 *     check/overlap.c    transfers that meet in a process's memory: may they?
 *
 * Before the real sync every process tells every other what it is doing and which of its transfers concern it. So
 * nobody can be more than that far ahead, and what lies in memory after the real sync stays until all have looked.
 * Check mode always uses the bulk engine. Simple and slow. */
#ifndef SUP_BSP_CHECK_CHECK_H
#define SUP_BSP_CHECK_CHECK_H

#include "bsp/calls/site.h"
#include "bsp/engine/state.h"
#include "net/numbers.h"

/* What a transfer does to the memory of the process that the record is for. */
typedef enum bsp_touch {
    BSP_TOUCH_PUT,      /* written by a put */
    BSP_TOUCH_HPPUT,    /* written by an hpput */
    BSP_TOUCH_GET_TO,   /* written by a get of its own */
    BSP_TOUCH_HPGET_TO, /* … an hpget of its own */
    BSP_TOUCH_GET,      /* read by a get */
    BSP_TOUCH_HPGET,    /* read by an hpget */
    BSP_TOUCH_HPPUT_OF  /* read by an hpput of its own */
} bsp_touch;

typedef struct bsp_record {
    uint64_t addr, len;
    uint64_t sum; /* of the bytes when the call was made (puts) */
    bsp_site site;
    uint32_t touch;
    int32_t rank; /* who called */
} bsp_record;

typedef struct bsp_records {
    bsp_record *at;
    size_t count, room;
} bsp_records;

/* A registration or its end, as all processes must make it in the same order. */
typedef struct bsp_reg_call {
    uint64_t number; /* of the registration, counted from 1; pop of NULL: 0, it is what the others name */
    bsp_site site;
    uint32_t push, pad;
} bsp_reg_call;

/* What a process says of its superstep before the sync. */
typedef struct bsp_head {
    uint64_t records; /* for the receiver */
    uint64_t calls, calls_sum;
    uint64_t nulls; /* pops of NULL among them */
    uint64_t tag_calls, tag_size;
    uint64_t ending;
    bsp_site site, tag_site;
} bsp_head;

/* From the primitives that are no transfers. */
void bsp_check_reg(bsp_runtime *b, const void *addr, bool push);
void bsp_check_tag_size(void);

uint64_t bsp_check_sum(const void *p, size_t len);

/* check/agree.c: sends mine[q] to all, receives theirs; does not come back if the processes disagree. calls is the list
 * that mine describes; gave_null: did this process give NULL in that registration? */
void bsp_check_agree(bsp_runtime *b, const bsp_head *mine, bsp_head *theirs, const bsp_reg_call *calls,
                     bool (*gave_null)(uint64_t number));

/* check/overlap.c: r is all that touched the memory of this process in the superstep. */
void bsp_check_overlap(bsp_runtime *b, bsp_records *r);

/* One line in the manner of a compiler, "FILE:LINE: error: CALL: reason (rank R, superstep S)". An error ends the run;
 * a warning is given once for each pair of places in the program. */
_Noreturn void bsp_check_error(bsp_site site, int rank, const char *call, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void bsp_check_warn(bsp_site site, bsp_site other, int rank, const char *call, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

enum { BSP_CHECK_TAG_HEAD = SUP_TAG_CHECK, BSP_CHECK_TAG_CALLS, BSP_CHECK_TAG_RECORDS };
_Static_assert((int)BSP_CHECK_TAG_RECORDS == (int)SUP_TAG_CHECK_LAST, "tags of checking mode");

#endif
