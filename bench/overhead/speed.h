/* Two bodies that do the same work, timed in turns. */
#ifndef BENCH_OVERHEAD_SPEED_H
#define BENCH_OVERHEAD_SPEED_H

#include <stdbool.h>
#include <stdio.h>

struct speed_pair {
    const char *title, *ours, *base;
    void (*run)(void *);
    void (*run_base)(void *);
    void *arg;
};

/* Prints both medians and their ratio.  faster: ours is to take a quarter of
 * the time at most; else 1.3 times at most. */
void speed_report(FILE *out, const struct speed_pair *pair, bool faster);

/* Kernel spmv against a plain loop over the rows and against
 * librsb, if it is here. */
void speed_of_products(FILE *out);

#endif
