/* What the parts of the pair measurement share: pair.c (order of work) calls pair/screen.c (which pairs are alike),
 * pair/overhead.c (O) and pair/fill.c (the section of the profile); all of them use the classes and trials of
 * pair/work.c. */
#ifndef SUP_MEASURE_PAIR_WORK_H
#define SUP_MEASURE_PAIR_WORK_H

#include "measure/pair/class.h"
#include "measure/pair/pair.h"
#include "measure/pair/sizes.h"

enum { SUP_PAIR_LOOKS = 2, SUP_PAIR_OTHERS = 8, SUP_PAIR_SPLITS = 4, SUP_PAIR_CLASSES = 4096 };

typedef struct sup_work_class {
    int level, kind_a, kind_b;
    int split;                      /* 0: of the topology; 1 …: deviates from it */
    double typical[SUP_PAIR_LOOKS]; /* seconds at the looks; 0 nobody looked */
    int typical_pair[2];
    int others[SUP_PAIR_OTHERS][2]; /* to compare with */
    int others_count;
    int64_t measured;
    double disagreement; /* of the others with the curve, relative */
    sup_sizes sizes;
    sup_number *overhead;
} sup_work_class;

typedef struct sup_pair_exception {
    int i, j; /* i < j */
    int class;
} sup_pair_exception;

typedef struct sup_pair_work {
    sup_lab *lab;
    sup_session *session;
    sup_pair_options options;
    const sup_kinds *kinds_of;
    int kinds;
    sup_diag *diag;
    sup_grouping *grouping;
    sup_work_class *classes;
    int classes_count;
    int *rule; /* class of level · kinds² + kind of i · kinds + kind of j */
    int *odd;  /* level · size + rank: class of a process that deviates, or -1 */
    sup_pair_exception *exceptions;
    size_t exceptions_count, exceptions_room;
    double interference;
    sup_pair_each *each; /* NULL: not asked for, or too many processes */
} sup_pair_work;

sup_status sup_pair_ask(sup_pair_work *work, const sup_trial *trial, const char *text, sup_timing *out);

int sup_pair_kind_of(const sup_pair_work *work, int rank);
/* A class for every level and (unordered) pair of kinds. */
sup_status sup_pair_make_classes(sup_pair_work *work);
void sup_pair_work_free(sup_pair_work *work);
int sup_pair_base_class(const sup_pair_work *work, int i, int j);
/* With the processes and pairs that deviate. */
int sup_pair_class_of(const sup_pair_work *work, int i, int j);
/* A class like another, for pairs that deviate from it; -1: there are too many, or no memory. */
int sup_pair_split(sup_pair_work *work, int base);
/* From now on the pair i, j is of that class. */
sup_status sup_pair_add_exception(sup_pair_work *work, int i, int j, int class);

/* Looks at pairs of every level and finds typical ones, and those that deviate. */
sup_status sup_pair_screen(sup_pair_work *work);

/* O of each of these pairs, first to second, all of them side by side; NULL: the clock saw nothing. */
sup_status sup_pair_starts(sup_pair_work *work, const int *pairs, int count, sup_number **out);
/* With `exhaustive`, when the classes are measured: O of all pairs, and classes for those that deviate. */
sup_status sup_pair_overheads(sup_pair_work *work);

/* With `exhaustive`, of few enough processes: room for O and L of every ordered pair; afterwards L of all of them. O is
 * noted where it is measured. */
sup_status sup_pair_each_start(sup_pair_work *work);
void sup_pair_each_overhead(sup_pair_work *work, int i, int j, double value, double ci);
sup_status sup_pair_each_latencies(sup_pair_work *work);
/* Into the profile's section, with a warning where directions differ. */
void sup_pair_each_fill(sup_pair_work *work, sup_pairs *pairs);

/* Writes what is there, finished or not. */
sup_status sup_pair_fill(sup_pair_work *work, sup_profile *profile);

#endif
