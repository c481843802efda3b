/* AID-static: each worker's share by its measured speed, once; see aid.h. */
#include "sched/schemes/aid.h"

static int aid_static_init(void *state, const struct sched_loop *loop,
                           const struct spec *spec, struct error *err)
{
    (void)err;
    aid_init(state, loop, spec->value[AID_CHUNK].integer, 1);
    return 0;
}

static const struct spec_param aid_static_params[] = {
    [AID_CHUNK] = AID_CHUNK_KEY,
    {0},
};

const struct sched_ops sched_aid_static_ops = {
    .name = "aid-static",
    .citation = "Saez, Castro and Prieto-Matias 2020",
    .summary = "a sample of each worker, then its share of the loop at once",
    .params = aid_static_params,
    .flags = SCHED_BY_POWER,
    .state_size = sizeof(struct aid_state),
    .worker_size = sizeof(struct aid_worker),
    .init = aid_static_init,
    .next = aid_next,
    .feedback = aid_feedback,
    .note = aid_note,
};
