/* The masters' end of the relay: requests come in, answers and refills go
 * out. */
#include "harness/transport/master/relay_parts.h"

/* The questions that hosted masters have for those above them. */
static void send_refill_requests(struct relay *relay)
{
    const struct comm *comm = relay->comm;
    for (int i = 0; i < relay->count; i++) {
        struct master *master = &relay->master[i];
        if (!atomic_load_explicit(&master->must_ask, memory_order_relaxed) ||
            !atomic_exchange(&master->must_ask, false))
            continue;
        int above = relay->tree->master[master->index].parent;
        relay->refill_by[i] = comm_self(comm);
        MPI_Irecv(relay->refill_tasks[i],
                  master->workers * (int)sizeof(struct task), MPI_BYTE,
                  comm_source(comm, relay->tree->master[above].rank),
                  RELAY_REFILL, comm->all, &relay->refill[i]);
        relay_send_told(relay, i, REQUEST_REFILL);
    }
}

/* ---- serving; called with MPI held ---- */

struct master *relay_hosted(const struct relay *relay, int index)
{
    for (int i = 0; i < relay->count; i++)
        if (relay->master[i].index == index)
            return &relay->master[i];
    return NULL;
}

static void receive_results(struct relay *relay, const struct request *request)
{
    if (request->size == 0)
        return;
    if (relay->reissues) {
        relay_expect(relay, request);
        return;
    }
    relay->received =
        relay_grow(relay->received, relay->received_count,
                   &relay->received_room, sizeof(*relay->received));
    relay_reap_old(relay);
    relay->received[relay->received_count++] = (struct received){
        request->start, request->size, request->from,
        RELAY_RESULT + relay_thread(relay->tree, request->child)};
    relay_post_results(relay);
}

static bool answer_worker(struct relay *relay, const struct request *request)
{
    struct master *master = relay_hosted(relay, request->master);
    struct chunk chunk = {0};
    enum master_answer answer = master_take(master, request->child, &chunk);
    if (answer == MASTER_LATER)
        return false;
    if (relay->reissues)
        relay_reissue_answer(relay, request->child, answer, &chunk);
    comm_send_short(relay->comm, &relay->outbox, &chunk, sizeof(chunk),
                    request->from,
                    RELAY_REPLY + relay_thread(relay->tree, request->child));
    relay_count_message(relay, sizeof(chunk));
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
    MPI_Send(relay->reply, bytes, MPI_BYTE, request->from, RELAY_REFILL,
             relay->comm->all);
    relay_count_message(relay, bytes);
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

/* What a worker or a master tells with its request. */
static void hear(struct relay *relay, const struct request *request)
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

/* Where chunks are handed out again a worker's time comes with its result. */
static bool counts(const struct relay *relay, const struct request *request)
{
    return !relay->reissues ||
           reissue_tells(relay->book, request->child, request->start);
}

static void handle_request(struct relay *relay, const struct request *request)
{
    engine_charge(ENGINE_REQUEST);
    receive_results(relay, request);
    if (request->ran > 0 && counts(relay, request))
        hear(relay, request);
    if (request->kind == REQUEST_FINAL)
        relay->finals++;
    if (answer_request(relay, request))
        return;
    relay->queue = relay_grow(relay->queue, relay->queued, &relay->queue_room,
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

/* Every child that has not said final will send one message more at least:
 * as many receives as such children are sure to be used. */
void relay_post(struct relay *relay)
{
    int open = relay->remote_children - relay->finals;
    int most = open < relay->ring ? open : relay->ring;
    for (; relay->posted < most; relay->posted++) {
        int at = (relay->oldest + relay->posted) % relay->ring;
        MPI_Irecv(relay->request + (size_t)at * relay->slot, (int)relay->slot,
                  MPI_BYTE, MPI_ANY_SOURCE, RELAY_REQUEST, relay->comm->all,
                  &relay->incoming[at]);
    }
}

/* The oldest receive is complete. */
static void request_arrived(struct relay *relay)
{
    const struct request *request =
        (void *)(relay->request + (size_t)relay->oldest * relay->slot);
    relay->oldest = (relay->oldest + 1) % relay->ring;
    relay->posted--;
    /* Answered before the next receive is posted: somebody waits. */
    handle_request(relay, request);
    relay_post(relay);
    relay->serving = relay->posted > 0;
}

static void refill_arrived(struct relay *relay, int i, const MPI_Status *status)
{
    int bytes;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    master_fill(&relay->master[i], relay->refill_tasks[i],
                bytes / (int)sizeof(struct task));
    engine_wake(&relay->moved);
}

/* A request belongs to the thread that posted it, where each has an address
 * of its own. */
static bool own(const struct relay *relay, int poster)
{
    return relay->comm->lanes == 1 || poster == comm_self(relay->comm);
}

static bool takes_requests(const struct relay *relay)
{
    return relay->serving &&
           own(relay, comm_address(relay->comm, relay->comm->rank, 0));
}

/* Results come to the same thread as requests. */
static bool takes_arrivals(const struct relay *relay)
{
    return own(relay, comm_address(relay->comm, relay->comm->rank, 0));
}

static bool take_requests(struct relay *relay)
{
    bool any = false;
    while (takes_requests(relay)) {
        int arrived;
        MPI_Test(&relay->incoming[relay->oldest], &arrived, MPI_STATUS_IGNORE);
        if (!arrived)
            break;
        request_arrived(relay);
        any = true;
    }
    return any;
}

static bool take_refills(struct relay *relay)
{
    bool any = false;
    for (int i = 0; i < relay->count; i++) {
        int arrived = 0;
        MPI_Status status;
        if (relay->refill[i] == MPI_REQUEST_NULL ||
            !own(relay, relay->refill_by[i]))
            continue;
        MPI_Test(&relay->refill[i], &arrived, &status);
        if (!arrived)
            continue;
        refill_arrived(relay, i, &status);
        any = true;
    }
    return any;
}

static void follow_up(struct relay *relay, bool refills)
{
    if (refills && relay->queued > 0)
        serve_queue(relay);
    if (relay->count > 0)
        send_refill_requests(relay);
}

static bool move_data(struct relay *relay)
{
    bool sent = port_poll(&relay->port);
    return landing_poll(&relay->landing) || sent;
}

bool relay_poll(struct relay *relay)
{
    if (!comm_try(relay->comm))
        return false;
    bool requests = take_requests(relay);
    bool refills = take_refills(relay);
    bool data = relay->input != NULL && move_data(relay);
    if (relay->reissues && takes_arrivals(relay)) {
        data = relay_take_arrivals(relay) || data;
        relay_tell_over(relay);
    }
    follow_up(relay, refills);
    comm_end(relay->comm);
    return requests || refills || data;
}

/* Whoever may block need not look first, and in simulation a look costs as
 * much as a wait. */
bool relay_progress(struct relay *relay)
{
    if (!engine_simulated)
        return relay_poll(relay);
    follow_up(relay, false);
    return false;
}

bool relay_serves(const struct relay *relay)
{
    return relay->remote_children > 0;
}

bool relay_polls(const struct relay *relay)
{
    bool lands = relay->input != NULL && relay->prefetch && !engine_simulated;
    return relay_serves(relay) || lands;
}

bool relay_refilling(const struct relay *relay)
{
    for (int i = 0; i < relay->count; i++)
        if (relay->refill[i] != MPI_REQUEST_NULL)
            return true;
    return false;
}

/* What a thread waits for together.  More than this may be under way: those
 * left out are looked at when one of the others has come. */
enum {
    WAITS_MAX = 64,
    WAIT_REQUEST = -1,
    WAIT_RESULT = -2,
    WAIT_OTHER = -3,
    WAIT_DATA = -4,
    WAIT_ARRIVAL = -5,
};
struct waits {
    int count;
    MPI_Request *from[WAITS_MAX];
    MPI_Request request[WAITS_MAX];
    int place[WAITS_MAX]; /* which it is, or of which refill */
};

static void add_wait(struct waits *waits, MPI_Request *request, int place)
{
    if (*request == MPI_REQUEST_NULL || waits->count == WAITS_MAX)
        return;
    waits->from[waits->count] = request;
    waits->request[waits->count] = *request;
    waits->place[waits->count++] = place;
}

static void list_waits(struct relay *relay, struct waits *waits)
{
    if (relay->input != NULL)
        add_wait(waits, &relay->port.sending, WAIT_DATA);
    for (int i = 0; i < relay->flights.count && takes_requests(relay); i++)
        add_wait(waits, &relay->flights.list[i], WAIT_RESULT);
    for (int i = 0; i < relay->arrivals && takes_arrivals(relay); i++)
        add_wait(waits, &relay->arrival[i].request, WAIT_ARRIVAL);
    for (int i = 0; i < relay->count; i++)
        if (own(relay, relay->refill_by[i]))
            add_wait(waits, &relay->refill[i], i);
    if (takes_requests(relay))
        add_wait(waits, &relay->incoming[relay->oldest], WAIT_REQUEST);
}

static void wait_for_any(struct relay *relay, struct waits *waits,
                         struct engine_idle *idle, MPI_Status *status)
{
    /* Natively one looks again, with MPI held, which it is not here. */
    if (engine_simulated)
        list_waits(relay, waits);
    int which = comm_pause(relay->comm, idle, &relay->patience, &relay->moved,
                           waits->request, waits->count, status);
    if (which < 0)
        return;
    int place = waits->place[which];
    *waits->from[which] = MPI_REQUEST_NULL;
    if (place == WAIT_RESULT)
        relay_reap(relay);
    else if (place == WAIT_DATA)
        port_go_on(&relay->port);
    else if (place == WAIT_ARRIVAL)
        relay_take_arrivals(relay);
    else if (place == WAIT_REQUEST)
        request_arrived(relay);
    else if (place != WAIT_OTHER)
        refill_arrived(relay, place, status);
    follow_up(relay, place >= 0);
}

void relay_pause(struct relay *relay, struct engine_idle *idle)
{
    struct waits waits;
    MPI_Status status;
    waits.count = 0;
    wait_for_any(relay, &waits, idle, &status);
}

void relay_serve_beside(struct relay *relay, MPI_Request *other,
                        MPI_Status *status)
{
    struct waits waits;
    struct engine_idle idle = {0};
    waits.count = 0;
    add_wait(&waits, other, WAIT_OTHER);
    wait_for_any(relay, &waits, &idle, status);
}
