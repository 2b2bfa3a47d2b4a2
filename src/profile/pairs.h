/* Pairwise communication in a profile: the matrices O, L, B of BSP §5.6 as classes of pairs.
 *
 * A matrix entry is (class of the pair) → numbers. Few machines have more than a handful of classes, so the file says
 * how to find the class of a pair instead of listing P² entries. Two forms:
 *
 *   levels   Innermost first. Ranks i and j are together in a level if they fall into the same group of `size` ranks,
 *            counted in steps of `stride`: i mod stride = j mod stride and (i / stride) / size = (j / stride) / size.
 *            stride 1 is "consecutive ranks"; stride H is "dealt round-robin to H hosts". The first level in which they
 *            are together has the class. The last has size 0: everybody.
 *
 *                {"name": "self", "size": 1}  {"name": "cache", "size": 4}  {"name": "machine", "size": 0}
 *                 i = j                        0-3 | 4-7 | 8-11 …            all
 *
 *   matrix   Row by row in runs, [count, class, count, class, …]: for machines that follow no rule, P ≤ 4096.
 *
 * With k kinds of process (fast and slow cores, hosts of two makes) a level has k·k classes, [kind of i · k + kind of
 * j]. `exceptions` name single pairs that differ from the rule: [i, first j, last j, class] in ascending order.
 *
 * `each` has O and L of every ordered pair, of few processes and where somebody asked for that: what classes average.
 */
#ifndef SUP_PROFILE_PAIRS_H
#define SUP_PROFILE_PAIRS_H

#include "base/number/measured.h"

#define SUP_PAIRS_MATRIX_MAX 4096
#define SUP_PAIRS_EACH_MAX 256 /* processes: 65536 numbers in each of four lists */

/* Which processes are alike: runs [count, kind, …] over ranks, repeated from the start where they end before P. */
typedef struct sup_kinds {
    char **names;
    size_t names_count;
    int64_t *runs;
    size_t runs_count;
    int64_t *ends; /* derived: rank where each run ends */
    struct json_t *extra;
} sup_kinds;

typedef struct sup_pair_level {
    char *name;
    int64_t size;   /* 0: everybody */
    int64_t stride; /* 1: consecutive ranks */
    int64_t *classes;
    size_t classes_count;
    struct json_t *extra;
} sup_pair_level;

typedef struct sup_pair_class {
    char *name;
    int64_t measured;       /* how many pairs of it were measured */
    sup_number *overhead_s; /* O_ij: start of a minimal message; of a process with itself O_ii */
    sup_number *latency_s;  /* L_ij; NULL for a process with itself */
    sup_number *per_byte_s; /* B_ij, seconds per byte */
    sup_file_curve *time_s; /* seconds over bytes */
    struct json_t *extra;
} sup_pair_class;

/* Of every ordered pair, [i · P + j], calm, with the half widths of their intervals; 0: not known, and i = j. O is that
 * of i, who starts. L is half a round trip that i begins: the way there and the way back are both in it. */
typedef struct sup_pair_each {
    double *overhead_s, *overhead_ci, *latency_s, *latency_ci;
    size_t overhead_s_count, overhead_ci_count, latency_s_count, latency_ci_count;
    struct json_t *extra;
} sup_pair_each;

typedef struct sup_pairs {
    char *transport;
    int64_t processes;
    double interference; /* time of a pair while others exchange, as a ratio; NaN not measured */
    sup_pair_level *levels;
    size_t levels_count;
    int64_t *matrix;
    size_t matrix_count;
    int64_t *exceptions;
    size_t exceptions_count;
    sup_pair_class *classes;
    size_t classes_count;
    sup_pair_each *each;    /* NULL: classes only */
    uint16_t *dense;        /* derived from matrix: P × P */
    const sup_kinds *kinds; /* of the profile; NULL: all processes alike */
    struct json_t *extra;
} sup_pairs;

extern const sup_record sup_kinds_record, sup_pair_level_record, sup_pair_class_record, sup_pair_each_record,
    sup_pairs_record;

/* Kind of a rank: O(log runs); 0 with kinds NULL. */
int sup_kinds_of(const sup_kinds *kinds, int64_t rank);
size_t sup_kinds_count(const sup_kinds *kinds);

/* Class of the pair i → j (ranks of the profile, not checked): O(levels + log exceptions + log runs of kinds). */
int sup_pairs_class(const sup_pairs *pairs, int64_t i, int64_t j);

/* pairs_each.c: do the two directions of pairs cost the same? By `each`. A pair differs if the two are farther apart
 * than both intervals together, and by SUP_PAIRS_ALIKE at least. */
#define SUP_PAIRS_ALIKE 0.05
typedef enum sup_pair_quantity { SUP_PAIR_OVERHEAD, SUP_PAIR_LATENCY } sup_pair_quantity;
typedef struct sup_asymmetry {
    int64_t i, j;          /* of those that differ, or of all if none does: the pair with the greatest ratio */
    double there, back;    /* i → j and j → i, seconds; there ≥ back */
    int64_t pairs, differ; /* known both ways; of these, differ */
} sup_asymmetry;
/* false: not measured. O(P²). */
bool sup_pairs_asymmetry(const sup_pairs *pairs, sup_pair_quantity what, sup_asymmetry *out);
/* Are the O of all ordered pairs known? */
bool sup_pairs_each_known(const sup_pairs *pairs);
/* What check_pairs says of `each`. */
sup_status sup_pairs_check_each(const sup_where *where, const sup_pairs *pairs);

/* Run-length encodes a class matrix (row-major, P ≤ 4096) into `matrix`, and makes the pairs ready. */
sup_status sup_pairs_set_matrix(sup_pairs *pairs, int64_t processes, const uint16_t *classes);

/* Whether the levels have as many classes as the kinds ask for; with lines if `where` stands at the pairs. */
sup_status sup_pairs_check_kinds(const sup_where *where, const sup_pairs *pairs, const sup_kinds *kinds);

#endif
