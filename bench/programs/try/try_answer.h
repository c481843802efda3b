/* Which candidate is best for a loop, its gain, and how certain that is.
 *
 * The logarithms of a candidate's times are compared with those of the
 * unmodified program in the same rounds (stats_shift). The confidence is such
 * that all intervals of the answer hold together with 95 % (Bonferroni: 5 %
 * over the number of comparisons).  A candidate with a failed run is not
 * ranked. */
#ifndef BENCH_PROGRAMS_TRY_TRY_ANSWER_H
#define BENCH_PROGRAMS_TRY_TRY_ANSWER_H

#include "bench/programs/samples/tries.h"

/* A candidate for one loop. */
struct answer_choice {
    int runs; /* good runs in which it handed out the loop's chunks, with an
                 unmodified run in the same round */
    bool failed, dropped;
    double median_s;        /* NAN: no run */
    double gain, low, high; /* shares of the unmodified time; NAN: not compared;
                               low -INFINITY, high 1: too few runs */
    double cores, others; /* processor time of the program, and of others on the
                             same processors, over its time; NAN: not known */
    double excess; /* how much more others had in unmodified runs, beyond the
                      system's resolution; 0: unknown */
};

struct answer {
    struct answer_choice choice[CANDIDATES_MAX];
    int best;       /* -1: no difference found */
    int disturbed;  /* if none is best: a gain that others may explain; -1:
                       none */
    double hidden;  /* if none is best: the largest gain that may exist; NAN:
                       too few runs */
    double spread;  /* largest over smallest unmodified time, minus 1, in the
                       rounds of `likely` */
    double between; /* likewise of the gains of the choices */
    int likely;     /* if none is best: may gain most, -1: none; */
    double needed;  /* repetitions to prove its gain, or one of 1 % */
};

/* Whether a choice was compared and gains more than others can explain. */
bool answer_gains(const struct answer_choice *choice);

/* The choice that gains most, -1: none.  FACTORS: of all kinds.  Among those
 * within 1 %, or within 5 % if indistinguishable, it takes the one that changes
 * least: keeps the order of iterations, changes one thing, is a clause. */
int answer_best(const struct answer *answer,
                const struct candidates *candidates, enum factor factor);

/* answer_best that includes gains that others may explain. */
int answer_seems(const struct answer *answer,
                 const struct candidates *candidates, enum factor factor);

/* The error probability allowed for each of so many comparisons. */
double answer_alpha(int comparisons);

/* `loop` NULL: never measured.  `dropped`: the candidates that were dropped
 * early. */
void answer_find(struct answer *answer, const struct tries *tries,
                 const struct tries_loop *loop, const bool *dropped,
                 int comparisons);

#endif
