#include "kernels/support/dgemm.h"

#ifdef WITH_BLAS
#include <cblas.h>

void dgemm(int64_t n, const double *a, const double *b, double *c,
           const int64_t size[3], bool add)
{
    int ld = (int)n;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)size[0],
                (int)size[1], (int)size[2], 1, a, ld, b, ld, add, c, ld);
}

#else

/* A piece of b of DEPTH rows and WIDTH columns, 192 kB, stays in a core's
 * second-level cache while all rows of a use it.  Four of its rows are added at
 * a time. */
enum { DEPTH = 48, WIDTH = 512, ROWS = 4 };

static int64_t smaller_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* c[0..width) += the sum of `rows` rows of b, each times its number of a. */
static void add_rows(double *restrict c, const double *restrict a,
                     const double *restrict b, int64_t n, int64_t rows,
                     int64_t width)
{
    if (rows == ROWS) {
        for (int64_t j = 0; j < width; j++)
            c[j] += a[0] * b[j] + a[1] * b[n + j] + a[2] * b[2 * n + j] +
                    a[3] * b[3 * n + j];
        return;
    }
    for (int64_t k = 0; k < rows; k++)
        for (int64_t j = 0; j < width; j++)
            c[j] += a[k] * b[k * n + j];
}

void dgemm(int64_t n, const double *a, const double *b, double *c,
           const int64_t size[3], bool add)
{
    for (int64_t i = 0; i < size[0] && !add; i++)
        for (int64_t j = 0; j < size[1]; j++)
            c[i * n + j] = 0;
    for (int64_t j = 0; j < size[1]; j += WIDTH) {
        int64_t width = smaller_of(WIDTH, size[1] - j);
        for (int64_t k = 0; k < size[2]; k += DEPTH) {
            int64_t end = smaller_of(k + DEPTH, size[2]);
            for (int64_t i = 0; i < size[0]; i++)
                for (int64_t r = k; r < end; r += ROWS)
                    add_rows(c + i * n + j, a + i * n + r, b + r * n + j, n,
                             smaller_of(ROWS, end - r), width);
        }
    }
}

#endif
