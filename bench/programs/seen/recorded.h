/* Writes the recorded costs of iterations as trace files for `dlsbench run
 * --kernel trace:file=...`. */
#ifndef BENCH_PROGRAMS_SEEN_RECORDED_H
#define BENCH_PROGRAMS_SEEN_RECORDED_H

#include "base/error.h"
#include "bench/programs/seen/loops.h"
#include "bench/programs/seen/seen_report.h"

#include <stdio.h>

/* Writes a file for each recorded visit into the existing folder `to`.  `from`
 * has the counters, which `loops` were read from.  Prints on `out` the files of
 * each loop (unless `to` is a temporary `from`), or why a loop has none.  Sets
 * `files` to their number.  Returns 0 or -errno with a text. */
int recorded_write(const char *from, const char *to, const struct loops *loops,
                   FILE *out, int *files, struct error *err);

/* Prints what else took at least 1 % of the time, why it has no files, and the
 * command that examines it. */
void recorded_say_rest(const struct loops *loops, const struct report_run *run,
                       FILE *out);

#endif
