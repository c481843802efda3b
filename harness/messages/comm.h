/* The communicators of a launch, and collective steps in which waiting ranks do
 * not use their cores.  A rank that polls in MPI_Barrier slows its neighbour on
 * the same core several times. */
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
    int local; /* ranks in this process, from `rank` on: 1; in simulation all */
    int host_rank, host_ranks;
    bool one_host; /* all ranks share one host */
    int lanes;   /* MPI processes of a rank: 1; in simulation one per thread */
    int posted;  /* how many receives for requests a master posts */
    int landing; /* how many receives for results it posts at a time */
    struct engine_patience patience;
    /* Within a loop one thread at a time calls MPI. */
    bool threaded;           /* several threads of this rank call MPI */
    bool funneled;           /* only the main thread calls MPI */
    struct engine_lock *mpi; /* taken around MPI when threaded */
    /* MPI's errors are returned, and the first is stored in *failed.  NULL:
     * they end the program. */
    _Atomic int *failed;
    void *block;  /* memory of the two above */
    void *shared; /* by all ranks, in simulation */
    double speed; /* of the slowest host, flop/s, in simulation */
    /* Properties of messages; all false natively, all true in simulation. */
    bool one_process; /* ranks can read each other's memory */
    bool hollow;      /* messages carry no data */
    bool late;        /* they depart when their receive is posted */
    bool moving;      /* they progress by themselves: a thread blocks until its
                         own arrives, and polling passes no time */
};

static inline void comm_begin(const struct comm *comm)
{
    if (comm->threaded)
        engine_lock(comm->mpi);
}

/* Whether this thread may call MPI at all. */
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

/* Around calls of MPI: stores an error, and returns the code. */
static inline int comm_check(const struct comm *comm, int code)
{
    int none = MPI_SUCCESS;
    if (code != MPI_SUCCESS && comm->failed != NULL)
        atomic_compare_exchange_strong(comm->failed, &none, code);
    return code;
}

/* Whether a call of MPI failed.  Then nothing may be waited for. */
static inline bool comm_failed(const struct comm *comm)
{
    return comm->failed != NULL &&
           atomic_load_explicit(comm->failed, memory_order_relaxed) !=
               MPI_SUCCESS;
}

/* The address of thread `thread` of a rank in `all`. */
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

/* Whether the request is complete; false if another thread is in MPI, and
 * always in simulation: wait for it. */
bool comm_test(const struct comm *comm, MPI_Request *request);

/* Removes complete requests from the list of *count.  In simulation, if the
 * list is long, it removes its oldest and waits for them; meanwhile the rank's
 * other threads may use the list. */
void comm_reap(const struct comm *comm, MPI_Request *list, int *count);

/* Blocks until the request is complete. */
void comm_wait(const struct comm *comm, const struct engine_patience *patience,
               MPI_Request *request);

/* Passes a moment when none of the calling thread's requests is complete.
 * Natively it idles and returns -1: test again.  In simulation, where testing
 * passes no time, it blocks until one is complete and returns its index, with
 * *status; the request is then null.  Without requests it blocks until the
 * event is woken and returns -1. */
int comm_pause(const struct comm *comm, struct engine_idle *idle,
               const struct engine_patience *patience,
               struct engine_event *event, MPI_Request *requests, int count,
               MPI_Status *status);

/* The data shared by the ranks of one process: natively each rank's `mine`; in
 * simulation rank 0's.  In a program that already has MPI the call is
 * collective. */
void *comm_common(const struct comm *comm, void *mine);

/* MPI_Init_thread and the communicators.  Returns 0 or -errno. */
int comm_open(struct comm *comm, struct error *err);
void comm_close(struct comm *comm);

/* comm_open for a program that has called MPI_Init: collective over `from`,
 * which is only duplicated.  MPI's errors are stored (comm_failed), unless
 * `from` ends the program.  Not in dlsbench-sim.  Returns 0; -ENOMEM, after
 * which it takes part in comm_agree and must be released; or -EIO with MPI's
 * text.  Ranks have not agreed. */
int comm_adopt(struct comm *comm, MPI_Comm from, struct error *err);
/* Collective, unless comm_failed: then it only frees memory. */
void comm_release(struct comm *comm);
/* MPI's text for the failure.  Returns -EIO. */
int comm_failure(const struct comm *comm, struct error *err);

/* Waits for all ranks; waiting ranks sleep. */
void comm_quiet_barrier(const struct comm *comm);
/* Waits for all ranks, polling, so that they continue close together. */
void comm_sharp_barrier(const struct comm *comm);

/* All ranks agree before they continue: if `code` is not 0 on any rank, every
 * rank returns the code and text of the lowest such rank. */
int comm_agree(const struct comm *comm, int code, struct error *err);

/* Broadcast from rank 0, gather to rank 0, sums at rank 0; all quiet. */
void comm_broadcast(const struct comm *comm, void *data, size_t bytes);
/* Broadcasts a text of any length; the other ranks get a copy to free. */
char *comm_broadcast_text(const struct comm *comm, char *text);
/* Collects `bytes` from every rank; `all` (ranks * bytes) only at rank 0. */
void comm_gather(const struct comm *comm, const void *one, void *all,
                 size_t bytes);
/* Collects any number of bytes from every rank, in rank order.  Rank 0 gets all
 * in *all (free it) and their number; other ranks get NULL.  Returns 0 or
 * -ENOMEM at rank 0. */
int comm_gather_any(const struct comm *comm, const void *one, size_t bytes,
                    void **all, size_t *total);
/* comm_gather_any for allocated memory, which the call takes over: if all ranks
 * are in one process, that memory is the result. */
int comm_gather_owned(const struct comm *comm, void *one, size_t bytes,
                      void **all, size_t *total);
/* Sums element by element, in place at rank 0. */
void comm_sum_u64(const struct comm *comm, uint64_t *values, int count);
void comm_sum_u8(const struct comm *comm, uint8_t *values, size_t count);
/* The sum over all ranks, at all ranks; calls keep_on (unless NULL) while it
 * waits for the others. */
int64_t comm_total(const struct comm *comm, int64_t value,
                   void (*keep_on)(void *arg), void *arg);
/* Whether all ranks pass the same numbers: returns the first index that
 * differs, or `count`, at all ranks. */
int comm_differing(const struct comm *comm, const uint64_t *values, int count);
/* Gives all ranks the `count[r]` numbers of every rank r, in rank order; zero
 * `all` before. */
void comm_share_f64(const struct comm *comm, const double *mine,
                    const int *count, double *all);
/* comm_combine: element by element over all ranks. comm_share: one element of
 * each rank.  At all ranks; not in dlsbench-sim. */
void comm_combine(const struct comm *comm, const void *mine, void *all,
                  int count, MPI_Datatype type, MPI_Op op);
void comm_share(const struct comm *comm, const void *one, void *all,
                MPI_Datatype type);
/* The largest value over all ranks, at all ranks. */
int comm_max_int(const struct comm *comm, int value);
/* One number of every rank, at all ranks (`all`: one per rank). */
void comm_share_u64(const struct comm *comm, uint64_t one, uint64_t *all);

/* "MPICH 4.0.2, ch4:ucx, threads serialized" */
void comm_describe(char *text, size_t size);

#endif
