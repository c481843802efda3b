/* The communicators of a launch, and collective steps in which waiting ranks
 * leave their cores alone.  A rank that polls in MPI_Barrier slows its
 * neighbour on the same core several times. */
#ifndef HARNESS_MESSAGES_COMM_H
#define HARNESS_MESSAGES_COMM_H

#include "base/error.h"
#include "harness/engine/engine.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct comm {
    MPI_Comm all;  /* the launch */
    MPI_Comm host; /* the ranks of this host */
    int rank, ranks;
    int held; /* ranks that live in this process, from `rank` on: 1; in
                 simulation all */
    int host_rank, host_ranks;
    bool one_host; /* all ranks share one host */
    int lanes;   /* MPI processes of a rank: 1; in simulation one per thread */
    int posted;  /* receives for requests that a master keeps posted */
    int landing; /* receives for results that it posts at a time */
    struct engine_patience patience;
    /* Inside a loop MPI is called by one thread at a time. */
    bool threaded;           /* several threads of this rank call MPI */
    bool funneled;           /* only the main thread calls MPI */
    struct engine_lock *mpi; /* taken around MPI when threaded */
    /* MPI's errors are returned and noted in *failed (the first one), instead
     * of ending the program.  NULL: they end it. */
    _Atomic int *failed;
    void *block;  /* its own memory for both */
    void *shared; /* of all ranks, in simulation */
    double speed; /* of their slowest host, flop/s, in simulation */
    /* Properties of messages; all false natively, all true in simulation. */
    bool one_process; /* the ranks see each other's memory */
    bool hollow;      /* messages bring no data */
    bool late;        /* they set out when their receive is posted */
    bool moving;      /* they move by themselves: a thread blocks until its own
                         is there, and looking for it lets no time pass */
};

static inline void comm_begin(const struct comm *comm)
{
    if (comm->threaded)
        engine_lock(comm->mpi);
}

/* Whether this thread may ask others by MPI at all. */
static inline bool comm_may(const struct comm *comm)
{
    int main = 1;
    if (comm->funneled)
        MPI_Is_thread_main(&main);
    return main != 0;
}

static inline bool comm_try(const struct comm *comm)
{
    return comm_may(comm) && (!comm->threaded || engine_trylock(comm->mpi));
}

static inline void comm_end(const struct comm *comm)
{
    if (comm->threaded)
        engine_unlock(comm->mpi);
}

/* Around calls of MPI: notes an error, and returns the code. */
static inline int comm_check(const struct comm *comm, int code)
{
    int none = MPI_SUCCESS;
    if (code != MPI_SUCCESS && comm->failed != NULL)
        atomic_compare_exchange_strong(comm->failed, &none, code);
    return code;
}

/* Whether a call of MPI went wrong.  Then nothing may be waited for. */
static inline bool comm_failed(const struct comm *comm)
{
    return comm->failed != NULL &&
           atomic_load_explicit(comm->failed, memory_order_relaxed) !=
               MPI_SUCCESS;
}

/* Where thread `thread` of a rank gets its messages in `all`. */
static inline int comm_address(const struct comm *comm, int rank, int thread)
{
    return comm->lanes == 1 ? rank : rank * comm->lanes + thread;
}

/* The calling thread's own address. */
static inline int comm_self(const struct comm *comm)
{
    int self = comm->rank;
    if (comm->lanes > 1)
        MPI_Comm_rank(comm->all, &self);
    return self;
}

/* Whether a rank is on this one's host. */
bool comm_same_host(const struct comm *comm, int rank);

/* The source of a rank's messages in a receive, for all its threads. */
static inline int comm_source(const struct comm *comm, int rank)
{
    return comm->lanes == 1 ? rank : MPI_ANY_SOURCE;
}

/* Whether the request is complete; false when another thread is at MPI, and
 * always in simulation: wait for it. */
bool comm_test(const struct comm *comm, MPI_Request *request);

/* Drops complete requests from the list of *count.  In simulation a long list
 * drops its oldest and waits for them; while it waits, the rank's other threads
 * use the list. */
void comm_reap(const struct comm *comm, MPI_Request *list, int *count);

/* Blocks until the request is complete. */
void comm_wait(const struct comm *comm, const struct engine_patience *patience,
               MPI_Request *request);

/* Passes a moment when none of the calling thread's requests was complete.
 * Natively it idles and returns -1: look again.  In simulation, where looking
 * again does not let time pass, it blocks until one is complete and returns its
 * index, with *status; the request is null from then on; without requests it
 * blocks until the event is woken and returns -1. */
int comm_pause(const struct comm *comm, struct engine_idle *idle,
               const struct engine_patience *patience,
               struct engine_event *event, MPI_Request *requests, int count,
               MPI_Status *status);

/* What ranks of one process share: natively each has its own `mine`; in
 * simulation it is rank 0's, and in a program that has MPI already the call is
 * collective. */
void *comm_common(const struct comm *comm, void *mine);

/* MPI_Init_thread and the communicators.  Returns 0 or -errno. */
int comm_open(struct comm *comm, struct error *err);
void comm_close(struct comm *comm);

/* The same for a program that has called MPI_Init: collective over `from`,
 * which is duplicated and otherwise left alone.  MPI's errors are noted
 * (comm_failed), if `from` lets it come that far.  Not in dlsbench-sim. Returns
 * 0; -ENOMEM, after which it takes part in comm_agree and is to be released; or
 * -EIO with MPI's text.  Not agreed. */
int comm_adopt(struct comm *comm, MPI_Comm from, struct error *err);
/* Collective, unless comm_failed: then memory alone is freed. */
void comm_release(struct comm *comm);
/* MPI's text for what failed.  Returns -EIO. */
int comm_failure(const struct comm *comm, struct error *err);

/* Waits for all ranks; waiting ranks sleep. */
void comm_quiet_barrier(const struct comm *comm);
/* Waits for all ranks, polling, so that they leave close together. */
void comm_sharp_barrier(const struct comm *comm);

/* All ranks agree before they continue: when `code` is not 0 on any rank, every
 * rank returns the code of the lowest such rank, with its text. */
int comm_agree(const struct comm *comm, int code, struct error *err);

/* Broadcast from rank 0, gather to rank 0, sums at rank 0; all quiet. */
void comm_broadcast(const struct comm *comm, void *data, size_t bytes);
/* Text of any length; the others get a copy to free. */
char *comm_broadcast_text(const struct comm *comm, char *text);
/* `bytes` from every rank; `all` (ranks * bytes) is used at rank 0 only. */
void comm_gather(const struct comm *comm, const void *one, void *all,
                 size_t bytes);
/* Any number of bytes from every rank, one after the other in rank order.
 * Rank 0 gets the whole in *all (free it) and its size; the others NULL.
 * Returns 0 or -ENOMEM at rank 0. */
int comm_gather_any(const struct comm *comm, const void *one, size_t bytes,
                    void **all, size_t *total);
/* The same of memory to be freed, which the call takes over: where all ranks
 * are in one process, that is the whole. */
int comm_gather_owned(const struct comm *comm, void *one, size_t bytes,
                      void **all, size_t *total);
/* Element by element at rank 0, in place there. */
void comm_sum_u64(const struct comm *comm, uint64_t *values, int count);
void comm_sum_u8(const struct comm *comm, uint8_t *values, size_t count);
/* The sum over all ranks, known to all; keep_on (NULL: nothing) is called while
 * it waits for the others. */
int64_t comm_total(const struct comm *comm, int64_t value,
                   void (*keep_on)(void *arg), void *arg);
/* Whether all ranks pass the same numbers: the index of the first that differ,
 * or `count`; known to all. */
int comm_differing(const struct comm *comm, const uint64_t *values, int count);
/* `count[r]` numbers of every rank r, known to all, one after the other; `all`
 * is zeroed before. */
void comm_share_f64(const struct comm *comm, const double *mine,
                    const int *count, double *all);
/* Element by element over all ranks, and one element of each; known to all.
 * Not in dlsbench-sim. */
void comm_combine(const struct comm *comm, const void *mine, void *all,
                  int count, MPI_Datatype type, MPI_Op op);
void comm_share(const struct comm *comm, const void *one, void *all,
                MPI_Datatype type);
/* The largest over all ranks, known to all. */
int comm_max_int(const struct comm *comm, int value);
/* One number of every rank, known to all (`all`: one per rank). */
void comm_share_u64(const struct comm *comm, uint64_t one, uint64_t *all);

/* "MPICH 4.0.2, ch4:ucx, threads serialized" */
void comm_describe(char *text, size_t size);

#endif
