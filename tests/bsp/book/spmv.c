/* Sparse matrix times vector, nonzeros dealt out in two dimensions: fetch the components needed (gets), multiply, send
 * partial sums to the owners of the rows (messages tagged with the row), add. */
#include "book.h"
#include "tap.h"

#include <bsp.h>
#include <stdlib.h>

enum { ORDER = 97, PER_ROW = 5 };

/* Nonzero k of row i; the same column may occur twice, which adds up. */
static int column_of(int i, int k) { return (int)(book_random((uint64_t)(i * PER_ROW + k)) % ORDER); }
static double value_of(int i, int k) { return (double)(book_random((uint64_t)(7777 + i * PER_ROW + k)) % 19) - 9.0; }
static int owner_of(int i, int k) {
    return (int)(book_random((uint64_t)(99999 + i * PER_ROW + k)) % (uint64_t)bsp_nprocs());
}
static double x_of(int j) { return (double)(j % 13) - 5.0; }

void book_spmv(void) {
    int p = bsp_nprocs(), s = bsp_pid(), local = (ORDER + p - s - 1) / p, wrong = 0;
    double *x = book_alloc((size_t)local, sizeof *x), *y = book_alloc((size_t)local, sizeof *y);
    double *fetched = book_alloc((size_t)(ORDER * PER_ROW), sizeof *fetched);
    int tagsize = sizeof(int);

    RULE("book: sparse matrix times vector, in two-dimensional distribution, agrees with the sequential product");
    for (int i = 0; i < local; i++) x[i] = x_of(i * p + s);
    bsp_push_reg(x, (size_t)local * sizeof *x);
    bsp_set_tagsize(&tagsize);
    bsp_sync();
    for (int i = 0; i < ORDER; i++)
        for (int k = 0; k < PER_ROW; k++) {
            int j = column_of(i, k);
            if (owner_of(i, k) == s)
                bsp_get(j % p, x, (size_t)(j / p) * sizeof *x, fetched + i * PER_ROW + k, sizeof *x);
        }
    bsp_pop_reg(x);
    bsp_sync();
    for (int i = 0; i < ORDER; i++) {
        double sum = 0.0;
        int terms = 0;
        for (int k = 0; k < PER_ROW; k++)
            if (owner_of(i, k) == s) sum += value_of(i, k) * fetched[i * PER_ROW + k], terms++;
        if (terms) bsp_send(i % p, &i, &sum, sizeof sum);
    }
    bsp_set_tagsize(&tagsize);
    bsp_sync();
    bsp_nprocs_t packets;
    bsp_qsize(&packets, NULL);
    while (packets-- > 0) {
        int row;
        bsp_size_t status;
        double sum;
        bsp_get_tag(&status, &row);
        bsp_move(&sum, sizeof sum);
        y[row / p] += sum;
    }
    for (int i = 0; i < local; i++) {
        double sum = 0.0;
        for (int k = 0; k < PER_ROW; k++) sum += value_of(i * p + s, k) * x_of(column_of(i * p + s, k));
        wrong += sum != y[i]; /* small integers: exact in any order */
    }
    EXPECT(wrong == 0);
    bsp_sync();
    free(x), free(y), free(fetched);
}
