#include "harness/transport/transport_end.h"

#include <string.h>

static const struct transport_ops *ops_of(const struct transport_end *end)
{
    return end->transport->ops;
}

int end_open(struct transport_end *end, const struct transport *transport,
             const struct comm *comm, struct error *err)
{
    const struct transport_ops *ops = transport->ops;
    *end = (struct transport_end){.transport = NULL};
    int code = ops->open(transport, comm, &end->own, err);
    bool opened = code == 0;
    code = comm_agree(comm, code, err);
    if (code == 0) {
        end->transport = transport;
        end->polls = ops->polls != NULL && ops->polls(end->own);
        end->poll = ops->poll;
    } else if (opened)
        ops->close(end->own);
    return code;
}

void end_close(struct transport_end *end)
{
    if (end->transport != NULL)
        ops_of(end)->close(end->own);
    *end = (struct transport_end){.transport = NULL};
}

void end_reset(struct transport_end *end, bool further_step)
{
    ops_of(end)->reset(end->own, further_step);
}

void end_listen(struct transport_end *end)
{
    if (ops_of(end)->listen != NULL)
        ops_of(end)->listen(end->own);
}

struct source *end_source(const struct transport_end *end, int i)
{
    return ops_of(end)->source(end->own, i);
}

void end_serve(struct transport_end *end, MPI_Request *other,
               MPI_Status *status)
{
    ops_of(end)->serve(end->own, other, status);
}

void end_leave(struct transport_end *end)
{
    if (ops_of(end)->leave != NULL)
        ops_of(end)->leave(end->own);
}

void end_finish(struct transport_end *end)
{
    if (ops_of(end)->finish != NULL)
        ops_of(end)->finish(end->own);
}

void end_add_traffic(const struct transport_end *end, int64_t *messages,
                     int64_t *bytes)
{
    if (ops_of(end)->traffic == NULL)
        return;
    struct transport_traffic sent = ops_of(end)->traffic(end->own);
    *messages += sent.messages;
    *bytes += sent.bytes;
}

bool end_keeps(const struct transport_end *end, int worker)
{
    return ops_of(end)->keeps == NULL || ops_of(end)->keeps(end->own, worker);
}

bool end_collected(const struct transport_end *end, int64_t *cursor,
                   int64_t *start, int64_t *size)
{
    return ops_of(end)->collected != NULL &&
           ops_of(end)->collected(end->own, cursor, start, size);
}

void end_poison(struct transport_end *end, int byte)
{
    if (ops_of(end)->poison != NULL)
        ops_of(end)->poison(end->own, byte);
}

char *end_output(const struct transport_end *end, int i)
{
    return ops_of(end)->output != NULL ? ops_of(end)->output(end->own, i)
                                       : end->transport->setup.output;
}

const char *end_data(const struct transport_end *end, int i, int64_t *first)
{
    return ops_of(end)->data(end->own, i, first);
}

bool end_is_over(const struct transport_end *end)
{
    return ops_of(end)->is_over != NULL && ops_of(end)->is_over(end->own);
}

void end_facts(const struct transport_end *end, int i,
               int64_t value[TRANSPORT_FACTS])
{
    memset(value, 0, TRANSPORT_FACTS * sizeof(*value));
    if (ops_of(end)->facts != NULL)
        ops_of(end)->facts(end->own, i, value);
}

const char *end_chosen(const struct transport_end *end)
{
    return ops_of(end)->chosen != NULL ? ops_of(end)->chosen(end->own) : NULL;
}

enum engine_cost end_cost(const struct transport_end *end, int i)
{
    return ops_of(end)->cost != NULL ? ops_of(end)->cost(end->own, i)
                                     : ENGINE_OWN;
}
