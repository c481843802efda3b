/* dlsbench omp --on: what schemes would do with other numbers of threads. */
#ifndef BENCH_COMMANDS_OMP_ON_H
#define BENCH_COMMANDS_OMP_ON_H

#include "base/error.h"
#include "bench/commands/omp_options.h"

#include <stdio.h>

/* Whether `workers` ("2,16,64") are numbers that can be.  Returns 0 or -EINVAL.
 */
int omp_on_check(const char *workers, struct error *err);

/* Replays the records of `folder` on so many workers and prints a table for
 * each loop; `results` gets them as outlook.json, NULL: nobody does.  Returns
 * 0, -ENOENT (there are no records) or another -errno with a text. */
int omp_on(const char *workers, const char *folder, const char *results,
           FILE *out, struct error *err);

/* The same without a program: reads what --record has stored.  Returns an exit
 * code. */
int omp_on_records(struct omp_input *in);

#endif
