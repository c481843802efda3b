/* The two sides of a row, timed in turns, and the state that the machine was
 * in: on some virtual machines a line of memory goes from one core to another
 * in 25 to 55 ns or in 245 to 320 ns, which changes within seconds, and the
 * ratio of the two sides with it.
 *
 *     struct turns turns = {.context = context, .bare = time_counter,
 *                           .ours = time_scheme, .arg = &field};
 *     struct turns_group group[TURNS_GROUPS];
 *     if (turns_measure(&turns) != 0)
 *         ...
 *     int groups = turns_group(&turns, group);
 *     for (int g = 0; g < groups; g++)
 *         fprintf(out, "  %-30s %8.1f", name, group[g].ours_ns), ...
 */
#ifndef BENCH_OVERHEAD_TURNS_H
#define BENCH_OVERHEAD_TURNS_H

#include "bench/overhead/overhead.h"

enum { TURNS_GROUPS = 2 };

struct turns {
    struct launch_context *context;
    /* ns of a chunk (or whatever the row is about) on either side. */
    double (*bare)(void *arg);
    double (*ours)(void *arg);
    void *arg;
    /* By turns_measure.  The hand-over is NAN with one core, and on ranks
     * other than 0. */
    double bare_ns[OVERHEAD_ROUNDS], ours_ns[OVERHEAD_ROUNDS];
    double handover_ns[OVERHEAD_ROUNDS];
};

/* The rounds of one state: their number and their medians. */
struct turns_group {
    int rounds;
    double handover_ns, bare_ns, ours_ns;
    double ratio, more_ns; /* ours to bare, ours - bare, round by round */
};

/* Times all rounds, and the hand-over before and after each.  A round whose
 * hand-over moved by more than a factor of two in between is timed again.
 * Returns 0, or -EINVAL if a side took no time: it did not run. */
int turns_measure(struct turns *turns);

/* One of them, for rows that have their rounds in turns with those of others.
 * Collective over the context's ranks. */
void turns_measure_round(struct turns *turns, int round);

/* Where the hand-over times form two clusters more than a factor of two apart
 * there are two groups, the one with the shorter times first; else one.
 * Returns how many. */
int turns_group(const struct turns *turns,
                struct turns_group group[TURNS_GROUPS]);

/* "met" or "MISSED"; a few rounds say neither: "few". */
const char *turns_judge(const struct turns_group *group, bool met);

/* The end of a group's line: "  hand-over 41 ns, 7 of 11 rounds". */
void turns_print_state(FILE *out, const struct turns_group *group);

#endif
