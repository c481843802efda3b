/* What our own machinery costs, measured (`make bench-overhead`). */
#ifndef BENCH_OVERHEAD_OVERHEAD_H
#define BENCH_OVERHEAD_OVERHEAD_H

#include <stdio.h>

/* Speed of the main kernels: mandelbrot against its plain loop, the adjoint
 * convolution against the dot products of BLAS. */
void overhead_kernels(FILE *out);

#endif
