/* The two sides of a row, timed in turns, by states of the machine.
 *
 *     struct turns turns = {.context = context, .bare = time_counter,
 *                           .ours = time_scheme, .arg = &field};
 *     struct turns_group group[STATES_MAX];
 *     if (turns_measure(&turns) != 0)
 *         ...
 *     int groups = turns_group(&turns, group);
 *     for (int g = 0; g < groups; g++)
 *         fprintf(out, "  %-30s %8.1f", name, group[g].ours_ns), ...
 */
#ifndef BENCH_OVERHEAD_ROUNDS_TURNS_H
#define BENCH_OVERHEAD_ROUNDS_TURNS_H

#include "bench/overhead/rounds/states.h"

struct turns {
    struct launch_context *context;
    /* ns of a chunk (or whatever the row is about) on either side. */
    double (*bare)(void *arg);
    double (*ours)(void *arg);
    void *arg;
    /* By turns_measure. */
    double bare_ns[OVERHEAD_ROUNDS], ours_ns[OVERHEAD_ROUNDS];
    double handover_ns[OVERHEAD_ROUNDS]; /* as state_time_round gives it */
};

/* The rounds of one state, and their medians. */
struct turns_group {
    struct state state;
    double bare_ns, ours_ns;
    double ratio, more_ns; /* ours to bare, ours - bare, round by round */
};

/* Times all rounds.  Returns 0, or -EINVAL if a side took no time: it did not
 * run. */
int turns_measure(struct turns *turns);

/* One of them, for rows that have their rounds in turns with those of others.
 * Collective over the context's ranks. */
void turns_measure_round(struct turns *turns, int round);

/* A group for each state of the machine; returns how many. */
int turns_group(const struct turns *turns,
                struct turns_group group[STATES_MAX]);

#endif
