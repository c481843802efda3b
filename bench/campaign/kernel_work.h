/* How much work a kernel's loop is, by its cost model, and how long a core
 * takes for it. */
#ifndef BENCH_CAMPAIGN_KERNEL_WORK_H
#define BENCH_CAMPAIGN_KERNEL_WORK_H

#include "base/spec.h"
#include "harness/costs/calibration.h"
#include "kernels/kernel.h"

/* Operations of the whole loop, and what else takes time by number
 * (kernel_starts); of loops with kernel_steps, of one step.  NAN: such a loop
 * cannot be made here. */
double work_operations(const struct kernel_ops *ops, const struct spec *spec);
double work_starts(const struct kernel_ops *ops, const struct spec *spec);

/* So many times the loop is run; 1: it has no kernel_steps. */
int work_repeats(const struct kernel_ops *ops, const struct spec *spec);

/* Seconds of one core for the loop of this spec, by the fastest worker of a
 * calibration; NAN: it does not know the kernel. */
double work_seconds(const struct calibration_kind *kind, const char *spec,
                    double operations, double starts);

#endif
