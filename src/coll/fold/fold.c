/* The table of built-in folds, types × operators: see fold.h. */
#include "coll/fold/fold.h"

#include "coll/fold/kernels.h"

static const struct {
    int first, count; /* types */
    const sup_fold_row *rows;
} kinds[] = {
    {SUP_TYPE_INT8, SUP_FOLD_INTEGERS, sup_fold_integers},
    {SUP_TYPE_FLOAT, SUP_FOLD_FLOATS + SUP_FOLD_COMPLEXES, sup_fold_floats},
    {SUP_TYPE_BOOL, 1, sup_fold_booleans},
    {SUP_TYPE_FLOAT_INT, SUP_FOLD_PAIRS, sup_fold_pairs},
};

const sup_fold *sup_fold_find(int type, int operator) {
    if (operator<0 || operator>= SUP_OPERATORS) return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        int row = type - kinds[i].first;
        if (row < 0 || row >= kinds[i].count) continue;
        const sup_fold *fold = &kinds[i].rows[row][operator];
        return fold->element ? fold : NULL;
    }
    return NULL;
}

bool sup_fold_rounds(int type, int operator) {
    return type >= SUP_TYPE_FLOAT && type <= SUP_TYPE_LONG_DOUBLE_COMPLEX &&
           (operator== SUP_SUM || operator== SUP_PRODUCT);
}
