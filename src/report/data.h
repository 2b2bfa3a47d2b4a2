/* A profile's numbers for other programs: one line (CSV) or object (JSON) a number, in SI units, all terms. */
#ifndef SUP_REPORT_DATA_H
#define SUP_REPORT_DATA_H

#include "profile/profile.h"

#include <stdio.h>

/* section, name, x, x_unit, value, unit, ci, n, reruns; RFC 4180, absent values are empty. wanted: sections, NULL at
 * the end; wanted itself NULL: all. */
void sup_data_csv(const sup_profile *profile, const char *const *wanted, FILE *out);

/* {"created", "tool", "signature", "quality", "numbers": [{…}]}; a new reference. NULL: no memory. */
json_t *sup_data_json(const sup_profile *profile, const char *const *wanted);

/* A number; null where it is not known. */
json_t *sup_data_real(double value);

#endif
