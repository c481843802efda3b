/* A simulation knows the time of the loop on one worker. */
#include "harness/launch/launch_internal.h"

int beside_begin(const struct item *item, int count,
                 struct loop *loop[LAUNCH_BLOCK_MOST])
{
    (void)item, (void)count, (void)loop;
    return 0;
}

int beside_turn(struct launch *launch, struct loop *loop, struct error *err)
{
    (void)launch, (void)loop, (void)err;
    return 0;
}
