/* Collectives of the report: which algorithm is chosen for which sizes, and what each costs. The tool makes the list,
 * for a page calls no model. Term Tcomm. */
#ifndef SUP_REPORT_COLLECTIVES_H
#define SUP_REPORT_COLLECTIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One algorithm over sizes; NaN: it cannot do that size. */
typedef struct sup_collective_line {
    char name[64];
    double *seconds; /* [sizes] */
} sup_collective_line;

/* Neighbouring sizes that take the same instead of the same. */
typedef struct sup_collective_part {
    size_t from, to; /* sizes, from … below to */
    char choice[64], instead[64];
    double predicted, measured; /* greatest gain in it, by the model, by measurement; NaN */
    bool changes;
} sup_collective_part;

typedef struct sup_collective_shown {
    char operation[32];
    size_t sizes;
    double *bytes;              /* [sizes] in all */
    sup_collective_line *lines; /* best first */
    size_t line_count;
    sup_collective_part *parts;
    size_t part_count;
    bool drawn; /* has a figure */
} sup_collective_shown;

/* Of one transport. */
typedef struct sup_collectives_of {
    char transport[32];
    int64_t processes, hosts;
    sup_collective_shown *at;
    size_t count;
} sup_collectives_of;

typedef struct sup_collectives_list {
    sup_collectives_of *at;
    size_t count;
} sup_collectives_list;

void sup_collectives_list_free(sup_collectives_list *list);

#endif
