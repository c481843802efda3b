/* Profiles: the costs of iterations whose operations must be counted
 * (Mandelbrot).  A few points of each iteration give its cost.  Whole
 * iterations check the profile; the cache keeps it. */
#ifndef HARNESS_PROBLEM_PROFILE_H
#define HARNESS_PROBLEM_PROFILE_H

#include "base/error.h"
#include "base/spec.h"
#include "kernels/kernel.h"

/* Fills operations[iterations].  Doubles the points until the profile matches
 * the whole iterations within the tolerance.  Returns 0, -ENOMEM, or -ERANGE if
 * it never does. */
int profile_make(const struct kernel_ops *kernel, const struct spec *spec,
                 const void *instance, double *operations, struct error *err);

#endif
