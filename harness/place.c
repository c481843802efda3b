#include "harness/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

int place_open(struct place *place, const struct comm *comm, struct error *err)
{
    char host[256] = "", text[600];
    *place = (struct place){.ranks = comm->ranks, .rank = comm->rank};
    int code = topo_open(&place->topo, err);
    place->group = calloc((size_t)comm->ranks, sizeof(*place->group));
    place->cores = calloc((size_t)comm->ranks, sizeof(*place->cores));
    uint64_t *cores = calloc((size_t)comm->ranks, sizeof(*cores));
    if (code == 0 && (!place->group || !place->cores || !cores))
        code =
            error_set(err, ENOMEM, "out of memory for %d ranks", comm->ranks);
    code = comm_agree(comm, code, err);
    if (code == 0) {
        gethostname(host, sizeof(host) - 1);
        snprintf(text, sizeof(text), "%s|%s", host, topo_cpuset(place->topo));
        comm_share_u64(comm, XXH3_64bits(text, strlen(text)), place->group);
        comm_share_u64(comm, (uint64_t)topo_cores(place->topo), cores);
        for (int rank = 0; rank < comm->ranks; rank++)
            place->cores[rank] = (int)cores[rank];
    }
    free(cores);
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
    *place = (struct place){0};
}

static int rank_workers(const struct tree *tree, int rank)
{
    return tree->rank_worker[rank + 1] - tree->rank_worker[rank];
}

int place_slot(const struct place *place, const struct tree *tree, int rank,
               int thread, int *slots)
{
    int before = 0, all = 0, masters_before = 0;
    for (int r = 0; r < place->ranks; r++) {
        if (place->group[r] != place->group[rank])
            continue;
        all += rank_workers(tree, r);
        if (r < rank) {
            before += rank_workers(tree, r);
            masters_before += rank_workers(tree, r) == 0;
        }
    }
    *slots = all > 0 ? all : 1;
    if (rank_workers(tree, rank) == 0)
        return all + masters_before;
    return before + thread;
}

bool place_crowded(const struct place *place, const struct tree *tree)
{
    int threads = 0;
    for (int r = 0; r < place->ranks; r++) {
        int workers = rank_workers(tree, r);
        if (place->group[r] == place->group[place->rank])
            threads += workers > 0 ? workers : 1;
    }
    return threads > place->cores[place->rank];
}

bool place_ranks_crowded(const struct place *place)
{
    int ranks = 0;
    for (int r = 0; r < place->ranks; r++)
        ranks += place->group[r] == place->group[place->rank];
    return ranks > place->cores[place->rank];
}

struct seat {
    uint64_t host;
    int core, worker;
};

static int compare_seats(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    if (x->core != y->core)
        return x->core < y->core ? -1 : 1;
    return (x->worker > y->worker) - (x->worker < y->worker);
}

/* Unbound workers have no core of their own: there must be enough cores. */
static int check_unbound(const struct place *place, const struct tree *tree,
                         struct error *err)
{
    for (int rank = 0; rank < place->ranks; rank++) {
        int slots;
        place_slot(place, tree, rank, 0, &slots);
        if (slots > place->cores[rank])
            return error_set(err, EBUSY,
                             "%d workers have %d cores: ask for fewer, or give "
                             "--oversubscribe to go on",
                             slots, place->cores[rank]);
    }
    return 0;
}

int place_check(const struct place *place, const struct tree *tree,
                const struct place_report *report, enum topo_bind bind,
                struct error *err)
{
    if (bind == TOPO_NONE)
        return check_unbound(place, tree, err);
    struct seat *seat = calloc((size_t)tree->workers + 1, sizeof(*seat));
    if (seat == NULL)
        return error_set(err, ENOMEM, "out of memory");
    for (int w = 0; w < tree->workers; w++)
        seat[w] = (struct seat){report[w].host, report[w].core, w};
    qsort(seat, (size_t)tree->workers, sizeof(*seat), compare_seats);
    int code = 0;
    for (int i = 0; i < tree->workers && code == 0; i++) {
        if (!report[seat[i].worker].bound)
            code = error_set(err, EBUSY,
                             "worker %d is not bound to one core: bind it, or "
                             "choose --bind none",
                             seat[i].worker);
        else if (i > 0 && seat[i].host == seat[i - 1].host &&
                 seat[i].core == seat[i - 1].core)
            code = error_set(err, EBUSY,
                             "workers %d and %d share core %d (%d workers, %d "
                             "cores): ask for fewer, or give --oversubscribe "
                             "to go on",
                             seat[i - 1].worker, seat[i].worker, seat[i].core,
                             tree->workers,
                             place->cores[tree->worker_rank[seat[i].worker]]);
    }
    free(seat);
    return code;
}
