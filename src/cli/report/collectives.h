/* Collective operations for the report's section of that name. */
#ifndef SUP_CLI_REPORT_COLLECTIVES_H
#define SUP_CLI_REPORT_COLLECTIVES_H

#include "profile/profile.h"
#include "report/collectives.h"

/* Of every transport of the profile. Empty where it does not have what it takes. */
void sup_report_collectives(const sup_profile *profile, sup_collectives_list *out);

#endif
