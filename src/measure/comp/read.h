/* What a lab knows of a rate (term Tcomp, stage measure). */
#ifndef SUP_MEASURE_COMP_READ_H
#define SUP_MEASURE_COMP_READ_H

#include "measure/comp/curve.h"
#include "measure/comp/set.h"
#include "measure/lab/lab.h"

/* All footprints of a job that were visited. */
void sup_comp_read(sup_lab *lab, sup_session *session, const sup_comp_job *job, sup_comp_curve *out);

/* What the check on longer runs says of a curve (BSP §4.1); NaN: not known. */
typedef struct sup_comp_check {
    double error;      /* of the curve, the largest of all footprints */
    double length;     /* of the runs, in batches of the curve */
    double long_error; /* of what samples say of a run SUP_COMP_LONGER times their length */
} sup_comp_check;
sup_comp_check sup_comp_check_read(sup_lab *lab, sup_session *session, const sup_comp_job *job, const sup_curve *curve);

#endif
