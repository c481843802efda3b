#include "bench/overhead/rounds/turns.h"

#include <errno.h>

static void time_sides(void *arg, int round)
{
    struct turns *turns = arg;
    turns->bare_ns[round] = turns->bare(turns->arg);
    turns->ours_ns[round] = turns->ours(turns->arg);
}

void turns_measure_round(struct turns *turns, int round)
{
    turns->handover_ns[round] =
        state_time_round(turns->context, time_sides, turns, round);
}

int turns_measure(struct turns *turns)
{
    for (int r = 0; r < OVERHEAD_ROUNDS; r++) {
        turns_measure_round(turns, r);
        if (!(turns->bare_ns[r] > 0 && turns->ours_ns[r] > 0))
            return -EINVAL;
    }
    return 0;
}

int turns_group(const struct turns *turns, struct turns_group group[STATES_MAX])
{
    struct state state[STATES_MAX];
    int states = state_split(turns->handover_ns, OVERHEAD_ROUNDS, state);
    for (int s = 0; s < states; s++)
        group[s] = (struct turns_group){
            .state = state[s],
            .bare_ns = state_middle(&state[s], turns->bare_ns),
            .ours_ns = state_middle(&state[s], turns->ours_ns),
            .ratio = state_ratio(&state[s], turns->ours_ns, turns->bare_ns),
            .more_ns = state_more(&state[s], turns->ours_ns, turns->bare_ns)};
    return states;
}
