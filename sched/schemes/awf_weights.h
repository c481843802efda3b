/* Adaptive weighted factoring: the common part of awf, awf-b, awf-c, awf-d and
 * awf-e.
 *
 *     pi_j = sum_k(k t_jk) / sum_k(k n_jk)     k = 1, 2, ... chunks of worker j
 *     w_j  = p (1/pi_j) / sum over workers of 1/pi,   sum(w) = p
 *     C    = ceil(w_j R / 2p)
 *
 * Banicescu, Velusamy and Devaprasad 2003; Carino and Banicescu 2008: t_jk is
 * the time of the k-th chunk of worker j and n_jk its size.  So pi is the time
 * of an iteration; later chunks count more.  Until a worker has reported, its
 * weight is that of its power relative to the workers that have; before any
 * report the sizes are those of wf.
 *
 * Implementations have the same pi and differ in the rest.
 * Workers without reports: DLS4LB begins with chunks of its minimum and treats
 * them as the fastest, the balancer by Carino in the Loci framework as the
 * slowest.  In LB4OMP they do not count; the weights of the reporting workers
 * add up to their number.
 * Stages (awf-b, awf-d): both renew weights with every request.  In LB4OMP the
 * unweighted size is halved from stage to stage, independently of R.  In DLS4LB
 * it is ceil(R/2p), and a stage ends with its iterations, not with p requests.
 * Times (awf-d, awf-e): here and in LB4OMP from request to request.  In DLS4LB
 * from a chunk's arrival to its end, with the requests that its worker serves
 * meanwhile, without its own request.
 * Rounding: LB4OMP rounds up before and after weighting; DLS4LB and Loci round
 * R/2p up and the product up from .45.
 *
 * The functions below are entries of struct sched_ops. */
#ifndef SCHED_SCHEMES_AWF_WEIGHTS_H
#define SCHED_SCHEMES_AWF_WEIGHTS_H

#include "sched/arith.h"

extern const struct spec_param awf_params[];

struct awf_worker {
    double times, sizes; /* sum of k t and of k n */
    double reports;      /* k */
    double rate;         /* 1/pi, 0: not known */
    double power;
    double share;                /* w/p of this stage */
    double step_time, step_size; /* awf: of this time step */
};

struct awf_state {
    double power;       /* V of all */
    double known_power; /* sum over the workers that have reported */
    double known_rate;
    double remaining; /* R of this stage */
    int64_t workers;
    struct sched_stage requests;
    struct awf_worker worker[];
};

int awf_init(void *state, const struct sched_loop *loop,
             const struct spec *spec, struct error *err);

/* R and the weights are those at the start of a stage of p requests. */
int64_t awf_stage_next(void *state, int worker, int64_t remaining);

/* R and the weights are those at the request. */
int64_t awf_chunk_next(void *state, int worker, int64_t remaining);

void awf_feedback(void *state, int worker, int64_t size, double time);

/* The weights stay when the loop is executed again. */
void awf_again(void *state, const struct sched_loop *loop);

/* One more pair of n and t for worker j. */
void awf_learn(struct awf_state *s, struct awf_worker *w, double size,
               double time);
void awf_note(const void *state, char *text, size_t size);

#endif
