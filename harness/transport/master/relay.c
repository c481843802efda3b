#include "harness/transport/master/relay.h"

#include <errno.h>
#include <stdlib.h>

/* ---- opening and closing ---- */

static bool hosted_here(const struct relay *relay, int master)
{
    return relay->tree->master[master].rank == relay->comm->rank;
}

/* The workers and masters on other ranks that ask a master of this rank.  Most
 * ranks lack a master, and there may be very many ranks. */
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

/* Room for the reports with a request to a parent in another rank. */
static int open_reports(struct relay *relay, struct hosted *hosted)
{
    struct master *master = &hosted->master;
    int above = relay->tree->master[master->index].parent;
    int code = master_open_reports(master);
    if (code != 0 || master->parent != NULL ||
        relay->tree->master[above].rank < 0)
        return code;
    size_t most = (size_t)reports_most(master->workers, master->range != NULL);
    hosted->message =
        malloc(sizeof(struct request) + most * sizeof(struct report));
    return hosted->message != NULL ? 0 : -ENOMEM;
}

static int open_master(struct relay *relay, const struct relay_setup *setup,
                       int m, struct error *err)
{
    const struct tree *tree = relay->tree;
    struct hosted *hosted = &relay->hosted[relay->count];
    struct master *master = &hosted->master;
    int parent = tree->master[m].parent, code = 0;
    if (master_open(master, tree, m) != 0)
        return -ENOMEM;
    relay->count++;
    hosted->refill = MPI_REQUEST_NULL;
    hosted->tasks = calloc((size_t)master->workers + 1, sizeof(struct task));
    if (hosted->tasks == NULL)
        return -ENOMEM;
    if (parent < 0) {
        master->scheme = setup->scheme;
        master->units = setup->units;
        return 0;
    }
    master->parent = relay_hosted(relay, parent);
    const struct sched_loop whole = {.iterations = setup->iterations,
                                     .workers = tree->workers,
                                     .power = setup->power,
                                     .cost = setup->cost};
    if (setup->units != NULL)
        code = master_open_range(master, tree, setup->pair, &whole,
                                 setup->min_chunk, err);
    if (code == 0 && setup->pair->outer->feedback != NULL)
        code = open_reports(relay, hosted);
    return code;
}

static int open_masters(struct relay *relay, const struct relay_setup *setup,
                        size_t masters, struct error *err)
{
    const struct tree *tree = relay->tree;
    int largest = 1;
    if (masters == 0)
        return 0;
    relay->hosted = calloc(masters, sizeof(*relay->hosted));
    if (relay->hosted == NULL)
        return -ENOMEM;
    for (int m = 0; m < tree->count; m++) {
        if (!hosted_here(relay, m))
            continue;
        int code = open_master(relay, setup, m, err);
        if (code != 0)
            return code;
        if (tree->master[m].workers > largest)
            largest = tree->master[m].workers;
    }
    relay->reply = calloc((size_t)largest, sizeof(*relay->reply));
    return relay->reply ? 0 : -ENOMEM;
}

/* The most reports in a request to this rank. */
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

/* Messages under way: a worker's request and its last one.  A master has at
 * least KEPT_BY_MASTERS; if it is refilled, one answer per child, so that all
 * answers after a refill leave at once.  Not more: SMPI visits all of them at
 * the end of each, which took longest with 131,072 children. */
enum { KEPT_BY_WORKERS = 2, KEPT_BY_MASTERS = 32 };

static int kept_of(const struct relay *relay, int children)
{
    bool refilled = false;
    if (relay->count == 0)
        return KEPT_BY_WORKERS;
    for (int m = 0; m < relay->count; m++)
        refilled = refilled || relay->hosted[m].master.scheme == NULL;
    return refilled && children > KEPT_BY_MASTERS ? children : KEPT_BY_MASTERS;
}

static int open_queue(struct relay *relay, const struct relay_setup *setup)
{
    const struct comm *comm = relay->comm;
    int children = count_remote_children(relay);
    struct mailbox_setup box = {.comm = comm, .kept = kept_of(relay, children)};
    if (children > 0) {
        box.from = MPI_ANY_SOURCE;
        box.tag = RELAY_REQUEST;
        box.posted = comm->posted;
        box.count = (int)(sizeof(struct request) +
                          most_reports(relay, setup) * sizeof(struct report));
    }
    int code = mailbox_open(&relay->box, &box);
    if (code == 0)
        code = request_queue_open(&relay->queue, &relay->box, children);
    return code;
}

static int open_results(struct relay *relay, const struct relay_setup *setup)
{
    const struct result_setup results = {.box = &relay->box,
                                         .tree = setup->tree,
                                         .rank = relay->comm->rank,
                                         .tag = RELAY_RESULT,
                                         .collects = setup->collect &&
                                                     setup->output_bytes > 0,
                                         .receives = relay->queue.children > 0,
                                         .iterations = setup->iterations,
                                         .output = setup->output,
                                         .own = setup->own,
                                         .inbox = setup->inbox,
                                         .bytes = setup->output_bytes,
                                         .ledger = setup->ledger};
    int code = result_collector_open(&relay->results, &results);
    if (code == 0 && setup->first && results.receives && results.collects)
        code = relay_first_open(&relay->first, relay->queue.children);
    return code;
}

/* One chunk may arrive while another is computed, if it is requested early.  A
 * child requests the next one after the data of the one before have arrived, so
 * at most one message of each waits. */
static int open_input(struct relay *relay)
{
    int code = 0;
    if (relay->input == NULL)
        return 0;
    if (relay->queue.children > 0)
        code = port_open(&relay->port, &relay->box, relay->input,
                         relay->queue.children);
    if (code == 0)
        code = landing_open(&relay->landing, relay->comm, relay->input,
                            relay->tree->master[0].rank, RELAY_DATA,
                            relay->prefetch ? 2 : 1);
    return code;
}

int relay_open(struct relay *relay, const struct relay_setup *setup,
               struct error *err)
{
    const struct tree *tree = setup->tree;
    size_t masters = 0;
    *relay = (struct relay){.comm = setup->comm,
                            .tree = tree,
                            .patience = setup->patience,
                            .learns = sched_pair_learns(setup->pair),
                            .prefetch = setup->prefetch,
                            .shares = setup->shares,
                            .ahead = setup->ahead,
                            .reissues = setup->reissues,
                            .ledger = setup->ledger,
                            .over = {.request = MPI_REQUEST_NULL},
                            .input = setup->input,
                            .port = {.sending = MPI_REQUEST_NULL}};
    for (int m = 0; m < tree->count; m++)
        masters += hosted_here(relay, m);
    int code = open_masters(relay, setup, masters, err);
    if (code == 0)
        code = open_queue(relay, setup);
    if (code == 0)
        code = open_results(relay, setup);
    if (code == 0)
        code = open_input(relay);
    if (code == 0)
        return 0;
    relay_close(relay);
    return code != -ENOMEM
               ? code
               : error_set(err, ENOMEM, "out of memory for %zu masters",
                           masters);
}

void relay_close(struct relay *relay)
{
    for (int i = 0; i < relay->count; i++) {
        struct hosted *hosted = &relay->hosted[i];
        master_close(&hosted->master);
        free(hosted->tasks);
        free(hosted->message);
    }
    free(relay->hosted);
    free(relay->reply);
    relay_first_close(&relay->first);
    result_collector_close(&relay->results);
    request_queue_close(&relay->queue);
    mailbox_close(&relay->box);
    port_close(&relay->port);
    landing_close(&relay->landing);
}

void relay_reset(struct relay *relay, bool remember)
{
    for (int i = 0; i < relay->count; i++)
        master_reset(&relay->hosted[i].master, remember);
    int rank = relay->comm->rank;
    atomic_store(&relay->working, relay->tree->rank_worker[rank + 1] -
                                      relay->tree->rank_worker[rank]);
    mailbox_reset(&relay->box);
    request_queue_reset(&relay->queue);
    result_collector_reset(&relay->results);
    relay->first.count = relay->first.posted = 0;
    relay_over_reset(relay);
    if (relay->input != NULL) {
        port_reset(&relay->port);
        landing_reset(&relay->landing);
    }
}

void relay_listen(struct relay *relay)
{
    request_queue_listen(&relay->queue);
    relay_over_listen(relay);
}

/* ---- the end of a loop ---- */

void relay_leave(struct relay *relay)
{
    atomic_fetch_sub(&relay->working, 1);
    engine_wake(&relay->moved);
}

/* Masters with a remote parent leave it. */
static void leave_parents(struct relay *relay)
{
    for (int i = 0; i < relay->count; i++) {
        struct hosted *hosted = &relay->hosted[i];
        int above = relay->tree->master[hosted->master.index].parent;
        if (above >= 0 && relay_hosted(relay, above) == NULL &&
            relay->tree->master[above].rank >= 0)
            relay_send_hosted(relay, hosted, REQUEST_FINAL);
    }
}

/* Whether children still ask, threads of this rank still work, or a pool still
 * waits for the answer that no more chunks come. */
static bool is_busy(const struct relay *relay)
{
    return relay->queue.is_open || atomic_load(&relay->working) > 0 ||
           relay_refilling(relay) || relay->results.arrivals > 0;
}

/* Waits until no message is on its way to or from this rank. */
static void await_results(struct relay *relay)
{
    struct mailbox *box = &relay->box;
    struct engine_idle idle = {0};
    MPI_Status status;
    while (!comm_failed(relay->comm)) {
        result_collector_reap(&relay->results, false);
        if (box->requests == 0)
            break;
        comm_pause(relay->comm, &idle, &relay->patience, &relay->moved,
                   box->request, box->requests, &status);
    }
}

void relay_finish(struct relay *relay)
{
    struct engine_idle idle = {0};
    while (is_busy(relay) && !comm_failed(relay->comm)) {
        /* A busy master stays awake. */
        if (relay_progress(relay))
            idle = (struct engine_idle){0};
        else
            relay_pause(relay, &idle);
    }
    if (comm_failed(relay->comm))
        return;
    await_results(relay);
    relay_await_over(relay);
    if (relay->input != NULL)
        port_drain(&relay->port, &relay->patience);
    /* The last reports go up inside this process, children before parents. */
    for (int i = relay->learns ? relay->count - 1 : -1; i >= 0; i--) {
        struct master *master = &relay->hosted[i].master;
        if (master->parent != NULL || master->upstream != NULL)
            master_pass_reports(master);
    }
    leave_parents(relay);
    if (relay->learns)
        await_results(relay);
    mailbox_drain(&relay->box);
}
