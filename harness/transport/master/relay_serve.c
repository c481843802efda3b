/* The masters' side of the relay: requests arrive, answers and refills leave.
 * All functions are called with MPI held. */
#include "harness/transport/master/relay.h"

struct master *relay_hosted(const struct relay *relay, int index)
{
    for (int i = 0; i < relay->count; i++)
        if (relay->hosted[i].master.index == index)
            return &relay->hosted[i].master;
    return NULL;
}

/* ---- answers to requests from below ---- */

static bool answer_worker(struct relay *relay, const struct request *request)
{
    struct master *master = relay_hosted(relay, request->master);
    const struct tree *tree = relay->tree;
    int worker = request->child;
    int thread = worker - tree->rank_worker[tree->worker_rank[worker]];
    struct chunk chunk = {0};
    enum master_answer answer = master_take(master, worker, &chunk);
    if (answer == MASTER_LATER)
        return false;
    if (relay->reissues)
        relay_reissue_answer(relay, worker, answer, &chunk);
    mailbox_send_short(&relay->box, &chunk, sizeof(chunk), request->from,
                       RELAY_REPLY + thread);
    if (relay->input != NULL)
        port_put(&relay->port, &(struct port_message){request->from, RELAY_DATA,
                                                      chunk.start, chunk.size});
    return true;
}

static bool answer_refill(struct relay *relay, const struct request *request)
{
    struct master *master = relay_hosted(relay, request->master);
    const struct tree_master *child = &relay->tree->master[request->child];
    int count = 0;
    enum master_answer answer = master_take_batch(
        master, child->first_worker, child->workers, relay->reply, &count);
    if (answer == MASTER_LATER)
        return false;
    int bytes = count * (int)sizeof(struct task);
    comm_check(relay->comm,
               MPI_Send(relay->reply, bytes, MPI_BYTE, request->from,
                        RELAY_REFILL, relay->comm->all));
    mailbox_count(&relay->box, bytes);
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

/* With reissued chunks a worker's time is sent with its result. */
static bool has_reports(const struct relay *relay,
                        const struct request *request)
{
    return request->ran > 0 &&
           (!relay->reissues ||
            reissue_counts(relay->ledger, request->child, request->start));
}

/* A worker's report is in its request; those of a master follow its request. */
static void take_reports(struct relay *relay, const struct request *request)
{
    struct master *master = relay_hosted(relay, request->master);
    const struct report *report = (const void *)(request + 1);
    bool worker = relay->tree->master[request->master].leaf;
    if (worker)
        master_report(master, &(struct report){.worker = request->child,
                                               .workers = 1,
                                               .size = request->ran,
                                               .ran_s = request->ran_s,
                                               .whole_s = request->whole_s});
    for (int64_t i = 0; !worker && i < request->ran; i++)
        master_report(master, &report[i]);
}

void relay_answer(struct relay *relay, const struct request *request)
{
    if (!answer_request(relay, request))
        request_queue_keep(&relay->queue, request);
}

/* The leave of a worker, or of a master with everything below it. */
static void take_leave(struct relay *relay, const struct request *request)
{
    const struct tree *tree = relay->tree;
    struct master *master = relay_hosted(relay, request->master);
    const struct tree_master *child = &tree->master[request->child];
    if (tree->master[request->master].leaf)
        master_leave(master, request->child, 1);
    else
        master_leave(master, child->first_worker, child->workers);
}

void relay_handle_request(struct relay *relay, const struct request *request)
{
    engine_charge(ENGINE_REQUEST);
    bool deferred = relay_first_defer(relay, request);
    if (request->size > 0 && !deferred)
        result_collector_expect(&relay->results, request->child, request->from,
                                request->start, request->size);
    if (has_reports(relay, request))
        take_reports(relay, request);
    if (request->kind == REQUEST_FINAL)
        take_leave(relay, request);
    if (!deferred)
        relay_answer(relay, request);
    request_queue_listen(&relay->queue);
}

/* Waiting children are served in the order in which they came. */
static void answer_waiting(struct relay *relay)
{
    struct request_queue *queue = &relay->queue;
    int kept = 0;
    for (int i = 0; i < queue->count; i++)
        if (!answer_request(relay, &queue->waiting[i]))
            queue->waiting[kept++] = queue->waiting[i];
    queue->count = kept;
}

/* ---- requests for refills from above ---- */

/* A request without reports is short.  One with reports keeps its memory until
 * the answer, or until all messages are sent. */
void relay_send_hosted(struct relay *relay, struct hosted *hosted,
                       enum request_kind kind)
{
    const struct comm *comm = relay->comm;
    struct master *master = &hosted->master;
    int above = relay->tree->master[master->index].parent;
    struct request request = {
        .kind = kind, .master = above, .child = master->index};
    struct request *head = (void *)hosted->message;
    if (head != NULL)
        request.ran = master_take_reports(master, (struct report *)(head + 1));
    if (request.ran == 0) {
        relay_send_request(relay, request, 0, NULL);
        return;
    }
    request.from = comm_self(comm);
    *head = request;
    int bytes =
        (int)(sizeof(request) + (size_t)request.ran * sizeof(struct report));
    result_collector_reap(&relay->results, true);
    mailbox_send_long(&relay->box, head, bytes, MPI_BYTE, bytes,
                      comm_address(comm, relay->tree->master[above].rank, 0),
                      RELAY_REQUEST);
}

static void ask_above(struct relay *relay, struct hosted *hosted)
{
    const struct comm *comm = relay->comm;
    struct master *master = &hosted->master;
    int above = relay->tree->master[master->index].parent;
    hosted->asked_by = comm_self(comm);
    comm_check(comm,
               MPI_Irecv(hosted->tasks,
                         master->workers * (int)sizeof(struct task), MPI_BYTE,
                         comm_source(comm, relay->tree->master[above].rank),
                         RELAY_REFILL, comm->all, &hosted->refill));
    relay_send_hosted(relay, hosted, REQUEST_REFILL);
}

void relay_take_refill(struct relay *relay, struct hosted *hosted,
                       const MPI_Status *status)
{
    int bytes;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    master_fill(&hosted->master, hosted->tasks,
                bytes / (int)sizeof(struct task));
    engine_wake(&relay->moved);
}

void relay_follow_up(struct relay *relay, bool refills)
{
    if (refills && relay->queue.count > 0)
        answer_waiting(relay);
    for (int i = 0; i < relay->count; i++) {
        struct hosted *hosted = &relay->hosted[i];
        _Atomic bool *must_ask = &hosted->master.must_ask;
        if (atomic_load_explicit(must_ask, memory_order_relaxed) &&
            atomic_exchange(must_ask, false))
            ask_above(relay, hosted);
    }
}
