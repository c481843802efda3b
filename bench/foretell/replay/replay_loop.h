/* The costs of a kernel's iterations in seconds, for replays: counted by its
 * cost model (kernels/kernel.h), as simulations charge them. */
#ifndef BENCH_FORETELL_REPLAY_REPLAY_LOOP_H
#define BENCH_FORETELL_REPLAY_REPLAY_LOOP_H

#include "base/error.h"
#include "harness/costs/calibration.h"

#include <stdint.h>

struct replay_loop {
    int64_t iterations;
    double *before; /* seconds at power 1 before iteration i, I + 1 of them */
};

/* cp: seconds of one of the kernel's operations at power 1 (0: not given);
 * without it they come from `calibration` (NULL: there is none), the mean of
 * its workers.  A trace's costs are seconds, and need neither.  Where only
 * running the loop tells its operations, they are a profile's, as in
 * simulations (harness/problem/profile.h).  Returns 0,
 * -EINVAL, -ENOTSUP (dependences, time steps, no cost model) or another -errno
 * with a text. */
int replay_loop_open(struct replay_loop *loop, const char *kernel, double cp,
                     const struct calibration_kind *calibration,
                     struct error *err);
/* Says of costs whose unit was not given that they are hours, if they are. */
void replay_loop_note(const struct replay_loop *loop);
void replay_loop_close(struct replay_loop *loop);

#endif
