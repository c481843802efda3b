/* Figures 5 to 15 of Beaumont, Legrand and Robert (2002), section 6: platforms,
 * loads and heuristics.
 *
 * Processors compute 22.151, 48.492, 34.333 or 114.444 Mflops; networks carry
 * 4.70, 32.10 or 30.25 Mbit/s.  A unit of load is 2 Mbit of data and 1000 or 50
 * Mflop of computing, so that
 *     G = 2 / network,   w = Mflop / processor,   g = 0 or G (2e6 bit)   in s.
 * A homogeneous platform has the fastest processor and the 32.10 Mbit/s network
 * only; in a random one each worker has any of the four and any of the three,
 * all equally likely (the paper does not say how likely).  Nobody overlaps. */
#ifndef BENCH_PAPERS_BEAUMONT_FIGURES_H
#define BENCH_PAPERS_BEAUMONT_FIGURES_H

#include "sched/divisible/algorithm.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    BEAUMONT_FIGURES = 8,
    BEAUMONT_LOADS = 20, /* 100, 200, ..., 2000 */
    BEAUMONT_HEURISTICS = 11,
    BEAUMONT_WORKERS_MAX = 20,
};

enum beaumont_name {
    BEAUMONT_HOMOGENEOUS_5,   /* figures 5 and 6 */
    BEAUMONT_HOMOGENEOUS_20,  /* 7 */
    BEAUMONT_RANDOM_5,        /* 8 and 9 */
    BEAUMONT_RANDOM_20,       /* 10 */
    BEAUMONT_LATENCY_5,       /* 11 and 12 */
    BEAUMONT_LATENCY_20,      /* 13 */
    BEAUMONT_HIGH_LATENCY_5,  /* 14 */
    BEAUMONT_HIGH_LATENCY_20, /* 15 */
};

struct beaumont_figure {
    const char *number; /* in the paper: "5, 6" */
    int workers;
    bool random;  /* heterogeneous; else homogeneous */
    bool latency; /* g = G instead of 0 */
    double mflop; /* of one unit */
};

extern const struct beaumont_figure beaumont_figures[BEAUMONT_FIGURES];

/* "20 workers, random, latency, 50 Mflop" */
void beaumont_title(const struct beaumont_figure *figure, char *text, int size);

double beaumont_load(int index);

/* lp-fixed, lp-sqrt, lp-adaptive, M.I.1 to M.I.8. */
enum {
    BEAUMONT_FIXED,
    BEAUMONT_SQRT,
    BEAUMONT_ADAPTIVE,
    BEAUMONT_FIRST_MI, /* M.I.x is BEAUMONT_FIRST_MI + x - 1 */
};
const char *beaumont_heuristic(int index);

/* How we read what the paper says, or does not say. */
struct beaumont_reading {
    double data_mbit;    /* of a unit; 2 is printed */
    double latency_mbit; /* what takes as long as a latency; 2 is printed */
    enum divisible_tail tail;           /* of the LP heuristics */
    enum divisible_equations equations; /* of M.I.x */
    bool one_network; /* all workers of a platform have the same */
};

struct divisible_choice beaumont_choice(int index,
                                        const struct beaumont_reading *reading);

/* Platform number `number` of a seed; worker[0 .. workers - 1] is filled.  The
 * same number has the same processors and networks in all figures, those of 5
 * workers being the first of 20. */
void beaumont_platform(const struct beaumont_figure *figure,
                       const struct beaumont_reading *reading, uint64_t seed,
                       int number, struct divisible_worker *worker);

#endif
