/* Barriers and the machine of a profile, for `superstep barrier cost`, synth and bench. */
#ifndef SUP_CLI_BARRIER_PRICE_H
#define SUP_CLI_BARRIER_PRICE_H

#include "choose/barrier/barrier.h"
#include "cli/barrier/barrier.h"
#include "cli/machine/machine.h"

typedef struct sup_barrier_machine {
    sup_profile *profile;
    sup_platform *platform;
} sup_barrier_machine;

/* barrier/cost.c: the machine of --profile, over --net. processes 0: as many as were measured. -1: go on. */
int sup_barrier_open_platform(const sup_barrier_request *request, int64_t processes, sup_barrier_machine *out);
void sup_barrier_close_platform(sup_barrier_machine *machine);

/* Candidates as rows: the first `most`, and those that are chosen, usual and greedy. */
void sup_barrier_candidates_text(const sup_candidates *all, size_t choice, size_t most);
json_t *sup_barrier_candidate_json(const sup_candidate *candidate);

#endif
