/* How well a profile's curves of message times predict sizes that were not measured, seen by other processes. */
#ifndef TEST_MEASURE_HELD_OUT_H
#define TEST_MEASURE_HELD_OUT_H

#include "measure/lab/lab.h"

typedef struct held_out_options {
    const char *against; /* the profile */
    const char *visits;  /* NULL, or a file: what earlier launches found is read from it, and what all found written */
    double budget_s;
    bool verbose; /* every size */
} held_out_options;

/* Visits the held-out sizes in rounds, for some pairs of processes, then prints mean, median and worst error of the
 * curves. Rank 0. */
sup_status held_out(sup_lab *lab, const held_out_options *options, sup_diag *diag);

#endif
