/* The manifest of a simulated launch. */
#include "harness/launch/launch_internal.h"

#include "harness/engine/sim/world.h"
#include "harness/record/record.h"

json_t *manifest_make(const struct worklist *work,
                      struct launch_context *context)
{
    const struct world *world = world_here();
    const struct worklist_simulation *s = &work->simulation;
    char mpi[256];
    comm_describe(mpi, sizeof(mpi));
    json_t *manifest = record_manifest_head(work->launch, work->campaign,
                                            work->shard, work->command, true);
    json_object_update_new(
        manifest,
        json_pack(
            "{s:s,s:I,s:i,s:i,s:s,s:f,s:o,s:s?,s:f,s:f,s:f,s:f,s:f,s:f,s:f,"
            "s:f,s:f,s:i}",
            "mpi", mpi, "seed", (json_int_t)work->seed, "ranks", work->ranks,
            "threads", work->threads, "platform", s->platform, "power_1_flops",
            world->speed, "operation_s",
            s->operation_s > 0 ? json_real(s->operation_s) : json_null(),
            "calibration", s->calibration[0] != '\0' ? s->calibration : NULL,
            "request_s", s->request_s, "count_s", s->count_s, "state_s",
            s->state_s, "own_s", s->own_s, "steal_s", s->steal_s, "answer_s",
            s->answer_s, "handover_s", s->handover_s, "handover_byte_s",
            s->handover_byte_s, "tick_s", context->tick_s, "gained",
            work->gained));
    return manifest;
}

bool manifest_end(struct launch *launch, json_t *manifest)
{
    (void)launch, (void)manifest;
    return false;
}
