/* How a decision about a collective operation says what and why (stage choose, term Tcomm). */
#ifndef SUP_CHOOSE_COLLECTIVE_SAY_H
#define SUP_CHOOSE_COLLECTIVE_SAY_H

#include "choose/collective.h"

#define SUP_COLL_ABOUT "collectives"

/* Adds the decision about the operation of all processes; nothing where nothing is known. `smaller`: sets of fewer
 * processes that were decided, too. */
sup_status sup_coll_say(sup_plan *plan, const sup_choosing *choosing, const sup_coll_grid *grid, int smaller);

/* "binomial to 32 KB, pipeline/64K": what `choice_at` has for each size. */
#define SUP_COLL_SENTENCE 240
void sup_coll_sentence(const sup_coll_grid *grid, const int *choice_at, char text[SUP_COLL_SENTENCE]);

#endif
