/* The waits of a rank of the relay: for requests, refills, results and data. */
#include "harness/transport/master/relay.h"

#include <limits.h>

/* If each thread has its own address, a request of MPI belongs to the thread
 * that posted it. */
static bool is_mine(const struct relay *relay, int poster)
{
    return relay->comm->lanes == 1 || poster == comm_self(relay->comm);
}

/* Thread 0 receives requests and results. */
static bool is_receiver(const struct relay *relay)
{
    return is_mine(relay, comm_address(relay->comm, relay->comm->rank, 0));
}

static bool takes_requests(const struct relay *relay)
{
    return relay->queue.is_open && is_receiver(relay);
}

bool relay_serves(const struct relay *relay)
{
    return relay->queue.children > 0;
}

bool relay_polls(const struct relay *relay)
{
    bool lands =
        relay->input != NULL && relay->prefetch && !relay->comm->moving;
    return relay_serves(relay) || lands;
}

bool relay_refilling(const struct relay *relay)
{
    for (int i = 0; i < relay->count; i++)
        if (relay->hosted[i].refill != MPI_REQUEST_NULL)
            return true;
    return false;
}

/* ---- polling; with MPI held ---- */

/* Inlined in this file, because every poll calls it. */
static bool take_request(struct relay *relay)
{
    const struct request *request = request_queue_take(&relay->queue);
    if (request == NULL)
        return false;
    relay_handle_request(relay, request);
    return true;
}

static bool take_refills(struct relay *relay)
{
    bool any = false;
    for (int i = 0; i < relay->count; i++) {
        struct hosted *hosted = &relay->hosted[i];
        int arrived = 0;
        MPI_Status status;
        if (hosted->refill == MPI_REQUEST_NULL ||
            !is_mine(relay, hosted->asked_by))
            continue;
        comm_check(relay->comm, MPI_Test(&hosted->refill, &arrived, &status));
        if (!arrived)
            continue;
        relay_take_refill(relay, hosted, &status);
        any = true;
    }
    return any;
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
    relay->results.landing = INT_MAX; /* nobody waits before more are posted */
    bool any = false;
    while (takes_requests(relay) && take_request(relay))
        any = true;
    bool requests = any;
    bool refills = take_refills(relay);
    bool data = relay->input != NULL && move_data(relay);
    if (relay->reissues && is_receiver(relay)) {
        data = result_collector_place(&relay->results) || data;
        relay_send_over(relay);
    }
    if (relay->first.count > 0 && is_receiver(relay))
        requests = relay_first_poll(relay) || requests;
    relay_follow_up(relay, refills);
    comm_end(relay->comm);
    return requests || refills || data;
}

/* A thread that may block need not look first: a look costs as much as a
 * wait. */
bool relay_progress(struct relay *relay)
{
    if (!relay->comm->moving)
        return relay_poll(relay);
    relay_follow_up(relay, false);
    return false;
}

/* ---- waiting ---- */

/* How many requests a thread waits for together, and how many of them are
 * results.  More may be under way: those are tested after one of these has
 * completed. */
enum {
    WAITS_MAX = 96,
    RESULTS_MAX = 64,
    WAIT_REQUEST = -1,
    WAIT_RESULT = -2,
    WAIT_OTHER = -3,
    WAIT_DATA = -4,
    WAIT_ARRIVAL = -5,
    WAIT_DEFERRED = -6,
};
struct waits {
    int count;
    MPI_Request *from[WAITS_MAX];
    MPI_Request request[WAITS_MAX];
    int place[WAITS_MAX]; /* which kind it is, or of which refill */
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
    struct result_collector *results = &relay->results;
    bool requests = takes_requests(relay);
    if (relay->input != NULL)
        add_wait(waits, &relay->port.sending, WAIT_DATA);
    int coming = requests ? relay->box.requests : 0;
    for (int i = 0; i < coming && i < RESULTS_MAX; i++)
        add_wait(waits, &relay->box.request[i], WAIT_RESULT);
    for (int i = 0; i < results->arrivals && is_receiver(relay); i++)
        add_wait(waits, &results->arrival[i].request, WAIT_ARRIVAL);
    for (int i = 0; i < relay->first.posted && is_receiver(relay); i++)
        add_wait(waits, &relay->first.deferred[i].coming, WAIT_DEFERRED);
    for (int i = 0; i < relay->count; i++)
        if (is_mine(relay, relay->hosted[i].asked_by))
            add_wait(waits, &relay->hosted[i].refill, i);
    if (requests)
        add_wait(waits, mailbox_oldest(&relay->box), WAIT_REQUEST);
}

static void wait_for_any(struct relay *relay, struct waits *waits,
                         struct engine_idle *idle, MPI_Status *status)
{
    /* Otherwise polls again, with MPI held, which it is not here. */
    if (relay->comm->moving) {
        relay->results.landing = relay->comm->landing;
        list_waits(relay, waits);
    }
    int which = comm_pause(relay->comm, idle, &relay->patience, &relay->moved,
                           waits->request, waits->count, status);
    if (which < 0)
        return;
    int place = waits->place[which];
    *waits->from[which] = MPI_REQUEST_NULL;
    if (place == WAIT_RESULT)
        result_collector_reap(&relay->results, false);
    else if (place == WAIT_DATA)
        port_go_on(&relay->port);
    else if (place == WAIT_ARRIVAL)
        result_collector_place(&relay->results);
    else if (place == WAIT_DEFERRED)
        relay_first_answer(relay);
    else if (place == WAIT_REQUEST)
        take_request(relay);
    else if (place != WAIT_OTHER)
        relay_take_refill(relay, &relay->hosted[place], status);
    relay_follow_up(relay, place >= 0);
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
