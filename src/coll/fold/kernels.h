/* What the files fold/KIND.c share: how a kernel is written, and what they give to the table in fold.c.
 *
 * A kernel is a loop over three addresses. `to` may be `first` or `second`, element upon element: no turn of the loop
 * needs what another has written, which the compiler cannot know and is told. It makes vector code of it also where the
 * build asks for less (O3 of gcc), and does not join a product and a sum: rounding would depend on the machine. */
#ifndef SUP_COLL_FOLD_KERNELS_H
#define SUP_COLL_FOLD_KERNELS_H

#include "coll/fold/fold.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#define SUP_FOLD_LOOP /* it looks at run time whether they overlap */
#elif defined(__OPTIMIZE__)
#pragma GCC optimize("O3", "fp-contract=off")
#define SUP_FOLD_LOOP _Pragma("GCC ivdep")
#else
#define SUP_FOLD_LOOP
#endif

/* clang-format off */
/* `expression` of the elements x and y; `fold_NAME` and `into_NAME` are its two forms. */
#define SUP_FOLD_KERNEL(name, type, expression) \
    static void fold_##name(void *to, const void *first, const void *second, size_t count, void *context) { \
        type *z = to; \
        const type *a = first, *b = second; \
        (void)context; \
        SUP_FOLD_LOOP \
        for (size_t i = 0; i < count; i++) { \
            type x = a[i], y = b[i]; \
            z[i] = (expression); \
        } \
    } \
    static void into_##name(void *accumulator, const void *operand, size_t count, void *context) { \
        fold_##name(accumulator, accumulator, operand, count, context); \
    }
#define SUP_FOLD_ROW(name, type) {sizeof(type), into_##name, fold_##name, NULL, true}
/* clang-format on */

typedef sup_fold sup_fold_row[SUP_OPERATORS];

/* Rows in the order of sup_fold_type: from SUP_TYPE_INT8, SUP_TYPE_FLOAT, SUP_TYPE_BOOL, SUP_TYPE_FLOAT_INT on. */
enum { SUP_FOLD_INTEGERS = 8, SUP_FOLD_FLOATS = 3, SUP_FOLD_COMPLEXES = 3, SUP_FOLD_PAIRS = 6 };
extern const sup_fold_row sup_fold_integers[SUP_FOLD_INTEGERS], sup_fold_floats[SUP_FOLD_FLOATS + SUP_FOLD_COMPLEXES],
    sup_fold_booleans[1], sup_fold_pairs[SUP_FOLD_PAIRS];

#endif
