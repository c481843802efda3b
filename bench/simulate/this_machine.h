/* The platform `this-machine`: what dlsbench calibrate has measured, as a file
 * for SimGrid and as what simulations charge. */
#ifndef BENCH_SIMULATE_THIS_MACHINE_H
#define BENCH_SIMULATE_THIS_MACHINE_H

#include "base/error.h"
#include "harness/calibration/calibration.h"
#include "harness/setup/plan.h"

#include <limits.h>

/* The word in place of a file's name. */
extern const char this_machine_name[];

enum { THIS_MACHINE_FLAGS = 4 };

struct this_machine {
    char calibration[PATH_MAX];        /* the file, absolute */
    char platform[PATH_MAX];           /* the file for SimGrid */
    char flag[THIS_MACHINE_FLAGS][64]; /* of smpirun: a message's cost for its
                                          sender and its receiver */
    struct plan_simulation charges[CALIBRATION_KINDS];
};

/* Reads the calibration (NULL: the default place) and writes the platform into
 * the cache folder, under a name that its content gives.  Returns 0, or
 * -ENOENT, -EINVAL or another -errno with a text; without a calibration it
 * names dlsbench calibrate. */
int this_machine_open(struct this_machine *machine, const char *calibration,
                      struct error *err);

/* Fills the charges of a launch with this number of ranks. */
void this_machine_fill(const struct this_machine *machine, int ranks,
                       struct plan_simulation *simulation);

/* Copies both files into the result directory `dir`, as platform.xml and
 * calibration.json. */
int this_machine_store(const struct this_machine *machine, const char *dir,
                       struct error *err);

#endif
