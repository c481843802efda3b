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

/* The keys of the options' text after those of every loop. */
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

/* rma: at its end rank 0 waits for the others, which may need it.  Some ranks
 * come before dls_again counts the remaining iterations, some after.  A
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
    int level; /* of threads, MPI's */

    struct sched_pair pair;
    struct spec text; /* of the options */
    int *count;       /* workers of every rank */
    double *power;    /* of all workers; NULL: equal */
    struct site *site;

    const struct transport_ops *ops;
    const char *choice;
    struct tree tree;
    struct engine_patience patience;
    struct transport transport;
    struct transport_end end;
    bool is_open;            /* the two */
    bool calls;              /* workers call MPI */
    bool polls;              /* others ask this rank */
    bool keeps;              /* its last worker must not leave */
    bool *ended;             /* each worker: it asks no more */
    _Atomic int active;      /* the others */
    _Atomic bool ending;     /* somebody waits until no other rank asks */
    _Atomic bool over;       /* no other rank asks */
    struct watched *watched; /* ranks_watch.c's; NULL: not watched */
    struct meeting meeting;
    struct data data;
};

static inline struct ranks *ranks_of(dls_loop *loop)
{
    return (struct ranks *)loop;
}

extern const struct loop_over ranks_over;

/* ---- ranks_setup.c ---- */

/* Whether the program says that its costs are seconds; and whether, in
 * simulation, that is the time that iterations take. */
bool ranks_is_charged(const struct ranks *ranks);
bool ranks_charge(const struct ranks *ranks);

/* Chooses transport, hierarchy and powers by the options, and builds the tree.
 * Collective only in what it asks the communicator; agreed.  Returns 0 or
 * -errno. */
int ranks_choose(struct ranks *ranks);

/* As chosen; the master's work is NULL where there is none. */
const char *ranks_hierarchy(const struct ranks *ranks);
const char *ranks_master(const struct ranks *ranks);

/* How its threads wait, with so many that compute on this host. */
void ranks_set_patience(struct ranks *ranks, long busy);

/* ---- ranks_next.c ---- */

/* Collective: the loop of loop.iterations begins, for the first time or again;
 * agreed.  Returns 0 or -errno. */
int ranks_begin(struct ranks *ranks, bool again);

/* Collective, where it is open: no rank hands out any more. */
void ranks_stop(struct ranks *ranks);

int ranks_next(dls_loop *loop, int worker, struct chunk *chunk);
void ranks_pass(dls_loop *loop, int worker);
int ranks_leave(dls_loop *loop, int worker);

/* An error of one of several threads.  Returns -code. */
int ranks_refuse(struct ranks *ranks, int code, const char *why);

/* Serves others once, if they ask this rank. */
void ranks_serve(void *ranks);

/* All workers of this rank ask no more, and no other rank asks it. */
void ranks_end(struct ranks *ranks);

/* ---- ranks_report.c ---- */

/* Collective and agreed, as all of it: nothing without DLS_REPORT; then what
 * the functions of dls/loop_report.h of like names do. */
int ranks_report_open(struct ranks *ranks, const char *name);
int ranks_report_step(struct ranks *ranks);
int ranks_report_done(struct ranks *ranks);

/* ---- ranks_watch.c ---- */

/* From here on an end of the process, or of MPI, is reported while the loop is
 * open; no more. */
void ranks_watch(struct ranks *ranks);
void ranks_unwatch(struct ranks *ranks);

/* ---- ranks_end.c ---- */

/* Frees the parts that a loop over ranks alone has; collective, unless MPI has
 * failed. */
void ranks_release(struct ranks *ranks);

/* Counts the unfinished iterations in all ranks, and refuses the call if there
 * are any: 0, or the error of the handle.  Collective: this rank serves others
 * while it waits. */
int ranks_check_finished(struct ranks *ranks);

/* MPI has failed: the error of the handle.  Returns -EIO. */
int ranks_failed(struct ranks *ranks);

#endif
