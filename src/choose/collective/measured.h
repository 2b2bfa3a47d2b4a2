/* Times of collectives that a profile has measured, between its sizes (stage choose, term Tcomm). */
#ifndef SUP_CHOOSE_COLLECTIVE_MEASURED_H
#define SUP_CHOOSE_COLLECTIVE_MEASURED_H

#include "choose/collective/collective.h"

/* Of one algorithm (sup_choice_text) on just these processes and hosts; false: nobody measured sizes around this one.
 */
bool sup_coll_measured(const sup_profile *profile, const char *transport, const sup_coll_set *set, const char *choice,
                       int64_t bytes, sup_prediction *out);

#endif
