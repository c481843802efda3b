#include "harness/messages/input.h"

#include "base/invariant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The value of wiped data; no kernel's input looks like it. */
enum { POISON = 0xa5 };

/* Answers to port_time. */
enum { ANSWER = 1 << 14 };

/* ---- the port ---- */

int port_open(struct port *port, struct mailbox *box, const struct input *input,
              int64_t room)
{
    *port = (struct port){
        .box = box, .input = input, .room = room, .sending = MPI_REQUEST_NULL};
    port->queue = calloc((size_t)room + 1, sizeof(*port->queue));
    return port->queue != NULL ? 0 : -ENOMEM;
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
}

static void send_data(struct port *port, const struct port_message *m)
{
    const struct input *input = port->input;
    int64_t bytes = input_bytes(input, m->start, m->size);
    const char *from =
        input->before != NULL ? input->store + input->before[m->start] : NULL;
    MPI_Issend(from, (int)(bytes / 8), MPI_UINT64_T, m->to, m->tag,
               port->box->comm->all, &port->sending);
    mailbox_count(port->box, bytes);
}

void port_go_on(struct port *port)
{
    if (port->count == 0)
        return;
    send_data(port, &port->queue[port->next]);
    port->next = (port->next + 1) % port->room;
    port->count--;
}

void port_put(struct port *port, const struct port_message *message)
{
    if (port->sending == MPI_REQUEST_NULL) {
        send_data(port, message);
        return;
    }
    invariant(port->count < port->room);
    port->queue[(port->next + port->count++) % port->room] = *message;
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
        comm_wait(port->box->comm, patience, &port->sending);
        port_go_on(port);
    }
}

double port_time(struct port *port, const struct port_message *message,
                 const struct engine_patience *patience)
{
    MPI_Request answer;
    MPI_Irecv(NULL, 0, MPI_BYTE, message->to, ANSWER, port->box->comm->all,
              &answer);
    double start = engine_now();
    port_put(port, message);
    port_drain(port, patience);
    comm_wait(port->box->comm, patience, &answer);
    return engine_now() - start;
}

/* ---- landings ---- */

int landing_open(struct landing *landing, const struct comm *comm,
                 const struct input *input, int from, int tag, int slots)
{
    const struct mailbox_setup box = {
        .comm = comm,
        .from = from,
        .tag = tag,
        .posted = slots,
        .count = (int)(input_bytes(input, 0, input->iterations) / 8),
        .type = MPI_UINT64_T,
        .given = true,
        .memory = input->landing,
        .stride = input->stride};
    *landing = (struct landing){.input = input, .slots = slots};
    return mailbox_open(&landing->box, &box);
}

void landing_close(struct landing *landing)
{
    mailbox_close(&landing->box);
}

void landing_reset(struct landing *landing)
{
    const struct input *input = landing->input;
    for (int i = 0; i < landing->slots && input->stride > 0; i++)
        memset(input->landing + (size_t)i * input->stride, POISON,
               (size_t)landing->used);
    mailbox_reset(&landing->box);
    landing->posted = 0;
}

void landing_post(struct landing *landing)
{
    mailbox_post(&landing->box, landing->box.posted + 1);
    landing->posted++;
}

const char *landing_take(struct landing *landing, int64_t bytes,
                         const struct engine_patience *patience,
                         struct source *source)
{
    const struct comm *comm = landing->box.comm;
    MPI_Request *request = mailbox_oldest(&landing->box);
    if (!comm_test(comm, request)) {
        double since = source != NULL ? source_wait(source) : 0;
        comm_wait(comm, patience, request);
        if (source != NULL)
            source_go_on(source, since);
    }
    if (bytes > landing->used)
        landing->used = bytes;
    return mailbox_take(&landing->box);
}

/* Tests the oldest message; this also makes progress on all others. */
bool landing_poll(struct landing *landing)
{
    MPI_Request *request = mailbox_oldest(&landing->box);
    int there;
    if (request == NULL || *request == MPI_REQUEST_NULL)
        return false;
    MPI_Test(request, &there, MPI_STATUS_IGNORE);
    return true;
}

void landing_answer(struct landing *landing,
                    const struct engine_patience *patience)
{
    MPI_Request announced;
    MPI_Isend(NULL, 0, MPI_BYTE, landing->box.from, ANSWER,
              landing->box.comm->all, &announced);
    comm_wait(landing->box.comm, patience, &announced);
}
