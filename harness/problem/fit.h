/* Whether the ranks of a host fit into its memory together. */
#ifndef HARNESS_PROBLEM_FIT_H
#define HARNESS_PROBLEM_FIT_H

#include "base/error.h"
#include "harness/messages/comm.h"
#include "kernels/kernel.h"

/* Bytes that `ranks` ranks of a host need at most where each needs `process`
 * for itself and, with several, one collects `output`. */
double fit_need(double process, double output, int ranks);

/* Collective, before anything is allocated: from the spec alone, where the
 * kernel can tell.  All ranks return the same code: 0, or -ENOMEM with the
 * numbers. */
int fit_spec(const struct kernel_ops *kernel, const struct spec *spec,
             const struct comm *comm, struct error *err);

/* Collective, when there is an instance and before its output is touched:
 * every rank comes to have the whole grid of a loop with dependences, and one
 * of them collects it again. */
int fit_output(const char *name, const struct kernel_ops *kernel,
               const void *instance, const struct comm *comm,
               struct error *err);

/* Collective: whether the system's shared memory, which may be less, has room
 * for results that the ranks of a host write to it. */
int fit_shared(const char *name, double output, const struct comm *comm,
               struct error *err);

/* Collective, before input data are made: one rank holds all of them, and
 * together the ranks come to hold them about once more. */
int fit_input(const char *name, double input, const struct comm *comm,
              struct error *err);

#endif
