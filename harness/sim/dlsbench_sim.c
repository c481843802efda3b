/* dlsbench-sim: what smpirun starts, once for every simulated core.  Rank 0
 * is the launch: it reads the plan, opens and records for all; the others do
 * their part of each loop when it calls them. */
#include "base/text.h"
#include "harness/engine/sim/world.h"
#include "harness/launch/launch.h"
#include "harness/process/guard.h"

#include <stdio.h>
#include <string.h>

/* For JSON, formatted output and paths: ranks have 16 KiB. */
enum { STACK_BYTES = 1 << 23 };

static int launch_plan(void *path)
{
    return launch_main(path);
}

int main(int argc, char **argv)
{
    struct world world = {.team = NULL}; /* rank 0's, until all have ended */
    int code = 0, rank = world_begin(&argc, &argv);
    if (argc == 2 && strcmp(argv[1], "--hosts") == 0)
        world_print_hosts();
    else if (argc == 2 && strcmp(argv[1], "--messages") == 0)
        world_print_messages(rank);
    else if (argc == 2 && rank == 0) {
        guard_begin(0);
        text_from_word(argv[1]);
        world_show(&world);
        code = world_on_stack(STACK_BYTES, launch_plan, argv[1]);
        if (code < 0)
            fprintf(stderr, "dlsbench: no memory for the stack of rank 0\n");
        world_release(&world); /* the other ranks follow in any case */
        code = code != 0;
    } else if (argc == 2)
        world_follow(rank);
    world_end();
    return code;
}
