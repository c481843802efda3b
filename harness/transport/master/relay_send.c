/* What a rank sends through the relay, and the requests in flight for it. */
#include "harness/transport/master/relay_parts.h"

#include <limits.h>
#include <stdlib.h>

/* ---- growing lists; memory is there from the repetitions before ---- */

void *relay_grow(void *list, int count, int *room, size_t size)
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

static MPI_Request *add_flight(struct relay *relay)
{
    struct flights *flights = &relay->flights;
    flights->list = relay_grow(flights->list, flights->count, &flights->room,
                               sizeof(*flights->list));
    return &flights->list[flights->count++];
}

/* Results of `size` iterations as a message.  As bytes where their number is an
 * int: SMPI copies all others. */
MPI_Datatype relay_results_type(const struct relay *relay, int64_t size,
                                int *count)
{
    int64_t bytes = size * (int64_t)relay->output_bytes;
    *count = (int)(bytes <= INT_MAX ? bytes : size);
    return bytes <= INT_MAX ? MPI_BYTE : relay->iteration;
}

/* Where the results of a chunk go: straight to their place. */
void relay_post_results(struct relay *relay)
{
    while (relay->posted_results < relay->received_count &&
           relay->flights.count < relay->comm->landing) {
        const struct received *r = &relay->received[relay->posted_results++];
        char *to = relay->inbox + (size_t)r->start * relay->output_bytes;
        int count;
        MPI_Datatype type = relay_results_type(relay, r->size, &count);
        MPI_Irecv(to, count, type, r->from, r->tag, relay->comm->all,
                  add_flight(relay));
    }
}

void relay_reap(struct relay *relay)
{
    struct flights *flights = &relay->flights;
    flights->count = comm_reap(relay->comm, flights->list, flights->count);
    relay_post_results(relay);
}

/* Old ones are reaped now and then so that a long loop keeps a short list. */
void relay_reap_old(struct relay *relay)
{
    int count = relay->flights.count;
    if (count >= 64 && count % 64 == 0)
        relay_reap(relay);
}

/* ---- sending; called with MPI held ---- */

void relay_count_message(struct relay *relay, int64_t bytes)
{
    relay->messages++;
    relay->bytes += bytes;
}

int relay_thread(const struct tree *tree, int worker)
{
    return worker - tree->rank_worker[tree->worker_rank[worker]];
}

/* Requests are small: the library buffers them, and the receiver always has a
 * receive posted or is on its way to one. */
_Static_assert(sizeof(struct request) <= COMM_SHORT_BYTES, "short");
void relay_send_request(struct relay *relay, struct request request, int thread,
                        const struct chunk *finished)
{
    const struct comm *comm = relay->comm;
    int to = comm_address(comm, relay->tree->master[request.master].rank, 0);
    request.from = comm_self(comm);
    request.start = finished ? finished->start : 0;
    request.size = finished && relay->collect ? finished->size : 0;
    comm_send_short(comm, &relay->outbox, &request, sizeof(request), to,
                    RELAY_REQUEST);
    relay_count_message(relay, sizeof(request));
    if (request.size == 0)
        return;
    const char *output = relay->own ? relay->own[thread] : relay->output;
    const char *from = output + (size_t)request.start * relay->output_bytes;
    int count;
    MPI_Datatype type = relay_results_type(relay, request.size, &count);
    relay_reap_old(relay);
    comm_send_results(comm, from, count, type, to, RELAY_RESULT + thread,
                      add_flight(relay));
    relay_count_message(relay, request.size * (int64_t)relay->output_bytes);
}

/* A request without reports is as short as any.  One with them stays where it
 * is until the answer has come, or all flights have landed. */
void relay_send_told(struct relay *relay, int i, enum request_kind kind)
{
    const struct comm *comm = relay->comm;
    struct master *master = &relay->master[i];
    int above = relay->tree->master[master->index].parent;
    struct request request = {
        .kind = kind, .master = above, .child = master->index};
    struct request *told = (void *)relay->outgoing[i];
    if (told != NULL)
        request.ran = master_take_reports(master, (struct report *)(told + 1));
    if (request.ran == 0) {
        relay_send_request(relay, request, 0, NULL);
        return;
    }
    request.from = comm_self(comm);
    *told = request;
    int bytes =
        (int)(sizeof(request) + (size_t)request.ran * sizeof(struct report));
    relay_reap_old(relay);
    comm_send_results(comm, told, bytes, MPI_BYTE,
                      comm_address(comm, relay->tree->master[above].rank, 0),
                      RELAY_REQUEST, add_flight(relay));
    relay_count_message(relay, bytes);
}
