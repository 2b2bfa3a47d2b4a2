/* Predictions for the report's chapter "Larger machines". */
#ifndef SUP_CLI_REPORT_LARGER_H
#define SUP_CLI_REPORT_LARGER_H

#include "profile/profile.h"
#include "report/larger.h"

/* A few common programs on 1, 16, 256 and 4096 nodes like the profile's. Empty where the profile does not have what it
 * takes. */
void sup_report_larger(const sup_profile *profile, sup_larger_list *out);

#endif
