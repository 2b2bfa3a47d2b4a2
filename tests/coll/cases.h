/* The parts of coll_transport: one collective operation on data that every member can compute, and whether the result
 * is the right one. */
#ifndef SUP_TESTS_COLL_CASES_H
#define SUP_TESTS_COLL_CASES_H

#include "coll/coll.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum fold_kind { FOLD_BYTES, FOLD_MAPS, FOLD_DOUBLES, FOLD_KINDS } fold_kind;

typedef struct a_case {
    int operation, root;
    int64_t bytes; /* of a block or vector; of a fold of longer elements, rounded down */
    fold_kind fold;
    bool differ; /* blocks of different lengths, with gaps between them */
    bool in_place;
    const sup_choice *choice;
    unsigned id; /* makes data of their own */
} a_case;

typedef struct members {
    sup_net *net;
    const char *name;
    sup_coll *coll;
    int count, self;
    long done, refused;
} members;

/* Ends the run with the reason if the result is wrong. True: it was done, false: it cannot be done so, which
 * sup_coll_can and sup_coll_run agree about. */
bool case_holds(members *m, const a_case *c);
/* The bits of the same reduction twice, and on all members. */
void case_repeats(members *m, const a_case *c);

bool operation_folds(int operation);
bool operation_has_root(int operation);
bool operation_has_blocks(int operation);

#endif
