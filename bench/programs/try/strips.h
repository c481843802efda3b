/* Two pictures of the program: its threads over time under the best and the
 * worst choice, from the first good run of each. */
#ifndef BENCH_PROGRAMS_TRY_STRIPS_H
#define BENCH_PROGRAMS_TRY_STRIPS_H

#include "bench/programs/execution/attempt.h"

struct findings;
struct strip;

/* Sets whether the library records a time line in the following runs. */
void strips_ask(bool any);

/* Copies the time line of a good run; free() it. */
void strips_keep(struct strip **strip, const struct attempt *attempt);

/* Writes DIR/strips.json: the time lines of `best` (a candidate) and of the
 * slowest one compared with the unmodified program.  Keeps an existing file if
 * either has none.  Returns 0 or -errno. */
int strips_write(const struct findings *findings, int best, struct error *err);

#endif
