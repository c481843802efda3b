/* Adaptive weighted factoring: what awf-b, awf-c, awf-d and awf-e share.
 *
 *     pi_j = sum_k(k t_jk) / sum_k(k n_jk)     k = 1, 2, ... chunks of worker j
 *     w_j  = p (1/pi_j) / sum over workers of 1/pi,   sum(w) = p
 *     C    = ceil(w_j R / 2p)
 *
 * Banicescu, Velusamy and Devaprasad 2003; Carino and Banicescu 2008: t_jk is
 * the time of the k-th chunk of worker j and n_jk its size, so that pi is the
 * time of an iteration with later chunks counting more.  Until a worker has
 * reported it has the weight that the powers give it beside those who have;
 * before any report the sizes are those of wf.  LB4OMP takes the mean of
 * t_jk / n_jk weighted by k instead, in which the few iterations of a late
 * chunk count more than the many of an early one.
 *
 * The functions below are entries of struct sched_ops. */
#ifndef SCHED_AWF_H
#define SCHED_AWF_H

#include "sched/arith.h"

extern const struct spec_param awf_params[];

size_t awf_state_size(const struct sched_loop *loop);
int awf_init(void *state, const struct sched_loop *loop,
             const struct spec *spec, struct error *err);

/* R and the weights are those at the start of a stage of p requests. */
int64_t awf_stage_next(void *state, int worker, int64_t remaining);

/* R and the weights are those at the request. */
int64_t awf_chunk_next(void *state, int worker, int64_t remaining);

void awf_feedback(void *state, int worker, int64_t size, double time);
void awf_note(const void *state, char *text, size_t size);

#endif
