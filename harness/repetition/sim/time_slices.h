/* A core that a simulated worker shares with busy processes in time slices, as
 * observed on the system of this machine (harness/measure/slices.c).
 *
 * At every tick the core goes to the process that had less of it: a worker
 * ahead of its share leaves the core to each of the others for a tick.  A
 * waiting worker first polls, which the system counts as computing, and then
 * sleeps.  When it wakes, it gets the core at once unless it is still ahead.
 * Sleeping earns no more than its share. (A fair scheduler with ticks, as Linux
 * has had with CFS and EEVDF.) */
#ifndef HARNESS_REPETITION_SIM_TIME_SLICES_H
#define HARNESS_REPETITION_SIM_TIME_SLICES_H

#include "harness/costs/calibration.h"

struct slices {
    double tick_s;  /* 0: the core is not shared in slices */
    int others;     /* processes on the worker's core */
    double next_s;  /* the next tick, as of engine_now */
    double ahead_s; /* the worker's lead over each of the others */
    double since_s; /* when it last computed */
};

/* Before a repetition; begins with the first slices_compute. measured NULL: no
 * slices. */
void slices_open(struct slices *slices,
                 const struct calibration_slices *measured, int others,
                 int64_t repetition);

/* Lets the worker compute this number of flops at this speed, while the others
 * get their slices of the core. */
void slices_compute(struct slices *slices, double flops, double speed);

#endif
