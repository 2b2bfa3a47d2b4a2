/* Shares of the first round (budget.h). Stage "measure", all terms. */
#include "measure/campaign/budget.h"

#include <math.h>
#include <string.h>

/* In order of use. Beside them: vectors 0.22, both engines 0.12; of computation, speeds by
 * size 0.3; the rest is reserve. */
const sup_budget_row sup_budget_rows[SUP_BUDGET_ROWS + 1] = {
    {"kernels", SUP_MEASURE_KERNELS, 0.60},
    {"barriers", SUP_MEASURE_SYNC, 0.05},
    {"classic", SUP_MEASURE_CLASSIC, 0.01},
    {"exchanges", SUP_MEASURE_EXCHANGES, 0.14},
    {"pairs", SUP_MEASURE_PAIRS, 0.05},
    {"first", SUP_MEASURE_FIRST, 0.10},
    {"channels", SUP_MEASURE_TAULOP, 0.10},
    {"collectives", SUP_MEASURE_COLLECTIVES, 0.15},
    {"copies", SUP_MEASURE_MEMCPY, 0.02},
    {"overlap", SUP_MEASURE_OVERLAP, 0.08},
    {"interruptions", SUP_MEASURE_INTERRUPTIONS, 0.01},
};

unsigned sup_budget_bit(const char *name) {
    if (!strcmp(name, "all")) return SUP_MEASURE_ALL;
    for (const sup_budget_row *r = sup_budget_rows; r->name; r++)
        if (!strcmp(r->name, name)) return r->bit;
    return 0;
}

double sup_budget_part_s(int processes) {
    return (20.0 + 40.0 / 3.0 * (processes > 2 ? log2(processes / 2.0) : 0.0)) / 3.0;
}

void sup_budget_begin(sup_budget *b) {
    *b = (sup_budget){.part_s = b->part_s, .deep = b->deep, .pass = b->pass + 1, .row = -1};
}

void sup_budget_enter(sup_budget *b, unsigned bit) {
    b->row = -1;
    b->last_s = 0.0;
    for (int i = 0; sup_budget_rows[i].name; i++)
        if (sup_budget_rows[i].bit == bit) b->row = i;
}

bool sup_budget_is_deep(const sup_budget *b, unsigned bit) { return b->deep & bit; }

bool sup_budget_allows(sup_budget *b) {
    if (b->row < 0 || !(b->part_s > 0.0) || b->needed || b->deep & sup_budget_rows[b->row].bit) return true;
    if (b->spent_s[b->row] + b->last_s <= sup_budget_rows[b->row].share * b->part_s / 3.0) return true;
    b->left_out[b->row]++;
    return false;
}

void sup_budget_spend(sup_budget *b, double visit_s) {
    if (b->row < 0) return;
    b->asked[b->row]++;
    b->spent_s[b->row] += visit_s;
    b->last_s = visit_s;
}
