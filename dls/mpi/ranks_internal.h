/* Private declarations of loops over ranks.  ranks_open.c opens loops,
 * ranks_setup.c chooses the transport, ranks_next.c hands out chunks.
 * ranks_end.c restarts and closes loops, ranks_watch.c reports loops that
 * nobody closed.  ranks_input.c and ranks_collect.c move data, ranks_report.c
 * writes measurements. */
#ifndef DLS_MPI_RANKS_INTERNAL_H
#define DLS_MPI_RANKS_INTERNAL_H

#include "dls/dls_internal.h"
#include "dls/dls_mpi.h"
#include "dls/mpi/ranks_data.h"
#include "harness/hierarchy/tree.h"
#include "harness/messages/comm.h"
#include "harness/transport/transport_end.h"
#include "sched/schemes/pair.h"

struct dls_mutex {
    _Alignas(128) struct engine_lock lock;
};

/* The further keys of the options' text in loops over ranks. */
enum {
    OPTION_TRANSPORT = OPTIONS,
    OPTION_WINDOW,
    OPTION_HIERARCHY,
    OPTION_MASTER,
    OPTION_VICTIM,
    OPTION_INPUT,
    OPTION_CHARGE
};
extern const struct spec_param ranks_option_params[];

/* rma: at the end rank 0 waits for the other ranks, which may need it.  Some
 * arrive before dls_again counts the remaining iterations, some after.  A
 * separate communicator makes that order irrelevant. */
struct meeting {
    bool needed;
    MPI_Comm comm;
    MPI_Request request;
};

/* A loop as it is allocated: the handle is its first member. */
struct ranks {
    dls_loop loop;
    struct comm comm;
    struct dls_mutex *mutex;
    int level; /* MPI's level of threads */

    struct sched_pair pair;
    struct spec text; /* the options' text */
    int *count;       /* workers of each rank */
    double *power;    /* of all workers; NULL: equal */
    struct site *site;

    const struct transport_ops *ops;
    const char *choice;
    struct tree tree;
    struct engine_patience patience;
    struct transport transport;
    struct transport_end end;
    bool is_open;            /* transport and end */
    bool calls;              /* workers call MPI */
    bool polls;              /* other ranks ask this rank */
    bool keeps;              /* its last worker must not leave */
    bool *ended;             /* for each worker: it will not ask again */
    _Atomic int active;      /* workers that may still ask */
    _Atomic bool ending;     /* a worker waits until no other rank asks */
    _Atomic bool over;       /* no other rank asks any more */
    struct watched *watched; /* the entry of ranks_watch.c; NULL: not watched */
    struct meeting meeting;
    struct data data;
};

static inline struct ranks *ranks_of(dls_loop *loop)
{
    return (struct ranks *)loop;
}

extern const struct loop_over ranks_over;

/* ---- ranks_setup.c ---- */

/* ranks_is_charged: the program declares its costs as seconds. ranks_charge: it
 * does, and in simulation they are the iterations' time. */
bool ranks_is_charged(const struct ranks *ranks);
bool ranks_charge(const struct ranks *ranks);

/* Chooses transport, hierarchy and powers by the options, and builds the tree.
 * Collective if it asks the communicator.  Returns 0 or -errno, the same in all
 * ranks. */
int ranks_choose(struct ranks *ranks);

/* The choice as text; the master's work is NULL if there are no masters. */
const char *ranks_hierarchy(const struct ranks *ranks);
const char *ranks_master(const struct ranks *ranks);

/* Sets how this rank's threads wait if `busy` threads compute on this host. */
void ranks_set_patience(struct ranks *ranks, long busy);

/* ---- ranks_next.c ---- */

/* Collective: begins the loop of loop.iterations, for the first time or again.
 * Returns 0 or -errno, the same in all ranks. */
int ranks_begin(struct ranks *ranks, bool again);

/* Collective, if the loop is open: no rank hands out chunks any more. */
void ranks_stop(struct ranks *ranks);

int ranks_next(dls_loop *loop, int worker, struct chunk *chunk);
void ranks_pass(dls_loop *loop, int worker);
int ranks_leave(dls_loop *loop, int worker);

/* Sets the loop's error, for one of several threads.  Returns -code. */
int ranks_refuse(struct ranks *ranks, int code, const char *why);

/* Serves other ranks once, if they ask this rank. */
void ranks_serve(void *ranks);

/* No worker of this rank will ask again, and no other rank asks it. */
void ranks_end(struct ranks *ranks);

/* ---- ranks_report.c ---- */

/* Collective; all ranks get the same code.  Otherwise as the functions of
 * dls/loop_report.h of like names; nothing without DLS_REPORT. */
int ranks_report_open(struct ranks *ranks, const char *name);
int ranks_report_step(struct ranks *ranks);
int ranks_report_done(struct ranks *ranks);

/* ---- ranks_watch.c ---- */

/* From ranks_watch to ranks_unwatch, an end of the process or of MPI is
 * reported. */
void ranks_watch(struct ranks *ranks);
void ranks_unwatch(struct ranks *ranks);

/* ---- ranks_end.c ---- */

/* Frees what only a loop over ranks has; collective, unless MPI has failed. */
void ranks_release(struct ranks *ranks);

/* Counts the unfinished iterations in all ranks, and refuses the call if there
 * are any.  Returns 0 or the handle's error.  Collective: this rank serves
 * others while it waits. */
int ranks_check_finished(struct ranks *ranks);

/* Sets the error of the handle: MPI has failed.  Returns -EIO. */
int ranks_failed(struct ranks *ranks);

#endif
