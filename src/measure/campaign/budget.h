/* The law of measuring: what a first round may cost. Stage "measure", all terms.
 *
 * A first round is finished when a third of the time (the usual at least) is over, whatever the number of processes and
 * transports: each section has a share of that third, and asks for no more points than fit. What a visit takes is known
 * from those before it, in this launch or an earlier one. Sections are in the order in which predictions and choices
 * rest on them, and so are the points in each: what does not fit is what matters least, and the profile says how much
 * it was (warning "left-out"). A section that was asked for by name (`--deep`) has no limit, nor have the few points
 * without which there would be no answer at all, however dear they are.
 *
 * Shares add up to less than 1: the rest is for what comes. */
#ifndef SUP_MEASURE_CAMPAIGN_BUDGET_H
#define SUP_MEASURE_CAMPAIGN_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sections, as bits. */
enum {
    SUP_MEASURE_PAIRS = 1,
    SUP_MEASURE_SYNC = 2,
    SUP_MEASURE_CLASSIC = 4,
    SUP_MEASURE_TAULOP = 8,
    SUP_MEASURE_INTERRUPTIONS = 16,
    SUP_MEASURE_MEMCPY = 32,
    SUP_MEASURE_EXCHANGES = 64,
    SUP_MEASURE_OVERLAP = 128,
    SUP_MEASURE_COLLECTIVES = 256,
    SUP_MEASURE_KERNELS = 512,
    SUP_MEASURE_FIRST = 1024,
    SUP_MEASURE_ALL = 2047
};

typedef struct sup_budget_row {
    const char *name; /* what `--deep` calls it */
    unsigned bit;
    double share; /* of the third that computation, or a transport, has */
} sup_budget_row;
enum { SUP_BUDGET_ROWS = 11 };
extern const sup_budget_row sup_budget_rows[SUP_BUDGET_ROWS + 1]; /* name NULL at the end */

/* The bit of a name ("all": of all); 0: there is none. */
unsigned sup_budget_bit(const char *name);

/* The usual time of a part, which is computation or a transport: 20/3 s for two processes, and 40/9 s more for each
 * doubling. */
double sup_budget_part_s(int processes);

/* What a lab has asked for in this pass over its sections. */
typedef struct sup_budget {
    double part_s; /* 0: no limit */
    unsigned deep; /* sections without one */
    int pass, row; /* whose turn it is; −1 nobody's */
    double spent_s[SUP_BUDGET_ROWS], last_s;
    int64_t asked[SUP_BUDGET_ROWS], left_out[SUP_BUDGET_ROWS];
    bool needed; /* what is asked for now is, whatever it costs */
    bool late;   /* there was no time for something that fits */
} sup_budget;

void sup_budget_begin(sup_budget *budget); /* a pass over all sections */
void sup_budget_enter(sup_budget *budget, unsigned bit);
bool sup_budget_is_deep(const sup_budget *budget, unsigned bit);
/* Is there room for one more like the last? Counts it if not. */
bool sup_budget_allows(sup_budget *budget);
void sup_budget_spend(sup_budget *budget, double visit_s);

#endif
