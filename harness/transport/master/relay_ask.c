/* The workers' end of the relay. */
#include "harness/transport/master/relay.h"

/* Requests are small: the library buffers them, and the receiver has a receive
 * posted or soon posts one. */
void relay_send_request(struct relay *relay, struct request request, int thread,
                        const struct chunk *finished)
{
    const struct comm *comm = relay->comm;
    int to = comm_address(comm, relay->tree->master[request.master].rank, 0);
    request.from = comm_self(comm);
    request.start = finished ? finished->start : 0;
    request.size = finished ? finished->size : 0;
    mailbox_send_short(&relay->box, &request, sizeof(request), to,
                       RELAY_REQUEST);
    if (request.size > 0)
        result_collector_send(&relay->results, thread, finished, to);
}

/* The results that travel with a worker's request.  Results written to the
 * memory of the master's host arrive before the request. */
static const struct chunk *to_send(const struct relay_source *source)
{
    return source->sends ? &source->finished : NULL;
}

/* The chunk that ran is done: its time waits to be reported. */
static void end_time(struct relay_source *source, double now)
{
    if (source->running == 0)
        return;
    double ran_s = now - source->got_s - source->base.blocked_s;
    source->report = (struct report){.worker = source->base.worker,
                                     .workers = 1,
                                     .size = source->running,
                                     .ran_s = ran_s > 0 ? ran_s : 0,
                                     .whole_s = now - source->asked_s};
    source->running = 0;
}

static void begin_time(struct relay_source *source, double asked,
                       const struct chunk *chunk)
{
    source->running = chunk->size;
    source->base.blocked_s = 0;
    source->asked_s = asked;
    source->got_s = engine_now();
}

/* The pool is empty.  If threads have separate addresses, no thread can wait
 * for its messages and another thread's at once: thread 0 of a serving rank
 * polls for both. */
static void pause_for_pool(struct relay *relay, struct engine_idle *idle)
{
    bool both = relay->comm->lanes > 1 && relay_serves(relay) &&
                comm_self(relay->comm) % relay->comm->lanes == 0;
    if (!both)
        relay_pause(relay, idle);
    else if (relay_poll(relay))
        *idle = (struct engine_idle){0};
    else
        engine_idle(idle, &relay->patience, NULL);
}

/* A master in this rank: no message, but its pool may wait for one. */
static bool hosted_next(struct source *base, struct chunk *chunk)
{
    struct relay_source *source = (struct relay_source *)base;
    struct relay *relay = source->relay;
    struct engine_idle idle = {0};
    double since = 0;
    enum master_answer answer;
    if (source->master->upstream != NULL && source->master->upstream->blocks)
        since = source_wait(base);
    for (;;) {
        answer = comm_failed(relay->comm)
                     ? MASTER_DONE
                     : master_take(source->master, base->worker, chunk);
        if (atomic_load_explicit(&source->master->must_ask,
                                 memory_order_relaxed))
            relay_progress(relay);
        if (answer != MASTER_LATER)
            break;
        if (since == 0)
            since = source_wait(base);
        if (relay_progress(relay))
            idle = (struct engine_idle){0};
        else
            pause_for_pool(relay, &idle);
    }
    if (since != 0)
        source_go_on(base, since);
    if (answer == MASTER_CHUNK && relay->input != NULL) {
        source->data = relay->input->store + relay->input->before[chunk->start];
        source->data_start = chunk->start;
    }
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
        struct request request = {
            .kind = REQUEST_RESULT, .master = above, .child = base->worker};
        comm_begin(relay->comm);
        relay_send_request(relay, request, source->thread, &source->current);
        comm_end(relay->comm);
        source->current.size = 0;
    }
    if (!hosted_next(base, chunk))
        return false;
    source->current = *chunk;
    return true;
}

/* hosted_next or pooled_next, timed for a scheme that learns at any level. */
static bool hosted_learning_next(struct source *base, struct chunk *chunk)
{
    struct relay_source *source = (struct relay_source *)base;
    double asked = engine_now();
    end_time(source, asked);
    if (source->report.size > 0 && !base->dropped)
        master_report(source->master, &source->report);
    source->report.size = 0;
    base->dropped = false;
    if (!source->plain(base, chunk))
        return false;
    begin_time(source, asked, chunk);
    return true;
}

static void post_answer(struct relay_source *source)
{
    const struct relay *relay = source->relay;
    comm_check(relay->comm,
               MPI_Irecv(&source->reply, sizeof(source->reply), MPI_BYTE,
                         comm_source(relay->comm,
                                     relay->tree->master[source->leaf].rank),
                         RELAY_REPLY + source->thread, relay->comm->all,
                         &source->answer));
}

/* A worker's only report fits into the request. */
static void add_report(struct relay_source *source, struct request *request)
{
    request->ran = source->report.size;
    request->ran_s = (float)source->report.ran_s;
    request->whole_s = (float)source->report.whole_s;
    source->report.size = 0;
}

/* Asks for a chunk; the results and the time of a finished one travel along. */
static void send_question(struct relay_source *source)
{
    struct relay *relay = source->relay;
    struct request request = {.kind = REQUEST_WORK,
                              .master = source->leaf,
                              .child = source->base.worker};
    add_report(source, &request);
    comm_begin(relay->comm);
    /* The question leaves first: the answer takes longer than the posting.  But
     * a master may wait until its answer sets out. */
    if (relay->comm->late)
        post_answer(source);
    relay_send_request(relay, request, source->thread, to_send(source));
    if (!relay->comm->late)
        post_answer(source);
    if (relay->input != NULL)
        landing_post(&relay->landing);
    comm_end(relay->comm);
    source->finished.size = 0;
    source->asked = true;
}

static void remote_ahead(struct source *base)
{
    struct relay_source *source = (struct relay_source *)base;
    if (!source->asked)
        send_question(source);
}

static void leave_master(struct relay_source *source)
{
    struct request request = {.kind = REQUEST_FINAL,
                              .master = source->leaf,
                              .child = source->base.worker};
    add_report(source, &request);
    comm_begin(source->relay->comm);
    relay_send_request(source->relay, request, source->thread, to_send(source));
    comm_end(source->relay->comm);
    source->left = true;
}

/* Data follow every answer; an empty message follows the last. */
static void take_input(struct relay_source *source, const struct chunk *chunk)
{
    struct relay *relay = source->relay;
    source->data_start = chunk->start;
    source->data = landing_take(
        &relay->landing, input_bytes(relay->input, chunk->start, chunk->size),
        &relay->patience, &source->base);
}

static void await_answer(struct relay_source *source)
{
    const struct relay *relay = source->relay;
    if (!comm_test(relay->comm, &source->answer)) {
        double since = source_wait(&source->base);
        comm_wait(relay->comm, &relay->patience, &source->answer);
        source_go_on(&source->base, since);
    }
    source->asked = false;
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
    source->current.size = 0;
    if (!source->asked)
        send_question(source);
    await_answer(source);
    for (double wait_s; !comm_failed(source->relay->comm) &&
                        (wait_s = relay_wait_s(&source->reply)) > 0;) {
        double since = source_wait(base);
        engine_sleep(engine_nap(wait_s, false));
        source_go_on(base, since);
        send_question(source);
        await_answer(source);
    }
    if (comm_failed(source->relay->comm)) {
        source->left = true;
        return false;
    }
    source->current = source->reply;
    *chunk = source->reply;
    if (source->relay->input != NULL)
        take_input(source, chunk);
    if (chunk->size == 0)
        leave_master(source);
    return chunk->size > 0;
}

/* remote_next under a scheme that learns.  With prefetch a chunk's time is sent
 * with its results. */
static bool remote_learning_next(struct source *base, struct chunk *chunk)
{
    struct relay_source *source = (struct relay_source *)base;
    double asked = engine_now();
    end_time(source, asked);
    if (!source->plain(base, chunk))
        return false;
    begin_time(source, asked, chunk);
    return true;
}

/* The worker stops early. */
static void remote_leave(struct source *base)
{
    struct relay_source *source = (struct relay_source *)base;
    if (source->left)
        return;
    if (source->relay->learns)
        end_time(source, engine_now());
    source->finished = source->current;
    source->current.size = 0;
    leave_master(source);
}

static void hosted_leave(struct source *base)
{
    struct relay_source *source = (struct relay_source *)base;
    if (source->relay->learns) {
        end_time(source, engine_now());
        if (source->report.size > 0)
            master_report(source->master, &source->report);
        source->report.size = 0;
    }
    master_leave(source->master, base->worker, 1);
}

/* Results of a node pool go to the master above it. */
bool relay_sends(const struct relay *relay, int worker)
{
    const struct tree *tree = relay->tree;
    const struct tree_master *master =
        &tree->master[tree->worker_master[worker]];
    if (!relay->results.collects)
        return false;
    if (master->pool)
        master = &tree->master[master->parent];
    return master->rank != relay->comm->rank &&
           !(relay->shares && comm_same_host(relay->comm, master->rank));
}

static void choose_next(struct relay_source *source)
{
    bool hosted = source->master != NULL;
    source->plain = !hosted         ? remote_next
                    : source->sends ? pooled_next
                                    : hosted_next;
    source->base.next = !source->relay->learns ? source->plain
                        : hosted               ? hosted_learning_next
                                               : remote_learning_next;
}

void relay_source_open(struct relay_source *source, struct relay *relay,
                       int worker)
{
    const struct tree *tree = relay->tree;
    int leaf = tree->worker_master[worker];
    struct master *hosted = relay_hosted(relay, leaf);
    *source = (struct relay_source){
        .base = {.worker = worker,
                 .ask_ahead = !relay->prefetch                ? NULL
                              : hosted == NULL                ? remote_ahead
                              : master_needs_messages(hosted) ? hosted_ahead
                                                              : NULL,
                 .ahead = relay->ahead,
                 .leave = hosted != NULL ? hosted_leave : remote_leave},
        .relay = relay,
        .master = hosted,
        .leaf = leaf,
        .thread = worker - tree->rank_worker[tree->worker_rank[worker]],
        .sends = relay_sends(relay, worker),
        .answer = MPI_REQUEST_NULL};
    choose_next(source);
}

/* A master elsewhere waits until all its workers have taken their leave. */
static bool absent_next(struct source *base, struct chunk *chunk)
{
    struct relay_source *source = (struct relay_source *)base;
    (void)chunk;
    if (source->master == NULL && !source->left)
        leave_master(source);
    return false;
}

void relay_source_absent(struct relay_source *source, struct relay *relay,
                         int worker)
{
    relay_source_open(source, relay, worker);
    source->base.next = absent_next;
    source->base.ask_ahead = NULL;
}
