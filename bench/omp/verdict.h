/* In words: whether a loop is worth another scheme. */
#ifndef BENCH_OMP_VERDICT_H
#define BENCH_OMP_VERDICT_H

#include "bench/omp/loops.h"

#include <stdbool.h>

/* Below this part of the program's time nothing is worth a change. */
static const double verdict_matters = 0.01;

/* Whether the library can give it another scheme. */
bool verdict_may_change(const struct counters_site *site);

/* Whether all threads of its visits were seen, not one thread's time alone. */
bool verdict_is_timed(const struct counters_site *site);

/* What a loop could gain at most, as part of a program that takes `seconds`:
 * with perfect balance, and chunks handed out in no time. */
double verdict_gain(const struct loops_loop *loop, double seconds);

/* Returns `text`. */
const char *verdict_text(const struct loops_loop *loop, double seconds,
                         char *text, size_t size);

#endif
