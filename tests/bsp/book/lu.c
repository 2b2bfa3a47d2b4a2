/* LU decomposition with partial pivoting, rows dealt out cyclically: for each column find the pivot, swap, broadcast
 * the pivot row, eliminate. P·A = L·U is checked by multiplying out. */
#include "book.h"
#include "tap.h"

#include <bsp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct matrix {
    int n, rows; /* order, local rows */
    double *a;   /* rows × n: local row i is global row i·p + s */
    int *pi;     /* of local rows: which row of A is now here */
} matrix;

typedef struct candidate {
    double size;
    int row;
} candidate;

static double entry(int n, int i, int j) { return (double)(book_random((uint64_t)(i * n + j)) % 2001) / 1000.0 - 1.0; }

/* The row of the largest entry of column k at or below the diagonal, known to all after one superstep. */
static int find_pivot(const matrix *m, int k, candidate *candidates) {
    int p = bsp_nprocs(), s = bsp_pid();
    candidate best = {-1.0, -1};
    for (int i = 0; i < m->rows; i++)
        if (i * p + s >= k && fabs(m->a[i * m->n + k]) > best.size)
            best = (candidate){fabs(m->a[i * m->n + k]), i * p + s};
    for (int t = 0; t < p; t++) bsp_put(t, &best, candidates, (size_t)s * sizeof best, sizeof best);
    bsp_sync();
    best = candidates[0];
    for (int t = 1; t < p; t++)
        if (candidates[t].size > best.size) best = candidates[t];
    return best.row;
}

/* Rows k and r change places: each owner puts its row into the other's. Buffered puts make the swap safe. */
static void swap_rows(matrix *m, int k, int r) {
    int p = bsp_nprocs(), s = bsp_pid(), n = m->n;
    size_t bytes = (size_t)n * sizeof *m->a;
    for (int side = 0; side < 2; side++) {
        int from = side ? r : k, to = side ? k : r;
        if (k == r || from % p != s) continue;
        bsp_put(to % p, m->a + from / p * n, m->a, (size_t)(to / p) * bytes, bytes);
        bsp_put(to % p, m->pi + from / p, m->pi, (size_t)(to / p) * sizeof *m->pi, sizeof *m->pi);
    }
    bsp_sync();
}

static void decompose(matrix *m) {
    int p = bsp_nprocs(), s = bsp_pid(), n = m->n;
    candidate *candidates = book_alloc((size_t)p, sizeof *candidates);
    double *pivot_row = book_alloc((size_t)n, sizeof *pivot_row);
    bsp_push_reg(candidates, (size_t)p * sizeof *candidates);
    bsp_push_reg(pivot_row, (size_t)n * sizeof *pivot_row);
    bsp_push_reg(m->a, (size_t)(m->rows * n) * sizeof *m->a);
    bsp_push_reg(m->pi, (size_t)m->rows * sizeof *m->pi);
    bsp_sync();
    for (int k = 0; k < n; k++) {
        swap_rows(m, k, find_pivot(m, k, candidates));
        size_t offset = (size_t)k * sizeof(double), bytes = (size_t)(n - k) * sizeof(double);
        for (int t = 0; t < p && k % p == s; t++) bsp_put(t, m->a + k / p * n + k, pivot_row, offset, bytes);
        bsp_sync();
        for (int i = 0; i < m->rows; i++) {
            if (i * p + s <= k) continue;
            double *row = m->a + i * n;
            row[k] /= pivot_row[k];
            for (int j = k + 1; j < n; j++) row[j] -= row[k] * pivot_row[j];
        }
    }
    bsp_pop_reg(m->pi);
    bsp_pop_reg(m->a);
    bsp_pop_reg(pivot_row);
    bsp_pop_reg(candidates);
    bsp_sync();
    free(pivot_row), free(candidates);
}

/* Largest difference between P·A and L·U; every process fetches all rows with gets. */
static double residual(matrix *m) {
    int p = bsp_nprocs(), n = m->n;
    double *lu = book_alloc((size_t)(n * n), sizeof *lu), worst = 0.0;
    int *pi = book_alloc((size_t)n, sizeof *pi);
    bsp_push_reg(m->a, (size_t)(m->rows * n) * sizeof *m->a);
    bsp_push_reg(m->pi, (size_t)m->rows * sizeof *m->pi);
    bsp_sync();
    for (int i = 0; i < n; i++) {
        bsp_get(i % p, m->a, (size_t)(i / p * n) * sizeof *lu, lu + i * n, (size_t)n * sizeof *lu);
        bsp_get(i % p, m->pi, (size_t)(i / p) * sizeof *pi, pi + i, sizeof *pi);
    }
    bsp_pop_reg(m->pi);
    bsp_pop_reg(m->a);
    bsp_sync();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i <= j ? lu[i * n + j] : 0.0;
            for (int k = 0; k < i && k <= j; k++) sum += lu[i * n + k] * lu[k * n + j];
            worst = fmax(worst, fabs(sum - entry(n, pi[i], j)));
        }
    free(lu), free(pi);
    return worst;
}

void book_lu(void) {
    int p = bsp_nprocs(), s = bsp_pid();
    RULE("book: LU decomposition with row exchanges multiplies back to the permuted matrix");
    for (int n = 1; n <= 40; n += 13) {
        matrix m = {.n = n, .rows = (n + p - s - 1) / p};
        m.a = book_alloc((size_t)(m.rows * n), sizeof *m.a);
        m.pi = book_alloc((size_t)m.rows, sizeof *m.pi);
        for (int i = 0; i < m.rows; i++) {
            m.pi[i] = i * p + s;
            for (int j = 0; j < n; j++) m.a[i * n + j] = entry(n, i * p + s, j);
        }
        decompose(&m);
        EXPECT(residual(&m) < 1e-12 * n);
        free(m.a), free(m.pi);
    }
}
