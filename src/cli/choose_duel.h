/* superstep choose --duel: measures collective algorithms against each other. */
#ifndef SUP_CLI_CHOOSE_DUEL_H
#define SUP_CLI_CHOOSE_DUEL_H

#include "choose/choose.h"

/* A sup_choose_duel_run: launches of the same numbers of processes together, about 10 seconds in all. The context is
 * not used. */
sup_status sup_choose_duels(void *context, const char *transport, sup_choose_duel *duels, size_t count, sup_diag *diag);

#endif
