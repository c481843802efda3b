#include "bench/overhead/turns.h"

#include "base/stats.h"
#include "harness/launch/handover.h"

#include <errno.h>
#include <math.h>

/* How often a round is timed again before it counts as it is. */
enum { AGAIN_MAX = 3 };
/* Rounds whose median is judged. */
enum { JUDGED = 4 };
static const double MOVED = 2;

/* Rank 0 has seen it. */
static bool has_moved(const struct turns *turns, double before, double after)
{
    bool moved = fmax(before, after) > MOVED * fmin(before, after);
    return comm_max_int(&turns->context->comm, moved);
}

void turns_measure_round(struct turns *turns, int round)
{
    double before, after;
    int again = 0;
    do {
        before = handover_measure(turns->context);
        turns->bare_ns[round] = turns->bare(turns->arg);
        turns->ours_ns[round] = turns->ours(turns->arg);
        after = handover_measure(turns->context);
    } while (has_moved(turns, before, after) && again++ < AGAIN_MAX);
    turns->handover_ns[round] = 1e9 * (before + after) / 2;
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

/* The rounds whose hand-over is in [from, to). */
static struct turns_group take_group(const struct turns *turns, double from,
                                     double to)
{
    double handover[OVERHEAD_ROUNDS], bare[OVERHEAD_ROUNDS];
    double ours[OVERHEAD_ROUNDS], ratio[OVERHEAD_ROUNDS], more[OVERHEAD_ROUNDS];
    int n = 0;
    for (int r = 0; r < OVERHEAD_ROUNDS; r++) {
        if (turns->handover_ns[r] < from || turns->handover_ns[r] >= to)
            continue;
        handover[n] = turns->handover_ns[r];
        bare[n] = turns->bare_ns[r];
        ours[n] = turns->ours_ns[r];
        ratio[n] = ours[n] / bare[n];
        more[n] = ours[n] - bare[n];
        n++;
    }
    return (struct turns_group){.rounds = n,
                                .handover_ns = stats_middle(handover, n),
                                .bare_ns = stats_middle(bare, n),
                                .ours_ns = stats_middle(ours, n),
                                .ratio = stats_middle(ratio, n),
                                .more_ns = stats_middle(more, n)};
}

int turns_group(const struct turns *turns,
                struct turns_group group[TURNS_GROUPS])
{
    double split = stats_split(turns->handover_ns, OVERHEAD_ROUNDS, MOVED);
    group[0] = take_group(turns, -INFINITY, split);
    if (isinf(split))
        return 1;
    group[1] = take_group(turns, split, INFINITY);
    return 2;
}

const char *turns_judge(const struct turns_group *group, bool met)
{
    return group->rounds < JUDGED ? "few" : met ? "met" : "MISSED";
}

void turns_print_state(FILE *out, const struct turns_group *group)
{
    if (!isnan(group->handover_ns))
        fprintf(out, "  hand-over %.0f ns", group->handover_ns);
    if (group->rounds < OVERHEAD_ROUNDS)
        fprintf(out, ", %d of %d rounds", group->rounds, OVERHEAD_ROUNDS);
}
