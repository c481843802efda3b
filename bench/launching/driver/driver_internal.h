/* The driver inside: a launch for one shape after the other. */
#ifndef BENCH_LAUNCHING_DRIVER_DRIVER_INTERNAL_H
#define BENCH_LAUNCHING_DRIVER_DRIVER_INTERNAL_H

#include "bench/launching/cause.h"
#include "bench/launching/driver/driver.h"
#include "bench/launching/driver/launch_watch.h"
#include "bench/launching/driver/progress.h"
#include "bench/launching/stops.h"
#include "bench/launching/subprocess.h"

/* The source of a line: a launcher that repeats its command on stdout says less
 * about a failure than on stderr, and our own ranks say most. */
enum driver_weight { ON_OUTPUT, ON_ERROR, OWN };

struct driver {
    const struct rundir *dir;
    const struct campaign *campaign;
    const struct driver_options *options;
    char program[PATH_MAX]; /* this program: the ranks run it too */
    struct stops stops;
    bool interrupted;
    struct watch watch;
    struct progress progress;
    /* The launch: */
    char launch[LAUNCH_ID_SIZE];
    char said[200]; /* the first of its best words since the last line */
    enum driver_weight weight; /* of the kept line */
    struct cause cause;        /* of a launch that does not begin */
};

/* The common fields of one launch's cells. */
struct driver_shape {
    int ranks, threads;
    const struct cell *cell; /* simulated as this one */
};

/* Whether the cell waits for a launch of this shape. */
bool driver_has_waiting(const struct watched_cell *watched,
                        struct driver_shape shape);

/* A line on stderr, the progress made way for. */
void driver_message(struct driver *driver, const char *text);

/* Why the launch did not begin, as cause_words; empty: it did, or our own ranks
 * have said it. */
void driver_cause(const struct driver *driver, int ranks, char *words,
                  size_t size);

/* Launches the waiting cells of one shape, and settles what became of them. */
int driver_launch(struct driver *driver, struct driver_shape shape,
                  struct error *err);

/* All waiting cells of a shape that cannot be launched. */
int driver_fail_shape(struct driver *driver, struct driver_shape shape,
                      const char *reason, struct error *err);

/* The launch is over.  A crash is the cell's of watch_failed; a launch that
 * brought nothing forward would do so again, so all its cells fail. */
int driver_settle(struct driver *driver, struct driver_shape shape,
                  const struct subprocess_end *end, struct error *err);

#endif
