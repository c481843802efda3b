/* A master has a task pool that is filled from above, and hands out its chunks
 * below (Han and Chronopoulos, section IV).  The supermaster has the scheme
 * instead of a pool.  A master with an empty pool asks for one chunk for each
 * worker below it.  Chunks are served first-in first-out, but a primed chunk
 * waits for its worker.  Under two schemes a master below the supermaster asks
 * for one range and cuts it itself.
 *
 * Pure bookkeeping under its own lock; the relay sends the messages. */
#ifndef HARNESS_TRANSPORT_MASTER_MASTER_H
#define HARNESS_TRANSPORT_MASTER_MASTER_H

#include "harness/engine/engine.h"
#include "harness/hierarchy/tree.h"
#include "harness/messages/source.h"
#include "harness/transport/master/chunk_report.h"
#include "harness/transport/master/range.h"
#include "harness/transport/master/task_pool.h"
#include "sched/sched.h"

#include <stdatomic.h>
#include <stdbool.h>

enum master_answer {
    MASTER_DONE,  /* nothing is left for this worker */
    MASTER_CHUNK, /* the worker gets a chunk */
    MASTER_LATER, /* asked above; ask again after the next message */
};

/* A window that masters ask instead of a parent. */
struct master_upstream {
    struct source **source; /* one per worker below, or one under two schemes */
    int sources;
    int primed;  /* steps reserved for workers below */
    bool blocks; /* asking takes as long as a message */
    /* If the window's scheme learns: the scheme, its lock and, under two
     * schemes, its workers. */
    const struct sched *scheme;
    struct engine_lock *lock;
    const struct range_units *units;
};

struct master {
    struct engine_lock lock;
    int index; /* in the tree */
    int first_worker, workers;
    /* The origin of chunks: exactly one of these, or by message the parent's
     * rank if all are NULL. */
    struct sched *scheme;
    struct master *parent;
    const struct master_upstream *upstream;
    bool asked;            /* waits for an answer from above */
    bool exhausted;        /* no more chunks will come from above */
    _Atomic bool must_ask; /* the relay has to send its request */
    struct task_pool pool; /* the supermaster's: chunks given back */
    bool *left;            /* by worker below: it has left */
    /* Two schemes; NULL under one.  The supermaster has the units that the
     * outer scheme counts as workers (the chain's), other masters the units for
     * which they cut. */
    const struct range_units *units;
    struct range *range;
    struct reports reports; /* for a scheme above that learns */
};

/* Returns 0 or -ENOMEM. */
int master_open(struct master *master, const struct tree *tree, int index);
void master_close(struct master *master);

/* After master_open, under two schemes, below the supermaster: cuts by the
 * inner scheme.  Returns as range_open does; master_close frees it. */
int master_open_range(struct master *master, const struct tree *tree,
                      const struct sched_pair *pair,
                      const struct sched_loop *whole, int64_t min_chunk,
                      struct error *err);

/* Empties the pool before a repetition; see range_drop. */
void master_reset(struct master *master, bool remember);

/* A chunk for one worker below. */
enum master_answer master_take(struct master *master, int worker,
                               struct chunk *chunk);

/* After that, below the supermaster, if the scheme above learns: the master
 * will pass on reports.  Returns 0 or -ENOMEM. */
int master_open_reports(struct master *master);

/* Adds the time of a chunk below, for a scheme that learns. */
void master_report(struct master *master, const struct report *report);

/* Takes the reports to send with a message; `to` has room for reports_most. */
int master_take_reports(struct master *master, struct report *to);

/* Passes the reports to a parent in this process, or to a window: at the end of
 * a loop, when no request follows. */
void master_pass_reports(struct master *master);

/* Whether its chunks come from another rank at some level. */
bool master_needs_messages(const struct master *master);

/* One worker below, or all of another master, asks no more: chunks reserved for
 * them go to others. */
void master_leave(struct master *master, int first, int workers);

/* Takes up to one chunk for each worker of [first, first + workers), for a
 * child's pool.  Sets *count; MASTER_CHUNK if it is above 0. */
enum master_answer master_take_batch(struct master *master, int first,
                                     int workers, struct task *tasks,
                                     int *count);

/* A worker below will soon want a chunk: asks above if the pool is empty.  Do
 * not call it when the pool becomes empty: chunks reserved early are lost to
 * masters that become idle sooner. */
void master_ask_ahead(struct master *master);

/* Adds the chunks of a message from above; count 0: no more will come. */
void master_fill(struct master *master, const struct task *tasks, int count);

#endif
