/* Transports: how chunks reach the workers.  A transport is a folder here whose
 * NAME_transport.c (in native/, where simulations lack it) ends in one `const
 * struct transport_ops transport_NAME_ops`, plus its line in transports.def;
 * harness/transport/registry finds it by name.  dls/mpi/ranks_transports.def
 * has those of libdls.
 *
 * Its rules are data: the requests that it supports, and the reasons against
 * the others.  The checks of cells, `dlsbench list transports`, the manual's
 * table and the tests read them, and no other code compares a transport's
 * name. */
#ifndef HARNESS_TRANSPORT_TRANSPORT_H
#define HARNESS_TRANSPORT_TRANSPORT_H

#include "base/error.h"
#include "harness/hierarchy/tree.h"
#include "harness/messages/comm.h"
#include "harness/messages/input.h"
#include "harness/messages/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the combinations that it supports ---- */

/* The possible requests of a measurement to a transport, in the order of
 * checks. */
enum transport_ask {
    TRANSPORT_SCHEDULE, /* schedules of OpenMP, in place of schemes */
    TRANSPORT_SCHEME,
    TRANSPORT_SIMULATION,
    TRANSPORT_ONE_RANK,
    TRANSPORT_RANKS,
    TRANSPORT_INDEPENDENT, /* protocol parallel */
    TRANSPORT_DEPENDENT,   /* protocols dmps and subproblem */
    TRANSPORT_PLAN,        /* protocol push */
    TRANSPORT_THREADS,     /* of a rank, several */
    TRANSPORT_NODE,        /* hierarchy: one pool for each rank */
    TRANSPORT_MASTERS,     /* hierarchy: masters below the supermaster */
    TRANSPORT_TWO,         /* two schemes */
    TRANSPORT_RESERVING,   /* schemes that keep chunks for one worker */
    TRANSPORT_LEARNING,    /* schemes that learn from the times of chunks */
    TRANSPORT_COSTS,       /* schemes with costs of iterations or an order */
    TRANSPORT_MIN_CHUNK,
    TRANSPORT_COLLECT, /* a master has the results in the end */
    TRANSPORT_DATA,    /* input data travel to the workers */
    TRANSPORT_REISSUE, /* chunks are handed out again */
    TRANSPORT_ASKS
};

/* Each in the words of the command line. */
extern const char *const transport_asks[TRANSPORT_ASKS];

/* The masters that hand out, in the tree of harness/hierarchy/tree.h. */
enum transport_tree {
    TRANSPORT_BY_RANK,   /* masters share out ranks */
    TRANSPORT_BY_THREAD, /* one rank: masters share out its threads */
    TRANSPORT_NO_MASTER,
};

/* One value of the cell field that only this transport has. */
struct transport_choice {
    const char *name;
    const char *refuses[TRANSPORT_ASKS]; /* with it, in addition to the
                                            transport's */
};

/* A transport's report of each worker, in addition to its times. */
struct transport_fact {
    const char *name, *unit, *help;
};

enum { TRANSPORT_FIELDS = 4, TRANSPORT_CHOICES = 4, TRANSPORT_FACTS = 4 };

/* Refusals of most transports. */
#define TRANSPORT_NO_SCHEDULES                                                 \
    [TRANSPORT_SCHEDULE] = "has no OpenMP schedules (ss and css are much "     \
                           "like dynamic, gss like guided)"
#define TRANSPORT_SENDS_NOTHING                                                \
    [TRANSPORT_PLAN] = "has no master that sends data by plan (two ranks or "  \
                       "more have, under transport master)",                   \
    [TRANSPORT_COLLECT] = "has no master to collect",                          \
    [TRANSPORT_DATA] = "has no master that sends data (two ranks or more "     \
                       "have, under transport master)"

struct transport_rules {
    const char *name;
    const char *of; /* the transport that cells name when this one hands out,
                       because of their requests; NULL: they name this one */
    const char *summary;
    /* Why it refuses the request, as part of a sentence whose subject is the
     * transport ("has no masters"); NULL: it does not. */
    const char *refuses[TRANSPORT_ASKS];
    const char *fields[TRANSPORT_FIELDS]; /* cell fields that apply under it and
                              not under every other */
    /* The field that it alone has, and its values, the first by default. */
    const char *field;
    struct transport_choice choice[TRANSPORT_CHOICES];
    struct transport_fact fact[TRANSPORT_FACTS];
    enum transport_tree tree;
    int64_t iterations_max; /* of a loop; 0: any */
    bool unordered;         /* chunks run in no order of the whole loop */
    bool counts_ahead; /* prefetch: by a counter in memory, of flat loops whose
                          iterations are independent */
    bool all_poll; /* every rank polls while it computes, not only masters */
    bool sites;    /* it needs the places of the workers */
    bool replays;  /* harness/replay knows what it costs */
};

struct transport_ops;

/* Why a transport with this value of its extra field (NULL: any) refuses the
 * request; NULL: it does not. */
const char *transport_refuses(const struct transport_ops *ops,
                              const char *choice, enum transport_ask ask);

/* Whether a cell field applies under this transport. */
bool transport_has_field(const struct transport_ops *ops, const char *field);

/* ---- its input ---- */

/* Where a worker is; equal numbers are the same thing, -1: not known. */
struct site {
    uint64_t node;
    int32_t socket, cache; /* the outermost cache of its core */
};

struct sched_pair;
struct push_chunk;
struct push_replan;
struct openmp_schedule;

/* Results stay where they were computed; travel to a master; travel there, and
 * who brings them is answered when they are there; or travel to masters of
 * other hosts only, because the output is memory of all ranks of a host. */
enum transport_results {
    TRANSPORT_RESULTS_STAY,
    TRANSPORT_RESULTS_TRAVEL,
    TRANSPORT_RESULTS_FIRST,
    TRANSPORT_RESULTS_SHARED
};

/* The iterations' cost: for schemes that need it, and to find short chunks. */
struct transport_cost {
    const double *before; /* iteration i, in any unit, iterations + 1 of them;
                             NULL: unknown */
    bool changes;         /* these are other numbers at each rewind */
    struct source_took took;
};

struct transport_plan {
    const struct push_chunk *list;
    int64_t count;
    const struct push_replan *replan; /* the data for replanned rounds; NULL:
                                         the list is carried out */
};

/* The loop to hand out.  All pointers stay the caller's and outlive the
 * transport; 0 or NULL means that a field is not requested. */
struct transport_setup {
    const struct comm *comm;
    const struct tree *tree;
    struct engine_patience patience;
    int64_t iterations, min_chunk;
    const struct sched_pair *scheme;        /* or two */
    const struct openmp_schedule *schedule; /* in place of a scheme */
    struct transport_plan plan;             /* in place of a scheme */
    const char *choice;  /* value of the transport's own field */
    const double *power; /* of all workers, as the scheme counts; NULL: equal */
    struct transport_cost cost;
    const double *available; /* 0: this worker takes no part; NULL: all do */
    const struct site *site; /* of all workers; NULL: not known */
    uint64_t seed;
    double iteration_s; /* mean of an iteration in a time step; 0: not known */
    double tick_s;      /* see engine_tick_since */
    bool keeps;         /* a scheme's knowledge is for the next repetition */
    bool prefetch;      /* requests go one ahead; of a plan: overlap */
    enum transport_results collect;
    double reissue; /* hands chunks out again after this many times their
                       expected time; 0: never */
    /* Results of the whole loop: this rank's copy (or its host's), and where a
     * master collects them, which may be the same. */
    char *output, *inbox;
    size_t output_bytes;       /* of an iteration */
    const struct input *input; /* travels with every chunk; NULL: none does */
    void *team;                /* whose threads the workers are, of transports
                                  that have a team */
};

/* ---- its table ---- */

struct transport;
struct reissue;

/* Threads that a transport keeps itself, in place of the launch's. */
struct transport_team {
    /* choice: value of the transport's own field.  Returns 0 or -errno. */
    int (*open)(void **team, const char *choice, int threads,
                struct error *err);
    void (*close)(void *team);
    /* Runs body(thread, arg) on each of them, the caller being thread 0. */
    void (*fork)(void *team, int threads, void (*body)(int thread, void *arg),
                 void *arg);
    /* Its identity among others of its name, for the manifest: calls tell for
     * each text.  Returns 0 or -errno: it is not available here. */
    int (*identify)(const char *choice,
                    void (*tell)(void *arg, const char *name, const char *text),
                    void *arg, struct error *err);
};

struct transport_traffic {
    int64_t messages, bytes;
};

/* `shared` is the common part of all ranks of a process (natively one rank, in
 * simulation all), `end` the part of one rank.  A NULL function does or reports
 * nothing. */
struct transport_ops {
    const struct transport_rules *rules;
    const struct transport_team *team; /* NULL: the launch's threads */

    /* Once in a process.  Returns 0 or -errno; not agreed. */
    int (*share)(const struct transport_setup *setup, void **shared,
                 struct error *err);
    void (*unshare)(void *shared);
    /* Before a repetition or, with further_step, the next time step in it, when
     * the costs are those of what follows.  Returns 0 or, where costs
     * change, -ENOMEM. */
    int (*rewind)(void *shared, bool further_step);

    /* Every rank opens an end, collectively; after an error it closes its own
     * parts.  Returns 0 or -errno. */
    int (*open)(const struct transport *transport, const struct comm *comm,
                void **end, struct error *err);
    void (*close)(void *end);
    /* After rewind; sources are new from then on.  Then thread 0 of the rank
     * itself listens to requests; a barrier follows. */
    void (*reset)(void *end, bool further_step);
    void (*listen)(void *end);
    /* Where worker i of this rank gets its chunks. */
    struct source *(*source)(void *end, int i);
    /* Whether thread 0 must let messages progress while it computes, and how:
     * returns whether there were any.  polls is asked once, after open. */
    bool (*polls)(const void *end);
    bool (*poll)(void *end);
    /* In simulation, for thread 0 when it waits for its own message: blocks
     * until that is complete, which then is null, or until a request was
     * served. */
    void (*serve)(void *end, MPI_Request *other, MPI_Status *status);
    /* By each worker when it has left the loop; by thread 0 after that, until
     * this rank has nothing left to send and no worker left to serve. */
    void (*leave)(void *end);
    void (*finish)(void *end);

    /* Its messages since the reset. */
    struct transport_traffic (*traffic)(const void *end);
    /* Whether a worker of this rank keeps its results (NULL: it does), and
     * which of others were collected here, one after the other from
     * *cursor = 0; false: no more. */
    bool (*keeps)(const void *end, int worker);
    bool (*collected)(const void *end, int64_t *cursor, int64_t *start,
                      int64_t *size);
    /* After results were verified: overwrites their received copies. */
    void (*poison)(void *end, int byte);
    /* Where worker i of this rank computes (NULL: at the setup's output); the
     * input of its chunk, which begins with iteration *first. */
    char *(*output)(const void *end, int i);
    const char *(*data)(const void *end, int i, int64_t *first);
    /* Where chunks are handed out again: whether all results are known to be
     * in place; under stealing: whether nothing is left in any rank.  And,
     * where they are handed out again, the ledger, else NULL. */
    bool (*is_over)(void *end);
    struct reissue *(*ledger)(void *shared);
    /* The facts of worker i of this rank since the reset, as in the rules. */
    void (*facts)(const void *end, int i, int64_t value[TRANSPORT_FACTS]);
    /* The effective value of its extra field; NULL: the given one. */
    const char *(*chosen)(const void *end);
    /* Whether workers can register their powers with a master; one_host: all
     * ranks are on one.  NULL: they can. */
    bool (*registers)(const char *choice, bool one_host);
    /* The worker in whose static share an iteration was. */
    int (*home)(const void *shared, int64_t iteration);
    /* In simulation: the charge of worker i of this rank for a chunk;
     * ENGINE_COSTS: its messages are charged instead.  NULL: ENGINE_OWN. */
    enum engine_cost (*cost)(const void *end, int i);
};

/* ---- how it is used ---- */

/* Once in a process, before its ends. */
struct transport {
    const struct transport_ops *ops; /* NULL: not open */
    struct transport_setup setup;
    void *shared;
};

/* Returns 0 or -errno, not agreed.  -ENOTSUP: this loop cannot be handed out
 * so. */
int transport_open(struct transport *transport, const struct transport_ops *ops,
                   const struct transport_setup *setup, struct error *err);
void transport_close(struct transport *transport);
int transport_rewind(struct transport *transport, bool further_step);

/* The ledger of reissued chunks; NULL: not in this process.  The worker in
 * whose static share an iteration was; -1: there are none. */
struct reissue *transport_ledger(const struct transport *transport);
int transport_home(const struct transport *transport, int64_t iteration);

#endif
