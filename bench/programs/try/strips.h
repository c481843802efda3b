/* Two pictures of the program: what each thread did over time under the best
 * and the worst choice, from the first good run of each. */
#ifndef BENCH_PROGRAMS_TRY_STRIPS_H
#define BENCH_PROGRAMS_TRY_STRIPS_H

#include "bench/programs/execution/attempt.h"

struct findings;
struct strip;

/* Whether the library counts over time in the runs that follow. */
void strips_ask(bool any);

/* Keeps what a good run has, in memory for free. */
void strips_keep(struct strip **strip, const struct attempt *attempt);

/* Writes DIR/strips.json: of `best` (a candidate) and the one that takes
 * longest of those that are compared with the program as it is.  What is there
 * stays where either has not run.  Returns 0 or -errno. */
int strips_write(const struct findings *findings, int best, struct error *err);

#endif
