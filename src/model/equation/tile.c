/* Cost of a shape (term Tcomp, stage model): lines that a task fetches, from where, and how well that overlaps.
 *
 * CACHE §3.1 asks whether a part fits. What decides on real processors is finer:
 *   - a walk down a column touches a line an element, and those lines pay off only if they are still there when the
 * next column comes: rows · line must fit L1, and with a pitch that is a multiple of a large power of two only few of
 * them do, because they fall into the same sets;
 *   - a row that is not a whole number of lines fetches one more, so short rows are expensive;
 *   - a loop must be started, and a sum that runs along the innermost loop is one chain of dependent operations, which
 *     out-of-order execution hides only where the next chain begins soon;
 *   - each row of a column walk is a page of its own.
 * The constants are cycles, found on Neoverse-N1 and of the same order on other cores; what lines cost on this one is
 * in the problem where it is known. Only ratios of costs are used. */
#include "model/equation/tile.h"

#include <math.h>

static const double L2_LINE = 5, LAST_LINE = 18, MEMORY_LINE = 32; /* down columns, overlapped as far as it goes */
static const double STREAM = 0.3;                                  /* of that for a line that was prefetched */
static const double LOOP_START = 6, TASK_START = 150;
static const double CHAIN = 0.6, CHAIN_LENGTH = 32; /* a dependent sum of more than 32 terms is not hidden */
static const double TLB_REACH = 40, TLB_MISS = 0.8, TLB2_REACH = 600, TLB2_MISS = 8;
static const double TLB_WALK = 120; /* where nothing else hides it: at the start of a row */
static const double CROWDED = 0.1;  /* an iteration of a task that fills nearly half of L2, which it shares */
static const double LATE = 0.2;     /* of a task: how much later than the others the last worker is */
static const double FILL = 0.75;    /* of a cache that one data set can count on */

static double rows_of(const sup_problem_set *s, const sup_tile_shape *t) {
    return (double)(s->row_axis >= 0 ? t->size[s->row_axis] : s->rows) + 2.0 * (double)s->halo_rows;
}

static double cols_of(const sup_problem_set *s, const sup_tile_shape *t) {
    return (double)(s->col_axis >= 0 ? t->size[s->col_axis] : s->cols) + 2.0 * (double)s->halo_cols;
}

/* How often a task goes through the part: once for each step along the axes that do not cut it. */
static double sweeps_of(const sup_problem_set *s, const sup_tile_shape *t) {
    double n = 1;
    for (int a = 0; a < SUP_TILE_AXES; a++)
        if (a != s->row_axis && a != s->col_axis) n *= (double)t->size[a];
    return n;
}

double sup_tile_lines_held(const sup_tile_problem *p, size_t pitch) {
    double all = (double)(p->l1_bytes / p->line_bytes);
    size_t ways = p->l1_bytes >= 65536 ? 4 : p->l1_bytes / 4096, way_bytes, common;
    if (ways < 1) ways = 1;
    way_bytes = p->l1_bytes / ways;
    common = pitch & (~pitch + 1); /* largest power of two in it */
    if (pitch == 0 || common <= p->line_bytes) return all;
    double sets = common >= way_bytes ? 1 : (double)(way_bytes / common);
    return fmin(all, sets * (double)ways);
}

static double line_cost(const sup_tile_problem *p, int level) {
    const double usual[SUP_TILE_LEVELS] = {L2_LINE, LAST_LINE, MEMORY_LINE};
    return usual[level] * (p->line_cost[level] > 0 ? p->line_cost[level] : 1);
}

/* Cost of a line that comes from wherever `bytes` of reuse distance leave it. */
static double line_from(const sup_tile_problem *p, double bytes) {
    if (bytes <= FILL * (double)p->l1_bytes) return 0;
    if (bytes <= FILL * (double)p->l2_bytes) return line_cost(p, 0);
    return line_cost(p, bytes <= FILL * (double)p->last_bytes ? 1 : 2);
}

static double all_bytes(const sup_tile_problem *p, const sup_tile_shape *t) {
    double sum = 0;
    for (int s = 0; s < p->set_count; s++)
        if (p->set[s].memory) sum += rows_of(&p->set[s], t) * cols_of(&p->set[s], t) * (double)p->set[s].element;
    return sum;
}

/* What passes through the caches between two uses of a part: blocks follow each other along K, then J, then I, so it is
 * the working set with all axes whole that run faster than the one along which the part stays the same. */
static double reuse_bytes(const sup_tile_problem *p, const sup_problem_set *s, const sup_tile_shape *t) {
    sup_tile_shape u = *t;
    for (int a = SUP_TILE_AXES - 1; a >= 0; a--) {
        if (a != s->row_axis && a != s->col_axis && t->size[a] < p->extent[a]) return all_bytes(p, &u);
        u.size[a] = p->extent[a];
    }
    return all_bytes(p, &u);
}

static double columns_cost(const sup_tile_problem *p, const sup_problem_set *s, const sup_tile_shape *t) {
    double rows = rows_of(s, t), cols = cols_of(s, t), line = (double)p->line_bytes, sweeps = sweeps_of(s, t);
    double held = sup_tile_lines_held(p, s->pitch_bytes), lines = rows * (cols * (double)s->element / line + 0.5);
    double once = line_from(p, reuse_bytes(p, s, t)), again = line_from(p, lines * line);
    double all = (double)(p->l1_bytes / p->line_bytes);
    if (rows > (held < all ? held : FILL * all)) {
        lines = rows * cols; /* gone before the next column comes */
        again = line_from(p, fmax(rows * line, (double)p->l1_bytes));
    } else if (lines > FILL * all && again == 0) {
        again = line_cost(p, 0);
    }
    double pages = rows * fmin(1, (double)s->pitch_bytes / (double)p->page_bytes);
    double tlb = pages > TLB2_REACH ? TLB2_MISS : pages > TLB_REACH ? TLB_MISS * (1 - TLB_REACH / pages) : 0;
    return lines * (once + (sweeps - 1) * again) + rows * cols * sweeps * tlb;
}

static double rows_cost(const sup_tile_problem *p, const sup_problem_set *s, const sup_tile_shape *t) {
    double rows = rows_of(s, t), cols = cols_of(s, t), line = (double)p->line_bytes;
    double from = line_from(p, reuse_bytes(p, s, t)), lines = rows * (cols * (double)s->element / line + 0.5);
    double pages = rows * fmin(1, (double)s->pitch_bytes / (double)p->page_bytes);
    return from * (lines * STREAM + rows * (1 - STREAM)) + (pages > TLB2_REACH ? pages * TLB_WALK : 0);
}

/* The slowest worker's share of the whole, 1 when all have the same; and of several workers one is late (a core that is
 * slower, or shared): by less where others have something to take over. */
static double imbalance(const sup_tile_problem *p, const sup_tile_shape *t) {
    double chains = 1;
    for (int a = 0; a < SUP_TILE_AXES; a++)
        if (!p->serial[a]) chains *= ceil((double)p->extent[a] / (double)t->size[a]);
    return ceil(chains / p->workers) * p->workers / chains * (p->workers > 1 ? 1 + LATE * p->workers / chains : 1);
}

double sup_tile_cost(const sup_tile_problem *p, const sup_tile_shape *t) {
    int inner = sup_tile_inner_axis(p);
    double iterations = 1, length = (double)t->size[inner], cost = TASK_START;
    for (int a = 0; a < SUP_TILE_AXES; a++) iterations *= (double)t->size[a];
    cost += iterations * (1 + LOOP_START / length);
    if (p->serial[inner] && length > CHAIN_LENGTH) cost += iterations * CHAIN * (1 - CHAIN_LENGTH / length);
    if (all_bytes(p, t) > 0.4 * (double)p->l2_bytes) cost += iterations * CROWDED;
    for (int s = 0; s < p->set_count; s++) {
        if (!p->set[s].memory) continue;
        cost += p->set[s].walk == SUP_TILE_COLUMNS ? columns_cost(p, &p->set[s], t) : rows_cost(p, &p->set[s], t);
    }
    return cost / iterations * imbalance(p, t);
}
