/* Work stealing: no counter and no master.
 *
 * Every worker begins with its static share of the loop, by the powers if
 * given, and takes pieces from the front of its range.  A worker with an empty
 * range steals the back half of another's range: first from the threads of its
 * rank, through memory.  When all their ranges are empty, the rank asks another
 * rank by message, and its threads share the loot.
 *
 * The scheme cuts each range, share or loot, as if it were the whole loop of
 * all p workers: css:chunk=k takes k at a time, gss 1/p of the rest of the
 * range, as in affinity scheduling (Markatos and LeBlanc 1994, with k = p;
 * theirs steals 1/p, from the most loaded).
 *
 * Ranks use messages, although a range is one word that MPI_Compare_and_swap
 * could change.  To be atomic with it, the owner would also have to use MPI for
 * its range, which costs a message for each piece.  If MPI emulates remote
 * access, the victim must still enter MPI.  A waiting rank would have to poll
 * for the end.
 *
 * Ranks (steal_ranks.c).  A rank is dry when its ranges are empty.  A dry rank
 * with an idle thread asks victims, one at a time.  A victim answers between
 * two slices of its kernel, with half of its largest range or with nothing.  An
 * empty victim remembers the asking rank if it is a lifeline of that rank
 * (Saraswat et al., PPoPP 2011); those of rank r are r + 2^k, modulo the number
 * of ranks.  A rank refused by all sleeps until a lifeline has iterations again
 * and sends it half, or until the end.
 *
 * The end is found by counting: a rank has taken its share, plus its loot,
 * minus others' loot from it.  When it falls asleep, it reports the increase
 * since its last report, up a binary tree of the ranks.  A rank that is awake
 * keeps the reports from below.  Once rank 0 has counted all iterations, and a
 * first report of every rank, nothing is left and no request is open.  The end
 * then goes down the tree, as the last message to each rank. */
#ifndef HARNESS_TRANSPORT_STEAL_STEAL_H
#define HARNESS_TRANSPORT_STEAL_STEAL_H

#include "harness/engine/engine.h"
#include "harness/hierarchy/tree.h"
#include "harness/messages/mailbox.h"
#include "harness/messages/source.h"
#include "harness/transport/steal/steal_range.h"
#include "harness/transport/steal/victims.h"
#include "sched/sched.h"

/* The data common to all ranks; the ranks of a simulation share the struct. */
struct steal_loop {
    int64_t iterations, min_chunk;
    int workers;
    const struct sched_ops *scheme;
    const struct spec *spec;
    int64_t *share; /* first iteration of each worker's share, workers + 1 */
    uint64_t seed;
    bool near;               /* of each worker; NULL: unknown */
    const struct site *site; /* of each worker; NULL: not known */
    struct nearness ranks;   /* by the sites of their first workers */
    int *mail;               /* messages sent to each rank; NULL: not counted */
};

struct steal_choice {
    const struct sched_ops *scheme;
    const struct spec *spec;
    int64_t min_chunk;
    uint64_t seed;
    bool near;
    const struct site *site;
    bool one_process; /* the ranks share this memory, and count messages */
};

/* Once per process.  `loop` has the powers. choice's pointers stay the
 * caller's. -ENOTSUP: more than STEAL_ITERATIONS_MAX iterations; -EINVAL: the
 * scheme refuses the loop; -ENOMEM. */
int steal_loop_open(struct steal_loop *steal, const struct sched_loop *loop,
                    const struct tree *tree, const struct steal_choice *choice,
                    struct error *err);
void steal_loop_close(struct steal_loop *steal);

/* The worker whose share contains an iteration. */
int steal_home(const struct steal_loop *steal, int64_t iteration);

/* The transport's facts, in the order of its rules. */
enum { STEAL_TAKEN, STEAL_FAILED, STEAL_ITERATIONS };

/* Successful and failed steals since the reset. */
struct steal_tally {
    int64_t steals, failed; /* failed: the victim was empty */
    int64_t iterations;     /* stolen */
};

/* A message between ranks. */
struct steal_message {
    int32_t kind;
    int32_t from;          /* rank */
    int32_t lifeline;      /* of a request: k of the asking rank's lifeline; -1:
                              the victim is no lifeline */
    int32_t ranks;         /* of a report: number of first reports in it */
    int64_t start, number; /* iterations: loot, or reported */
};

struct steal_source;

/* A rank's messages with other ranks; used with MPI held. */
struct steal_ranks {
    struct mailbox box;
    int taken; /* number of messages taken */
    struct victims victims;
    struct victims_round round;
    uint64_t random;
    int lifelines;
    uint32_t asked_lifelines; /* in this round */
    uint32_t waiting;         /* bit k: rank - 2^k sleeps */
    bool asked, asleep;
    int64_t received, given; /* iterations */
    int64_t reported;
    bool reported_once;
    int64_t below; /* reports from below, not yet passed on */
    int32_t below_ranks;
    int64_t counted; /* rank 0: reported by all */
    int32_t counted_ranks;
    struct steal_tally tally; /* steals by message */
};

/* The part of one rank. */
struct steal {
    const struct steal_loop *loop;
    const struct comm *comm;
    struct engine_patience patience;
    int first_worker, workers; /* of this rank */
    struct steal_source **source;
    struct nearness threads;
    char *scheme_memory; /* of all workers */

    /* One for each worker, then `slots` for loot from other ranks. */
    struct steal_range *range;
    int slots;
    /* Non-empty ranges, plus thieves that carry loot.  At 0 nothing is left in
     * this rank, and work can only come by message. */
    _Alignas(128) _Atomic int loaded;
    _Atomic int idle;          /* threads that wait for work */
    _Atomic int working;       /* threads still in the loop */
    struct engine_event moved; /* new work, or the end */
    _Atomic bool ended;        /* nothing is left in any rank */
    struct steal_ranks ranks;
};

/* Every rank calls it; loop, comm and tree stay the caller's.  Returns 0 or
 * -ENOMEM. */
int steal_open(struct steal *steal, const struct steal_loop *loop,
               const struct comm *comm, const struct tree *tree,
               const struct engine_patience *patience, struct error *err);
void steal_close(struct steal *steal);

/* Before a repetition, and then each of its sources; a barrier must follow. */
void steal_reset(struct steal *steal);

/* After that, by thread 0 of the rank: receives messages from now on. */
void steal_listen(struct steal *steal);

/* Whether thread 0 must make progress on messages while it computes. steal_poll
 * makes it and returns whether messages came. */
bool steal_polls(const struct steal *steal);
bool steal_poll(struct steal *steal);

/* By each worker when it has left the loop; others take its remaining range. */
void steal_leave(struct steal *steal);

/* By thread 0 after the loop: waits until its messages are sent. */
void steal_finish(struct steal *steal);

/* A worker's source. */
struct steal_source {
    struct source base;
    struct steal *steal;
    struct steal_range *range;
    int64_t fixed; /* size of all pieces, 0: the scheme decides */
    struct sched sched;
    void *memory; /* the scheme's */
    struct victims victims;
    uint64_t random;
    struct steal_tally tally; /* steals in memory */
};

/* Begins with the worker's share. */
void steal_source_open(struct steal_source *source, struct steal *steal,
                       int worker);

/* A worker's steals; those by message count for the rank's first worker. */
struct steal_tally steal_tally(const struct steal *steal, int worker);

#endif
