/* Barriers for the report's section of that name. */
#ifndef SUP_CLI_REPORT_BARRIERS_H
#define SUP_CLI_REPORT_BARRIERS_H

#include "profile/profile.h"
#include "report/barriers.h"

/* Candidates of every transport of the profile. Empty where it does not have what it takes. */
void sup_report_barriers(const sup_profile *profile, sup_barriers_list *out);

#endif
