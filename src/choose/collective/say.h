/* How a decision about a collective operation says what and why (stage choose, term Tcomm). */
#ifndef SUP_CHOOSE_COLLECTIVE_SAY_H
#define SUP_CHOOSE_COLLECTIVE_SAY_H

#include "choose/collective/collective.h"

#define SUP_COLL_ABOUT "collectives"

/* Is there a time to hold others against? */
bool sup_coll_known(const sup_coll_grid *grid);
/* Is anything else taken than without a plan? */
bool sup_coll_changes(const sup_coll_grid *grid);

/* What would be taken, with its duels; of one operation. */
typedef struct sup_coll_wanted {
    const sup_coll_tie *changes; /* of all operations and sets */
    size_t count;
    int operation;
} sup_coll_wanted;
/* Is there any for the processes of the grid? */
bool sup_coll_wants(const sup_coll_wanted *wanted, const sup_coll_grid *grid);

/* Adds the decision about an operation of all processes that changes something, or would have. `smaller`: sets of fewer
 * processes that were looked at, too. wanted: NULL: nothing but what is taken. */
sup_status sup_coll_say(sup_plan *plan, const sup_choosing *choosing, const sup_coll_grid *grid, int smaller,
                        const sup_coll_wanted *wanted);
/* Adds one about operations, a list for people, that stay as they are. */
sup_status sup_coll_say_kept(sup_plan *plan, const sup_choosing *choosing, const char *operations, size_t algorithms,
                             int smaller);

/* "binomial to 32 KB, pipeline/64K": what `choice_at` has for each size. */
#define SUP_COLL_SENTENCE 240
void sup_coll_sentence(const sup_coll_grid *grid, const int *choice_at, char text[SUP_COLL_SENTENCE]);

#endif
