/* Expressions brought into the form that can be priced term by term (PART §5.1): a sequence of terms A ‖ T(m), by A1,
 * A2, A3 and the distribution of ‖ over +. Simplification writes it as an expression, the evaluator `paper` adds it up.
 *
 *   A1  A‖T(m1) + A‖T(m2) = A‖T(m1+m2)                          of transmissions that follow one another
 *   A2  A‖T(m1) ‖ B‖T(m2) = (A+B)‖T(m1) + B‖T(m2−m1), m2 ≥ m1   heads of concurrent sequences, on one channel
 *   A3  of heads on different channels the shorter one is hidden, the longer one stays as it is; sequences that share
 * no channel, directly or through others, are independent, and the longest of them counts
 *
 * Transfers L and folds γ pass for transmissions on their channel in A2, not in A1: two transfers are not one. */
#ifndef SUP_MODEL_TAULOP_NORMAL_H
#define SUP_MODEL_TAULOP_NORMAL_H

#include "model/taulop/arena.h"
#include "model/taulop/taulop.h"

typedef struct sup_terms_list sup_terms_list;

enum { SUP_TERM_REPEAT = SUP_EXPR_TIMES, SUP_TERM_BESIDE = SUP_EXPR_TOGETHER }; /* other kinds: as of leaves */

typedef struct sup_term {
    int kind, channel;
    double bytes;
    double count;         /* A; τ of transfers and folds */
    double seconds;       /* of a wait */
    double times;         /* of a repetition */
    sup_terms_list *body; /* of a repetition; lists that stay side by side (no costs) */
    size_t lists;         /* how many of those */
} sup_term;

struct sup_terms_list {
    sup_term *at;
    size_t count, room;
};

typedef struct sup_normal {
    sup_arena arena;
    const sup_taulop_costs *costs; /* NULL: A3 stays undecided */
    sup_status status;             /* of the first failure */
} sup_normal;

/* Appends to `out`. SUP_EINVAL: too many repetitions beside one another. */
sup_status sup_normal_form(sup_normal *n, const sup_expr *e, sup_terms_list *out);
void sup_normal_free(sup_normal *n);

/* Appends a term, with A1. False: no memory. */
bool sup_normal_push(sup_normal *n, sup_terms_list *list, const sup_term *term);
double sup_terms_cost(const sup_taulop_costs *costs, const sup_terms_list *list);
double sup_term_cost(const sup_taulop_costs *costs, const sup_term *term);

/* taulop/beside.c: lists at the same time, appended to `out`. */
sup_status sup_normal_beside(sup_normal *n, sup_terms_list *lists, size_t count, sup_terms_list *out);

#endif
