/* Adaptive weighted factoring, variant D: awf-b with times from one request
 * to the next, which hold the scheduling too.
 *
 *     C = ceil(w_j R / 2p),   R and w at the start of the stage
 *
 * Carino and Banicescu 2008; w, and where implementations differ, in
 * sched/schemes/awf_weights.h. */
#include "sched/schemes/awf_weights.h"

const struct sched_ops sched_awf_d_ops = {
    .name = "awf-d",
    .citation = "Carino and Banicescu 2008",
    .summary = "awf-b with times from request to request",
    .params = awf_params,
    .flags = SCHED_BY_POWER | SCHED_WHOLE_TIME,
    .state_size = sizeof(struct awf_state),
    .worker_size = sizeof(struct awf_worker),
    .init = awf_init,
    .next = awf_stage_next,
    .feedback = awf_feedback,
    .again = awf_again,
    .note = awf_note,
};
