/* Which speedups of a kernel's rows cannot be, and why.
 *
 * A speedup is refused in two cases.  It is more than 1 / 0.9 of the sum of the
 * workers' powers (the slowest is 1), or even the low end of its interval is
 * above that sum.  Or the time is less than 0.9 of the minimum for its chunks.
 * Then the machine was slower during the serial loop than during the cells.
 * analysis/speedup_limits.py has the same rules. */
#ifndef BENCH_RESULTS_SPEEDUP_LIMITS_H
#define BENCH_RESULTS_SPEEDUP_LIMITS_H

#include "bench/results/summary_rows.h"

/* The common facts of a kernel's rows. */
struct speedup_limits {
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
struct speedup_limits speedup_limits_find(struct summary_row *rows, int begin,
                                          int end);

/* Lines on refused speedups and on other processes; nothing where all is well.
 */
void speedup_limits_print(FILE *out, const struct speedup_limits *limits,
                          const struct summary_row *rows);

#endif
