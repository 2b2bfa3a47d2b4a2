/* What the numbers of a section rest on: how many launches of the processes have seen them, and whether all that
 * belongs to it was seen at all. By the visits that a profile keeps (visits.h); for choices, and marks beside numbers.
 * All terms; joint 1 of the flow. */
#ifndef SUP_PROFILE_EVIDENCE_H
#define SUP_PROFILE_EVIDENCE_H

#include "profile/profile.h"

/* Of fewer launches nobody knows how much they differ. */
#define SUP_EVIDENCE_LAUNCHES 3

typedef struct sup_evidence {
    bool complete;    /* what belongs to the section was measured; what the profile does not say counts as done */
    int64_t launches; /* that nine of ten of its points have seen; -1: the profile does not say */
} sup_evidence;

/* Section of the profile that points of a kind (of sup_visited) make; NULL: their answer is no time. */
const char *sup_visited_section(const char *kind);

/* transport: of the section, NULL: over all. Sections that no visits make, such as tiles, say nothing. */
sup_evidence sup_profile_evidence(const sup_profile *profile, const char *section, const char *transport);
/* Is it enough to decide by? */
bool sup_evidence_enough(const sup_evidence *evidence);

/* Seconds of measuring that are missing until a section with these launches has enough of them: an estimate by what the
 * launches so far have taken. NaN: the profile cannot be gone on with. */
double sup_profile_missing_s(const sup_profile *profile, int64_t launches);

#endif
