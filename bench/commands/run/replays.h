/* Replays the cells of a campaign in several processes. */
#ifndef BENCH_COMMANDS_RUN_REPLAYS_H
#define BENCH_COMMANDS_RUN_REPLAYS_H

#include "bench/launching/driver/driver.h"
#include "bench/simgrid/platforms.h"

/* Replays the cells in as many processes as this one may use processors; each
 * is a launch in the directory.  Returns as driver_run. */
int replays_run(const struct rundir *dir, const struct campaign *campaign,
                const struct platforms *platforms, const char *command,
                struct driver_end *end, struct error *err);

#endif
