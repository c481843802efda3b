/* The ledger of a loop with reissued chunks records which chunks are out, since
 * when and to whom.  It is where chunks are handed out, in the one process or
 * at the master, and records every result there.
 *
 * As in rDLB (Mohammed, Cavelan and Ciorba, rDLB: a novel approach for robust
 * dynamic load balancing of scientific applications with parallel independent
 * tasks, HPCS 2019), a chunk goes out again only to an idle worker, if no fresh
 * chunk is left.  Unlike in rDLB, it must also be out for longer than allowed.
 * The first result of a chunk counts; later ones are dropped.
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
    REISSUE_CHUNK, /* a chunk once more */
    REISSUE_WAIT,  /* chunks are out but not late */
    REISSUE_OVER,  /* every result is in place */
};

/* A chunk in the ledger: it is or was out. */
struct reissue_entry {
    struct chunk chunk;
    double due_s;   /* time from which it goes out again */
    int32_t winner; /* the worker whose result counts; -1: none yet */
    int32_t worker; /* the first worker that got it */
    int32_t later;  /* others that got it: first in the ledger's list, -1 */
    int32_t before, after; /* in the list of chunks without a result */
};

struct reissue_holder {
    int32_t worker, next;
};

struct reissue {
    struct engine_lock lock;
    int64_t iterations;
    int workers;
    double allowed_s, least_s; /* for an iteration; for any chunk */
    /* Takes a chunk that is reserved for a worker that does not fetch it; NULL:
     * no scheme reserves. */
    bool (*reserved)(void *arg, int worker, struct chunk *chunk);
    void *arg;

    struct reissue_entry *entry;   /* in the order of handing out */
    struct reissue_holder *holder; /* workers of chunks that went out again */
    int32_t *place; /* entry + 1 by first iteration; 0: not out yet */
    int32_t count, holders, holder_room;
    int32_t first;   /* first without a result, -1: none */
    double began_s;  /* when the first chunk went out */
    int64_t fresh;   /* iterations that were handed out */
    int64_t placed;  /* iterations whose results are in place */
    int64_t again;   /* how many chunks were handed out again */
    int64_t dropped; /* results that came too late */
    double over_s;   /* when the last result was in place */
    _Atomic bool over;
    struct engine_event ended; /* woken at over_s */
};

/* A chunk of n iterations is late after n * allowed_s, but not before least_s.
 * Returns 0 or -ENOMEM.  Later calls never fail: if memory runs out, a worker
 * may get the same chunk twice. */
int reissue_open(struct reissue *ledger, int64_t iterations, int workers,
                 double allowed_s, double least_s);
void reissue_close(struct reissue *ledger);

/* Before a repetition: no chunk is out. */
void reissue_reset(struct reissue *ledger);

/* Records that a fresh chunk goes to a worker at now_s. */
void reissue_out(struct reissue *ledger, int worker, const struct chunk *chunk,
                 double now_s);

/* For a worker without fresh chunks: a late chunk that it never had; or *wait_s
 * until there may be one. */
enum reissue_answer reissue_take(struct reissue *ledger, int worker,
                                 double now_s, struct chunk *chunk,
                                 double *wait_s);

/* A worker's result of the chunk that begins with `start` has arrived.  True:
 * it is the first; put it in its place, then call reissue_placed.  False: drop
 * it. */
bool reissue_claim(struct reissue *ledger, int worker, int64_t start);
void reissue_placed(struct reissue *ledger, int64_t start, double now_s);

/* Whether a scheme learns from this worker's chunk that begins with `start`:
 * this worker got it first, and no other result came before. */
bool reissue_counts(struct reissue *ledger, int worker, int64_t start);

/* Whether every result is in place. */
static inline bool reissue_is_over(const struct reissue *ledger)
{
    return atomic_load_explicit(&ledger->over, memory_order_acquire);
}

/* Blocks until reissue_is_over. */
void reissue_await(struct reissue *ledger,
                   const struct engine_patience *patience);

/* Iterates over the workers that got an entry's chunk, from *cursor = 0; -1: no
 * more. */
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
 * into private memory.  With the request for the next chunk, the results of the
 * last one move to their place if they are the first. */

struct reissue_source {
    struct source base;
    struct source *inner;
    struct reissue *ledger;
    const char *own;     /* the worker's memory for results of the whole loop */
    char *output;        /* final place; NULL: nothing is computed */
    size_t output_bytes; /* of an iteration */
    /* Serves other ranks while it waits; true: there was a request.  NULL: it
     * does not serve. */
    bool (*serve)(void *arg);
    void *arg;
    struct chunk current; /* size 0: none */
    bool dry;             /* the inner source is empty */
};

/* Sets base, current and dry; the caller sets the rest. */
void reissue_source_open(struct reissue_source *source, int worker);

#endif
