/* Under two schemes (sched/schemes/pair.h) a master gets one range of
 * iterations at a time from above, as a worker would.  It cuts the range by its
 * scheme for the units below: its workers or, higher up, the masters that ask
 * it.
 *
 * Bookkeeping of one master, under that master's lock. */
#ifndef HARNESS_TRANSPORT_MASTER_RANGE_H
#define HARNESS_TRANSPORT_MASTER_RANGE_H

#include "harness/hierarchy/tree.h"
#include "sched/schemes/pair.h"

/* The units below one master.  A unit's power is the sum of its workers'. */
struct range_units {
    int count;
    int *first;    /* first worker of each, ascending */
    double *power; /* of each */
};

/* power: V of all workers; NULL: equal.  Returns 0 or -ENOMEM. */
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
    int64_t start; /* its place in the loop */
    int64_t piece; /* a range too small for the scheme's keys, as one piece */
    bool begun;    /* a range was cut, and the next one continues it */
    bool open;     /* there is a range, and something may be left of it */
};

/* pair, with its inner scheme, stays the caller's, and so do the costs of the
 * whole loop; its workers are all of the launch.  Returns 0, -EINVAL (the inner
 * scheme refuses even that) or another -errno. */
int range_open(struct range *range, const struct sched_pair *pair,
               const struct sched_loop *whole, int64_t min_chunk,
               const struct tree *tree, int master, struct error *err);
void range_close(struct range *range);

/* Cuts this chunk from now on; the rest of another is gone.  A scheme that
 * learns keeps its knowledge from the ranges before.  A range that is too small
 * for the scheme's keys (tss:last=) is one piece. */
void range_begin(struct range *range, const struct chunk *whole);

/* Nothing is open: before a repetition.  remember: its first range is cut with
 * the knowledge from the repetition before. */
void range_drop(struct range *range, bool remember);

/* Whether something is left of the range. */
bool range_left(const struct range *range);

/* The next part for a unit; false: nothing is left for anybody.  Chunks that
 * the scheme reserves for a unit (static, wcss) go to that unit first, and
 * later to idle ones. */
bool range_next(struct range *range, int unit, struct chunk *chunk);

#endif
