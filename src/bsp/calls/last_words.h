/* What a process has to say when it ends the run, said once for all that say the same (last_words.c). */
#ifndef SUP_BSP_CALLS_LAST_WORDS_H
#define SUP_BSP_CALLS_LAST_WORDS_H

#include "bsp/calls/site.h"

#include <stdint.h>

typedef enum bsp_words_kind {
    BSP_WORDS_PLAIN, /* the text alone: bsp_abort, and calls outside begin and end */
    BSP_WORDS_CALL,  /* "call: text (rank R, superstep S)" */
    BSP_WORDS_CHECK  /* "file:line: error: call: text (rank R, superstep S)" */
} bsp_words_kind;

/* It travels between processes as it is. */
typedef struct bsp_words {
    bsp_site site;
    uint64_t superstep;
    int32_t kind, rank; /* rank: whom it concerns */
    char call[40], text[1400];
} bsp_words;

/* Flushes what the program has printed, waits a moment for others to fail in the same way, and ends the run with exit
 * code 1. Takes a fifth of a second where there are several processes. */
_Noreturn void bsp_last_words(const bsp_words *words);

/* To stderr in one write, so that the lines of several processes do not mix. */
void bsp_say(const char *text);

/* Ends every process of the run with exit code 1; what there is to say has been said. */
_Noreturn void bsp_end_all(void);

/* The program's output, for as long as that takes but no longer than half a second: a pipe may be full, or another
 * thread be in the middle of a line. */
void bsp_flush(void);
/* From now on each line of stdout leaves with its end, so that nothing is lost with a process that is ended from
 * outside. Not where the program has chosen its buffering itself. */
void bsp_flush_lines(void);
void bsp_flush_as_before(void);

#endif
