/* dlsbench calibrate --nodes 2: a node, and the network between two nodes. */
#ifndef BENCH_CALIBRATE_NODES_H
#define BENCH_CALIBRATE_NODES_H

#include "base/error.h"
#include "harness/costs/calibration.h"

#include <stdbool.h>
#include <stddef.h>

/* A launcher's template that puts all ranks on one node, or each on its own
 * node, with the options of srun, MPICH's mpiexec or Open MPI's. -EINVAL:
 * another launcher. */
int nodes_template(const char *launcher, bool apart, char *out, size_t size,
                   struct error *err);

/* The file with the costs between nodes, next to that of a node:
 * FILE-between.json. */
int nodes_between_path(const char *node, char *path, size_t size,
                       struct error *err);

/* Prints both as a table: the time of a message by its size, and of requests
 * that a master answers. */
void nodes_table(const struct calibration *node,
                 const struct calibration *between);

#endif
