/* What `superstep choose` measures itself: the duels that confirm its decisions, and ties between collectives. */
#ifndef SUP_CLI_CHOOSE_DUEL_H
#define SUP_CLI_CHOOSE_DUEL_H

#include "choose/choose.h"

#define SUP_DUELS_S 8.0 /* for all that one plan confirms, starting included: six launches of an MPI */
#define SUP_TIES_S 10.0 /* of measuring, for its ties */

typedef struct sup_dueling {
    const char *verb; /* who speaks of launches that fail */
    const sup_profile *profile;
    bool quiet;
    /* comes out */
    double spent_s;
    int fought;      /* duels with a result */
    bool failed;     /* a launch failed, which was said on stderr */
    int signal;      /* somebody interrupted it; 0 */
    double until_s;  /* of the group in hand */
    double patience; /* times the usual time of a launch */
} sup_dueling;

/* Are duels worth anything: is this the machine of the profile, and of one host? SUP_EMISMATCH: no, diag says why. */
sup_status sup_dueling_here(const sup_profile *profile, const char *file, sup_diag *diag);

/* As sup_choose_duel_run; the context is a sup_dueling, whose time begins with the first of a plan: sup_dueling_begin.
 * A launch that fails is said once and leaves its duels open. */
void sup_dueling_begin(sup_dueling *dueling);
sup_status sup_choose_duels(void *context, const char *transport, sup_choose_duel *duels, size_t count, sup_diag *diag);
sup_status sup_choose_ties(void *context, const char *transport, sup_choose_duel *duels, size_t count, sup_diag *diag);

#endif
