/* Profiles: the costs of the iterations of a loop whose operations must be
 * counted (Mandelbrot), from a few points of each, checked against whole
 * iterations, and kept in the cache. */
#ifndef HARNESS_SIM_PROFILE_H
#define HARNESS_SIM_PROFILE_H

#include "base/error.h"
#include "base/spec.h"
#include "kernels/kernel.h"

/* Fills operations[iterations].  Points are doubled until the profile is
 * within the tolerance of the iterations that are run whole.  Returns 0,
 * -ENOMEM, or -ERANGE when it never is. */
int profile_make(const struct kernel_ops *kernel, const struct spec *spec,
                 const void *instance, double *operations, struct error *err);

#endif
