#include "harness/comm/input.h"

#include <stdlib.h>
#include <string.h>

/* The value of wiped data; no kernel's input looks like it. */
enum { POISON = 0xa5 };

/* Answers to port_time. */
enum { ANSWER = 1 << 14 };

/* ---- the port ---- */

void port_open(struct port *port, const struct comm *comm,
               const struct input *input)
{
    *port = (struct port){
        .comm = comm, .input = input, .sending = MPI_REQUEST_NULL};
}

void port_close(struct port *port)
{
    free(port->queue);
    port->queue = NULL;
}

void port_reset(struct port *port)
{
    port->next = 0;
    port->count = 0;
    port->messages = 0;
    port->bytes = 0;
}

void port_go_on(struct port *port)
{
    const struct input *input = port->input;
    if (port->next == port->count)
        return;
    const struct port_message *m = &port->queue[port->next++];
    int64_t bytes = input_bytes(input, m->start, m->size);
    const char *from =
        input->before != NULL ? input->store + input->before[m->start] : NULL;
    MPI_Issend(from, (int)(bytes / 8), MPI_UINT64_T, m->to, m->tag,
               port->comm->all, &port->sending);
    port->messages++;
    port->bytes += bytes;
}

void port_put(struct port *port, const struct port_message *message)
{
    if (port->count == port->room) {
        int64_t room = 2 * port->room + 64;
        struct port_message *queue =
            realloc(port->queue, (size_t)room * sizeof(*queue));
        if (queue == NULL)
            abort(); /* some bytes for a chunk: nothing sensible is left */
        port->queue = queue;
        port->room = room;
    }
    port->queue[port->count++] = *message;
    if (port->sending == MPI_REQUEST_NULL)
        port_go_on(port);
}

bool port_poll(struct port *port)
{
    int left = 0;
    if (port->sending == MPI_REQUEST_NULL)
        return false;
    MPI_Test(&port->sending, &left, MPI_STATUS_IGNORE);
    if (left)
        port_go_on(port);
    return left != 0;
}

void port_drain(struct port *port, const struct engine_patience *patience)
{
    while (port->sending != MPI_REQUEST_NULL) {
        comm_wait(port->comm, patience, &port->sending);
        port_go_on(port);
    }
}

double port_time(struct port *port, const struct port_message *message,
                 const struct engine_patience *patience)
{
    MPI_Request answer;
    MPI_Irecv(NULL, 0, MPI_BYTE, message->to, ANSWER, port->comm->all, &answer);
    double start = engine_now();
    port_put(port, message);
    port_drain(port, patience);
    comm_wait(port->comm, patience, &answer);
    return engine_now() - start;
}

/* ---- landings ---- */

void landing_open(struct landing *landing, const struct comm *comm,
                  const struct input *input, int from, int tag, int slots)
{
    *landing = (struct landing){
        .comm = comm, .input = input, .from = from, .tag = tag, .slots = slots};
    for (int i = 0; i < LANDINGS; i++)
        landing->request[i] = MPI_REQUEST_NULL;
}

static char *room_of(const struct landing *landing, int64_t message)
{
    const struct input *input = landing->input;
    if (input->landing == NULL)
        return NULL;
    return input->landing + (size_t)(message % landing->slots) * input->stride;
}

void landing_reset(struct landing *landing)
{
    for (int i = 0; i < landing->slots && landing->input->stride > 0; i++)
        memset(room_of(landing, i), POISON, (size_t)landing->used);
    landing->posted = 0;
    landing->taken = 0;
}

void landing_post(struct landing *landing)
{
    const struct input *input = landing->input;
    int64_t all = input_bytes(input, 0, input->iterations);
    int64_t message = landing->posted++;
    MPI_Irecv(room_of(landing, message), (int)(all / 8), MPI_UINT64_T,
              landing->from, landing->tag, landing->comm->all,
              &landing->request[message % landing->slots]);
}

const char *landing_take(struct landing *landing, int64_t bytes,
                         const struct engine_patience *patience,
                         struct source *source)
{
    int64_t message = landing->taken++;
    MPI_Request *request = &landing->request[message % landing->slots];
    if (*request != MPI_REQUEST_NULL && !comm_test(landing->comm, request)) {
        double since = source != NULL ? source_wait(source) : 0;
        comm_wait(landing->comm, patience, request);
        if (source != NULL)
            source_go_on(source, since);
    }
    if (bytes > landing->used)
        landing->used = bytes;
    return room_of(landing, message);
}

/* The oldest comes first; testing it lets all others progress, too. */
bool landing_poll(struct landing *landing)
{
    MPI_Request *request = &landing->request[landing->taken % landing->slots];
    int there;
    if (landing->posted == landing->taken || *request == MPI_REQUEST_NULL)
        return false;
    MPI_Test(request, &there, MPI_STATUS_IGNORE);
    return true;
}

void landing_answer(struct landing *landing,
                    const struct engine_patience *patience)
{
    MPI_Request told;
    MPI_Isend(NULL, 0, MPI_BYTE, landing->from, ANSWER, landing->comm->all,
              &told);
    comm_wait(landing->comm, patience, &told);
}
