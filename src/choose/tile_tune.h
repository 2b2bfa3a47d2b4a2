/* From a sweep in the profile to a record of the plan: the offline way to what tile_learn.c learns from real calls. */
#ifndef SUP_CHOOSE_TILE_TUNE_H
#define SUP_CHOOSE_TILE_TUNE_H

#include "plan/tile_choice.h"
#include "profile/profile.h"

/* Fills a record from the times that the profile has for the problem's kernel, size class and workers, best first and
 * settled. SUP_ENOENT: it has none. */
sup_status sup_tile_from_profile(const sup_tile_problem *problem, const sup_profile *profile, sup_plan_tile *out);

/* The record of the same kernel and size class in the plan, emptied, or a new one. NULL: no memory. */
sup_plan_tile *sup_plan_tile_place(sup_plan *plan, const sup_tile_problem *problem);

#endif
