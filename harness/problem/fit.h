/* Whether the ranks of a host together fit into its memory. */
#ifndef HARNESS_PROBLEM_FIT_H
#define HARNESS_PROBLEM_FIT_H

#include "base/error.h"
#include "harness/messages/comm.h"
#include "kernels/kernel.h"

/* The most bytes that `ranks` ranks of a host need if each needs `process` and,
 * with several ranks, one collects `output`. */
double fit_need(double process, double output, int ranks);

/* Collective, before any allocation: decides from the spec alone, if the kernel
 * can tell.  All ranks return the same code: 0, or -ENOMEM with the numbers. */
int fit_spec(const struct kernel_ops *kernel, const struct spec *spec,
             const struct comm *comm, struct error *err);

/* Collective, with an instance but before its output is touched: in a loop with
 * dependences each rank gets the whole grid, and one collects it again. */
int fit_output(const char *name, const struct kernel_ops *kernel,
               const void *instance, const struct comm *comm,
               struct error *err);

/* Collective: whether the system's shared memory, which may be smaller, has
 * room for the results of a host's ranks. */
int fit_shared(const char *name, double output, const struct comm *comm,
               struct error *err);

/* Collective, before input data are made: one rank holds all of them, and all
 * ranks together about one more copy. */
int fit_input(const char *name, double input, const struct comm *comm,
              struct error *err);

#endif
