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

/* What a measurement may request of a transport, in the order of checks. */
enum transport_ask {
    TRANSPORT_SCHEDULE, /* OpenMP schedules instead of schemes */
    TRANSPORT_SCHEME,
    TRANSPORT_SIMULATION,
    TRANSPORT_ONE_RANK,
    TRANSPORT_RANKS,
    TRANSPORT_INDEPENDENT, /* protocol parallel */
    TRANSPORT_DEPENDENT,   /* protocols dmps and subproblem */
    TRANSPORT_PLAN,        /* protocol push */
    TRANSPORT_THREADS,     /* several threads in a rank */
    TRANSPORT_NODE,        /* hierarchy: one pool for each rank */
    TRANSPORT_MASTERS,     /* hierarchy: masters below the supermaster */
    TRANSPORT_TWO,         /* two schemes */
    TRANSPORT_RESERVING,   /* schemes that reserve chunks for one worker */
    TRANSPORT_LEARNING,    /* schemes that learn from the times of chunks */
    TRANSPORT_COSTS,       /* schemes that need costs or have an order */
    TRANSPORT_MIN_CHUNK,
    TRANSPORT_COLLECT, /* in the end a master has the results */
    TRANSPORT_DATA,    /* input data are sent to the workers */
    TRANSPORT_REISSUE, /* chunks are handed out again */
    TRANSPORT_ASKS
};

/* Each request in the words of the command line. */
extern const char *const transport_asks[TRANSPORT_ASKS];

/* The masters that hand out chunks, in the tree of harness/hierarchy/tree.h. */
enum transport_tree {
    TRANSPORT_BY_RANK,   /* masters divide the ranks */
    TRANSPORT_BY_THREAD, /* one rank: masters divide its threads */
    TRANSPORT_NO_MASTER,
};

/* A value of the cell field that only this transport has. */
struct transport_choice {
    const char *name;
    const char *refuses[TRANSPORT_ASKS]; /* the value's refusals, in addition to
                                            the transport's */
};

/* A number that a transport reports for each worker, besides its times. */
struct transport_fact {
    const char *name, *unit, *help;
};

enum { TRANSPORT_FIELDS = 4, TRANSPORT_CHOICES = 4, TRANSPORT_FACTS = 4 };

/* Refusals that most transports share. */
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
    const char *of; /* cells name that transport, and this one replaces it for
                       some requests; NULL: cells name this one */
    const char *summary;
    /* The reason why it refuses the request, as a predicate ("has no masters");
     * NULL: accepted. */
    const char *refuses[TRANSPORT_ASKS];
    const char *fields[TRANSPORT_FIELDS]; /* cell fields that apply under it,
                                             but not under all others */
    /* The field that only it has, and the values, the default first. */
    const char *field;
    struct transport_choice choice[TRANSPORT_CHOICES];
    struct transport_fact fact[TRANSPORT_FACTS];
    enum transport_tree tree;
    int64_t iterations_max; /* of a loop; 0: any */
    bool unordered;         /* chunks may run in any order */
    bool counts_ahead; /* prefetch through a counter in memory, for flat loops
                          with independent iterations */
    bool all_poll; /* every rank polls while it computes, not only masters */
    bool sites;    /* it needs the workers' sites */
    bool replays;  /* harness/replay can predict its costs */
};

struct transport_ops;

/* Why a transport with this value of its extra field (NULL: any) refuses the
 * request; NULL: it accepts. */
const char *transport_refuses(const struct transport_ops *ops,
                              const char *choice, enum transport_ask ask);

/* Whether a cell field applies under this transport. */
bool transport_has_field(const struct transport_ops *ops, const char *field);

/* ---- the loop that it gets ---- */

/* The location of a worker; equal numbers mean the same unit, -1: not known. */
struct site {
    uint64_t node;
    int32_t socket, cache; /* the outermost cache of its core */
};

struct sched_pair;
struct push_chunk;
struct push_replan;
struct openmp_schedule;

/* Results stay where they were computed; are sent to a master; are sent, and a
 * request is answered after its results arrived; or are sent only to masters of
 * other hosts, because the ranks of a host share the output memory. */
enum transport_results {
    TRANSPORT_RESULTS_STAY,
    TRANSPORT_RESULTS_TRAVEL,
    TRANSPORT_RESULTS_FIRST,
    TRANSPORT_RESULTS_SHARED
};

/* Costs of iterations: for schemes that need them, and to find short chunks. */
struct transport_cost {
    const double *before; /* sums before iteration i, in any unit, iterations +
                             1 entries; NULL: unknown */
    bool changes;         /* the numbers change at each rewind */
    struct source_took took;
};

struct transport_plan {
    const struct push_chunk *list;
    int64_t count;
    const struct push_replan *replan; /* data for replanned rounds; NULL: follow
                                         the list */
};

/* The loop to hand out.  All pointers stay the caller's and outlive the
 * transport. 0 or NULL: not requested. */
struct transport_setup {
    const struct comm *comm;
    const struct tree *tree;
    struct engine_patience patience;
    int64_t iterations, min_chunk;
    const struct sched_pair *scheme;        /* one scheme or two */
    const struct openmp_schedule *schedule; /* instead of a scheme */
    struct transport_plan plan;             /* instead of a scheme */
    const char *choice;  /* value of the transport's extra field */
    const double *power; /* of all workers, in the scheme's unit; NULL: equal */
    struct transport_cost cost;
    const double *available; /* 0: the worker takes no part; NULL: all do */
    const struct site *site; /* of all workers; NULL: unknown */
    uint64_t seed;
    double iteration_s; /* mean time of an iteration; 0: unknown */
    double tick_s;      /* see engine_tick_since */
    bool keeps;         /* a scheme's knowledge lasts for the next repetition */
    bool prefetch;      /* requests the next chunk early; for a plan: overlap */
    enum transport_results collect;
    double reissue; /* hands chunks out again after this many times their
                       expected time; 0: never */
    /* Results of the whole loop: the memory of this rank (or its host), and the
     * memory in which a master collects them; may be the same. */
    char *output, *inbox;
    size_t output_bytes;       /* of an iteration */
    const struct input *input; /* sent with every chunk; NULL: none */
    void *team;                /* for transports with a team: the workers are
                                  its threads */
};

/* ---- the functions of a transport ---- */

struct transport;
struct reissue;

/* The transport's own threads, which replace the launch's. */
struct transport_team {
    /* choice: value of the transport's extra field.  Returns 0 or -errno. */
    int (*open)(void **team, const char *choice, int threads,
                struct error *err);
    void (*close)(void *team);
    /* Runs body(thread, arg) on each thread; the caller is thread 0. */
    void (*fork)(void *team, int threads, void (*body)(int thread, void *arg),
                 void *arg);
    /* Identifies it among others of its name, for the manifest: calls `tell`
     * for each text.  Returns 0 or -errno: not available here. */
    int (*identify)(const char *choice,
                    void (*tell)(void *arg, const char *name, const char *text),
                    void *arg, struct error *err);
};

struct transport_traffic {
    int64_t messages, bytes;
};

/* `shared` is the part common to all ranks of a process (natively one rank, in
 * simulation all); `end` is the part of one rank.  A NULL function does or
 * reports nothing. */
struct transport_ops {
    const struct transport_rules *rules;
    const struct transport_team *team; /* NULL: the launch's threads */

    /* Once in a process.  Returns 0 or -errno; ranks have not agreed. */
    int (*share)(const struct transport_setup *setup, void **shared,
                 struct error *err);
    void (*unshare)(void *shared);
    /* Before a repetition or, with further_step, before the next time step,
     * with its costs set.  Returns 0 or, if costs change, -ENOMEM. */
    int (*rewind)(void *shared, bool further_step);

    /* Every rank opens its part, collectively; after an error the function
     * frees that part.  Returns 0 or -errno. */
    int (*open)(const struct transport *transport, const struct comm *comm,
                void **end, struct error *err);
    void (*close)(void *end);
    /* After rewind: all sources start anew.  Then thread 0 of the rank listens
     * to requests; a barrier follows. */
    void (*reset)(void *end, bool further_step);
    void (*listen)(void *end);
    /* The source of worker i of this rank. */
    struct source *(*source)(void *end, int i);
    /* Whether thread 0 must make progress on messages while it computes, asked
     * once after open; poll makes it: returns whether there were any. */
    bool (*polls)(const void *end);
    bool (*poll)(void *end);
    /* In simulation, for thread 0 when it waits for its own message: blocks
     * until that is complete (then null), or a request was served. */
    void (*serve)(void *end, MPI_Request *other, MPI_Status *status);
    /* By each worker when it has left the loop; then `finish` by thread 0,
     * until this rank has nothing to send and no worker to serve. */
    void (*leave)(void *end);
    void (*finish)(void *end);

    /* Its messages since the reset. */
    struct transport_traffic (*traffic)(const void *end);
    /* keeps: whether a worker of this rank keeps its results (NULL: yes).
     * collected: iterates over others' results collected here, from *cursor =
     * 0; false: no more. */
    bool (*keeps)(const void *end, int worker);
    bool (*collected)(const void *end, int64_t *cursor, int64_t *start,
                      int64_t *size);
    /* After results were verified: overwrites their received copies. */
    void (*poison)(void *end, int byte);
    /* Where worker i of this rank computes (NULL: in the setup's output); and
     * the input of its chunk, from iteration *first on. */
    char *(*output)(const void *end, int i);
    const char *(*data)(const void *end, int i, int64_t *first);
    /* is_over: with reissued chunks, whether all results are known to be in
     * place; under stealing, whether no rank has work left. ledger: with
     * reissued chunks the ledger, otherwise NULL. */
    bool (*is_over)(void *end);
    struct reissue *(*ledger)(void *shared);
    /* The facts of worker i of this rank since the reset, as in the rules. */
    void (*facts)(const void *end, int i, int64_t value[TRANSPORT_FACTS]);
    /* The effective value of the extra field; NULL: the given one. */
    const char *(*chosen)(const void *end);
    /* Whether workers can register their powers with a master. one_host: all
     * ranks are on one.  NULL: yes. */
    bool (*registers)(const char *choice, bool one_host);
    /* The worker whose static share contains an iteration. */
    int (*home)(const void *shared, int64_t iteration);
    /* In simulation: what worker i of this rank is charged for a chunk.
     * ENGINE_COSTS: its messages are charged instead.  NULL: ENGINE_OWN. */
    enum engine_cost (*cost)(const void *end, int i);
};

/* ---- its use ---- */

/* Open once in a process, before the ranks' parts. */
struct transport {
    const struct transport_ops *ops; /* NULL: not open */
    struct transport_setup setup;
    void *shared;
};

/* Returns 0 or -errno; ranks have not agreed. -ENOTSUP: it cannot hand out this
 * loop. */
int transport_open(struct transport *transport, const struct transport_ops *ops,
                   const struct transport_setup *setup, struct error *err);
void transport_close(struct transport *transport);
int transport_rewind(struct transport *transport, bool further_step);

/* The ledger of reissued chunks; NULL: not in this process.  The worker whose
 * static share contains an iteration; -1: no shares. */
struct reissue *transport_ledger(const struct transport *transport);
int transport_home(const struct transport *transport, int64_t iteration);

#endif
