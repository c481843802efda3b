/* The output of a loop in memory shared by the ranks of a host, for cells that
 * collect results there (collect: shared). */
#ifndef HARNESS_PROBLEM_LOOP_SHARED_H
#define HARNESS_PROBLEM_LOOP_SHARED_H

#include "harness/messages/window.h"
#include "harness/problem/loop.h"

struct loop_shared {
    struct comm host; /* the ranks of this host */
    struct window window;
};

/* Collective: opens it, unless it is open or the loop has no output; all cells
 * of a loop share it.  Not in simulation.  Returns 0, -ENOMEM or an error of
 * window_open, the same on all ranks. */
int loop_share(struct loop *loop, const struct comm *comm, struct error *err);
/* Collective; called by loop_close. */
void loop_unshare(struct loop *loop);

#endif
