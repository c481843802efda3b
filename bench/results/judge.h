/* The conclusions that the numbers of a kernel's rows allow, and their limits.
 *
 * A speedup is refused in two cases.  It is more than 1 / 0.9 of the sum of the
 * workers' powers (the slowest is 1), or even the low end of its interval is
 * above that sum.  Or the time is less than 0.9 of the minimum for its chunks.
 * Then the machine was slower during the serial loop than during the cells.
 *
 * The fastest row wins, with every row that is not surely slower.  It is surely
 * slower by the test of Mann and Whitney (5 %, over all comparisons), and by
 * more than the time that other processes took from one of its workers.  A row
 * with a refused speedup can win, too: its time may still be the shortest.
 * analysis/ranking.py has the same rules. */
#ifndef BENCH_RESULTS_JUDGE_H
#define BENCH_RESULTS_JUDGE_H

#include "bench/results/summary_rows.h"

/* The common facts of a kernel's rows. */
struct judged {
    struct stats_median serial; /* over the passes of all launches; NAN */
    int passes;
    bool in_turns;          /* passes took turns with the cells */
    double least_s, most_s; /* of the rows' serial loops: a simulation's
                               differ with the cells' costs */
    double serial_others;   /* share of the core that others had; NAN */
    double others;          /* of the cores, while the cells ran; NAN */
    int refused;            /* speedups */
    int worst;              /* the fastest of these rows, -1: none */
};

/* Sets serial, speedup and refused of rows [begin, end), which have one loop.
 * A simulated row has its own serial time: costs of threads are calibrated, and
 * so are those of ranks. */
struct judged judge_rows(struct summary_row *rows, int begin, int end);

/* Lines on refused speedups and on other processes; nothing where all is well.
 */
void judge_print(FILE *out, const struct judged *judged,
                 const struct summary_row *rows);

/* The fastest of the ranked rows in [begin, end) with this shape or these
 * conditions (NULL: any); marks it and those that cannot be told from it in
 * wins[begin ...]; returns how many, 0 where nothing is ranked or the fastest
 * one's speedup is refused.
 */
int judge_winners(const struct summary_row *rows, int begin, int end,
                  const char *given, bool *wins, int *fastest);

/* Why a row is slower than the best one: only what their own numbers show. */
enum judge_cause { LARGE_CHUNKS, MANY_CHUNKS, CAUSE_UNKNOWN, CAUSES };
enum judge_cause judge_cause(const struct summary_row *bad,
                             const struct summary_row *best);
const char *judge_cause_words(enum judge_cause cause);

#endif
