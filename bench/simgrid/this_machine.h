/* The platform `this-machine`: what dlsbench calibrate has measured, as a file
 * for SimGrid and as what simulations charge. */
#ifndef BENCH_SIMGRID_THIS_MACHINE_H
#define BENCH_SIMGRID_THIS_MACHINE_H

#include "base/error.h"
#include "harness/check/worklist.h"
#include "harness/costs/calibration.h"

#include <limits.h>
#include <stdbool.h>

/* The words in place of a file's name: one host, or as many nodes like it as
 * are needed, with what lies between two (dlsbench calibrate --nodes 2). */
extern const char this_machine_name[], this_cluster_name[];

/* Whether a platform is one of them. */
bool this_machine_is(const char *platform);

enum { THIS_MACHINE_FLAGS = 4 };

struct this_machine {
    char calibration[PATH_MAX];        /* the file, absolute */
    char between[PATH_MAX];            /* of this-cluster; empty: of none */
    bool apart;                        /* ranks are measured there */
    char platform[PATH_MAX];           /* the file for SimGrid */
    char flag[THIS_MACHINE_FLAGS][64]; /* of smpirun: a message's cost for its
                                          sender and its receiver */
    struct worklist_simulation charges[CALIBRATION_KINDS];
};

/* Reads the calibration (NULL: the default place) and writes the platform into
 * the cache folder, under a name that its content gives.  Returns 0, or
 * -ENOENT, -EINVAL or another -errno with a text; without a calibration it
 * names dlsbench calibrate. */
int this_machine_open(struct this_machine *machine, const char *calibration,
                      struct error *err);

/* The same for a cluster of such nodes with room for `workers` cores. */
int this_cluster_open(struct this_machine *machine, const char *calibration,
                      long workers, struct error *err);

/* Fills the charges of a launch with this number of ranks. */
void this_machine_fill(const struct this_machine *machine, int ranks,
                       struct worklist_simulation *simulation);

/* Copies both files into the result directory `dir`, as platform.xml and
 * calibration.json; of this-cluster also calibration-between.json. */
int this_machine_store(const struct this_machine *machine, const char *dir,
                       struct error *err);

#endif
