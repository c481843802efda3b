/* Adaptive weighted factoring over time steps: weighted factoring whose weights
 * are renewed after each time step, an execution of the whole loop.
 *
 *     pi_j = sum_s(s t_js) / sum_s(s n_js)     s = 1, 2, ... time steps
 *     w_j  = p (1/pi_j) / sum over workers of 1/pi,   sum(w) = p
 *     C    = ceil(w_j R / 2p),   R at the start of a stage of p requests
 *
 * Banicescu, Velusamy and Devaprasad 2003: n_js iterations took worker j the
 * time t_js in step s, so that later steps count more.  Inside a step nothing
 * is learned; in the first the weights are the powers, as in wf.
 *
 * Time steps: with placement replan, each step of the loop; else each
 * repetition, from the warm-up on; below a master that cuts ranges by this
 * scheme, each range.
 *
 * Implementations differ in t_js: here and in DLS4LB it is the times of the
 * chunks.  In LB4OMP it is the worker's time from the beginning of the loop to
 * its end, nearly the same for all, so only n_js differs there.  They also
 * differ in s: DLS4LB begins its sums anew, so that only the last step counts.
 * Chunks as in wf: LB4OMP and DLS4LB differ there too. */
#include "sched/schemes/awf_weights.h"

static void awf_step_feedback(void *state, int worker, int64_t size,
                              double time)
{
    struct awf_state *s = state;
    struct awf_worker *w = &s->worker[worker];
    if (!(time > 0))
        return;
    w->step_time += time;
    w->step_size += (double)size;
}

/* A worker learns nothing from a step without a chunk.  Its step numbers count
 * only the steps that it took part in. */
static void awf_step_again(void *state, const struct sched_loop *loop)
{
    struct awf_state *s = state;
    awf_again(state, loop);
    for (int64_t j = 0; j < s->workers; j++) {
        struct awf_worker *w = &s->worker[j];
        if (w->step_size > 0)
            awf_learn(s, w, w->step_size, w->step_time);
        w->step_size = w->step_time = 0;
    }
}

const struct sched_ops sched_awf_ops = {
    .name = "awf",
    .citation = "Banicescu, Velusamy and Devaprasad 2003",
    .summary = "weighted factoring, weights measured, renewed by time step",
    .params = awf_params,
    .flags = SCHED_BY_POWER | SCHED_KEEPS,
    .state_size = sizeof(struct awf_state),
    .worker_size = sizeof(struct awf_worker),
    .init = awf_init,
    .next = awf_stage_next,
    .feedback = awf_step_feedback,
    .again = awf_step_again,
    .note = awf_note,
};
