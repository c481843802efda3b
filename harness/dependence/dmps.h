/* DMPS(x), dynamic multi-phase scheduling of loops with dependences (Ciorba
 * et al., section 3.3), with x any scheme: chunks of rows come from the
 * source in order; along the columns a worker stops every `interval` columns,
 * takes the boundary from the owner of the chunk before its own and gives its
 * own to the owner of the next.
 *
 * The paper's five remarks hold: (1) the interval is the same for all chunks;
 * (2), (3) a worker whose successor is not known continues with its own next
 * block; (4) a successor that becomes known in the middle gets all complete
 * columns; (5) a boundary that no worker has taken when the chunk ends is kept,
 * and the worker asks for its next chunk, of which it may itself be the
 * predecessor.
 *
 * One thing is not the paper's: there the master's answer names the worker's
 * neighbours.  Here both owners of an edge ask the edge's home rank for each
 * other (links.h).  Under a hierarchy, an rma window or in one process no
 * master knows all owners, and the master of one level would be asked for each
 * edge.
 *
 * With `group` chunks to a group it is the protocol of Andronikos et al.
 * instead (subproblem, formula 5): boundaries inside a group of NP chunks go
 * from block to block, and that of every NP-th chunk goes once, as a whole, at
 * its end.
 *
 * Several time steps.  With sticky placement a chunk stays with its first
 * owner, which runs its chunks in ascending order step after step; only the
 * dependences hold two steps apart.  With replan every step is a separate pass
 * over the source (see run_loop.c), and a chunk's rows are brought from the
 * rank where the step before left them. */
#ifndef HARNESS_DEPENDENCE_DMPS_H
#define HARNESS_DEPENDENCE_DMPS_H

#include "harness/dependence/links.h"
#include "harness/dependence/migrate.h"
#include "harness/protocol/parallel.h"

/* The common data of a rank's workers. */
struct dmps {
    const struct kernel_dependence *kernel;
    const void *instance;
    void *state;
    char *output;
    struct kernel_grid grid;
    int64_t rows;
    int64_t interval; /* h, columns between two synchronization points */
    int64_t group;    /* chunks; 0: all boundaries go from block to block */
    int first, last;  /* time steps of this pass: one of them with replan */
    struct links links;
    bool every_step; /* chunks of all steps are logged; else, with sticky
                        placement, those of the last */
    struct migrate *migrate; /* replan over several ranks, or NULL */
    _Atomic int working;     /* threads of this rank still in the loop */
    double tick_s;           /* see engine_measure_tick */
};

/* Before a pass, with the number of workers of this rank; a barrier must
 * follow. */
void dmps_reset(struct dmps *dmps, int workers);

/* Runs a pass to its end; adds the time blocked for boundaries to *sync_s.
 * Called by the worker's own thread.  The worker's log, counts and ticks
 * continue from their values. */
void dmps_run(struct dmps *dmps, struct worker *worker, double *sync_s);

/* By thread 0 of each rank after its own work: lets boundaries travel until all
 * ranks have finished. */
void dmps_finish(struct dmps *dmps);

#endif
