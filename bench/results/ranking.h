/* The fastest of a kernel's rows, and why others are slower.
 *
 * The fastest row wins, with every row that is not surely slower.  A row is
 * surely slower if the test of Mann and Whitney says so (5 %, over all
 * comparisons), and by more than the time that other processes took from one of
 * its workers.  No row wins if the fastest row's speedup is refused.
 * analysis/ranking.py has the same rules. */
#ifndef BENCH_RESULTS_RANKING_H
#define BENCH_RESULTS_RANKING_H

#include "bench/results/summary_rows.h"

/* The fastest of the ranked rows in [begin, end) with this shape or these
 * conditions (NULL: any).  Marks it, and those that are not surely slower, in
 * wins[begin ...].  Returns how many; 0 if no row is ranked or the fastest
 * one's speedup is refused. */
int ranking_winners(const struct summary_row *rows, int begin, int end,
                    const char *given, bool *wins, int *fastest);

/* Why a row is slower than the best one, only from their own numbers. */
enum slower_cause { LARGE_CHUNKS, MANY_CHUNKS, CAUSE_UNKNOWN, CAUSES };
enum slower_cause ranking_cause(const struct summary_row *bad,
                                const struct summary_row *best);
const char *ranking_cause_words(enum slower_cause cause);

#endif
