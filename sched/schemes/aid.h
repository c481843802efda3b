/* Asymmetric iteration distribution: aid-static and aid-hybrid, whose entries
 * of struct sched_ops these are.
 *
 *     each worker's first chunk has m iterations, which are timed; until all
 *     are known, m at a time.  Then, with core types j of N_j workers and mean
 *     times t_j of an iteration,
 *         SF_j = t_slowest / t_j,   k = s I / sum(N_j SF_j)
 *     worker of type j: once floor(SF_j k) less what it had already; the rest
 *     m at a time
 *
 * Saez, Castro and Prieto-Matias, Performance and energy of parallel loops on
 * asymmetric multicores (AID), ICPP 2020; arXiv 2402.07664.  s is 1 for
 * aid-static, 0.8 in the paper's runs of aid-hybrid.  The sampling is that of
 * the authors' libgomp; what follows is after descriptions of the paper, whose
 * own text was not at hand.
 *
 * Differs from the paper: it knows the types of the cores.  Here workers with
 * the same given power are one type; where all powers are equal each is its
 * own.  A worker that never asks leaves all others at m.  aid-dynamic is not
 * here: how it corrects its ratio and ends a round is open. */
#ifndef SCHED_SCHEMES_AID_H
#define SCHED_SCHEMES_AID_H

#include "sched/arith.h"

enum { AID_CHUNK, AID_SHARE }; /* keys; aid-static has the first */

struct aid_worker {
    int64_t type;  /* the first worker of this power */
    int64_t had;   /* iterations, until it has its share */
    double time;   /* of an iteration of its sample; 0: not known */
    double factor; /* SF */
    int64_t shared;
};

struct aid_state {
    int64_t workers, chunk;
    int64_t unknown;   /* workers without a sample */
    double iterations; /* s I */
    double part;       /* k */
    struct aid_worker worker[];
};

/* share: s, of the loop. */
void aid_init(void *state, const struct sched_loop *loop, int64_t chunk,
              double share);
int64_t aid_next(void *state, int worker, int64_t remaining);
void aid_feedback(void *state, int worker, int64_t size, double time);
void aid_note(const void *state, char *text, size_t size);

#define AID_CHUNK_KEY                                                          \
    PARAM_WHOLE("chunk", "1", 1, 0x1p53,                                       \
                "m, iterations of a sample and of the chunks of the rest")

#endif
