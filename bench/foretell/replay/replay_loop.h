/* The costs of a kernel's iterations in seconds, for replays: from its cost
 * model (kernels/kernel.h), as simulations charge them. */
#ifndef BENCH_FORETELL_REPLAY_REPLAY_LOOP_H
#define BENCH_FORETELL_REPLAY_REPLAY_LOOP_H

#include "base/error.h"
#include "harness/costs/calibration.h"

#include <stdint.h>

struct replay_loop {
    int64_t iterations;
    double *before; /* seconds at power 1 before iteration i, I + 1 entries */
};

/* cp: seconds per operation of the kernel at power 1; 0: the mean over the
 * workers of `calibration` (NULL: none).  A trace's costs are seconds, and need
 * neither.  If only running the loop would count its operations, they come from
 * a profile, as in simulations (harness/problem/profile.h).  Returns 0,
 * -EINVAL, -ENOTSUP (dependences, time steps, no cost model) or another -errno
 * with a text. */
int replay_loop_open(struct replay_loop *loop, const char *kernel, double cp,
                     const struct calibration_kind *calibration,
                     struct error *err);
/* Prints that costs are taken as hours, if they are and no unit was given. */
void replay_loop_note(const struct replay_loop *loop);
void replay_loop_close(struct replay_loop *loop);

#endif
