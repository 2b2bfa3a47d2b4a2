/* Dense least squares with signs: what fits the segments of a curve together (base/curve_fit.c).
 *
 * Householder reflections reduce the problem to columns × columns; the sign constraints are then met by the active-set
 * method of Lawson & Hanson (Solving Least Squares Problems, ch. 23) on the small triangle. Normal equations would
 * square a condition number that is already large when sizes span eight orders of magnitude. */
#include "base/lsq.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEPENDENT 1e-11 /* a column with less than this part of itself left is a combination of the others */

/* Triangulates in place by reflections; b goes along. Rows of dependent columns are skipped: row_of[j] is the row of
 * column j's pivot, or SIZE_MAX. Returns the rank. */
static size_t triangulate(double *a, double *b, size_t rows, size_t columns, size_t *row_of) {
    size_t rank = 0;
    for (size_t j = 0; j < columns; j++) {
        double whole = 0.0, left = 0.0;
        for (size_t i = 0; i < rows; i++) {
            double q = a[i * columns + j] * a[i * columns + j];
            whole += q;
            if (i >= rank) left += q;
        }
        row_of[j] = SIZE_MAX;
        if (rank == rows || left <= DEPENDENT * DEPENDENT * whole) continue;
        double *v0 = &a[rank * columns + j], alpha = *v0 > 0.0 ? -sqrt(left) : sqrt(left);
        double head = *v0 - alpha, scale = 1.0 / (left - *v0 * alpha); /* 2 / |v|² with v = (head, rest) */
        for (size_t k = j + 1; k <= columns; k++) {
            double *at = k < columns ? a + k : b;
            size_t stride = k < columns ? columns : 1;
            double dot = head * at[rank * stride];
            for (size_t i = rank + 1; i < rows; i++) dot += a[i * columns + j] * at[i * stride];
            dot *= scale;
            at[rank * stride] -= dot * head;
            for (size_t i = rank + 1; i < rows; i++) at[i * stride] -= dot * a[i * columns + j];
        }
        *v0 = alpha;
        for (size_t i = rank + 1; i < rows; i++) a[i * columns + j] = 0.0;
        row_of[j] = rank++;
    }
    return rank;
}

static void back_substitute(const double *a, const double *b, size_t columns, const size_t *row_of, double *v) {
    for (size_t j = columns; j-- > 0;) {
        v[j] = 0.0;
        if (row_of[j] == SIZE_MAX) continue;
        const double *row = a + row_of[j] * columns;
        double sum = b[row_of[j]];
        for (size_t k = j + 1; k < columns; k++) sum -= row[k] * v[k];
        v[j] = sum / row[j];
    }
}

/* The reduced problem and the memory its solution needs. */
typedef struct problem {
    size_t size;     /* columns; the triangle is size × size */
    double *r, *c;   /* triangle and right-hand side */
    double *r2, *c2; /* copies of the part being solved */
    double *z, *v;
    size_t *row_of, *index;
    bool *passive; /* may be non-zero */
} problem;

static void problem_free(problem *p) {
    free(p->passive);
    free(p->index);
    free(p->row_of);
    free(p->r);
}

static bool problem_init(problem *p, size_t size) {
    memset(p, 0, sizeof *p);
    p->size = size;
    if (size > 4096) return false; /* nobody has that many segments; keeps the products below from overflowing */
    p->r = calloc(2 * size * size + 4 * size, sizeof(double));
    p->row_of = calloc(size, sizeof(size_t));
    p->index = calloc(size, sizeof(size_t));
    p->passive = calloc(size, sizeof(bool));
    if (!p->r || !p->row_of || !p->index || !p->passive) {
        problem_free(p);
        return false;
    }
    p->r2 = p->r + size * size;
    p->c = p->r2 + size * size;
    p->c2 = p->c + size;
    p->z = p->c2 + size;
    p->v = p->z + size;
    return true;
}

/* z = the unconstrained solution over the passive columns, 0 elsewhere. */
static void solve_passive(problem *p) {
    size_t n = p->size, used = 0;
    for (size_t j = 0; j < n; j++)
        if (p->passive[j]) p->index[used++] = j;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < used; j++) p->r2[i * used + j] = p->r[i * n + p->index[j]];
    memcpy(p->c2, p->c, n * sizeof(double));
    triangulate(p->r2, p->c2, n, used, p->row_of);
    double *packed = p->r2 + n * used; /* r2 has room for n columns; with all in use pack into z itself */
    if (used == n) packed = p->z;
    if (used > 0) back_substitute(p->r2, p->c2, used, p->row_of, packed);
    for (size_t j = n, k = used; j-- > 0;) p->z[j] = p->passive[j] ? packed[--k] : 0.0;
}

/* Moves v towards z as far as the signs allow and retires the columns that reach zero, until z itself is allowed. */
static void step_to_feasible(problem *p, const bool *nonnegative) {
    size_t n = p->size;
    for (size_t round = 0; round <= n; round++) {
        solve_passive(p);
        double alpha = 1.0;
        for (size_t j = 0; j < n; j++)
            if (p->passive[j] && nonnegative[j] && p->z[j] <= 0.0 && p->v[j] - p->z[j] > 0.0)
                alpha = fmin(alpha, p->v[j] / (p->v[j] - p->z[j]));
        bool retired = false;
        for (size_t j = 0; j < n; j++) {
            if (!p->passive[j]) continue;
            bool blocks = nonnegative[j] && p->z[j] <= 0.0;
            p->v[j] += alpha * (p->z[j] - p->v[j]);
            if (blocks && p->v[j] <= DBL_EPSILON * fabs(p->z[j])) {
                p->v[j] = 0.0;
                p->passive[j] = false;
                retired = true;
            }
        }
        if (!retired) break;
    }
    for (size_t j = 0; j < n; j++)
        if (nonnegative[j] && !(p->v[j] > 0.0)) p->v[j] = 0.0;
}

/* The constrained column at zero whose growth would reduce the residual most; size if none would. */
static size_t most_useful(const problem *p, const bool *barred) {
    size_t n = p->size, best = n;
    double most = 0.0, norm = 0.0;
    for (size_t i = 0; i < n; i++) norm += p->c[i] * p->c[i];
    norm = sqrt(norm);
    for (size_t i = 0; i < n; i++) {
        p->c2[i] = p->c[i];
        for (size_t k = i; k < n; k++) p->c2[i] -= p->r[i * n + k] * p->v[k];
    }
    for (size_t j = 0; j < n; j++) {
        if (p->passive[j] || barred[j]) continue;
        double gain = 0.0;
        for (size_t i = 0; i <= j; i++) gain += p->r[i * n + j] * p->c2[i];
        if (gain > most && gain > 1e-13 * norm) {
            most = gain;
            best = j;
        }
    }
    return best;
}

static sup_status solve_signed(problem *p, const bool *nonnegative) {
    size_t n = p->size;
    /* often the signs are right by themselves */
    bool right = true;
    for (size_t j = 0; j < n; j++) p->passive[j] = true;
    solve_passive(p);
    for (size_t j = 0; j < n; j++) right = right && (!nonnegative[j] || p->z[j] >= 0.0);
    if (right) {
        memcpy(p->v, p->z, n * sizeof(double));
        return SUP_OK;
    }
    bool *barred = calloc(n, sizeof *barred);
    if (!barred) return SUP_ENOMEM;
    for (size_t j = 0; j < n; j++) p->passive[j] = !nonnegative[j];
    step_to_feasible(p, nonnegative);
    for (size_t round = 0; round < 3 * n; round++) {
        size_t j = most_useful(p, barred);
        if (j == n) break;
        p->passive[j] = true;
        step_to_feasible(p, nonnegative);
        /* rounding can make a column look useful that is retired at once: not again, or this never ends */
        if (!p->passive[j])
            barred[j] = true;
        else
            memset(barred, 0, n * sizeof *barred);
    }
    free(barred);
    return SUP_OK;
}

/* Unit columns; the lengths stay in `length`. */
static void scale_columns(double *a, size_t rows, size_t columns, double *length) {
    for (size_t j = 0; j < columns; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < rows; i++) sum += a[i * columns + j] * a[i * columns + j];
        length[j] = sum > 0.0 ? sqrt(sum) : 1.0;
        for (size_t i = 0; i < rows; i++) a[i * columns + j] /= length[j];
    }
}

sup_status sup_lsq_solve(double *a, double *b, size_t rows, size_t columns, const bool *nonnegative, double *v,
                         double *rss) {
    if (columns == 0 || rows == 0) return SUP_EINVAL;
    problem p;
    if (!problem_init(&p, columns)) return SUP_ENOMEM;
    sup_status status = SUP_OK;
    scale_columns(a, rows, columns, p.z);
    memcpy(v, p.z, columns * sizeof *v);
    size_t rank = triangulate(a, b, rows, columns, p.row_of);
    double rest = 0.0;
    for (size_t i = rank; i < rows; i++) rest += b[i] * b[i];
    for (size_t j = 0; j < columns; j++) {
        /* row j of the triangle is the row in which column j has its pivot: dependent columns leave it empty */
        if (p.row_of[j] == SIZE_MAX) continue;
        memcpy(p.r + j * columns + j, a + p.row_of[j] * columns + j, (columns - j) * sizeof(double));
        p.c[j] = b[p.row_of[j]];
    }
    if (nonnegative) {
        status = solve_signed(&p, nonnegative);
        if (status != SUP_OK) goto free_problem;
    } else {
        back_substitute(a, b, columns, p.row_of, p.v);
    }
    for (size_t i = 0; i < columns; i++) {
        double r = p.c[i];
        for (size_t k = i; k < columns; k++) r -= p.r[i * columns + k] * p.v[k];
        rest += r * r;
    }
    for (size_t j = 0; j < columns; j++) v[j] = p.v[j] / v[j];
    if (rss) *rss = rest;
free_problem:
    problem_free(&p);
    return status;
}
