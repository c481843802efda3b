/* Adaptive weighted factoring, variant C: the weights and R are renewed with
 * every request, from computing times.
 *
 *     C = ceil(w_j R / 2p),   R and w at the request
 *
 * Carino and Banicescu 2008; w, and where implementations differ, in
 * sched/schemes/awf_weights.h. */
#include "sched/schemes/awf_weights.h"

const struct sched_ops sched_awf_c_ops = {
    .name = "awf-c",
    .citation = "Carino and Banicescu 2008",
    .summary = "weighted factoring, weights measured, renewed by chunk",
    .params = awf_params,
    .flags = SCHED_BY_POWER,
    .state_size = sizeof(struct awf_state),
    .worker_size = sizeof(struct awf_worker),
    .init = awf_init,
    .next = awf_chunk_next,
    .feedback = awf_feedback,
    .again = awf_again,
    .note = awf_note,
};
