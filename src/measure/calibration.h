/* Calibration: whole supersteps of our runtime over shared memory, of sizes that no curve is measured at. What curves
 * say is held against what programs meet; model/copies.c uses them. Tcomm and Tsync, stage "measure". */
#ifndef SUP_MEASURE_CALIBRATION_H
#define SUP_MEASURE_CALIBRATION_H

#include "measure/lab.h"
#include "profile/profile.h"

/* Partners and messages to each of them. */
typedef struct sup_step_pattern {
    int partners, records;
} sup_step_pattern;
enum { SUP_STEP_PATTERNS_MAX = 4 };

/* Those that supersteps are calibrated with on so many processes; returns how many. */
int sup_step_patterns(int processes, sup_step_pattern out[SUP_STEP_PATTERNS_MAX]);
/* Are there supersteps of so many bytes, of a pattern? */
bool sup_step_allowed(const sup_step_pattern *pattern, size_t bytes);
/* Is it a size for calibration, and not for curves? */
bool sup_step_calibrates(size_t bytes);
/* Sizes that nothing is fitted to, for predictions to be compared with; 0 at the end. */
extern const size_t sup_step_others[];

/* Calls and sync of them, and the sync of a superstep with nothing in it, in place of what the profile has of this
 * transport and number of processes. Nothing where processes do not share memory, or have less than a core each.
 * SUP_EINTR; SUP_ETIMEOUT: some are not known, the others are there. */
sup_status sup_measure_calibration(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

#endif
