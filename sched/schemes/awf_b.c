/* Adaptive weighted factoring, variant B: the weights are renewed at the start
 * of every stage of p requests, from computing times.
 *
 *     C = ceil(w_j R / 2p),   R and w at the start of the stage
 *
 * Carino and Banicescu 2008; w, and where implementations differ, in
 * sched/schemes/awf_weights.h. */
#include "sched/schemes/awf_weights.h"

const struct sched_ops sched_awf_b_ops = {
    .name = "awf-b",
    .citation = "Carino and Banicescu 2008",
    .summary = "weighted factoring, weights measured, renewed by stage",
    .params = awf_params,
    .flags = SCHED_BY_POWER,
    .state_size = sizeof(struct awf_state),
    .worker_size = sizeof(struct awf_worker),
    .init = awf_init,
    .next = awf_stage_next,
    .feedback = awf_feedback,
    .again = awf_again,
    .note = awf_note,
};
