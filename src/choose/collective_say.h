/* How a decision about a collective operation says what and why (stage choose, term Tcomm). */
#ifndef SUP_CHOOSE_COLLECTIVE_SAY_H
#define SUP_CHOOSE_COLLECTIVE_SAY_H

#include "choose/collective.h"

#define SUP_COLL_ABOUT "collectives"

/* Is there a time to hold others against? */
bool sup_coll_known(const sup_coll_grid *grid);
/* Is anything else taken than without a plan? */
bool sup_coll_changes(const sup_coll_grid *grid);

/* Adds the decision about an operation of all processes that changes something. `smaller`: sets of fewer processes that
 * were looked at, too. */
sup_status sup_coll_say(sup_plan *plan, const sup_choosing *choosing, const sup_coll_grid *grid, int smaller);
/* Adds one about operations, a list for people, that stay as they are. */
sup_status sup_coll_say_kept(sup_plan *plan, const sup_choosing *choosing, const char *operations, size_t algorithms,
                             int smaller);

/* "binomial to 32 KB, pipeline/64K": what `choice_at` has for each size. */
#define SUP_COLL_SENTENCE 240
void sup_coll_sentence(const sup_coll_grid *grid, const int *choice_at, char text[SUP_COLL_SENTENCE]);

#endif
