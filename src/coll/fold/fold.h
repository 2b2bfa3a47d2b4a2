/* Folds: what reductions do with two vectors. The built-in ones, types × operators, are kernels that compilers turn
 * into vector code; the program's own are functions with a context. Rounding is that of the element type, one operation
 * at a time, in the order in which the algorithm brackets them. */
#ifndef SUP_COLL_FOLD_FOLD_H
#define SUP_COLL_FOLD_FOLD_H

#include <stdbool.h>
#include <stddef.h>

/* accumulator[k] = accumulator[k] ∘ operand[k]. */
typedef void (*sup_fold_into)(void *accumulator, const void *operand, size_t count, void *context);
/* to[k] = first[k] ∘ second[k]; to may be either of them. */
typedef void (*sup_fold_to)(void *to, const void *first, const void *second, size_t count, void *context);

typedef struct sup_fold {
    size_t element; /* bytes */
    sup_fold_into into;
    sup_fold_to to; /* NULL: copy, then into */
    void *context;
    bool commutes; /* and so may be bracketed in any fixed order */
} sup_fold;

typedef enum sup_fold_type {
    SUP_TYPE_INT8,
    SUP_TYPE_INT16,
    SUP_TYPE_INT32,
    SUP_TYPE_INT64,
    SUP_TYPE_UINT8,
    SUP_TYPE_UINT16,
    SUP_TYPE_UINT32,
    SUP_TYPE_UINT64,
    SUP_TYPE_FLOAT,
    SUP_TYPE_DOUBLE,
    SUP_TYPE_LONG_DOUBLE,
    SUP_TYPE_FLOAT_COMPLEX,
    SUP_TYPE_DOUBLE_COMPLEX,
    SUP_TYPE_LONG_DOUBLE_COMPLEX,
    SUP_TYPE_BOOL, /* C's _Bool */
    SUP_TYPE_FLOAT_INT,
    SUP_TYPE_DOUBLE_INT,
    SUP_TYPE_LONG_INT,
    SUP_TYPE_SHORT_INT,
    SUP_TYPE_INT_INT,
    SUP_TYPE_LONG_DOUBLE_INT, /* value and place, struct {value; int} */
    SUP_TYPES
} sup_fold_type;

typedef enum sup_fold_operator {
    SUP_SUM,
    SUP_PRODUCT,
    SUP_MIN,
    SUP_MAX,
    SUP_AND,
    SUP_OR,
    SUP_XOR, /* bits */
    SUP_ALL,
    SUP_ANY,
    SUP_ODD, /* logical and, or, xor */
    SUP_MIN_PLACE,
    SUP_MAX_PLACE,
    SUP_OPERATORS
} sup_fold_operator;

/* NULL: MPI does not define it either (bits of a double, the least of complex numbers). */
const sup_fold *sup_fold_find(int type, int operator);
/* Does the result depend on brackets (sums and products of rounded numbers)? */
bool sup_fold_rounds(int type, int operator);

#endif
