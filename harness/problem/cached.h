/* Files in the user's cache folder ($XDG_CACHE_HOME or ~/.cache): 8 bytes for
 * each iteration of a loop, computed once and read by later launches of the
 * same build.  An unusable cache is not an error. */
#ifndef HARNESS_PROBLEM_CACHED_H
#define HARNESS_PROBLEM_CACHED_H

#include "base/spec.h"
#include "kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>

/* A hash of the kernel and size (both in `name`, the canonical spec), and of
 * the program as the build.  A file that a spec names counts by its content,
 * not its name. */
uint64_t cache_key(const char *name, const struct kernel_ops *kernel,
                   const struct spec *spec);

/* Reads count values of `kind` ("reference", ...), and the seconds that
 * computing them took.  False: missing or damaged. */
bool cache_read(const char *kind, uint64_t key, int64_t count, void *values,
                double *seconds);

void cache_write(const char *kind, uint64_t key, int64_t count,
                 const void *values, double seconds);

#endif
