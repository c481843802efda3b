/* What our own machinery costs, measured (`make bench-overhead`).
 *
 * Every section prints ratios to a limit of this machine that is measured in
 * turns with it, because absolute times move with the machine. */
#ifndef BENCH_OVERHEAD_OVERHEAD_H
#define BENCH_OVERHEAD_OVERHEAD_H

#include "harness/run.h"

#include <stdint.h>
#include <stdio.h>

enum { OVERHEAD_ROUNDS = 11 };

/* Median; sorts the values. */
double overhead_median(double *values, int count);

/* ns per chunk of every scheme inside one process, all cores asking, beside a
 * bare fetch-and-add and OpenMP.  By rank 0 alone. */
void overhead_threads(FILE *out, struct launch_context *context);

/* us per chunk from a master rank, beside a ping-pong, and ns per chunk from
 * a shared window, beside a bare fetch-and-add in it.  By two ranks. */
void overhead_ranks(FILE *out, struct launch_context *context);

/* One synchronization of a dependence loop, beside the barest hand-over there
 * is, and the heat equation with two workers, beside a plain pipelined loop and
 * two half grids.  Two threads of one rank, or two ranks, as the context is. */
void overhead_syncs(FILE *out, struct launch_context *context);
void overhead_pipelines(FILE *out, struct launch_context *context);

/* Mandelbrot under every scheme beside its bound, in the shape of the context
 * (all ranks of its communicator, all threads of its team). */
void overhead_bounds(FILE *out, struct launch_context *context,
                     const char *shape);

/* Speed of the main kernels: mandelbrot against its plain loop, the adjoint
 * convolution against the dot products of BLAS.  By rank 0 alone. */
void overhead_kernels(FILE *out);

/* The OpenMP loops of this compiler's runtime; bind(thread, arg) is called
 * once by every thread of the parallel region.  Seconds of `loops` loops of
 * `iterations` empty iterations each. */
enum overhead_schedule { OMP_STATIC, OMP_DYNAMIC, OMP_GUIDED };
double overhead_openmp(enum overhead_schedule schedule, int threads,
                       int64_t loops, int64_t iterations,
                       void (*bind)(int thread, void *arg), void *arg);
/* Chunks that guided makes of so many iterations: ceil(R/p) each, as libgomp
 * sizes them. */
int64_t overhead_openmp_chunks(int threads, int64_t iterations);

#endif
