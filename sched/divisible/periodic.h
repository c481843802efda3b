/* Multi-round plans in periods of T_p: sections 5 and 6 of the paper (see
 * platform.h), by closed forms instead of a linear-programming library.
 *
 * In a period the master sends alpha_i to worker i.  Without overlap
 *     maximize sum alpha_i
 *     own:    g_i + z_i + alpha_i (G_i + w_i) <= T_p          section 6
 *     sum:    sum g + z_i + alpha_i (G_i + w_i) <= T_p        section 5.1
 *     both:   sum (g_i + alpha_i G_i) <= T_p,  alpha_i >= 0
 * and with overlap, in both programs (section 5.2)
 *             z_i + alpha_i w_i <= T_p.
 * Without overlap late_i counts as z_i does; with overlap only the first chunk
 * of a worker waits for it, and it is in no program.  All g_i count for the
 * master's port, also of workers that get nothing, as in the paper.  z_i
 * shortens the worker's own period only; the paper's "replace G_i by G_i + z_i"
 * multiplies a start-up by a load and is a slip. The solution fills the port by
 * increasing G: one unit costs the port G_i and is worth the same on every
 * worker.  This is the resource selection.
 *
 * A period cannot be shorter than its latencies.  sqrt(T) may be, with many
 * slow links: T_p is then raised to 2 (sum g + min z), which without start-ups
 * is the condition in the theorems' proof.  A given T_p is raised only when
 * nothing at all could be sent in it.  plan.raised counts such rounds. */
#ifndef SCHED_DIVISIBLE_PERIODIC_H
#define SCHED_DIVISIBLE_PERIODIC_H

#include "sched/divisible/plan.h"

enum divisible_program {
    DIVISIBLE_OWN_LATENCY,  /* section 6 */
    DIVISIBLE_SUM_LATENCIES /* section 5.1 */
};

/* The last round has less load than a whole period takes. */
enum divisible_tail {
    /* Workers get their whole alpha_i in turn until nothing is left: our
     * reading of "while there remains tasks to process, we allocate them". */
    DIVISIBLE_TAIL_CUT,
    /* All alpha_i are made smaller by the same factor.  Ours. */
    DIVISIBLE_TAIL_SHARE,
};

/* The solution of the program for one period, alpha[0 .. workers - 1] in load
 * units, by worker; order is by DIVISIBLE_BY_LINK.  Returns the sum, 0 when
 * there is not enough time for any load. */
double divisible_period_loads(const struct divisible_platform *platform,
                              const int *order, enum divisible_program program,
                              double period, double *alpha);

/* The best n*: load per second in a steady state without latencies and
 * start-ups.  No schedule of load B is faster than B / n*. */
double divisible_steady_rate(const struct divisible_platform *platform,
                             const int *order);

/* T as the paper's heuristics estimate it, without latencies and the port's
 * limit: (G_i + w_i) alpha_i is the same for all i (with overlap w_i alpha_i,
 * ours). */
double divisible_estimate(const struct divisible_platform *platform,
                          double load);

/* The parameters of one of the three heuristics. */
struct divisible_periods {
    enum divisible_program program;
    double period; /* T_p, s; 0: the root of the estimated T */
    /* T_p again before each round from the load that is left.  Near the end it
     * is not made smaller than the estimated T of one unit ("the time needed
     * to process the last work unit"). */
    bool adaptive;
    enum divisible_tail tail;
    /* Seconds in which T_p = sqrt(T) counts: T_p = unit sqrt(T / unit).  0: 1,
     * as in the paper, whose loads take minutes: T_p is above T below a second.
     * Ours. */
    double unit;
    /* Each round is planned when its first message can leave, from the time
     * that each worker took for its last chunk.  The paper says that this is
     * possible (section 7) and gives no rule.  Ours. */
    bool replan;
};

/* The paper's lp-fixed (T_p = 2000 s unless `period` is above 0), lp-sqrt and
 * lp-adaptive. */
struct divisible_periods divisible_lp_fixed(double period);
struct divisible_periods divisible_lp_sqrt(void);
struct divisible_periods divisible_lp_adaptive(void);

/* Rounds, one after the other, as they are planned. */
struct divisible_rounds {
    struct divisible_platform known; /* with the speeds seen so far */
    struct divisible_periods periods;
    struct divisible_worker *worker; /* of known; owned */
    int *order;                      /* owned */
    double *alpha;                   /* of the current period; owned */
    double sum;                      /* of alpha */
    double period;                   /* T_p, s */
    double left;                     /* load that is not planned */
    int round;                       /* the next one */
    bool raised;
};

/* The platform's workers stay the caller's.  Returns 0 or -ENOMEM; close it in
 * any case. */
int divisible_rounds_open(struct divisible_rounds *rounds,
                          const struct divisible_platform *platform,
                          double load, const struct divisible_periods *periods,
                          struct error *err);
void divisible_rounds_close(struct divisible_rounds *rounds);

/* A worker computed a chunk from `start` to `end`: with `replan` later rounds
 * use its speed.  Differences by rounding are ignored. */
void divisible_rounds_see(struct divisible_rounds *rounds, int worker,
                          double load, double start, double end);

/* The worker that gets the first message of a round. */
int divisible_rounds_first(const struct divisible_rounds *rounds);

/* Puts the next round at the end of the plan, without times.  Errors as
 * below. */
int divisible_rounds_next(struct divisible_rounds *rounds,
                          struct divisible_plan *plan, struct error *err);

/* Plans `load`; `plan` is empty before, has its times afterwards, and must be
 * freed also after an error.  Theorems 3 and 4: with T_p = sqrt(B / n*) >= 2
 * sum g and no start-ups, the makespan is at most B / n* + 2 (sum g + 1) sqrt(B
 * / n*). */
int divisible_periodic(const struct divisible_platform *platform, double load,
                       const struct divisible_periods *periods,
                       struct divisible_plan *plan, struct error *err);

#endif
