/* DMPS(x), dynamic multi-phase scheduling of loops with dependences (Ciorba et
 * al., section 3.3), with x any scheme.  Chunks of rows come from the source in
 * order.  Every `interval` columns a worker stops, takes the boundary from the
 * owner of the preceding chunk, and gives its boundary to the owner of the
 * next.
 *
 * The paper's remarks (1), (4) and (5) hold as printed. (1) The interval is the
 * same for all chunks. (4) A successor that becomes known in the middle gets
 * all complete columns. (5) If a boundary was not taken when the chunk ends,
 * the worker keeps it and asks for its next chunk, which may be the successor.
 *
 * (2) and (3) hold except that another rank names the neighbour: a worker with
 * an unknown successor continues with its next block, and looks again at its
 * end.  In the paper it asks the master at the end of each block.  The master,
 * which handed out all chunks, names the owners of the last two (its steps (c)
 * and (d)).  Here both owners of an edge register once at the edge's home rank,
 * which names them to each other (links.h).  The paper's master knows all
 * owners.  No rank does with a hierarchy, a window or one process; this
 * protocol serves all three.  It also saves the master a question for each edge
 * and block.
 *
 * With `group` chunks to a group it is the protocol of Andronikos et al.
 * instead (subproblem, formula 5).  Boundaries inside a group of NP chunks go
 * from block to block.  The boundary of every NP-th chunk goes once, as a
 * whole, at its end.
 *
 * Several time steps.  With sticky placement a chunk stays with its first
 * owner, which runs its chunks in ascending order step after step; only the
 * dependences separate two steps.  With replan every step is a separate pass
 * over the source (see repetition_loop.c); a chunk's rows are fetched from
 * their rank of the previous step. */
#ifndef HARNESS_PROTOCOL_PIPELINE_DMPS_H
#define HARNESS_PROTOCOL_PIPELINE_DMPS_H

#include "harness/protocol/parallel/parallel.h"
#include "harness/protocol/pipeline/links.h"
#include "harness/protocol/pipeline/migrate.h"

/* The data shared by a rank's workers. */
struct dmps {
    const struct kernel_dependence *kernel;
    const void *instance;
    void *state;
    char *output;
    struct kernel_grid grid;
    int64_t rows;
    int64_t interval; /* h, columns between two synchronization points */
    int64_t group;    /* chunks; 0: all boundaries go from block to block */
    int first, last;  /* time steps of this pass; one with replan */
    struct links links;
    bool shared;     /* several workers write this rank's output */
    bool every_step; /* log chunks of all steps; false, with sticky placement:
                        only the last */
    struct migrate *migrate; /* replan over several ranks, or NULL */
    _Atomic int working;     /* threads of this rank still in the loop */
    double tick_s;           /* see engine_tick_since */
};

/* Before a pass, with the number of workers of this rank; a barrier must
 * follow. */
void dmps_reset(struct dmps *dmps, int workers);

/* Runs a pass to its end; adds the time blocked for boundaries to *sync_s.
 * Called by the worker's own thread.  The worker's log, counts and ticks
 * continue from their values. */
void dmps_run(struct dmps *dmps, struct worker *worker, double *sync_s);

/* By thread 0 of each rank after its own work: sends boundaries until all ranks
 * have finished. */
void dmps_finish(struct dmps *dmps);

#endif
