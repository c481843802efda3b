/* The launch: what `mpiexec ... dlsbench launch PLAN.json` runs in every rank.
 *
 * Rank 0 reports to the driver on stdout, one line each:
 *   @launch <workers>                the launch is up, checks passed
 *   @rep <hash> <repetition>         a repetition starts (0: preparation)
 *   @done <hash> ok|unverified       a cell is complete, its lines are synced
 *   @end                             all cells are done
 * and says errors in one line on stderr.  Results go to the files of the
 * launch in plan.out. */
#ifndef HARNESS_LAUNCH_H
#define HARNESS_LAUNCH_H

/* Returns the exit code: 0 all cells ran and verified, 1 not. */
int launch_main(const char *plan_path);

#endif
