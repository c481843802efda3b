/* A calibrated machine: the costs of its workers and kernels, which replace a
 * platform's flop/s. */
#ifndef HARNESS_PROBLEM_SIM_MACHINE_H
#define HARNESS_PROBLEM_SIM_MACHINE_H

#include "harness/costs/calibration.h"
#include "kernels/kernel.h"

struct machine;

/* Reads a calibration and takes its workers of this kind; an empty path sets
 * *machine to NULL.  Returns 0, -ENOENT, -EINVAL (also without measurements of
 * this kind) or -ENOMEM. */
int machine_open(struct machine **machine, const char *path, int which,
                 struct error *err);
void machine_close(struct machine *machine);

/* Relative speed of a place (a core), slowest 1; 1 without a machine. */
double machine_power(const struct machine *machine, int place);

/* How the system shares a core; NULL: unknown, or a platform. */
const struct calibration_slices *machine_slices(const struct machine *machine);

/* The kernel's cost on a worker of power 1, for the measured size nearest to
 * this one.  -EINVAL: it was not measured. */
int machine_cost(const struct machine *machine, const struct kernel_ops *kernel,
                 const struct spec *spec, double points, double *operation_s,
                 double *start_s, struct error *err);

/* The extra cost of blocks of h columns of this kernel, besides those two, for
 * the same measured size; zero without a machine or measured blocks.  It
 * excludes what SMPI charges the sender and receiver of a message. */
struct calibration_charged machine_blocks(const struct machine *machine,
                                          const char *spec, double points,
                                          int64_t h);

#endif
