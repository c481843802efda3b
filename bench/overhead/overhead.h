/* The measured cost of our own machinery (`make bench-overhead`).
 *
 * Each section prints ratios to the best possible on this machine.  Both are
 * measured in turns, because absolute times change with the machine.
 * bench_overhead.c has the table of sections; only rank 0 prints. */
#ifndef BENCH_OVERHEAD_OVERHEAD_H
#define BENCH_OVERHEAD_OVERHEAD_H

#include "harness/workers/context.h"

#include <stdio.h>

typedef void overhead_section(FILE *out, struct launch_context *context);

/* ---- only rank 0, a thread on every core ---- */

/* A chunk of every scheme in one process, compared with a plain fetch-and-add;
 * and of each installed OpenMP runtime. */
overhead_section overhead_threads, overhead_openmp;
/* A chunk through libdls, compared with our internal calls and with OpenMP. */
overhead_section overhead_library;
/* What libdls-omp.so adds to a program compiled by gcc. */
overhead_section overhead_omp;
/* The cost per chunk of recording chunks and their times. */
overhead_section overhead_recording;

/* ---- only rank 0, two threads ---- */

/* Floyd-Steinberg in narrow blocks, compared with whole rows on one core. */
overhead_section overhead_narrow;
/* Speed of the main kernels on one core: mandelbrot beside its plain loop, the
 * adjoint convolution beside BLAS's dot products. overhead_products: the sparse
 * product beside a plain loop and librsb. */
overhead_section overhead_kernels, overhead_products;

/* ---- two ranks ---- */

/* A chunk from a master rank, compared with a ping-pong, and from a shared
 * window, with a plain fetch-and-add in it; and through libdls, compared with
 * our internal calls. */
overhead_section overhead_ranks, overhead_library_ranks;

/* ---- both ---- */

/* One synchronization of a dependence loop, compared with the simplest
 * hand-over; and the heat equation with two workers, compared with a plain
 * pipelined loop and two half grids. */
overhead_section overhead_syncs, overhead_pipelines;
/* Mandelbrot under every scheme, compared with its bound. */
overhead_section overhead_bounds;

#endif
