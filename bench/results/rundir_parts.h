/* The name of a result directory, for rundir.c. */
#ifndef BENCH_RESULTS_RUNDIR_PARTS_H
#define BENCH_RESULTS_RUNDIR_PARTS_H

#include "bench/results/rundir.h"

/* Sets dir->path by --out or by the time. */
int rundir_choose(struct rundir *dir, const char *campaign, const char *out,
                  struct error *err);

/* Paths are stored and printed in lines of text. */
int rundir_check_line(const char *path, struct error *err);

#endif
