/* The launch: what `mpiexec ... dlsbench launch WORKLIST` runs in every rank.
 *
 * Rank 0 reports to the driver on stdout, one line each:
 *   @launch <launch> <threads>           the launch is up, its files are open
 *   @rep <hash> <repetition>             a repetition starts (0: opening and
 *                                        warm-up)
 *   @serial <n>                          the n-th run of the serial loop
 *   @done <hash> ok|unverified|failed    a cell is complete, its lines synced
 *   @end <launch> <n>                    all cells are done, n of them not ok
 * It reports errors in one line on stderr.  Results go to the files of the
 * launch in worklist.out. */
#ifndef HARNESS_LAUNCH_LAUNCH_H
#define HARNESS_LAUNCH_LAUNCH_H

/* Returns the exit code: 0: all cells ran and verified, otherwise 1. */
int launch_main(const char *worklist_path);

#endif
