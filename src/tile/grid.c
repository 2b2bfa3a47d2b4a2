/* Cutting the axes of the work and finding the parts that belong to a block (CACHE §3.1; stages decompose and combine).
 */
#include "tile/grid.h"

#include "base/status.h"

#include <string.h>

static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
static int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }

/* Divisions are what cutting costs, so they are done once for all blocks. */
typedef struct cutter {
    int64_t from, length, unit, each, more;
} cutter;

static cutter cutter_of(int64_t from, int64_t to, int64_t unit, int64_t blocks) {
    cutter c = {from, to - from, unit, 0, 0};
    if (blocks == 1) {
        c.unit = 1;
        c.each = c.length;
        return c;
    }
    int64_t units = ceil_div(c.length, unit);
    c.each = units / blocks;
    c.more = units % blocks;
    return c;
}

static sup_bounds block_of(const cutter *c, int64_t b) {
    int64_t begin = c->each * b + least_of(b, c->more), end = begin + c->each + (b < c->more);
    return (sup_bounds){c->from + least_of(begin * c->unit, c->length), c->from + least_of(end * c->unit, c->length)};
}

sup_bounds sup_grid_block(int64_t from, int64_t to, int64_t unit, int64_t blocks, int64_t b) {
    cutter c = cutter_of(from, to, unit, blocks);
    return block_of(&c, b);
}

static const char axis_name[] = "-IJK";

/* One data set's opinion about the extent of an axis. */
static sup_status join(sup_tile_axis axis, size_t extent, int set, const char *what, int *source, sup_diag *diag,
                       sup_tile_grid *grid) {
    if (axis == SUP_TILE_WHOLE) return SUP_OK;
    int a = (int)axis - 1;
    if (source[a] >= 0 && grid->axis[a].extent != (int64_t)extent)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                            "data set %d has %zu %s along axis %c, where data set %d has %lld", set, extent, what,
                            axis_name[axis], source[a], (long long)grid->axis[a].extent);
    source[a] = set;
    grid->axis[a].extent = (int64_t)extent;
    return SUP_OK;
}

sup_status sup_grid_extents(const sup_tile_op *op, sup_diag *diag, sup_tile_grid *grid) {
    int source[SUP_TILE_AXES] = {-1, -1, -1};
    memset(grid, 0, sizeof *grid);
    for (int a = 0; a < SUP_TILE_AXES; a++) grid->axis[a] = (sup_grid_axis){.extent = 1, .unit = 1, .blocks = 1};
    for (int s = 0; s < op->set_count; s++) {
        const sup_tile_set *set = &op->set[s];
        sup_status status = join(set->row_axis, set->rows, s, "rows", source, diag, grid);
        if (!status) status = join(set->col_axis, set->cols, s, "columns", source, diag, grid);
        if (status) return status;
        if (set->use == SUP_TILE_READ) continue;
        for (int a = 0; a < SUP_TILE_AXES; a++)
            if ((int)set->row_axis != a + 1 && (int)set->col_axis != a + 1) grid->axis[a].serial = true;
    }
    return SUP_OK;
}

int64_t sup_grid_least(const sup_tile_op *op, int axis) {
    size_t least = 1;
    for (int s = 0; s < op->set_count; s++) {
        const sup_tile_set *set = &op->set[s];
        if ((int)set->row_axis == axis + 1 && set->least_rows > least) least = set->least_rows;
        if ((int)set->col_axis == axis + 1 && set->least_cols > least) least = set->least_cols;
    }
    return (int64_t)least;
}

int64_t sup_grid_line(const sup_tile_op *op, int axis, size_t line_bytes) {
    int64_t unit = 1;
    for (int s = 0; s < op->set_count; s++) {
        const sup_tile_set *set = &op->set[s];
        if ((int)set->col_axis != axis + 1 || !set->data || !set->element) continue;
        int64_t elements = (int64_t)(line_bytes / set->element);
        if (elements > unit) unit = elements;
    }
    return unit;
}

/* Second-level blocks in a first-level block of this length. */
static int64_t inner_count(const sup_grid_axis *x, int64_t length) {
    if (!x->inner || length < 1) return 1;
    int64_t count = x->least > 1 ? length / x->inner : ceil_div(length, x->inner);
    return count > 1 ? count : 1;
}

static void count_chains(sup_tile_grid *grid) {
    grid->chains = 1;
    grid->chain_stride = 1;
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        const sup_grid_axis *x = &grid->axis[a];
        int64_t inner = inner_count(x, sup_grid_largest(x, false));
        if (x->serial) inner *= x->blocks;
        if (!x->serial) grid->chains *= x->blocks;
        grid->chain_stride *= inner;
        if (x->extent == 0) grid->chains = 0;
    }
}

bool sup_grid_shape(const sup_tile_op *op, size_t line_bytes, const size_t *shape, const size_t *inner,
                    sup_tile_grid *grid) {
    bool legal = true;
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        sup_grid_axis *x = &grid->axis[a];
        int64_t least = sup_grid_least(op, a), unit = sup_grid_line(op, a, line_bytes);
        int64_t size = shape[a] && shape[a] < (size_t)x->extent ? (int64_t)shape[a] : x->extent;
        if (size < least) {
            legal = false;
            size = least;
        }
        /* Even blocks are smaller than asked for, so where there is a minimum the number is rounded the other way. */
        x->least = least;
        x->unit = size >= unit && least == 1 ? unit : 1;
        x->blocks = !x->extent ? 1 : least == 1 ? ceil_div(x->extent, size) : x->extent / size;
        if (x->blocks < 1) x->blocks = 1;
        x->inner = inner && inner[a] && (int64_t)inner[a] < size ? (int64_t)inner[a] : 0;
        if (x->inner && x->inner < least) x->inner = least;
    }
    count_chains(grid);
    return legal;
}

void sup_grid_blocks(const int64_t *blocks, sup_tile_grid *grid) {
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        sup_grid_axis *x = &grid->axis[a];
        x->unit = 1;
        x->inner = 0;
        x->blocks = blocks[a] < x->extent ? blocks[a] : x->extent;
        if (x->blocks < 1) x->blocks = 1;
    }
    count_chains(grid);
}

int64_t sup_grid_largest(const sup_grid_axis *axis, bool inner) {
    sup_bounds b = sup_grid_block(0, axis->extent, axis->unit, axis->blocks, 0);
    return inner && axis->inner ? least_of(b.to - b.from, axis->inner) : b.to - b.from;
}

int64_t sup_grid_tasks(const sup_tile_grid *grid) {
    int64_t tasks = 1;
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        const sup_grid_axis *x = &grid->axis[a];
        int64_t sum = x->extent ? x->blocks : 0;
        if (x->inner && sum) {
            sum = 0;
            for (int64_t b = 0; b < x->blocks; b++) {
                sup_bounds at = sup_grid_block(0, x->extent, x->unit, x->blocks, b);
                sum += inner_count(x, at.to - at.from);
            }
        }
        tasks *= sum;
    }
    return tasks;
}

double sup_grid_bytes(const sup_tile_op *op, const sup_tile_grid *grid, bool inner) {
    sup_bounds at[SUP_TILE_AXES];
    for (int a = 0; a < SUP_TILE_AXES; a++) at[a] = (sup_bounds){0, sup_grid_largest(&grid->axis[a], inner)};
    double sum = 0;
    for (int s = 0; s < op->set_count; s++) {
        sup_tile_part part;
        sup_grid_part(&op->set[s], at, &part);
        sum += (double)(part.rows + 2 * op->set[s].halo_rows) * (double)(part.cols + 2 * op->set[s].halo_cols) *
               (double)(op->set[s].data ? op->set[s].element : 0);
    }
    return sum;
}

static void halo_of(int64_t from, int64_t to, size_t extent, size_t halo, size_t border, size_t *before,
                    size_t *after) {
    size_t room_before = (size_t)from + border, room_after = extent - (size_t)to + border;
    *before = halo < room_before ? halo : room_before;
    *after = halo < room_after ? halo : room_after;
}

void sup_grid_part(const sup_tile_set *set, const sup_bounds *at, sup_tile_part *out) {
    sup_bounds rows = {0, (int64_t)set->rows}, cols = {0, (int64_t)set->cols};
    if (set->row_axis != SUP_TILE_WHOLE) rows = at[set->row_axis - 1];
    if (set->col_axis != SUP_TILE_WHOLE) cols = at[set->col_axis - 1];
    *out = (sup_tile_part){.rows = (size_t)(rows.to - rows.from),
                           .cols = (size_t)(cols.to - cols.from),
                           .pitch = set->pitch,
                           .row = (size_t)rows.from,
                           .col = (size_t)cols.from};
    if (set->data) out->data = (char *)set->data + (out->row * set->pitch + out->col) * set->element;
    if (set->halo_rows) halo_of(rows.from, rows.to, set->rows, set->halo_rows, set->border, &out->above, &out->below);
    if (set->halo_cols) halo_of(cols.from, cols.to, set->cols, set->halo_cols, set->border, &out->left, &out->right);
}

/* Where a chain's blocks are along the axes that are not serial. */
static void chain_at(const sup_tile_grid *grid, int64_t chain, int64_t *block) {
    for (int a = SUP_TILE_AXES - 1; a >= 0; a--) {
        const sup_grid_axis *x = &grid->axis[a];
        block[a] = 0;
        if (x->serial || x->blocks == 1) continue;
        block[a] = chain % x->blocks;
        chain /= x->blocks;
    }
}

/* Where a block stands among those that write the same part. */
static void place_step(const sup_tile_grid *grid, sup_grid_step *step) {
    step->first = step->last = true;
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        const sup_grid_axis *x = &grid->axis[a];
        if (!x->serial) continue;
        if (step->at[a].from > 0) step->first = false;
        if (step->at[a].to < x->extent) step->last = false;
    }
}

/* Second-level blocks of one first-level block, last axis fastest. */
static int walk_inner(const sup_tile_grid *grid, const sup_bounds *outer, sup_grid_step *step, sup_grid_visit *visit,
                      void *context) {
    int64_t count[SUP_TILE_AXES], at[SUP_TILE_AXES] = {0};
    cutter cut[SUP_TILE_AXES];
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        const sup_grid_axis *x = &grid->axis[a];
        count[a] = inner_count(x, outer[a].to - outer[a].from);
        cut[a] = cutter_of(outer[a].from, outer[a].to, x->inner < x->unit ? 1 : x->unit, count[a]);
    }
    for (at[0] = 0; at[0] < count[0]; at[0]++) {
        step->at[0] = block_of(&cut[0], at[0]);
        for (at[1] = 0; at[1] < count[1]; at[1]++) {
            step->at[1] = block_of(&cut[1], at[1]);
            for (at[2] = 0; at[2] < count[2]; at[2]++) {
                step->at[2] = block_of(&cut[2], at[2]);
                place_step(grid, step);
                int rc = visit(context, step);
                if (rc) return rc;
                step->index++;
            }
        }
    }
    return 0;
}

void sup_grid_span(const sup_tile_grid *grid, int64_t chain, int64_t count, sup_grid_step *step) {
    int64_t block[SUP_TILE_AXES];
    chain_at(grid, chain, block);
    *step = (sup_grid_step){.index = chain * grid->chain_stride, .first = true, .last = true};
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        const sup_grid_axis *x = &grid->axis[a];
        step->at[a] = (sup_bounds){0, x->extent};
        if (x->blocks == 1) continue;
        cutter c = cutter_of(0, x->extent, x->unit, x->blocks);
        step->at[a] = (sup_bounds){block_of(&c, block[a]).from, block_of(&c, block[a] + count - 1).to};
    }
}

int sup_grid_walk(const sup_tile_grid *grid, int64_t chain, sup_grid_visit *visit, void *context) {
    int64_t block[SUP_TILE_AXES], serial[SUP_TILE_AXES];
    sup_grid_step step = {.index = chain * grid->chain_stride};
    chain_at(grid, chain, block);
    for (int a = 0; a < SUP_TILE_AXES; a++) serial[a] = grid->axis[a].serial ? grid->axis[a].blocks : 1;
    int64_t steps = serial[0] * serial[1] * serial[2];
    for (int64_t s = 0; s < steps; s++) {
        sup_bounds outer[SUP_TILE_AXES];
        int64_t rest = s;
        for (int a = SUP_TILE_AXES - 1; a >= 0; a--) {
            const sup_grid_axis *x = &grid->axis[a];
            int64_t b = block[a];
            if (serial[a] > 1) {
                b = rest % serial[a];
                rest /= serial[a];
            }
            outer[a] = sup_grid_block(0, x->extent, x->unit, x->blocks, b);
        }
        int rc = walk_inner(grid, outer, &step, visit, context);
        if (rc) return rc;
    }
    return 0;
}
