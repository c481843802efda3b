/* A group is the ranks of a host with the same cpuset: they share its cores.  A
 * limit is the ranks of a host below the same control group's quota. */
#include "harness/workers/place.h"

#include "base/stamp.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Ranks of a host under the same group's quota have it together. */
static void share_quota(struct place *place, const struct comm *comm,
                        const char *host)
{
    const struct allowed *allowed = topo_allowed(place->topo);
    char text[600];
    snprintf(text, sizeof(text), "%s|%s", host, allowed->quota_file);
    comm_share_u64(comm, XXH3_64bits(text, strlen(text)), place->limit);
    comm_share(comm, &allowed->quota, place->quota, MPI_DOUBLE);
}

int place_open(struct place *place, const struct comm *comm, struct error *err)
{
    char host[256], text[600];
    *place = (struct place){.ranks = comm->ranks, .rank = comm->rank};
    int code = topo_open(&place->topo, err);
    size_t ranks = (size_t)comm->ranks;
    place->group = need_zeroed(ranks, sizeof(*place->group));
    place->cores = need_zeroed(ranks, sizeof(*place->cores));
    place->processors = need_zeroed(ranks, sizeof(*place->processors));
    place->quota = need_zeroed(ranks, sizeof(*place->quota));
    place->limit = need_zeroed(ranks, sizeof(*place->limit));
    uint64_t *both = need_zeroed(ranks, sizeof(*both));
    code = comm_agree(comm, code, err);
    if (code == 0) {
        stamp_host_name(host, sizeof(host));
        share_quota(place, comm, host);
        snprintf(text, sizeof(text), "%s|%s", host, topo_cpuset(place->topo));
        comm_share_u64(comm, XXH3_64bits(text, strlen(text)), place->group);
        comm_share_u64(comm,
                       (uint64_t)topo_cores(place->topo) << 32 |
                           (uint64_t)topo_processors(place->topo),
                       both);
        for (int rank = 0; rank < comm->ranks; rank++) {
            place->cores[rank] = (int)(both[rank] >> 32);
            place->processors[rank] = (int)(both[rank] & UINT32_MAX);
        }
    }
    free(both);
    if (code != 0)
        place_close(place);
    return code;
}

void place_close(struct place *place)
{
    if (place->topo != NULL)
        topo_close(place->topo);
    free(place->group);
    free(place->cores);
    free(place->processors);
    free(place->quota);
    free(place->limit);
    *place = (struct place){0};
}

static int rank_workers(const struct tree *tree, int rank)
{
    return tree->rank_worker[rank + 1] - tree->rank_worker[rank];
}

/* Ranks of this rank's kind (with workers, or without) before it in its
 * group. */
static int same_kind_before(const struct place *place, const struct tree *tree,
                            int rank)
{
    bool works = rank_workers(tree, rank) > 0;
    int before = 0;
    for (int r = 0; r < rank; r++)
        before += place->group[r] == place->group[rank] &&
                  (rank_workers(tree, r) > 0) == works;
    return before;
}

/* Ranks of one kind go to the domains in turns, by their number in the group.
 * Ranks without workers get slots after those of all workers. */
struct place_slot place_slot(const struct place *place, const struct tree *tree,
                             int domains, int rank, int thread)
{
    int before = 0, all = 0, seen = 0;
    int same = same_kind_before(place, tree, rank);
    struct place_slot slot = {.domain = same % domains};
    for (int r = 0; r < place->ranks; r++) {
        int workers = rank_workers(tree, r);
        if (place->group[r] != place->group[rank] || workers == 0 ||
            seen++ % domains != slot.domain)
            continue;
        all += workers;
        before += r < rank ? workers : 0;
    }
    slot.slots = all > 0 ? all : 1;
    slot.slot = rank_workers(tree, rank) == 0 ? slot.slots + same / domains
                                              : before + thread;
    return slot;
}

int place_processors(const struct place *place, const struct tree *tree,
                     const struct topo_binding *binding, int threads,
                     int *domain, int *processor, struct error *err)
{
    struct topo_room room;
    topo_room(place->topo, &room);
    int domains =
        binding->bind == TOPO_LIST ? 1 : room.domains[binding->domain];
    struct place_slot first = place_slot(place, tree, domains, place->rank, 0);
    int extra = first.slot < first.slots ? 0 : first.slot - first.slots + 1;
    int *all = need_zeroed((size_t)(first.slots + extra), sizeof(*all));
    *domain = first.domain;
    int code = topo_assign(place->topo, binding, first.domain, first.slots,
                           extra, all, err);
    for (int t = 0; code == 0 && t < threads; t++)
        processor[t] = all[first.slot + t];
    free(all);
    return code;
}

/* Workers of all ranks under this rank's quota, and with `masters` the ranks
 * without workers. */
static int count_under(const struct place *place, const struct tree *tree,
                       int rank, bool masters)
{
    int threads = 0;
    for (int r = 0; r < place->ranks; r++) {
        int workers = rank_workers(tree, r);
        if (place->limit[r] == place->limit[rank])
            threads += workers > 0 ? workers : masters;
    }
    return threads;
}

/* Whether workers and masters have more threads than their quota has cores. */
static bool is_limited(const struct place *place, const struct tree *tree,
                       int rank)
{
    return count_under(place, tree, rank, true) > place->quota[rank];
}

/* Whether a rank's group has more workers and masters than cores. */
static bool group_crowded(const struct place *place, const struct tree *tree,
                          int rank, bool smt)
{
    int threads = 0;
    for (int r = 0; r < place->ranks; r++) {
        int workers = rank_workers(tree, r);
        if (place->group[r] == place->group[rank])
            threads += workers > 0 ? workers : 1;
    }
    return threads > (smt ? place->processors : place->cores)[rank];
}

bool place_crowded(const struct place *place, const struct tree *tree, bool smt)
{
    return group_crowded(place, tree, place->rank, smt) ||
           is_limited(place, tree, place->rank);
}

bool place_ranks_crowded(const struct place *place)
{
    int ranks = 0, limited = 0, own = place->rank;
    for (int r = 0; r < place->ranks; r++) {
        ranks += place->group[r] == place->group[own];
        limited += place->limit[r] == place->limit[own];
    }
    return ranks > place->cores[own] || limited > place->quota[own];
}

struct use {
    uint64_t machine;
    int unit, worker; /* unit: its core, or its processor */
};

static int compare_uses(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->machine != y->machine)
        return x->machine < y->machine ? -1 : 1;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return (x->worker > y->worker) - (x->worker < y->worker);
}

/* Unbound workers may share cores, so there must be enough cores. */
static int check_unbound(const struct place *place, const struct tree *tree,
                         bool smt, struct error *err)
{
    const int *room = smt ? place->processors : place->cores;
    for (int rank = 0; rank < place->ranks; rank++) {
        int slots = place_slot(place, tree, 1, rank, 0).slots;
        if (slots > room[rank])
            return error_set(err, EBUSY,
                             "%d workers have %d %s: ask for fewer, or give "
                             "--oversubscribe to continue",
                             slots, room[rank],
                             smt ? "hardware threads" : "cores");
    }
    return 0;
}

/* Below a quota of fewer cores, workers wait for each other's time. */
static int check_quota(const struct place *place, const struct tree *tree,
                       struct error *err)
{
    for (int rank = 0; rank < place->ranks; rank++) {
        int workers = count_under(place, tree, rank, false);
        if (workers > place->quota[rank])
            return topo_refuse_quota(workers, place->quota[rank], err);
    }
    return 0;
}

static int say_shared(const struct place *place, const struct tree *tree,
                      const struct use *one, const struct use *other, bool smt,
                      struct error *err)
{
    int rank = tree->worker_rank[other->worker];
    return error_set(err, EBUSY,
                     "workers %d and %d share %s %d (%d workers, %d %s): ask "
                     "for fewer, or give --oversubscribe to continue",
                     one->worker, other->worker, smt ? "processor" : "core",
                     one->unit, tree->workers,
                     smt ? place->processors[rank] : place->cores[rank],
                     smt ? "hardware threads" : "cores");
}

int place_check(const struct place *place, const struct tree *tree,
                const struct place_report *report,
                const struct topo_binding *binding, struct error *err)
{
    bool smt = binding->smt;
    int code = check_quota(place, tree, err);
    if (code != 0)
        return code;
    if (binding->bind == TOPO_NONE)
        return check_unbound(place, tree, smt, err);
    struct use *use = need_zeroed((size_t)tree->workers + 1, sizeof(*use));
    for (int w = 0; w < tree->workers; w++)
        use[w] = (struct use){report[w].machine,
                              smt ? report[w].processor : report[w].core, w};
    qsort(use, (size_t)tree->workers, sizeof(*use), compare_uses);
    for (int i = 0; i < tree->workers && code == 0; i++) {
        if (!report[use[i].worker].bound)
            code = error_set(err, EBUSY,
                             "worker %d is not bound to one core: bind it, or "
                             "choose --bind none",
                             use[i].worker);
        else if (i > 0 && use[i].machine == use[i - 1].machine &&
                 use[i].unit == use[i - 1].unit)
            code = say_shared(place, tree, &use[i - 1], &use[i], smt, err);
    }
    free(use);
    return code;
}

static bool same_core(const struct place_report *a,
                      const struct place_report *b, bool smt)
{
    return a->machine == b->machine &&
           (smt ? a->processor == b->processor : a->core == b->core);
}

int place_shared_masters(const struct place *place, const struct tree *tree,
                         const struct place_report *worker,
                         const struct place_report *master, int masters,
                         const struct topo_binding *binding)
{
    int shared = 0;
    for (int m = 0; m < masters; m++) {
        int rank = 0;
        while (rank < place->ranks - 1 && place->group[rank] != master[m].host)
            rank++;
        bool found = is_limited(place, tree, rank) ||
                     (binding->bind == TOPO_NONE &&
                      group_crowded(place, tree, rank, binding->smt));
        for (int w = 0; w < tree->workers && !found; w++)
            found = binding->bind != TOPO_NONE &&
                    same_core(&master[m], &worker[w], binding->smt);
        shared += found;
    }
    return shared;
}
