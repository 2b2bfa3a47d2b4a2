/* Barriers that fit a machine (stage choose, term Tsync; BSP ch. 7): candidates, what they are predicted to cost, and
 * the one that is taken. */
#ifndef SUP_CHOOSE_BARRIER_H
#define SUP_CHOOSE_BARRIER_H

#include "model/model.h"
#include "plan/plan.h"

typedef struct sup_candidate {
    char name[160];           /* for people: "dissemination:4", "hosts: flags, top: dissemination" */
    const char *origin;       /* "pattern", "greedy", "search", "default" */
    sup_plan_barrier *record; /* as a plan has it; of sup_plan_barrier_record */
    sup_prediction cost;      /* seconds */
    double measured_s;        /* of the profile, calm; NaN */
} sup_candidate;

typedef struct sup_candidates {
    sup_candidate *at; /* cheapest first; of equal ones the simpler first */
    size_t count;
    size_t usual;  /* index of what holds without a plan */
    size_t greedy; /* index of the document's greedy algorithm */
} sup_candidates;

/* Every candidate for all processes of the platform. Deterministic. */
sup_status sup_candidates_find(const sup_platform *platform, sup_diag *diag, sup_candidates *out);
void sup_candidates_free(sup_candidates *candidates);

#endif
