/* Ranks that are alike: in a regular pattern on a regular machine most processes send and receive the same over pairs
 * of the same classes, so that one of each kind is priced and the others get its terms (regular.c). Exact: what is not
 * known to be alike is priced by itself. */
#ifndef SUP_MODEL_EQUATION_REGULAR_H
#define SUP_MODEL_EQUATION_REGULAR_H

#include "program/program.h"

typedef struct sup_platform sup_platform;
typedef struct sup_terms sup_terms;
typedef struct sup_regular sup_regular;

#define SUP_REGULAR_FROM 2048 /* processes from which it pays */

/* Looks for ranks that are alike in a round of a step. NULL in *out: there are none, every edge is visited. SUP_EINVAL:
 * and those are too many. */
sup_status sup_regular_open(const sup_platform *platform, const sup_step *step, int64_t round, sup_diag *diag,
                            sup_regular **out);
void sup_regular_close(sup_regular *regular);

/* Edges that begin or end at a representative, by sender. */
void sup_regular_visit(const sup_regular *regular, const sup_flow *flow, int64_t round, sup_edge_visit visit,
                       void *context);
/* Who stands for a rank, and for how many one stands: 0, for none. */
int64_t sup_regular_of(const sup_regular *regular, int64_t rank);
int64_t sup_regular_times(const sup_regular *regular, int64_t rank);
/* Communication of the representatives becomes that of all. */
void sup_regular_spread(const sup_regular *regular, sup_terms *terms);

#endif
