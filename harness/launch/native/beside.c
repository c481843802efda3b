/* Passes of the serial loop, in turns with the repetitions. */
#include "harness/launch/launch_internal.h"

#include "base/stats.h"
#include "harness/problem/serial.h"

#include <math.h>

enum { PASSES_LEAST = 3 };
/* Passes may take SHARE of the time of the repetitions beside them, plus
 * ALWAYS_S or, if that is longer, PASSES_LEAST passes of at most
 * LONG_PASS_S. */
static const double SHARE = 1.0 / 8, ALWAYS_S = 1, LONG_PASS_S = 3;

int beside_begin(const struct item *item, int count,
                 struct loop *loop[LAUNCH_BLOCK_MOST])
{
    int loops = 0;
    for (int i = 0; i < count; i++) {
        int known = 0;
        while (known < loops && loop[known] != item[i].loop)
            known++;
        if (known < loops || item[i].loop == NULL)
            continue;
        loop[loops++] = item[i].loop;
        item[i].loop->serial.from = item[i].loop->serial.passes;
    }
    return loops;
}

static bool is_due(const struct loop *loop, const struct policy *policy)
{
    const struct loop_serial *serial = &loop->serial;
    double took_s[LOOP_PASSES], pass_s = serial->last.took_s;
    int count = serial_times(loop, serial->from, took_s);
    double least_s = pass_s > LONG_PASS_S ? 0 : PASSES_LEAST * pass_s;
    double most_s = fmax(least_s, ALWAYS_S) + SHARE * serial->beside_s;
    if (serial->passes == 0 || count == LOOP_PASSES ||
        count >= policy->repetitions_max || serial->spent_s + pass_s > most_s ||
        2 * pass_s > policy->cell_timeout)
        return false;
    return count < policy->repetitions ||
           !stats_known(stats_median(took_s, count), policy->ci);
}

int beside_turn(struct launch *launch, struct loop *loop, struct error *err)
{
    const struct comm *comm = &launch->context.comm;
    int due = launch_root(launch) && is_due(loop, &launch->work.policy);
    if (!comm_max_int(comm, due))
        return 0;
    if (!launch_root(launch))
        return comm_agree(comm, 0, err);
    printf("@serial %d\n", loop->serial.passes + 1);
    fflush(stdout);
    return comm_agree(comm, serial_pass(loop, err), err);
}
