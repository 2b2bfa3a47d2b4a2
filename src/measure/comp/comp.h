/* The section of computation (term Tcomp, stage measure; BSP ch. 4): seconds per unit of each kernel over the footprint
 * (from an eighth of L1 to four times the last cache), for each class of core, with 1, 2, 4, … all cores active. Fills
 * `kernels`, `kinds` and (r only) `classic` of a profile.
 *
 *     sup_comp_set set;
 *     sup_comp_set_make(session, &options, diag, &set);
 *     sup_comp_ask(lab, &set, session, diag);                in a child: what is to be visited
 *     sup_comp_fill(lab, &set, topology, session, profile, diag);    in the tool: what was found
 *     sup_comp_set_free(&set);
 *
 * First everything at a few footprints, one in each memory, most important first. If all is wanted (`--deep`), with
 * every launch more: where the rates of neighbouring footprints differ (steps at caches), and the check on longer runs
 * of one footprint after the other. What is asked for depends on the store alone. */
#ifndef SUP_MEASURE_COMP_COMP_H
#define SUP_MEASURE_COMP_COMP_H

#include "measure/comp/set.h"
#include "measure/lab/lab.h"
#include "profile/profile.h"

/* Lengths, in seconds: of a batch, and of a run of the check, which is SUP_COMP_LONGER times its shortest sample (BSP
 * §4.1: 2^12). */
#define SUP_COMP_BATCH_S 0.00025
#define SUP_COMP_LONG_S 0.0256
#define SUP_COMP_LONGER 4096

/* SUP_ETIMEOUT: there was no time for what a profile must have. SUP_EINTR, SUP_ENOMEM, and what a visit ends with. */
sup_status sup_comp_ask(sup_lab *lab, const sup_comp_set *set, sup_session *session, sup_diag *diag);

/* All rates of which anything is known; warns of those that are missing or uncertain. SUP_ETIMEOUT: of none. */
sup_status sup_comp_fill(sup_lab *lab, const sup_comp_set *set, const sup_topology *topology, sup_session *session,
                         sup_profile *profile, sup_diag *diag);

#endif
