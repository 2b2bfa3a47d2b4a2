/* Rules for Open MPI's own collectives (stage choose, term Tcomm): which of its algorithms it should take for so many
 * processes and bytes, as the file that its component `tuned` reads, so that programs gain without our library.
 *
 *     mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE …
 *
 * Prices are those of messages over Open MPI: memory that processes share is ours, not its. */
#ifndef SUP_CHOOSE_COLLECTIVE_RULES_H
#define SUP_CHOOSE_COLLECTIVE_RULES_H

#include "choose/choose.h"

#define SUP_RULES_TRANSPORT "openmpi"

/* The file as text, to be freed. processes 0: as many as were measured. SUP_ENOENT: the profile does not have what
 * messages over Open MPI take. */
sup_status sup_rules_text(const sup_profile *profile, int64_t processes, sup_diag *diag, char **out);

#endif
