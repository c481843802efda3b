/* Under two schemes (sched/schemes/pair.h) a master gets one range of
 * iterations at a time from above, like a worker.  It cuts the range by its
 * scheme for the units below: its workers or, at a higher level, the masters
 * that ask it.
 *
 * Bookkeeping of one master, under that master's lock. */
#ifndef HARNESS_TRANSPORT_MASTER_RANGE_H
#define HARNESS_TRANSPORT_MASTER_RANGE_H

#include "harness/hierarchy/tree.h"
#include "sched/schemes/pair.h"

/* The units below one master.  A unit's power is the sum of its workers'. */
struct range_units {
    int count;
    int *first;    /* first worker of each unit, ascending */
    double *power; /* of each unit */
};

/* power: the powers V of all workers; NULL: equal.  Returns 0 or -ENOMEM. */
int range_units_open(struct range_units *units, const struct tree *tree,
                     int master, const double *power);
void range_units_close(struct range_units *units);

/* The unit that begins with this worker. */
int range_unit(const struct range_units *units, int first_worker);

struct range {
    const struct sched_ops *ops;
    const struct spec *spec;
    int64_t min_chunk;
    const double *cost; /* of the whole loop; NULL: unknown */
    struct range_units units;
    struct sched sched;
    void *memory;
    bool *taken;   /* the unit has its primed chunk of this range */
    int primed;    /* primed chunks of this range not yet taken */
    int64_t start; /* first iteration in the loop */
    int64_t piece; /* a range too small for the scheme's keys, as one piece */
    bool begun;    /* an earlier range was cut; the next one continues */
    bool open;     /* a range is open, and may have iterations left */
};

/* pair, with its inner scheme, and the costs of the whole loop stay the
 * caller's; `whole` has all workers of the launch.  Returns 0, -EINVAL (the
 * inner scheme refuses any loop) or another -errno. */
int range_open(struct range *range, const struct sched_pair *pair,
               const struct sched_loop *whole, int64_t min_chunk,
               const struct tree *tree, int master, struct error *err);
void range_close(struct range *range);

/* Begins to cut this chunk; drops the rest of an earlier one.  A scheme that
 * learns keeps its knowledge from earlier ranges.  A range that is too small
 * for the scheme's keys (tss:last=) stays one piece. */
void range_begin(struct range *range, const struct chunk *whole);

/* Drops the range before a repetition. remember: the first range uses the
 * knowledge from the previous repetition. */
void range_drop(struct range *range, bool remember);

/* Whether the range has iterations left. */
bool range_left(const struct range *range);

/* The next chunk for a unit; false: none is left for any unit.  Chunks that the
 * scheme reserves for a unit (static, wcss) go to that unit first, and later to
 * idle ones. */
bool range_next(struct range *range, int unit, struct chunk *chunk);

#endif
