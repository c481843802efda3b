/* Which speedups of a kernel's rows are impossible, and why.
 *
 * A speedup is refused in two cases.  It is more than 1 / 0.9 of the sum of
 * the workers' powers (the slowest is 1), or even the low end of its interval
 * is above that sum.  Or the time is less than 0.9 of the minimum for its
 * chunks.  Then the machine was slower during the serial loop than during the
 * cells.  analysis/speedup_limits.py has the same rules. */
#ifndef BENCH_RESULTS_SPEEDUP_LIMITS_H
#define BENCH_RESULTS_SPEEDUP_LIMITS_H

#include "bench/results/summary_rows.h"

/* What a kernel's rows have in common. */
struct speedup_limits {
    struct stats_median serial; /* over all launches' passes; NAN */
    int passes;
    bool in_turns;          /* passes took turns with the cells */
    double least_s, most_s; /* of the rows' serial loops: in a simulation they
                               differ with the cells' costs */
    double serial_others;   /* share of the core of others; NAN */
    double others;          /* of the cores, during the cells; NAN */
    int refused;            /* number of refused speedups */
    int worst;              /* the fastest of the refused rows, -1: none */
};

/* Sets serial, speedup and refused of rows [begin, end) of one loop.  A
 * simulated row has its own serial time, because threads and ranks have
 * separate calibrated costs. */
struct speedup_limits speedup_limits_find(struct summary_row *rows, int begin,
                                          int end);

/* Prints lines on refused speedups and on other processes, if any. */
void speedup_limits_print(FILE *out, const struct speedup_limits *limits,
                          const struct summary_row *rows);

#endif
