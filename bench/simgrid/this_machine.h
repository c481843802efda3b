/* The platform `this-machine`: the results of dlsbench calibrate, as a file for
 * SimGrid and as charges of simulations. */
#ifndef BENCH_SIMGRID_THIS_MACHINE_H
#define BENCH_SIMGRID_THIS_MACHINE_H

#include "base/error.h"
#include "harness/check/worklist.h"
#include "harness/costs/calibration.h"

#include <limits.h>
#include <stdbool.h>

/* Words that replace a file's name: one host; or as many equal nodes as needed,
 * with the measured network between them (dlsbench calibrate --nodes 2). */
extern const char this_machine_name[], this_cluster_name[];

/* Whether a platform is one of these words. */
bool this_machine_is(const char *platform);

enum { THIS_MACHINE_FLAGS = 4 };

struct this_machine {
    char calibration[PATH_MAX];        /* the file, absolute */
    char between[PATH_MAX];            /* for this-cluster; empty: otherwise */
    bool apart;                        /* ranks use the costs between nodes */
    char platform[PATH_MAX];           /* the file for SimGrid */
    char flag[THIS_MACHINE_FLAGS][64]; /* for smpirun: a message's cost for its
                                          sender and its receiver */
    struct worklist_simulation charges[CALIBRATION_KINDS];
};

/* Reads the calibration (NULL: the default place) and writes the platform into
 * the cache folder, under a name derived from its content.  Returns 0, or
 * -ENOENT, -EINVAL or another -errno with a text; if the calibration is
 * missing, it names dlsbench calibrate. */
int this_machine_open(struct this_machine *machine, const char *calibration,
                      struct error *err);

/* this_machine_open for a cluster of these nodes with `workers` cores. */
int this_cluster_open(struct this_machine *machine, const char *calibration,
                      long workers, struct error *err);

/* Sets the charges of a launch with this number of ranks. */
void this_machine_fill(const struct this_machine *machine, int ranks,
                       struct worklist_simulation *simulation);

/* Copies both files into the result directory `dir`, as platform.xml and
 * calibration.json; for this-cluster also calibration-between.json. */
int this_machine_store(const struct this_machine *machine, const char *dir,
                       struct error *err);

#endif
