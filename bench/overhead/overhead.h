/* The measured cost of our own machinery (`make bench-overhead`).
 *
 * Every section prints ratios to a limit of this machine that is measured in
 * turns with it, because absolute times move with the machine. */
#ifndef BENCH_OVERHEAD_OVERHEAD_H
#define BENCH_OVERHEAD_OVERHEAD_H

#include "bench/overhead/rounds/states.h"
#include "harness/run/run.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The loop of a kernel by its spec, as loop_open does. */
int overhead_loop(struct loop *loop, const char *kernel,
                  const struct comm *comm, struct error *err);

/* ns per chunk of every scheme inside one process, all cores asking, compared
 * with a bare fetch-and-add and OpenMP.  By rank 0 alone. */
void overhead_threads(FILE *out, struct launch_context *context);

/* ns per chunk of ss with bodies of several lengths, asked for before the chunk
 * before runs and after it.  By rank 0 alone. */
void overhead_early(FILE *out, struct launch_context *context);

/* ns per chunk through libdls, compared with the same from inside and with
 * OpenMP.  By rank 0 alone. */
void overhead_library(FILE *out, struct launch_context *context);

/* What libdls-omp.so adds to a program of gcc's, with up to so many threads. */
void overhead_omp(FILE *out, int threads);

/* us per chunk from a master rank, compared with a ping-pong, and ns per chunk
 * from a shared window, compared with a bare fetch-and-add in it.  By two
 * ranks. */
void overhead_ranks(FILE *out, struct launch_context *context);
/* Of it: ns per chunk through libdls over ranks, compared with the same from
 * inside. */
void overhead_library_ranks(FILE *out, struct launch_context *context);

/* One steal between two threads, compared with a compare-and-swap.  By rank 0
 * alone, with two threads. */
void overhead_steals(FILE *out, struct launch_context *context);

/* One synchronization of a dependence loop, compared with the barest hand-over,
 * and the heat equation with two workers, compared with a plain pipelined loop
 * and two half grids.  Two threads of one rank or two ranks, by the context. */
void overhead_syncs(FILE *out, struct launch_context *context);
void overhead_pipelines(FILE *out, struct launch_context *context);

/* Floyd-Steinberg in narrow blocks, compared with whole rows on one core.  Two
 * threads of one rank. */
void overhead_narrow(FILE *out, struct launch_context *context);

/* What the records of chunks and of their times add to one chunk, compared with
 * the same loop without records.  By rank 0 alone. */
void overhead_recording(FILE *out, struct launch_context *context);

/* The cost that counting events adds to a loop and to a chunk, in the shape of
 * the context. */
void overhead_counting(FILE *out, struct launch_context *context);

/* Mandelbrot under every scheme, compared with its bound, in the shape of the
 * context (all ranks of its communicator, all threads of its team). */
void overhead_bounds(FILE *out, struct launch_context *context,
                     const char *shape);

/* Speed of the main kernels: mandelbrot against its plain loop, the adjoint
 * convolution against the dot products of BLAS, the sparse product against a
 * plain loop and librsb.  By rank 0 alone. */
void overhead_kernels(FILE *out, struct launch_context *context);

/* Of it: two bodies that do the same work, timed in turns. */
struct speed_pair {
    const char *title, *ours, *base;
    void (*run)(void *);
    void (*run_base)(void *);
    void *arg;
    bool faster; /* ours is to take a quarter of the time at most; else 1.3
                    times at most */
};

/* Prints both medians and their ratio. */
void speed_report(FILE *out, struct launch_context *context,
                  const struct speed_pair *pair);

/* Kernel spmv against a plain loop over the rows and against
 * librsb, if it is here. */
void speed_of_products(FILE *out, struct launch_context *context);

/* The reference of the rows of OpenMP, measured in turns: time(field) measures
 * the bare counter, in ns per step. */
struct overhead_bare {
    double (*time)(void *field);
    void *field;
    struct launch_context *context;
    const struct kernel_ops *kernel; /* the null kernel and one of it */
    void *instance;
};

/* ns per chunk of each OpenMP runtime that is installed, after the rows of
 * overhead_threads. */
void overhead_openmp(FILE *out, const struct overhead_bare *bare);

#endif
