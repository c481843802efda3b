#include "harness/transport/master/relay_parts.h"

#include <errno.h>
#include <stdlib.h>

/* ---- opening and closing ---- */

static bool hosted_here(const struct relay *relay, int master)
{
    return relay->tree->master[master].rank == relay->comm->rank;
}

/* Workers and masters on other ranks that ask a master of this rank.  Most
 * ranks have no master, and there may be very many of them. */
static int count_remote_children(const struct relay *relay)
{
    const struct tree *tree = relay->tree;
    int children = 0;
    if (relay->count == 0)
        return 0;
    for (int w = 0; w < tree->workers; w++)
        children += hosted_here(relay, tree->worker_master[w]) &&
                    tree->worker_rank[w] != relay->comm->rank;
    for (int m = 1; m < tree->count; m++)
        children += tree->master[m].parent >= 0 &&
                    hosted_here(relay, tree->master[m].parent) &&
                    !hosted_here(relay, m);
    return children;
}

/* Room for what is told with a request to a parent elsewhere. */
static int open_reports(struct relay *relay, int i)
{
    struct master *master = &relay->master[i];
    int above = relay->tree->master[master->index].parent;
    int code = master_open_reports(master);
    if (code != 0 || master->parent != NULL ||
        relay->tree->master[above].rank < 0)
        return code;
    size_t most = (size_t)reports_most(master->workers, master->range != NULL);
    relay->outgoing[i] =
        malloc(sizeof(struct request) + most * sizeof(struct report));
    return relay->outgoing[i] != NULL ? 0 : -ENOMEM;
}

static int open_master(struct relay *relay, const struct relay_setup *setup,
                       int m, struct error *err)
{
    const struct tree *tree = relay->tree;
    struct master *master = &relay->master[relay->count];
    int parent = tree->master[m].parent, code = 0;
    if (master_open(master, tree, m) != 0)
        return -ENOMEM;
    relay->refill[relay->count] = MPI_REQUEST_NULL;
    relay->refill_tasks[relay->count] =
        calloc((size_t)master->workers + 1, sizeof(struct task));
    if (relay->refill_tasks[relay->count++] == NULL)
        return -ENOMEM;
    if (parent < 0) {
        master->scheme = setup->scheme;
        master->units = setup->units;
        return 0;
    }
    master->parent = relay_hosted(relay, parent);
    if (setup->units != NULL)
        code = master_open_range(master, tree, setup->pair, setup->iterations,
                                 setup->min_chunk, setup->power, err);
    if (code == 0 && setup->pair->outer->feedback != NULL)
        code = open_reports(relay, relay->count - 1);
    return code;
}

static int open_masters(struct relay *relay, const struct relay_setup *setup,
                        struct error *err)
{
    const struct tree *tree = relay->tree;
    int largest = 1;
    for (int m = 0; m < tree->count; m++) {
        if (!hosted_here(relay, m))
            continue;
        int code = open_master(relay, setup, m, err);
        if (code != 0)
            return code;
        if (tree->master[m].workers > largest)
            largest = tree->master[m].workers;
    }
    if (relay->count == 0)
        return 0;
    relay->reply = calloc((size_t)largest, sizeof(*relay->reply));
    return relay->reply ? 0 : -ENOMEM;
}

static int open_lists(struct relay *relay, size_t masters)
{
    relay->master = calloc(masters + 1, sizeof(*relay->master));
    relay->refill = calloc(masters + 1, sizeof(*relay->refill));
    relay->refill_by = calloc(masters + 1, sizeof(*relay->refill_by));
    relay->refill_tasks = calloc(masters + 1, sizeof(*relay->refill_tasks));
    relay->outgoing = calloc(masters + 1, sizeof(*relay->outgoing));
    return relay->master && relay->refill && relay->refill_by &&
                   relay->refill_tasks && relay->outgoing
               ? 0
               : -ENOMEM;
}

/* Reports behind the longest request that comes here. */
static size_t most_reports(const struct relay *relay,
                           const struct relay_setup *setup)
{
    const struct tree *tree = relay->tree;
    int most = 0;
    for (int m = 1; m < tree->count; m++) {
        const struct tree_master *child = &tree->master[m];
        int n = reports_most(child->workers, setup->units != NULL);
        if (child->parent >= 0 && hosted_here(relay, child->parent) &&
            !hosted_here(relay, m) && n > most)
            most = n;
    }
    return setup->pair->outer->feedback != NULL ? (size_t)most : 0;
}

static int open_ring(struct relay *relay, const struct relay_setup *setup)
{
    size_t ring = (size_t)relay->comm->posted;
    relay->remote_children = count_remote_children(relay);
    if (relay->remote_children == 0)
        return 0;
    relay->slot = sizeof(struct request) +
                  most_reports(relay, setup) * sizeof(struct report);
    relay->ring = relay->comm->posted;
    relay->request = calloc(ring, relay->slot);
    relay->incoming = calloc(ring, sizeof(*relay->incoming));
    return relay->request && relay->incoming ? 0 : -ENOMEM;
}

/* One chunk may come while another is computed, if it is asked for so early. */
static void open_input(struct relay *relay)
{
    port_open(&relay->port, relay->comm, relay->input);
    landing_open(&relay->landing, relay->comm, relay->input,
                 relay->tree->master[0].rank, RELAY_DATA,
                 relay->prefetch ? 2 : 1);
}

/* Messages under way: a worker's request and its last. */
enum { KEPT_BY_WORKERS = 2, KEPT_BY_MASTERS = 32 };

static bool learns(const struct sched_pair *pair)
{
    return pair->outer->feedback != NULL ||
           (pair->inner != NULL && pair->inner->feedback != NULL);
}

int relay_open(struct relay *relay, const struct relay_setup *setup,
               struct error *err)
{
    const struct tree *tree = setup->tree;
    size_t masters = 0;
    *relay = (struct relay){.comm = setup->comm,
                            .tree = tree,
                            .patience = setup->patience,
                            .collect = setup->collect && setup->output_bytes,
                            .learns = learns(setup->pair),
                            .prefetch = setup->prefetch,
                            .ahead = setup->ahead,
                            .output = setup->output,
                            .inbox = setup->inbox,
                            .output_bytes = setup->output_bytes,
                            .input = setup->input,
                            .reissues = setup->reissues,
                            .book = setup->book,
                            .own = setup->own,
                            .over_request = MPI_REQUEST_NULL,
                            .iteration = MPI_DATATYPE_NULL};
    if (relay->input != NULL)
        open_input(relay);
    for (int m = 0; m < tree->count; m++)
        masters += hosted_here(relay, m);
    relay->outbox.room = masters > 0 ? KEPT_BY_MASTERS : KEPT_BY_WORKERS;
    int code = masters > 0 ? open_lists(relay, masters) : 0;
    if (code == 0)
        code = open_masters(relay, setup, err);
    if (code == 0)
        code = open_ring(relay, setup);
    if (code == 0)
        code = relay_reissue_open(relay, setup);
    if (code != 0) {
        relay_close(relay);
        return code != -ENOMEM
                   ? code
                   : error_set(err, ENOMEM, "out of memory for %zu masters",
                               masters);
    }
    if (relay->collect) {
        MPI_Type_contiguous((int)relay->output_bytes, MPI_BYTE,
                            &relay->iteration);
        MPI_Type_commit(&relay->iteration);
    }
    return 0;
}

void relay_close(struct relay *relay)
{
    if (relay->iteration != MPI_DATATYPE_NULL)
        MPI_Type_free(&relay->iteration);
    for (int i = 0; i < relay->count; i++) {
        master_close(&relay->master[i]);
        free(relay->refill_tasks[i]);
        free(relay->outgoing[i]);
    }
    relay_reissue_close(relay);
    free(relay->reply);
    free(relay->master);
    free(relay->refill);
    free(relay->refill_by);
    free(relay->refill_tasks);
    free(relay->outgoing);
    free(relay->request);
    free(relay->incoming);
    free(relay->queue);
    free(relay->received);
    free(relay->flights.list);
    port_close(&relay->port);
}

void relay_reset(struct relay *relay, bool remember)
{
    for (int i = 0; i < relay->count; i++)
        master_reset(&relay->master[i], remember);
    int rank = relay->comm->rank;
    atomic_store(&relay->working, relay->tree->rank_worker[rank + 1] -
                                      relay->tree->rank_worker[rank]);
    relay->finals = 0;
    relay->queued = 0;
    relay->received_count = 0;
    relay->posted_results = 0;
    relay->messages = 0;
    relay->bytes = 0;
    relay->oldest = 0;
    relay->posted = 0;
    relay->serving = false;
    relay_reissue_reset(relay);
    if (relay->input != NULL) {
        port_reset(&relay->port);
        landing_reset(&relay->landing);
    }
}

void relay_listen(struct relay *relay)
{
    relay_post(relay);
    relay->serving = relay->posted > 0;
    relay_reissue_listen(relay);
}

/* ---- the end of a loop ---- */

void relay_leave(struct relay *relay)
{
    atomic_fetch_sub(&relay->working, 1);
    engine_wake(&relay->moved);
}

/* The last reports go up inside this process, children before parents. */
static void pass_reports(struct relay *relay)
{
    for (int i = relay->count - 1; i >= 0; i--) {
        struct master *master = &relay->master[i];
        if (master->parent != NULL || master->upstream != NULL)
            master_pass_reports(master);
    }
}

/* Masters whose parent is elsewhere take their leave from it. */
static void leave_parents(struct relay *relay)
{
    for (int i = 0; i < relay->count; i++) {
        int above = relay->tree->master[relay->master[i].index].parent;
        if (above >= 0 && relay_hosted(relay, above) == NULL &&
            relay->tree->master[above].rank >= 0)
            relay_send_told(relay, i, REQUEST_FINAL);
    }
}

/* Children still ask, threads of this rank still work, or a pool that asked
 * ahead still gets an answer: there is no more. */
static bool busy(const struct relay *relay)
{
    return relay->serving || atomic_load(&relay->working) > 0 ||
           relay_refilling(relay) || relay->arrivals > 0;
}

/* Results on their way to this rank or from it. */
static void land_flights(struct relay *relay)
{
    struct flights *flights = &relay->flights;
    struct engine_idle idle = {0};
    MPI_Status status;
    for (relay_reap(relay); flights->count > 0; relay_reap(relay))
        comm_pause(relay->comm, &idle, &relay->patience, &relay->moved,
                   flights->list, flights->count, &status);
}

void relay_finish(struct relay *relay)
{
    struct engine_idle idle = {0};
    while (busy(relay)) {
        /* A busy master stays awake. */
        if (relay_progress(relay))
            idle = (struct engine_idle){0};
        else
            relay_pause(relay, &idle);
    }
    land_flights(relay);
    relay_await_over(relay);
    if (relay->input != NULL)
        port_drain(&relay->port, &relay->patience);
    if (relay->learns)
        pass_reports(relay);
    leave_parents(relay);
    if (relay->learns)
        land_flights(relay);
    comm_outbox_close(&relay->outbox);
}
