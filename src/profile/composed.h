/* What a profile says of a machine that was composed of parts (struct sup_composed). */
#ifndef SUP_PROFILE_COMPOSED_H
#define SUP_PROFILE_COMPOSED_H

#include "profile/profile.h"

enum { SUP_COMPOSED_TEXT = 640 };

/* "composed of 64 nodes like xeon-16 (16 measured), link ib-ndr (source: …)". Returns buf. */
char *sup_composed_text(const sup_composed *composed, char *buf, size_t size);

/* One more assumption. SUP_ENOMEM. */
sup_status sup_composed_rule(sup_composed *composed, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Profiles from which one goes on measuring or deciding must be of a machine that is there. SUP_EMISMATCH: it is
 * composed. file: for the message. */
sup_status sup_profile_measured(const sup_profile *profile, const char *file, sup_diag *diag);

#endif
