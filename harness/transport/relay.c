#include "harness/transport/relay.h"

#include <errno.h>
#include <stdlib.h>

enum {
    TAG_REQUEST = 1,
    TAG_REFILL = 2,
    /* + thread of the worker, which keeps the results of one worker in the
     * order of its requests */
    TAG_REPLY = 1 << 10,
    TAG_RESULT = 1 << 15,
};

/* ---- growing lists; memory is there from the repetitions before ---- */

static void *grow(void *list, int count, int *room, size_t size)
{
    if (count < *room)
        return list;
    int more = *room * 2 + 64;
    void *moved = realloc(list, (size_t)more * size);
    if (moved == NULL)
        abort(); /* a few bytes for a request: nothing sensible is left */
    *room = more;
    return moved;
}

/* Takes out what has completed. */
static void flights_reap(struct flights *flights)
{
    int kept = 0;
    for (int i = 0; i < flights->count; i++) {
        int done;
        MPI_Test(&flights->list[i], &done, MPI_STATUS_IGNORE);
        if (!done)
            flights->list[kept++] = flights->list[i];
    }
    flights->count = kept;
}

/* Room for one more request in flight.  Old ones are reaped now and then so
 * that a long loop keeps a short list. */
static MPI_Request *flights_add(struct flights *flights)
{
    if (flights->count >= 64 && flights->count % 64 == 0)
        flights_reap(flights);
    flights->list = grow(flights->list, flights->count, &flights->room,
                         sizeof(*flights->list));
    return &flights->list[flights->count++];
}

/* ---- sending; called with MPI held ---- */

static void count_message(struct relay *relay, int64_t bytes)
{
    relay->messages++;
    relay->bytes += bytes;
}

static int worker_thread(const struct tree *tree, int worker)
{
    return worker - tree->rank_worker[tree->worker_rank[worker]];
}

/* A request, and behind it the results of a finished chunk.  Requests are
 * small: the library buffers them, and the receiver always has a receive
 * posted or is on its way to one. */
static void send_request(struct relay *relay, int kind, int master, int child,
                         int thread, const struct chunk *finished)
{
    int rank = relay->tree->master[master].rank;
    struct request request = {
        .kind = kind,
        .master = master,
        .child = child,
        .rank = relay->comm->rank,
        .start = finished ? finished->start : 0,
        .size = finished && relay->collect ? finished->size : 0};
    MPI_Send(&request, sizeof(request), MPI_BYTE, rank, TAG_REQUEST,
             relay->comm->all);
    count_message(relay, sizeof(request));
    if (request.size == 0)
        return;
    const char *from =
        relay->output + (size_t)request.start * relay->output_bytes;
    MPI_Isend(from, (int)request.size, relay->iteration, rank,
              TAG_RESULT + thread, relay->comm->all,
              flights_add(&relay->flights));
    count_message(relay, request.size * (int64_t)relay->output_bytes);
}

/* The questions that hosted masters have for those above them. */
static void send_refill_requests(struct relay *relay)
{
    for (int i = 0; i < relay->count; i++) {
        struct master *master = &relay->master[i];
        if (!atomic_load_explicit(&master->must_ask, memory_order_relaxed) ||
            !atomic_exchange(&master->must_ask, false))
            continue;
        int above = relay->tree->master[master->index].parent;
        MPI_Irecv(relay->refill_tasks[i],
                  master->workers * (int)sizeof(struct task), MPI_BYTE,
                  relay->tree->master[above].rank, TAG_REFILL, relay->comm->all,
                  &relay->refill[i]);
        send_request(relay, REQUEST_REFILL, above, master->index, 0, NULL);
    }
}

/* ---- serving; called with MPI held ---- */

/* Where the results of a chunk go: straight to their place. */
static void receive_results(struct relay *relay, const struct request *request)
{
    if (request->size == 0)
        return;
    int thread = worker_thread(relay->tree, request->child);
    char *to = relay->inbox + (size_t)request->start * relay->output_bytes;
    MPI_Irecv(to, (int)request->size, relay->iteration, request->rank,
              TAG_RESULT + thread, relay->comm->all,
              flights_add(&relay->flights));
    relay->received = grow(relay->received, relay->received_count,
                           &relay->received_room, sizeof(*relay->received));
    relay->received[relay->received_count++] =
        (struct received){request->start, request->size};
}

static bool answer_worker(struct relay *relay, const struct request *request)
{
    struct master *master = &relay->master[relay->hosted[request->master]];
    struct chunk chunk = {0};
    enum master_answer answer = master_take(master, request->child, &chunk);
    if (answer == MASTER_LATER)
        return false;
    MPI_Send(&chunk, sizeof(chunk), MPI_BYTE, request->rank,
             TAG_REPLY + worker_thread(relay->tree, request->child),
             relay->comm->all);
    count_message(relay, sizeof(chunk));
    return true;
}

static bool answer_refill(struct relay *relay, const struct request *request)
{
    struct master *master = &relay->master[relay->hosted[request->master]];
    const struct tree_master *child = &relay->tree->master[request->child];
    int count = 0;
    enum master_answer answer = master_take_batch(
        master, child->first_worker, child->workers, relay->reply, &count);
    if (answer == MASTER_LATER)
        return false;
    int bytes = count * (int)sizeof(struct task);
    MPI_Send(relay->reply, bytes, MPI_BYTE, request->rank, TAG_REFILL,
             relay->comm->all);
    count_message(relay, bytes);
    return true;
}

/* False when the answer has to wait for a refill. */
static bool answer_request(struct relay *relay, const struct request *request)
{
    if (request->kind == REQUEST_WORK)
        return answer_worker(relay, request);
    if (request->kind == REQUEST_REFILL)
        return answer_refill(relay, request);
    return true;
}

static void handle_request(struct relay *relay, const struct request *request)
{
    receive_results(relay, request);
    if (request->kind == REQUEST_FINAL)
        relay->finals++;
    if (answer_request(relay, request))
        return;
    relay->queue = grow(relay->queue, relay->queued, &relay->queue_room,
                        sizeof(*relay->queue));
    relay->queue[relay->queued++] = *request;
}

/* Those who waited are served in the order in which they came. */
static void serve_queue(struct relay *relay)
{
    int kept = 0;
    for (int i = 0; i < relay->queued; i++)
        if (!answer_request(relay, &relay->queue[i]))
            relay->queue[kept++] = relay->queue[i];
    relay->queued = kept;
}

static void post_receive(struct relay *relay)
{
    MPI_Irecv(&relay->request, sizeof(relay->request), MPI_BYTE, MPI_ANY_SOURCE,
              TAG_REQUEST, relay->comm->all, &relay->incoming);
}

static bool take_requests(struct relay *relay)
{
    bool any = false;
    while (relay->serving) {
        int arrived;
        MPI_Test(&relay->incoming, &arrived, MPI_STATUS_IGNORE);
        if (!arrived)
            break;
        /* Answered before the next receive is posted: somebody waits. */
        handle_request(relay, &relay->request);
        relay->serving = relay->finals < relay->remote_children;
        if (relay->serving)
            post_receive(relay);
        any = true;
    }
    return any;
}

static bool take_refills(struct relay *relay)
{
    bool any = false;
    for (int i = 0; i < relay->count; i++) {
        int arrived = 0, bytes;
        MPI_Status status;
        if (relay->refill[i] == MPI_REQUEST_NULL)
            continue;
        MPI_Test(&relay->refill[i], &arrived, &status);
        if (!arrived)
            continue;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        master_fill(&relay->master[i], relay->refill_tasks[i],
                    bytes / (int)sizeof(struct task));
        any = true;
    }
    return any;
}

static bool progress_held(struct relay *relay)
{
    bool requests = take_requests(relay);
    bool refills = take_refills(relay);
    if (refills && relay->queued > 0)
        serve_queue(relay);
    if (relay->count > 0)
        send_refill_requests(relay);
    return requests || refills;
}

bool relay_progress(struct relay *relay)
{
    if (!comm_try(relay->comm))
        return false;
    bool any = progress_held(relay);
    comm_end(relay->comm);
    return any;
}

bool relay_serves(const struct relay *relay)
{
    return relay->remote_children > 0;
}

/* ---- the worker's end ---- */

/* A master in this rank: no message, but its pool may wait for one. */
static bool hosted_next(struct source *base, struct chunk *chunk)
{
    struct relay_source *source = (struct relay_source *)base;
    struct relay *relay = source->relay;
    struct engine_idle idle = {0};
    double since = 0;
    enum master_answer answer;
    if (source->master->upstream_blocks)
        since = engine_now();
    for (;;) {
        answer = master_take(source->master, base->worker, chunk);
        if (atomic_load_explicit(&source->master->must_ask,
                                 memory_order_relaxed))
            relay_progress(relay);
        if (answer != MASTER_LATER)
            break;
        if (since == 0)
            since = engine_now();
        if (relay_progress(relay))
            idle = (struct engine_idle){0};
        else
            engine_idle(&idle, &relay->patience, NULL);
    }
    if (since != 0)
        base->wait_s += engine_now() - since;
    return answer == MASTER_CHUNK;
}

static void hosted_ahead(struct source *base)
{
    struct relay_source *source = (struct relay_source *)base;
    master_ask_ahead(source->master);
    relay_progress(source->relay);
}

/* A pool in this rank below a master in another: results go to that one. */
static bool pooled_next(struct source *base, struct chunk *chunk)
{
    struct relay_source *source = (struct relay_source *)base;
    struct relay *relay = source->relay;
    if (source->current.size > 0) {
        int above = relay->tree->master[source->leaf].parent;
        comm_begin(relay->comm);
        send_request(relay, REQUEST_RESULT, above, base->worker, source->thread,
                     &source->current);
        comm_end(relay->comm);
        source->current.size = 0;
    }
    if (!hosted_next(base, chunk))
        return false;
    source->current = *chunk;
    return true;
}

static bool answer_arrived(void *arg)
{
    struct relay_source *source = arg;
    int arrived = 0;
    if (!comm_try(source->relay->comm))
        return false;
    MPI_Test(&source->answer, &arrived, MPI_STATUS_IGNORE);
    comm_end(source->relay->comm);
    return arrived != 0;
}

/* Asks for a chunk; the results of a finished one travel along. */
static void ask(struct relay_source *source)
{
    struct relay *relay = source->relay;
    comm_begin(relay->comm);
    /* The question leaves first: the answer takes longer than the posting. */
    send_request(relay, REQUEST_WORK, source->leaf, source->base.worker,
                 source->thread, &source->finished);
    MPI_Irecv(&source->reply, sizeof(source->reply), MPI_BYTE,
              relay->tree->master[source->leaf].rank,
              TAG_REPLY + source->thread, relay->comm->all, &source->answer);
    comm_end(relay->comm);
    source->finished.size = 0;
    source->asked = true;
}

static void remote_ahead(struct source *base)
{
    struct relay_source *source = (struct relay_source *)base;
    if (!source->asked)
        ask(source);
}

static void leave_master(struct relay_source *source)
{
    comm_begin(source->relay->comm);
    send_request(source->relay, REQUEST_FINAL, source->leaf,
                 source->base.worker, source->thread, &source->finished);
    comm_end(source->relay->comm);
    source->left = true;
}

/* A master in another rank.  The results of a chunk travel with the request
 * that follows its end: with prefetch that is the one for the chunk after the
 * next. */
static bool remote_next(struct source *base, struct chunk *chunk)
{
    struct relay_source *source = (struct relay_source *)base;
    if (source->left)
        return false;
    source->finished = source->current;
    if (!source->asked)
        ask(source);
    if (!answer_arrived(source)) {
        double since = engine_now();
        engine_wait(&source->relay->patience, NULL, answer_arrived, source);
        base->wait_s += engine_now() - since;
    }
    source->asked = false;
    source->current = source->reply;
    *chunk = source->reply;
    if (chunk->size == 0)
        leave_master(source);
    return chunk->size > 0;
}

/* Whether a pool's chunks come, at some level, from another rank. */
static bool needs_messages(const struct relay *relay, int hosted)
{
    const struct master *master = &relay->master[hosted];
    while (master->parent != NULL)
        master = master->parent;
    return master->scheme == NULL && master->upstream == NULL;
}

void relay_source_open(struct relay_source *source, struct relay *relay,
                       int worker)
{
    const struct tree *tree = relay->tree;
    int leaf = tree->worker_master[worker], hosted = relay->hosted[leaf];
    int above = tree->master[leaf].parent;
    bool sends = relay->collect && hosted >= 0 && tree->master[leaf].pool &&
                 relay->hosted[above] < 0;
    *source = (struct relay_source){
        .base = {.worker = worker,
                 .next = hosted < 0 ? remote_next
                         : sends    ? pooled_next
                                    : hosted_next,
                 .ask_ahead = !relay->prefetch                ? NULL
                              : hosted < 0                    ? remote_ahead
                              : needs_messages(relay, hosted) ? hosted_ahead
                                                              : NULL,
                 .ahead = relay->ahead},
        .relay = relay,
        .master = hosted >= 0 ? &relay->master[hosted] : NULL,
        .leaf = leaf,
        .thread = worker_thread(tree, worker),
        .answer = MPI_REQUEST_NULL};
}

/* ---- opening, closing, the end of a loop ---- */

static bool hosted_here(const struct relay *relay, int master)
{
    return relay->tree->master[master].rank == relay->comm->rank;
}

/* Workers and masters on other ranks that ask a master of this rank. */
static int count_remote_children(const struct relay *relay)
{
    const struct tree *tree = relay->tree;
    int children = 0;
    for (int w = 0; w < tree->workers; w++)
        children += hosted_here(relay, tree->worker_master[w]) &&
                    tree->worker_rank[w] != relay->comm->rank;
    for (int m = 1; m < tree->count; m++)
        children += tree->master[m].parent >= 0 &&
                    hosted_here(relay, tree->master[m].parent) &&
                    !hosted_here(relay, m);
    return children;
}

static int open_masters(struct relay *relay, struct sched *scheme)
{
    const struct tree *tree = relay->tree;
    int largest = 1;
    for (int m = 0; m < tree->count; m++) {
        relay->hosted[m] = -1;
        if (!hosted_here(relay, m))
            continue;
        struct master *master = &relay->master[relay->count];
        if (master_open(master, tree, m) != 0)
            return -ENOMEM;
        relay->hosted[m] = relay->count;
        int parent = tree->master[m].parent;
        if (parent < 0)
            master->scheme = scheme;
        else if (relay->hosted[parent] >= 0)
            master->parent = &relay->master[relay->hosted[parent]];
        relay->refill[relay->count] = MPI_REQUEST_NULL;
        relay->refill_tasks[relay->count] =
            calloc((size_t)master->workers + 1, sizeof(struct task));
        if (relay->refill_tasks[relay->count++] == NULL)
            return -ENOMEM;
        if (master->workers > largest)
            largest = master->workers;
    }
    relay->reply = calloc((size_t)largest, sizeof(*relay->reply));
    return relay->reply ? 0 : -ENOMEM;
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
                            .prefetch = setup->prefetch,
                            .ahead = setup->ahead,
                            .incoming = MPI_REQUEST_NULL,
                            .output = setup->output,
                            .inbox = setup->inbox,
                            .output_bytes = setup->output_bytes,
                            .iteration = MPI_DATATYPE_NULL};
    for (int m = 0; m < tree->count; m++)
        masters += hosted_here(relay, m);
    relay->hosted = calloc((size_t)tree->count, sizeof(int));
    relay->master = calloc(masters + 1, sizeof(*relay->master));
    relay->refill = calloc(masters + 1, sizeof(*relay->refill));
    relay->refill_tasks = calloc(masters + 1, sizeof(*relay->refill_tasks));
    if (!relay->hosted || !relay->master || !relay->refill ||
        !relay->refill_tasks || open_masters(relay, setup->scheme) != 0) {
        relay_close(relay);
        return error_set(err, ENOMEM, "out of memory for %zu masters", masters);
    }
    relay->remote_children = count_remote_children(relay);
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
    }
    free(relay->reply);
    free(relay->hosted);
    free(relay->master);
    free(relay->refill);
    free(relay->refill_tasks);
    free(relay->queue);
    free(relay->received);
    free(relay->flights.list);
}

void relay_reset(struct relay *relay)
{
    for (int i = 0; i < relay->count; i++)
        master_reset(&relay->master[i]);
    int rank = relay->comm->rank;
    atomic_store(&relay->working, relay->tree->rank_worker[rank + 1] -
                                      relay->tree->rank_worker[rank]);
    relay->finals = 0;
    relay->queued = 0;
    relay->received_count = 0;
    relay->messages = 0;
    relay->bytes = 0;
    relay->serving = relay->remote_children > 0;
    if (relay->serving)
        post_receive(relay);
}

void relay_leave(struct relay *relay)
{
    atomic_fetch_sub(&relay->working, 1);
}

static bool all_served(struct relay *relay)
{
    if (relay->serving || atomic_load(&relay->working) > 0 ||
        !comm_try(relay->comm))
        return false;
    flights_reap(&relay->flights);
    comm_end(relay->comm);
    return relay->flights.count == 0;
}

/* A pool that asked ahead still gets an answer: there is no more. */
static bool refills_answered(void *arg)
{
    struct relay *relay = arg;
    progress_held(relay);
    for (int i = 0; i < relay->count; i++)
        if (relay->refill[i] != MPI_REQUEST_NULL)
            return false;
    return true;
}

/* Masters whose parent is elsewhere take their leave from it. */
static void leave_parents(struct relay *relay)
{
    for (int i = 0; i < relay->count; i++) {
        int above = relay->tree->master[relay->master[i].index].parent;
        if (above >= 0 && relay->hosted[above] < 0 &&
            relay->tree->master[above].rank >= 0)
            send_request(relay, REQUEST_FINAL, above, relay->master[i].index, 0,
                         NULL);
    }
}

void relay_finish(struct relay *relay)
{
    struct engine_idle idle = {0};
    while (!all_served(relay)) {
        /* A busy master stays awake. */
        if (relay_progress(relay))
            idle = (struct engine_idle){0};
        else
            engine_idle(&idle, &relay->patience, NULL);
    }
    engine_wait(&relay->patience, NULL, refills_answered, relay);
    leave_parents(relay);
}
