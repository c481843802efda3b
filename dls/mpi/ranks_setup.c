/* Chooses what hands out a loop over ranks: transport, hierarchy and threads,
 * by the options and the transports' rules. */
#include "dls/mpi/ranks_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct spec_param ranks_option_params[] = {
    OPTION_PARAMS,
    PARAM_WORD("transport", "auto", "auto|shared|window|master|steal",
               "how chunks come to the ranks"),
    PARAM_WORD("window", "auto", "auto|shared|rma",
               "memory of the host, or remote memory access"),
    PARAM_TEXT("hierarchy", NULL, "levels of masters"),
    PARAM_WORD("master", "computing", "computing|dedicated",
               "whether masters have workers in their ranks"),
    PARAM_WORD("victim", "random", "random|near", "who is robbed"),
    PARAM_WORD("input", "auto", "auto|shared|rma",
               "memory of the host, or remote memory access"),
    PARAM_WORD("charge", "none", "none|costs",
               "under SimGrid: the costs are seconds that pass"),
    {0}};

#define TRANSPORT(name)                                                        \
    extern const struct transport_ops transport_##name##_ops;
#include "dls/mpi/ranks_transports.def"
#undef TRANSPORT

static const struct transport_ops *const transports[] = {
#define TRANSPORT(name) &transport_##name##_ops,
#include "dls/mpi/ranks_transports.def"
#undef TRANSPORT
};

static const char *option_text(const struct ranks *ranks, int which)
{
    return ranks->text.value[which].text;
}

static bool is_text(const char *text, const char *other)
{
    return strcmp(text, other) == 0;
}

bool ranks_is_charged(const struct ranks *ranks)
{
    return is_text(option_text(ranks, OPTION_CHARGE), "costs");
}

bool ranks_charge(const struct ranks *ranks)
{
    return engine_simulated && ranks->loop.cost != NULL &&
           ranks_is_charged(ranks);
}

/* ---- which ---- */

/* By default one rank uses a shared counter, several ranks a window: in shared
 * memory on one host, by RMA across hosts. */
static void choose_transport(struct ranks *ranks)
{
    const char *name = option_text(ranks, OPTION_TRANSPORT);
    if (is_text(name, "auto"))
        name = ranks->comm.ranks == 1 ? "shared" : "window";
    for (size_t i = 0; i < sizeof(transports) / sizeof(*transports); i++)
        if (is_text(transports[i]->rules->name, name))
            ranks->ops = transports[i];
    const char *field = ranks->ops->rules->field;
    if (field != NULL && is_text(field, "victim"))
        ranks->choice = option_text(ranks, OPTION_VICTIM);
    if (field == NULL || !is_text(field, "window"))
        return;
    ranks->choice = option_text(ranks, OPTION_WINDOW);
    if (is_text(ranks->choice, "auto"))
        ranks->choice = ranks->comm.one_host ? "shared" : "rma";
}

static bool uses_rma(const struct ranks *ranks)
{
    return ranks->choice != NULL && is_text(ranks->choice, "rma");
}

/* Across hosts the threads of a rank share one message. */
const char *ranks_hierarchy(const struct ranks *ranks)
{
    const struct spec_value *given = &ranks->text.value[OPTION_HIERARCHY];
    if (given->given)
        return given->text;
    return uses_rma(ranks) && !ranks->comm.one_host ? "node" : "flat";
}

/* ---- requests that the transport refuses ---- */

static bool asks_for(const struct ranks *ranks, const struct hierarchy *h,
                     enum transport_ask ask)
{
    const struct sched_pair *pair = &ranks->pair;
    switch (ask) {
    case TRANSPORT_SCHEME:
    case TRANSPORT_INDEPENDENT:
        return true;
    case TRANSPORT_ONE_RANK:
        return ranks->comm.ranks == 1;
    case TRANSPORT_RANKS:
        return ranks->comm.ranks > 1;
    case TRANSPORT_NODE:
        return h->node;
    case TRANSPORT_MASTERS:
        return h->levels > 0;
    case TRANSPORT_TWO:
        return pair->inner != NULL;
    case TRANSPORT_RESERVING:
        return (sched_flags(pair->outer, &pair->outer_spec) &
                (SCHED_BY_POWER | SCHED_PRIMED)) != 0;
    case TRANSPORT_COSTS:
        return (sched_flags(pair->outer, &pair->outer_spec) &
                SCHED_NEEDS_COST) != 0;
    case TRANSPORT_LEARNING:
        return pair->outer->feedback != NULL;
    case TRANSPORT_MIN_CHUNK:
        return ranks->loop.min_chunk > 1;
    default:
        return false;
    }
}

/* The size may depend on the asking worker, and one worker alone cuts a range
 * there. */
static int check_own(struct ranks *ranks)
{
    bool made = ranks->pair.outer->made != NULL;
    if (!made || transport_refuses(ranks->ops, ranks->choice,
                                   TRANSPORT_RESERVING) == NULL)
        return 0;
    return error_set(&ranks->loop.error, ENOTSUP,
                     "dls: scheme %s of the program: transport %s only cuts "
                     "each worker's static share by a scheme, use another "
                     "transport",
                     ranks->pair.outer->name, ranks->ops->rules->name);
}

static int check_rules(struct ranks *ranks, const struct hierarchy *h)
{
    const struct transport_rules *rules = ranks->ops->rules;
    for (int ask = 0; ask < TRANSPORT_ASKS; ask++) {
        const char *why = transport_refuses(ranks->ops, ranks->choice, ask);
        if (why != NULL && asks_for(ranks, h, ask))
            return error_set(&ranks->loop.error, ENOTSUP,
                             "dls: %s: transport %s %s", transport_asks[ask],
                             rules->name, why);
    }
    if (ranks->pair.inner != NULL && h->levels == 0 && !h->node)
        return error_set(&ranks->loop.error, ENOTSUP,
                         "dls: scheme %s: two schemes need masters between "
                         "them, as with hierarchy=node",
                         ranks->pair.canonical);
    if (rules->iterations_max > 0 &&
        ranks->loop.iterations > rules->iterations_max)
        return error_set(&ranks->loop.error, ENOTSUP,
                         "dls: transport %s is for loops of up to %lld "
                         "iterations, this one has %lld",
                         rules->name, (long long)rules->iterations_max,
                         (long long)ranks->loop.iterations);
    return 0;
}

/* ---- the tree ---- */

const char *ranks_master(const struct ranks *ranks)
{
    return transport_has_field(ranks->ops, "master")
               ? option_text(ranks, OPTION_MASTER)
               : NULL;
}

static bool is_dedicated(const struct ranks *ranks)
{
    const char *master = ranks_master(ranks);
    return master != NULL && is_text(master, "dedicated");
}

/* Every master has a rank, and dedicated ones leave some to the workers. */
static int check_room(struct ranks *ranks, const struct hierarchy *h)
{
    bool threads = ranks->ops->rules->tree == TRANSPORT_BY_THREAD;
    long units = threads ? ranks->count[0] : ranks->comm.ranks;
    long need = hierarchy_leaves(h);
    if (is_dedicated(ranks))
        need += hierarchy_masters(h);
    if (need <= units)
        return 0;
    return error_set(&ranks->loop.error, ENOTSUP,
                     "dls: hierarchy %s needs %ld %s, there are %ld",
                     ranks_hierarchy(ranks), need,
                     threads ? "workers" : "ranks", units);
}

static int check_dedicated(struct ranks *ranks)
{
    const struct tree *tree = &ranks->tree;
    for (int r = 0; r < ranks->comm.ranks; r++)
        if (tree->rank_worker[r + 1] - tree->rank_worker[r] != ranks->count[r])
            return error_set(&ranks->loop.error, EINVAL,
                             "dls: rank %d is that of a dedicated master and "
                             "must have 0 workers",
                             r);
    return 0;
}

static int build_tree(struct ranks *ranks, const struct hierarchy *h)
{
    const struct transport_rules *rules = ranks->ops->rules;
    const struct tree_shape shape = {
        .hierarchy = *h,
        .ranks = ranks->comm.ranks,
        .rank_threads = ranks->count,
        .by_thread = rules->tree == TRANSPORT_BY_THREAD,
        .no_master = rules->tree == TRANSPORT_NO_MASTER,
        .dedicated = is_dedicated(ranks)};
    int code = tree_build(&ranks->tree, &shape, &ranks->loop.error);
    return code != 0 ? code : check_dedicated(ranks);
}

/* ---- threads ---- */

static int refuse_threads(struct ranks *ranks, const char *level,
                          const char *instead)
{
    return error_set(&ranks->loop.error, ENOTSUP,
                     "dls: %d workers of a rank under transport %s call MPI, "
                     "and its level is %s: %s",
                     ranks->loop.workers, ranks->ops->rules->name, level,
                     instead);
}

/* Follows MPI's levels of threads.  SERIALIZED needs the program's lock; below
 * it, several workers need a pool, from which they get chunks without MPI. */
static int check_threads(struct ranks *ranks, const struct hierarchy *h)
{
    struct comm *comm = &ranks->comm;
    bool several = ranks->loop.workers > 1;
    bool pools = h->node && transport_has_field(ranks->ops, "master");
    MPI_Query_thread(&ranks->level);
    if (!ranks->calls || engine_simulated)
        return 0;
    if (ranks->mutex != NULL)
        comm->mpi = &ranks->mutex->lock;
    comm->threaded = several || ranks->mutex != NULL;
    comm->funneled = ranks->level < MPI_THREAD_SERIALIZED;
    if (ranks->level == MPI_THREAD_SERIALIZED && several && !ranks->mutex)
        return refuse_threads(ranks, "MPI_THREAD_SERIALIZED",
                              "give dls_mpi_options.mutex");
    if (comm->funneled && several && ranks->data.remote)
        return refuse_threads(ranks, "MPI_THREAD_FUNNELED or less",
                              "each gets its input itself");
    if (comm->funneled && several && !pools)
        return refuse_threads(ranks, "MPI_THREAD_FUNNELED or less",
                              "use transport=master,hierarchy=node, or "
                              "window=shared");
    return 0;
}

/* ---- waiting ---- */

/* Hosts are known by the lowest of their ranks. */
static int share_hosts(struct ranks *ranks, uint64_t *host)
{
    struct comm *comm = &ranks->comm;
    int leader = comm->rank;
    comm_check(comm, MPI_Bcast(&leader, 1, MPI_INT, 0, comm->host));
    comm_share_u64(comm, (uint64_t)leader, host);
    return comm_failed(comm) ? ranks_failed(ranks) : 0;
}

/* On a crowded host a waiting thread must free its core for another worker. */
void ranks_set_patience(struct ranks *ranks, long busy)
{
    bool crowded = busy > sysconf(_SC_NPROCESSORS_ONLN);
    if (crowded)
        ranks->comm.patience.spin_s = 0;
    ranks->patience =
        (struct engine_patience){.spin_s = ranks->comm.patience.spin_s,
                                 .nap_ns = crowded ? 0 : ENGINE_SHORT_NAP_NS};
}

static int place_workers(struct ranks *ranks)
{
    struct error *err = &ranks->loop.error;
    const struct comm *comm = &ranks->comm;
    uint64_t *host = calloc((size_t)comm->ranks, sizeof(*host));
    ranks->site = calloc((size_t)ranks->tree.workers, sizeof(*ranks->site));
    int code = host != NULL && ranks->site != NULL
                   ? 0
                   : error_set(err, ENOMEM, "dls: out of memory");
    code = comm_agree(comm, code, err);
    if (code == 0)
        code = share_hosts(ranks, host);
    long busy = 0;
    for (int r = 0; code == 0 && r < comm->ranks; r++)
        if (host[r] == host[comm->rank])
            busy += ranks->count[r] > 0 ? ranks->count[r] : 1;
    if (code == 0)
        ranks_set_patience(ranks, busy);
    for (int w = 0; code == 0 && w < ranks->tree.workers; w++)
        ranks->site[w] =
            (struct site){host[ranks->tree.worker_rank[w]], -1, -1};
    free(host);
    return code;
}

/* The steps up to the agreement only compute and check, so one agreement covers
 * the errors of all of them. */
int ranks_choose(struct ranks *ranks)
{
    struct error *err = &ranks->loop.error;
    struct hierarchy h;
    choose_transport(ranks);
    int code = hierarchy_parse(ranks_hierarchy(ranks), &h, err);
    if (code == 0)
        code = check_own(ranks);
    if (code == 0)
        code = check_rules(ranks, &h);
    if (code == 0)
        code = check_room(ranks, &h);
    if (code == 0)
        code = build_tree(ranks, &h);
    if (code == 0)
        code = data_choose(ranks);
    ranks->meeting.needed =
        !engine_simulated && (uses_rma(ranks) || ranks->data.remote);
    ranks->calls =
        ranks->data.remote ||
        (ranks->comm.ranks > 1 &&
         !(ranks->ops->rules->tree == TRANSPORT_NO_MASTER &&
           ranks->choice != NULL && is_text(ranks->choice, "shared")));
    ranks->keeps = h.node || ranks->ops->rules->all_poll;
    if (code == 0)
        code = check_threads(ranks, &h);
    code = comm_agree(&ranks->comm, code, err);
    if (code == 0 && ranks->meeting.needed)
        comm_check(&ranks->comm,
                   MPI_Comm_dup(ranks->comm.all, &ranks->meeting.comm));
    if (code == 0 && comm_failed(&ranks->comm))
        code = ranks_failed(ranks);
    return code != 0 ? code : place_workers(ranks);
}
