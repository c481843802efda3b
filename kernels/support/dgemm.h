/* Products of matrices: by a BLAS whose calls may run at the same time (serial
 * BLIS; a serial OpenBLAS built without locks now and then gave two threads one
 * buffer, and wrong sums), else by dgemm.c. */
#ifndef KERNELS_SUPPORT_DGEMM_H
#define KERNELS_SUPPORT_DGEMM_H

#include <stdbool.h>
#include <stdint.h>

/* c (size[0] rows x size[1]) = or, with `add`, += a * b over size[2]; all three
 * have n numbers per row. */
void dgemm(int64_t n, const double *a, const double *b, double *c,
           const int64_t size[3], bool add);

#endif
