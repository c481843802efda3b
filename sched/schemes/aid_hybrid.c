/* AID-hybrid: shares by measured speed of a part of the loop, the rest on
 * demand; see aid.h. */
#include "sched/schemes/aid.h"

static int aid_hybrid_init(void *state, const struct sched_loop *loop,
                           const struct spec *spec, struct error *err)
{
    (void)err;
    aid_init(state, loop, spec->value[AID_CHUNK].integer,
             spec->value[AID_SHARE].real);
    return 0;
}

static const struct spec_param aid_hybrid_params[] = {
    [AID_CHUNK] = AID_CHUNK_KEY,
    [AID_SHARE] = PARAM_REAL("share", "0.8", 0, 1,
                             "s, the part of the loop that is shared out"),
    {0},
};

const struct sched_ops sched_aid_hybrid_ops = {
    .name = "aid-hybrid",
    .citation = "Saez, Castro and Prieto-Matias 2020",
    .summary = "a sample of each worker, its share of a part, then on demand",
    .params = aid_hybrid_params,
    .flags = SCHED_BY_POWER,
    .state_size = sizeof(struct aid_state),
    .worker_size = sizeof(struct aid_worker),
    .init = aid_hybrid_init,
    .next = aid_next,
    .feedback = aid_feedback,
    .note = aid_note,
};
