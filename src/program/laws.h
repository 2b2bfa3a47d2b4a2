/* How each quantity of a recorded program changes with P: made by scale_find.c, used by scale.c. */
#ifndef SUP_PROGRAM_LAWS_H
#define SUP_PROGRAM_LAWS_H

#include "program/scale.h"

typedef struct sup_flow_law {
    sup_recognised shape; /* kind -1: not recognised */
    int part, move;
    double overlap;
    sup_law messages, bytes;
} sup_flow_law;

typedef struct sup_work_law {
    const sup_work *like;
    sup_law units, footprint; /* of the process that has most */
} sup_work_law;

typedef struct sup_step_law {
    const sup_step *like;
    sup_law repeat;
    sup_work_law *works;
    sup_flow_law *flows;
    size_t work_count, flow_count;
} sup_step_law;

struct sup_scaling {
    const sup_program *like; /* of the most processes */
    sup_rule said;
    const sup_rule *rule; /* NULL: exponents are fitted */
    bool weak;
    sup_step_law *steps; /* [like->step_count] */
    size_t step_count;
    char note[200];
};

#endif
