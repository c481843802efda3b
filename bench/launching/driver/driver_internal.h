/* The private declarations of the driver. */
#ifndef BENCH_LAUNCHING_DRIVER_DRIVER_INTERNAL_H
#define BENCH_LAUNCHING_DRIVER_DRIVER_INTERNAL_H

#include "bench/launching/cause.h"
#include "bench/launching/driver/driver.h"
#include "bench/launching/driver/launch_watch.h"
#include "bench/launching/driver/progress.h"
#include "bench/launching/stops.h"
#include "bench/launching/subprocess.h"

/* The source of a line, by how much it tells about a failure: a launcher that
 * repeats its command on stdout least, stderr more, and our own ranks most. */
enum driver_weight { ON_OUTPUT, ON_ERROR, OWN };

struct driver {
    const struct rundir *dir;
    const struct campaign *campaign;
    const struct driver_options *options;
    char program[PATH_MAX]; /* this program, which the ranks also run */
    struct stops stops;
    bool interrupted;
    struct watch watch;
    struct progress progress;
    /* Of the launch: */
    char launch[LAUNCH_ID_SIZE];
    char said[200]; /* the first best line since the last protocol line */
    enum driver_weight weight; /* of the stored line */
    struct cause cause;        /* if a launch does not begin */
};

/* What the cells of one launch have in common. */
struct driver_shape {
    int ranks, threads;
    const struct cell *cell; /* its simulation is the launch's */
};

/* Whether the cell waits and has this shape. */
bool driver_has_waiting(const struct watched_cell *watched,
                        struct driver_shape shape);

/* Prints a line on stderr, with the progress line removed before. */
void driver_message(struct driver *driver, const char *text);

/* Why the launch did not begin, as cause_words; empty: it did, or our own ranks
 * reported it. */
void driver_cause(const struct driver *driver, int ranks, char *words,
                  size_t size);

/* Launches the waiting cells of one shape, and records their outcome. */
int driver_launch(struct driver *driver, struct driver_shape shape,
                  struct error *err);

/* Fails all waiting cells of a shape that cannot be launched. */
int driver_fail_shape(struct driver *driver, struct driver_shape shape,
                      const char *reason, struct error *err);

/* After the launch: a crash is charged to the cell of watch_failed.  A launch
 * without any progress would fail again, so all its cells fail. */
int driver_settle(struct driver *driver, struct driver_shape shape,
                  const struct subprocess_end *end, struct error *err);

#endif
