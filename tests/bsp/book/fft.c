/* Fourier transform of N = R·C complex numbers in four steps: transforms of length R down the columns, twiddle
 * factors, one transposition with unbuffered puts, transforms of length C along the rows. Checked against the
 * definition. */
#include "book.h"
#include "tap.h"

#include <bsp.h>
#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { R = 16, C = 32, N = R * C };

static double complex root(int order, long power) {
    double angle = -2.0 * acos(-1.0) * (double)(power % order) / order;
    return cos(angle) + sin(angle) * I;
}

static double complex input(int i) {
    return (double)(book_random((uint64_t)i) % 1000) / 500.0 - 1.0 +
           (double)(book_random((uint64_t)i + N) % 1000) / 500.0 * I;
}

/* In place, n a power of two. */
static void transform(double complex *x, int n) {
    if (n == 1) return;
    double complex even[C], odd[C];
    for (int i = 0; i < n / 2; i++) even[i] = x[2 * i], odd[i] = x[2 * i + 1];
    transform(even, n / 2);
    transform(odd, n / 2);
    for (int i = 0; i < n / 2; i++) {
        double complex t = root(n, i) * odd[i];
        x[i] = even[i] + t;
        x[i + n / 2] = even[i] - t;
    }
}

void book_fft(void) {
    int p = bsp_nprocs(), s = bsp_pid();
    int columns = (C + p - s - 1) / p, rows = (R + p - s - 1) / p;
    double complex *down = book_alloc((size_t)(columns * R), sizeof *down);
    double complex *along = book_alloc((size_t)(rows * C), sizeof *along);
    double worst = 0.0;

    RULE("book: fast Fourier transform agrees with its definition");
    bsp_push_reg(along, (size_t)(rows * C) * sizeof *along);
    bsp_sync();
    for (int k = 0; k < columns; k++) { /* column c = k·p + s holds x[c + C·r] */
        int c = k * p + s;
        double complex *column = down + k * R;
        for (int r = 0; r < R; r++) column[r] = input(c + C * r);
        transform(column, R);
        for (int r = 0; r < R; r++) {
            column[r] *= root(N, (long)c * r);
            bsp_hpput(r % p, column + r, along, (size_t)(r / p * C + c) * sizeof *along, sizeof *along);
        }
    }
    bsp_pop_reg(along);
    bsp_sync();
    for (int k = 0; k < rows; k++) transform(along + k * C, C); /* row r = k·p + s holds X[r + R·c] */
    for (int k = 0; k < rows; k++)
        for (int c = 0; c < C; c += 5) {
            double complex sum = 0.0;
            long index = k * p + s + R * c;
            for (int i = 0; i < N; i++) sum += input(i) * root(N, index * i);
            worst = fmax(worst, cabs(sum - along[k * C + c]));
        }
    EXPECT(worst < 1e-9);
    free(down), free(along);
}
