/* Which candidate is best for a loop, how much it gains, and how sure that is.
 *
 * The logarithms of a candidate's times are compared with those of the program
 * as it is in the same rounds (stats_shift), at a confidence at which all
 * intervals of the whole answer hold together with 95 % (Bonferroni: 5 % over
 * the number of comparisons).  A candidate with a run that failed is not
 * ranked. */
#ifndef BENCH_PROGRAMS_TRY_TRY_ANSWER_H
#define BENCH_PROGRAMS_TRY_TRY_ANSWER_H

#include "bench/programs/samples/tries.h"

/* A candidate under one loop. */
struct answer_choice {
    int runs; /* good ones, in which it handed out the loop's chunks, beside
                 one as it is in the same round */
    bool failed, dropped;
    double median_s;        /* NAN: no run */
    double gain, low, high; /* shares of the time as it is; NAN: not compared;
                               low -INFINITY, high 1: too few runs */
    double cores,
        others;    /* processors' time of the program, and of others on
                      the same processors, over its time; NAN: not known */
    double excess; /* how much more others had as it is, beyond what the system
                      can tell; 0 where nothing is known */
};

struct answer {
    struct answer_choice choice[CANDIDATES_MAX];
    int best;       /* -1: no difference was seen */
    int disturbed;  /* none seen: others can be the reason of this one's gain;
                       -1: there is none */
    double hidden;  /* none seen: a gain of so much could be there; NAN: the
                       runs are too few to say */
    double spread;  /* largest over smallest time as it is, minus 1, in the
                       rounds of the likely one */
    double between; /* the same of what the choices gain */
    int likely;     /* none seen: who may gain most, -1: nobody; */
    double needed;  /* repetitions that would show its gain, or one of 1 % */
};

/* Whether a choice was compared and gains, whatever others did. */
bool answer_gains(const struct answer_choice *choice);

/* The choice that gains most, of all kinds with FACTORS; -1: none gains.  Of
 * those within 1 %, or within 5 % where they cannot be told from it, the one
 * that asks least of the program: that keeps the order of iterations, changes
 * one thing, is a clause. */
int answer_best(const struct answer *answer,
                const struct candidates *candidates, enum factor factor);

/* The same of those for whose gain others may be the reason, too. */
int answer_seems(const struct answer *answer,
                 const struct candidates *candidates, enum factor factor);

/* The error probability of each of so many comparisons. */
double answer_alpha(int comparisons);

/* `loop` NULL: it was never measured.  `dropped`: for each candidate whether it
 * went out early. */
void answer_find(struct answer *answer, const struct tries *tries,
                 const struct tries_loop *loop, const bool *dropped,
                 int comparisons);

#endif
