/* Which exchanges are measured (base/exchange.h), and at which sizes: a row a curve. Tcomm and Tsync, stage "measure".
 *
 *     sup_exchange_plan plan;
 *     for (int k = 0; sup_exchange_plan_at(k, &who, &plan); k++)
 *         for (int i = 0; i < plan.count; i++) … plan.bytes[i] …
 *
 * What predictions need most comes first, so that a first round that is cut short leaves it. */
#ifndef SUP_MEASURE_EXCHANGE_PLAN_H
#define SUP_MEASURE_EXCHANGE_PLAN_H

#include "base/exchange.h"

#include <stdbool.h>
#include <stddef.h>

/* The most bytes that a process sends or receives in a superstep of a trial. */
#define SUP_EXCHANGE_BYTES_MAX ((size_t)4 << 20)
enum { SUP_EXCHANGE_SIZES = 18 };

typedef struct sup_exchange_plan {
    int shape, move, records;
    int count; /* of sizes; 0: it is none with so many processes */
    size_t bytes[SUP_EXCHANGE_SIZES];
} sup_exchange_plan;

typedef struct sup_exchange_who {
    int processes;
    bool far;    /* processes half of all apart may be further from each other than neighbours */
    bool shared; /* memory: then other sizes are thresholds */
    bool deep;   /* all shapes and sizes, not those alone that predictions read */
} sup_exchange_who;

/* The row of that number. False: there is none, nor after it. */
bool sup_exchange_plan_at(int number, const sup_exchange_who *who, sup_exchange_plan *out);
/* The largest message of an exchange with so many to each partner. */
size_t sup_exchange_most_bytes(int shape, int records, int processes);

/* Shapes (−1 at the end) and sizes (0) that nothing is fitted to, of puts, for predictions to be compared with. */
extern const int sup_step_other_shapes[];
extern const size_t sup_step_others[];

#endif
