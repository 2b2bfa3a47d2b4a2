/* What trials call a collective: its operation and its choice in the words of schedule/schedule.h, "broadcast
 * pipeline/64K"; and what is said of operations wherever they are measured. Stage "measure", Tcomm. */
#ifndef SUP_MEASURE_COLLECTIVE_WORD_H
#define SUP_MEASURE_COLLECTIVE_WORD_H

#include "schedule/schedule.h"

#define SUP_COLLECTIVE_WORD (SUP_CHOICE_TEXT + 24)

const char *sup_collective_word(int operation, const sup_choice *choice, char text[SUP_COLLECTIVE_WORD]);
/* SUP_EINVAL: there is no such operation, or no such choice. */
sup_status sup_collective_word_read(const char *text, int *operation, sup_choice *choice);

/* Is `bytes` a block's, one for each process? */
bool sup_collective_has_blocks(int operation);
/* Does it fold? Then `bytes` is a multiple of this one: measured are sums of doubles; else 1. */
int64_t sup_collective_element(int operation);

#endif
