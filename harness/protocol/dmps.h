/* DMPS(x), dynamic multi-phase scheduling of loops with dependences (Ciorba
 * et al., section 3.3), with x any scheme: chunks of rows come from the
 * source in order; along the columns a worker stops every `interval` columns,
 * takes the boundary from the owner of the chunk before its own and gives its
 * own to the owner of the next.
 *
 * The paper's five remarks hold: (1) the interval is the same for all chunks;
 * (2), (3) a worker whose successor is not known goes on with its own next
 * block; (4) a successor that becomes known in the middle gets all that is
 * complete; (5) what nobody has taken when the chunk ends is kept, and the
 * worker asks for its next chunk, of which it may itself be the predecessor. */
#ifndef HARNESS_PROTOCOL_DMPS_H
#define HARNESS_PROTOCOL_DMPS_H

#include "harness/protocol/parallel.h"
#include "harness/transport/links.h"

/* What the workers of a rank share. */
struct dmps {
    const struct kernel_dependence *kernel;
    const void *instance;
    void *state;
    char *output;
    struct kernel_grid grid;
    int64_t rows;
    int64_t interval; /* h, columns between two synchronization points */
    struct links links;
    _Atomic int working; /* threads of this rank still in the loop */
    struct engine_patience patience;
    /* Lets masters of this rank serve while a worker waits; NULL: none. */
    bool (*serve)(void *arg);
    void *serve_arg;
};

/* Before a repetition, with the number of workers of this rank; a barrier must
 * follow. */
void dmps_reset(struct dmps *dmps, int workers);

/* Runs the loop to its end; adds the time blocked for boundaries to *sync_s.
 * Called by the worker's own thread. */
void dmps_run(struct dmps *dmps, struct worker *worker, double *sync_s);

/* By thread 0 of each rank after its own work: lets boundaries go on until
 * all ranks are through. */
void dmps_finish(struct dmps *dmps);

#endif
