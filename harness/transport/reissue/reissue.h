/* The ledger of a loop with reissued chunks: which chunks are out, since when
 * and to whom.  It is kept where chunks are handed out, in the one process or
 * at the master, and knows every result there.
 *
 * As in rDLB (Mohammed, Cavelan and Ciorba, rDLB: a novel approach for robust
 * dynamic load balancing of scientific applications with parallel independent
 * tasks, HPCS 2019), a chunk goes out again only when no fresh chunk is left,
 * and to an idle worker.  Unlike there, it must also be out for longer than
 * allowed.  The first result of a chunk counts; later ones are dropped.
 *
 * Bookkeeping under its own lock: no clock, no messages, no results. */
#ifndef HARNESS_TRANSPORT_REISSUE_REISSUE_H
#define HARNESS_TRANSPORT_REISSUE_REISSUE_H

#include "harness/engine/engine.h"
#include "harness/messages/source.h"
#include "sched/sched.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum reissue_answer {
    REISSUE_CHUNK, /* here it is, once more */
    REISSUE_WAIT,  /* chunks may still come back */
    REISSUE_OVER,  /* every result is in place */
};

/* One chunk of the ledger, once it is out. */
struct reissue_entry {
    struct chunk chunk;
    double due_s;   /* from then on it goes out again */
    int32_t winner; /* whose result counts; -1: none yet */
    int32_t worker; /* the first worker that got it */
    int32_t
        later; /* later workers that got it: first in the ledger's list, -1 */
    int32_t before, after; /* in the list of those without a result */
};

struct reissue_holder {
    int32_t worker, next;
};

struct reissue {
    struct engine_lock lock;
    int64_t iterations;
    int workers;
    double allowed_s, least_s; /* a chunk's time: of an iteration, at least */
    /* Takes a chunk that is kept for a worker which does not come for it;
     * NULL: there is none such. */
    bool (*reserved)(void *arg, int worker, struct chunk *chunk);
    void *arg;

    struct reissue_entry *entry;   /* in the order in which they went out */
    struct reissue_holder *holder; /* of chunks that went out again */
    int32_t *place; /* entry + 1 by first iteration; 0: not out yet */
    int32_t count, holders, holder_room;
    int32_t first;   /* without a result, -1: none */
    double began_s;  /* the first went out */
    int64_t fresh;   /* iterations that have been out */
    int64_t placed;  /* iterations whose results are in place */
    int64_t again;   /* chunks handed out again */
    int64_t dropped; /* results that came too late */
    double over_s;   /* when the last result was in place */
    _Atomic bool over;
    struct engine_event ended; /* woken then */
};

/* A chunk of n iterations is late after n * allowed_s, but not before least_s.
 * Returns 0 or -ENOMEM.  Nothing fails later: without memory to record that a
 * worker got a chunk again, that worker may get it once more. */
int reissue_open(struct reissue *ledger, int64_t iterations, int workers,
                 double allowed_s, double least_s);
void reissue_close(struct reissue *ledger);

/* Before a repetition: nothing is out. */
void reissue_reset(struct reissue *ledger);

/* A fresh chunk goes to a worker at now_s. */
void reissue_out(struct reissue *ledger, int worker, const struct chunk *chunk,
                 double now_s);

/* For a worker without fresh chunks: a chunk that is out too long and that it
 * never had; or *wait_s until there may be one. */
enum reissue_answer reissue_take(struct reissue *ledger, int worker,
                                 double now_s, struct chunk *chunk,
                                 double *wait_s);

/* A worker's result of the chunk that begins with `start` has arrived.  True:
 * it is the first; the caller puts it in its place and then calls
 * reissue_placed.  False: it is dropped. */
bool reissue_claim(struct reissue *ledger, int worker, int64_t start);
void reissue_placed(struct reissue *ledger, int64_t start, double now_s);

/* Whether a scheme that learns is to hear of this worker's chunk that begins
 * with `start`: it was handed out to this worker first, and no result of
 * another has come before. */
bool reissue_counts(struct reissue *ledger, int worker, int64_t start);

/* Whether every result is in place. */
static inline bool reissue_is_over(const struct reissue *ledger)
{
    return atomic_load_explicit(&ledger->over, memory_order_acquire);
}

/* Blocks until it is. */
void reissue_await(struct reissue *ledger,
                   const struct engine_patience *patience);

/* The workers that ever got an entry's chunk, one after the other from *cursor
 * = 0; -1: no more. */
int reissue_holder(const struct reissue *ledger,
                   const struct reissue_entry *entry, int32_t *cursor);

/* The worker whose result counts for the chunk that begins with `start`; -1:
 * none. */
int reissue_winner(const struct reissue *ledger, int64_t start);

/* A source with reissued chunks, in front of the source of a worker that shares
 * memory with the ledger (a thread of the one process, or of the master's
 * rank).
 *
 * Two workers may run the same iterations at the same time, so each computes
 * into private memory.  The request for the next chunk moves the finished one's
 * results to their place if they are the first. */

struct reissue_source {
    struct source base;
    struct source *inner;
    struct reissue *ledger;
    const char *own;     /* the worker's results, of the whole loop */
    char *output;        /* where it belongs; NULL: nothing is computed */
    size_t output_bytes; /* of an iteration */
    /* While it waits: serves others, true when there was a request; NULL: it
     * does not serve. */
    bool (*serve)(void *arg);
    void *arg;
    struct chunk current; /* size 0: none */
    bool dry;             /* the inner source is empty */
};

/* base, current and dry are set here, the rest by the caller. */
void reissue_source_open(struct reissue_source *source, int worker);

#endif
