/* What happens in each stage of a collective, in classes: ranks of a node that do the same are one task, nodes whose
 * ranks do the same are one crew, stages that are the same are one. Expressions (collective/expression.c) and the
 * textbook models are made of it. Term Tcomm, model stage.
 *
 *     sup_stages s;
 *     sup_stages_make(&choice, &job, &mapping, &diag, &s);       by classes or by walking, whichever is possible
 *     for each s.stages[i]: s.stages[i].times, crews from s.stages[i].first on
 *     sup_stages_free(&s);
 */
#ifndef SUP_MODEL_COLLECTIVE_STAGES_H
#define SUP_MODEL_COLLECTIVE_STAGES_H

#include "model/collective/collective.h"

/* So many equal actions of a rank in a stage. */
typedef struct sup_part {
    int kind;    /* sup_action_kind */
    int channel; /* 0: the peer is on this node */
    int early;   /* copies and folds: 1 if before all messages of the stage */
    int64_t bytes, count;
} sup_part;

typedef struct sup_task { /* of one rank */
    size_t first, count;  /* parts, ordered */
    int64_t sends, receives;
    uint64_t hash;
} sup_task;

typedef struct sup_member { /* ranks of a node with one task */
    size_t task;
    int64_t ranks;
} sup_member;

typedef struct sup_crew { /* of one node */
    size_t first, count;  /* members, by task */
    uint64_t hash;
} sup_crew;

typedef struct sup_stage_crew {
    size_t crew;
    int64_t next; /* in the same stage; -1: none */
} sup_stage_crew;

typedef struct sup_stage {
    int64_t times;  /* one after the other */
    int64_t first;  /* stage_crews; -1: nothing happens */
    double signals; /* how many signals one after the other are waited for, beside messages */
} sup_stage;

typedef struct sup_index { /* of hashes */
    size_t *slots;
    size_t size, used;
} sup_index;

typedef struct sup_stages {
    sup_part *parts;
    sup_task *tasks;
    sup_member *members;
    sup_crew *crews;
    sup_stage_crew *stage_crews;
    sup_stage *stages;
    size_t parts_count, tasks_count, members_count, crews_count, stage_crews_count, stages_count;
    size_t parts_room, tasks_room, members_room, crews_room, stage_crews_room, stages_room;
    sup_index task_index, crew_index;
    bool failed; /* no memory */
} sup_stages;

void sup_stages_free(sup_stages *s);

/* ---- filling: collective/stages.c ---- */

/* The task of these parts, which get sorted and equal ones added up; the same number for the same parts. */
size_t sup_stages_task(sup_stages *s, sup_part *parts, size_t count);
/* The crew of these members, likewise. */
size_t sup_stages_crew(sup_stages *s, sup_member *members, size_t count);
/* A node has this crew in a stage; how many have it does not matter. Stages are made as they are needed. */
void sup_stages_add(sup_stages *s, size_t stage, size_t crew);
/* At the end: stages in which nothing happens are left out, equal ones in a row become one. */
void sup_stages_fold(sup_stages *s);
/* Behind the last stage: those of another, so many times. */
void sup_stages_append(sup_stages *s, const sup_stages *more);
sup_status sup_stages_status(const sup_stages *s, sup_diag *diag);

/* ---- whole collectives; on failure there is nothing to free ---- */

/* collective/walk.c: rank by rank. */
sup_status sup_stages_walk(const sup_choice *choice, const sup_job *job, const sup_mapping *mapping, sup_diag *diag,
                           sup_stages *out);
/* collective/alike.c: one rank stands for all. SUP_ENOTSUP: not here. */
sup_status sup_stages_alike(const sup_choice *choice, const sup_job *job, const sup_mapping *mapping, sup_diag *diag,
                            sup_stages *out);
/* collective/shared.c: in the memory of one node, by its members. */
sup_status sup_stages_shared(const sup_choice *choice, const sup_job *job, sup_diag *diag, sup_stages *out);
/* collective/make.c: whichever it takes, hosts too. */
sup_status sup_stages_make(const sup_choice *choice, const sup_job *job, const sup_mapping *mapping, sup_diag *diag,
                           sup_stages *out);

#endif
