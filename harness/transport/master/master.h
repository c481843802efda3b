/* A master: a task pool that is filled from above and hands out chunks below
 * (Han and Chronopoulos, section IV).  The supermaster has the scheme itself
 * instead of a pool.  When the pool of a master is empty it asks for one chunk
 * for each worker below it; the chunks are served first-in first-out, except
 * that a primed chunk is kept for its worker.  Under two schemes a master below
 * the supermaster asks for one range and cuts that itself.
 *
 * Pure bookkeeping under its own lock: messages are the relay's. */
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
    MASTER_DONE,  /* nothing left for this one */
    MASTER_CHUNK, /* here it is */
    MASTER_LATER, /* asked above; ask again when something has arrived */
};

/* A window that masters ask in place of a parent. */
struct master_upstream {
    struct source **source; /* one per worker below, or one under two schemes */
    int sources;
    int primed;  /* steps below it are reserved */
    bool blocks; /* asking takes as long as a message */
    /* The scheme of the window, where it learns, with its lock and, under two
     * schemes, its workers. */
    const struct sched *scheme;
    struct engine_lock *lock;
    const struct range_units *units;
};

struct master {
    struct engine_lock lock;
    int index; /* in the tree */
    int first_worker, workers;
    /* Where chunks come from: exactly one of these, or a message to the
     * parent's rank when all are NULL. */
    struct sched *scheme;
    struct master *parent;
    const struct master_upstream *upstream;
    bool asked;            /* above, and no answer yet */
    bool exhausted;        /* nothing more will come from above */
    _Atomic bool must_ask; /* the relay has to send the question */
    struct task_pool pool; /* the supermaster's: what was given back */
    bool *left;            /* the workers below that have left */
    /* Two schemes; NULL under one.  The supermaster has the units that the
     * outer one counts as workers (the chain's), the others the units that they
     * cut for. */
    const struct range_units *units;
    struct range *range;
    struct reports reports; /* for a scheme above that learns */
};

/* Returns 0 or -ENOMEM. */
int master_open(struct master *master, const struct tree *tree, int index);
void master_close(struct master *master);

/* After master_open, below the supermaster, under two schemes: it cuts by the
 * inner one.  Returns as range_open does; master_close frees what it took. */
int master_open_range(struct master *master, const struct tree *tree,
                      const struct sched_pair *pair,
                      const struct sched_loop *whole, int64_t min_chunk,
                      struct error *err);

/* Empties the pool before a repetition; see range_drop. */
void master_reset(struct master *master, bool remember);

/* A chunk for one worker below. */
enum master_answer master_take(struct master *master, int worker,
                               struct chunk *chunk);

/* After that, below the supermaster, where the scheme above learns: reports to
 * this master are passed on.  Returns 0 or -ENOMEM. */
int master_open_reports(struct master *master);

/* The time of a chunk below, where a scheme learns. */
void master_report(struct master *master, const struct report *report);

/* The reports to pass on with a message; `to` has room for reports_most. */
int master_take_reports(struct master *master, struct report *to);

/* The same to a parent in this process, or to a window: at the end of a loop,
 * when nothing is asked for any more. */
void master_pass_reports(struct master *master);

/* Whether its chunks come, at some level, from another rank. */
bool master_needs_messages(const struct master *master);

/* Workers below, one or a whole master's, ask no more: what is kept for them
 * goes to the others. */
void master_leave(struct master *master, int first, int workers);

/* Up to one chunk for each worker of [first, first + workers), for a child's
 * pool.  Sets *count; MASTER_CHUNK when it is above 0. */
enum master_answer master_take_batch(struct master *master, int first,
                                     int workers, struct task *tasks,
                                     int *count);

/* A worker below will soon want a chunk: asks above when the pool is empty.
 * Not when it becomes empty: chunks reserved early cannot go to another master
 * that is free first. */
void master_ask_ahead(struct master *master);

/* The chunks of a message from above; count 0: there are no more. */
void master_fill(struct master *master, const struct task *tasks, int count);

#endif
