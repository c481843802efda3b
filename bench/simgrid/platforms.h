/* The platforms of replayed cells: the costs there, as in dlsbench sim. */
#ifndef BENCH_SIMGRID_PLATFORMS_H
#define BENCH_SIMGRID_PLATFORMS_H

#include "bench/simgrid/simulate.h"
#include "harness/replay/replay.h"

/* A route between hosts of a simulated platform. */
struct platform_route {
    const struct simulate_platform *platform;
    int far; /* simulate_far */
    struct simulate_distances take;
};

struct platforms {
    struct simulate simulate;       /* files and this-cluster, by SimGrid */
    struct this_machine *machine;   /* this-machine, without it; NULL: none */
    struct calibration calibration; /* for the two calibrated ones */
    bool calibrated;
    struct platform_route *route; /* all that occur in the cells */
    int routes;
    int64_t room;
};

/* A platform for one cell. */
struct platform {
    struct replay_costs costs;           /* except apart_s */
    int node_ranks;                      /* from its shape */
    double flops;                        /* flop/s of a core; 0: calibrated */
    const struct calibration_kind *kind; /* NULL: use flops */
};

/* Finds the platforms of the cells (replay_cell_platform). calibration: for
 * this-machine and this-cluster; NULL: the default place.  Returns 0, or as
 * simulate_open and simulate_distances do; -ENOTSUP: its hosts differ. */
int platforms_open(struct platforms *platforms, const struct cell *cells,
                   int count, const char *calibration, struct error *err);
void platforms_close(struct platforms *platforms);

/* Returns 0, or -EBUSY: the platform is too small for the cell. */
int platforms_find(const struct platforms *platforms, const struct cell *cell,
                   struct platform *found, struct error *err);

/* Stores the assumptions about this machine in the result directory. */
int platforms_store(const struct platforms *platforms, const char *dir,
                    struct error *err);

#endif
