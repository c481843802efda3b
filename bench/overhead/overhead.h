/* The measured cost of our own machinery (`make bench-overhead`).
 *
 * Each section prints ratios to a limit of this machine.  Both are measured in
 * turns, because absolute times change with the machine.  bench_overhead.c has
 * the table of sections and their shapes; only rank 0 prints. */
#ifndef BENCH_OVERHEAD_OVERHEAD_H
#define BENCH_OVERHEAD_OVERHEAD_H

#include "harness/workers/context.h"

#include <stdio.h>

typedef void overhead_section(FILE *out, struct launch_context *context);

/* ---- rank 0 alone, a thread on every core ---- */

/* A chunk of every scheme inside one process, beside a bare fetch-and-add; and
 * of each OpenMP runtime that is installed. */
overhead_section overhead_threads, overhead_openmp;
/* A chunk through libdls, beside the same from inside, and beside OpenMP. */
overhead_section overhead_library;
/* What libdls-omp.so adds to a program of gcc's. */
overhead_section overhead_omp;
/* The cost per chunk of recording chunks and their times. */
overhead_section overhead_recording;

/* ---- rank 0 alone, two threads ---- */

/* Floyd-Steinberg in narrow blocks, beside whole rows on one core. */
overhead_section overhead_narrow;
/* Speed of the main kernels on one core: mandelbrot beside its plain loop, the
 * adjoint convolution beside the dot products of BLAS.  overhead_products: the
 * sparse product beside a plain loop and librsb. */
overhead_section overhead_kernels, overhead_products;

/* ---- two ranks ---- */

/* A chunk from a master rank, beside a ping-pong, and from a shared window,
 * beside a bare fetch-and-add in it; and through libdls, beside the same from
 * inside. */
overhead_section overhead_ranks, overhead_library_ranks;

/* ---- both ---- */

/* One synchronization of a dependence loop, beside the barest hand-over; and
 * the heat equation with two workers, beside a plain pipelined loop and two
 * half grids. */
overhead_section overhead_syncs, overhead_pipelines;
/* Mandelbrot under every scheme, beside its bound. */
overhead_section overhead_bounds;

#endif
