/* The work of a kernel's loop by its cost model, and how long a core needs for
 * it. */
#ifndef BENCH_CAMPAIGN_KERNEL_WORK_H
#define BENCH_CAMPAIGN_KERNEL_WORK_H

#include "base/spec.h"
#include "harness/costs/calibration.h"
#include "kernels/kernel.h"

/* The operations of the whole loop, and the number of other costs
 * (kernel_starts); with kernel_steps, of one step.  NAN: the loop cannot be
 * made here. */
double work_operations(const struct kernel_ops *ops, const struct spec *spec);
double work_starts(const struct kernel_ops *ops, const struct spec *spec);

/* How often the loop is run; 1: no kernel_steps. */
int work_repeats(const struct kernel_ops *ops, const struct spec *spec);

/* Seconds of one core for the loop of this spec, by the fastest worker of a
 * calibration; NAN: it lacks the kernel. */
double work_seconds(const struct calibration_kind *kind, const char *spec,
                    double operations, double starts);

#endif
