/* Sections of a profile that are measured between processes, in the order in which predictions rest on them (budget.h):
 * barriers, the classic g and l, exchanges, pairs, first times, τ-Lop, collectives, copies, overlap, interruptions.
 * Terms Tcomm and Tsync, stage "measure". A section asks its lab and fills the profile with what is known. */
#ifndef SUP_MEASURE_CAMPAIGN_SECTIONS_H
#define SUP_MEASURE_CAMPAIGN_SECTIONS_H

#include "measure/lab/lab.h"
#include "measure/pair/pair.h"
#include "measure/taulop/taulop.h"

typedef struct sup_sections_options {
    unsigned parts; /* SUP_MEASURE_…; 0: all */
    sup_pair_options pairs;
    sup_taulop_options taulop;
} sup_sections_options;

/* All of them in order. SUP_ETIMEOUT: some could not ask for everything; the others have. */
sup_status sup_sections_ask(sup_lab *lab, const sup_sections_options *options, sup_session *session,
                            sup_profile *profile, sup_diag *diag);

#endif
