/* dlsbench omp --on: predicts schemes with other numbers of threads. */
#ifndef BENCH_COMMANDS_OMP_ON_H
#define BENCH_COMMANDS_OMP_ON_H

#include "base/error.h"
#include "bench/commands/omp_options.h"

#include <stdio.h>

/* Whether `workers` ("2,16,64") is a list of valid numbers.  Returns 0 or
 * -EINVAL. */
int omp_on_check(const char *workers, struct error *err);

/* Replays the records of `folder` on so many workers and prints a table for
 * each loop; stores them as outlook.json in `results` (NULL: nowhere).  Returns
 * 0, -ENOENT (there are no records) or another -errno with a text. */
int omp_on(const char *workers, const char *folder, const char *results,
           FILE *out, struct error *err);

/* omp_on without a program: reads the records of --record.  Returns an exit
 * code. */
int omp_on_records(struct omp_input *in);

#endif
