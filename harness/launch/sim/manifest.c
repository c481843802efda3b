#include "harness/launch/manifest.h"

#include "base/stamp.h"
#include "harness/engine/sim/world.h"
#include "harness/record/build.h"
#include "harness/record/record.h"

#include <time.h>

json_t *manifest_make(const struct plan *plan, struct launch_context *context)
{
    const struct world *world = world_here();
    const struct plan_simulation *s = &plan->simulation;
    char mpi[256], started[32];
    comm_describe(mpi, sizeof(mpi));
    stamp_time(time(NULL), started);
    return json_pack(
        "{s:i,s:s,s:s,s:s,s:s,s:s,s:b,s:s,s:s,s:s,s:s,s:I,s:i,s:i,s:s,s:f,"
        "s:o,s:o,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:i}",
        "schema", RECORD_SCHEMA, "launch", plan->launch, "campaign",
        plan->campaign, "shard", plan->shard, "command", plan->command,
        "started", started, "simulated", 1, "version", build_version,
        "compiler", build_compiler, "flags", build_flags, "mpi", mpi, "seed",
        (json_int_t)plan->seed, "ranks", plan->ranks, "threads", plan->threads,
        "platform", s->platform, "power_1_flops", world->speed, "operation_s",
        s->operation_s > 0 ? json_real(s->operation_s) : json_null(),
        "calibration",
        s->calibration[0] != '\0' ? json_string(s->calibration) : json_null(),
        "request_s", s->request_s, "count_s", s->count_s, "state_s", s->state_s,
        "own_s", s->own_s, "steal_s", s->steal_s, "answer_s", s->answer_s,
        "handover_s", s->handover_s, "handover_byte_s", s->handover_byte_s,
        "tick_s", context->tick_s, "gained", plan->gained);
}
