/* The costs of iterations that the preload library has recorded, as trace files
 * for `dlsbench run --kernel trace:file=...`. */
#ifndef BENCH_PROGRAMS_SEEN_RECORDED_H
#define BENCH_PROGRAMS_SEEN_RECORDED_H

#include "base/error.h"
#include "bench/programs/seen/loops.h"
#include "bench/programs/seen/seen_report.h"

#include <stdio.h>

/* Writes a file for each recorded visit into the folder `to`, which is there;
 * `from` has the counters, and `loops` is what was read from it.  Says on `out`
 * which files a loop has, unless `to` is `from` and does not last, and why
 * another one has none; `files` is how many there are.  Returns 0 or -errno
 * with a text. */
int recorded_write(const char *from, const char *to, const struct loops *loops,
                   FILE *out, int *files, struct error *err);

/* What else took 1 % of the time or more, why it has no files, and the command
 * that answers for it. */
void recorded_say_rest(const struct loops *loops, const struct report_run *run,
                       FILE *out);

#endif
