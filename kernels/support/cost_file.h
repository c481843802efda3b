/* A file of the costs of a loop's iterations. */
#ifndef KERNELS_SUPPORT_COST_FILE_H
#define KERNELS_SUPPORT_COST_FILE_H

#include "base/error.h"

#include <stdint.h>

/* Seconds of the unit s, ms, us or ns; NAN: another unit. */
double costs_unit(const char *name);

/* `what`, as "kernel trace", begins messages.  Reads a regular file, which may
 * be compressed (unpack.h), of at most 2^25 iterations.  A line is a number of
 * `unit_s` seconds, or n:number for n equal iterations; `#` begins a comment,
 * blank lines are skipped.  The caller frees *cost, *count entries in seconds,
 * at least 1.  Returns 0, -ENOENT, -EINVAL (with file and line), -EIO or
 * -ENOMEM with a text. */
int costs_read(const char *what, const char *path, double unit_s, double **cost,
               int64_t *count, struct error *err);

#endif
