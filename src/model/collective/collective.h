/* What collective algorithms cost: schedules of schedule/schedule.h and a mapping of ranks to nodes, as τ-Lop
 * expressions; and beside them Hockney, LogGP and log_nP from the same profile. Tcomm, model stage. */
#ifndef SUP_MODEL_COLLECTIVE_COLLECTIVE_H
#define SUP_MODEL_COLLECTIVE_COLLECTIVE_H

#include "base/number/curve.h"
#include "model/taulop/taulop.h"
#include "schedule/schedule.h"

/* Which node each rank is on. Regular ones take no memory. */
typedef enum sup_mapping_kind { SUP_MAPPING_SEQUENTIAL, SUP_MAPPING_ROUND_ROBIN, SUP_MAPPING_CUSTOM } sup_mapping_kind;
typedef struct sup_mapping {
    int kind;
    int64_t processes;
    int64_t size;     /* sequential: ranks of a node; round-robin: nodes */
    int64_t *node_of; /* custom: [processes], each below `nodes` */
    int64_t nodes;    /* custom: that have a rank */
} sup_mapping;
/* "seq:8" (8 ranks of a node), "rr:8" (round-robin over 8 nodes), "one" (all on one), or a list "0,0,1,1". SUP_EINVAL:
 * a list shorter than P, nodes that are no numbers. */
sup_status sup_mapping_read(const char *text, int64_t processes, sup_diag *diag, sup_mapping *out);
void sup_mapping_free(sup_mapping *mapping);
int64_t sup_mapping_used(const sup_mapping *mapping);    /* nodes that have a rank */
int64_t sup_mapping_fullest(const sup_mapping *mapping); /* the most ranks of a node; 0: no memory */
static inline int64_t sup_mapping_node(const sup_mapping *m, int64_t rank) {
    return m->kind == SUP_MAPPING_CUSTOM       ? m->node_of[rank]
           : m->kind == SUP_MAPPING_SEQUENTIAL ? rank / m->size
                                               : rank % m->size;
}

/* The expression of a schedule: stages in sequence, transmissions of a stage together, equal ones counted. */
sup_status sup_collective_expression(sup_exprs *x, const sup_choice *choice, const sup_job *job,
                                     const sup_mapping *mapping, sup_diag *diag, const sup_expr **out);

/* A model of collectives: a row each for τ-Lop (default: held against collectives that the profile has measured), τ-Lop
 * from channels alone, LogGP, log_nP, Hockney. A platform may be used by several threads at once. */
typedef struct sup_collective_platform sup_collective_platform; /* a profile's transport, made ready */
/* transport NULL: that of the profile's run. The profile must stay. SUP_ENOENT: which measurement is missing. */
sup_status sup_collective_open(const sup_profile *profile, const char *transport, sup_diag *diag,
                               sup_collective_platform **out);
void sup_collective_close(sup_collective_platform *platform);
const sup_taulop_costs *sup_collective_costs(const sup_collective_platform *platform); /* its channels */

typedef struct sup_collective_model {
    const char *name, *summary;
    sup_status (*cost)(const sup_collective_platform *platform, const sup_choice *choice, const sup_job *job,
                       const sup_mapping *mapping, sup_diag *diag, sup_prediction *out);
} sup_collective_model;
extern const sup_collective_model *const sup_collective_models[]; /* the default first, NULL at the end */

#endif
