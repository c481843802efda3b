#include "harness/protocol/pipeline/exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A range, then its output. */
static size_t room_for(const struct exchange *e)
{
    return (size_t)e->iterations * (e->range_bytes + e->output_bytes);
}

int exchange_open(struct exchange *e, const struct comm *comm, char *output,
                  size_t output_bytes, int64_t iterations, bool timed,
                  struct error *err)
{
    *e = (struct exchange){.comm = comm,
                           .output = output,
                           .output_bytes = output_bytes,
                           .iterations = iterations,
                           .range_bytes = exchange_range_bytes(timed)};
    if (comm->ranks == 1)
        return 0;
    e->mine = malloc(room_for(e));
    if (e->mine != NULL && comm->rank > 0)
        e->all = malloc(room_for(e));
    if (timed)
        e->gathered = calloc((size_t)iterations + 1, sizeof(*e->gathered));
    if (e->mine != NULL && (e->all != NULL || comm->rank == 0) &&
        (e->gathered != NULL || !timed))
        return 0;
    exchange_close(e);
    return error_set(err, ENOMEM,
                     "steps: no memory for the results of %lld iterations that "
                     "ranks exchange",
                     (long long)iterations);
}

void exchange_close(struct exchange *e)
{
    free(e->mine);
    free(e->all);
    free(e->gathered);
    e->mine = e->all = NULL;
    e->gathered = NULL;
}

/* The size of the message. */
static size_t pack_results(struct exchange *e, const struct exchange_range *own,
                           int64_t count)
{
    char *to = e->mine;
    for (int64_t i = 0; i < count; i++) {
        size_t bytes = (size_t)own[i].size * e->output_bytes;
        memcpy(to, &own[i], e->range_bytes);
        memcpy(to + e->range_bytes,
               e->output + (size_t)own[i].start * e->output_bytes, bytes);
        to += e->range_bytes + bytes;
    }
    return (size_t)(to - e->mine);
}

/* A rank's own results are also rewritten, with the same bits. */
static void unpack_results(struct exchange *e, const char *from, size_t total)
{
    const char *end = from + total;
    e->count = 0;
    while (from < end) {
        struct exchange_range range;
        memcpy(&range, from, e->range_bytes);
        from += e->range_bytes;
        if (e->gathered != NULL)
            e->gathered[e->count++] = range;
        size_t bytes = (size_t)range.size * e->output_bytes;
        memcpy(e->output + (size_t)range.start * e->output_bytes, from, bytes);
        from += bytes;
    }
}

void exchange_all(struct exchange *e, const struct exchange_range *own,
                  int64_t count)
{
    const struct comm *comm = e->comm;
    void *gathered = NULL;
    size_t total = 0;
    if (comm->ranks == 1)
        return;
    size_t mine = pack_results(e, own, count);
    comm_gather_any(comm, e->mine, mine, &gathered, &total);
    comm_broadcast(comm, &total, sizeof(total));
    char *all = comm->rank == 0 ? gathered : e->all;
    comm_broadcast(comm, all, total);
    unpack_results(e, all, total);
    free(gathered);
    int64_t receivers = comm->ranks - 1;
    e->messages += comm->rank == 0 ? receivers : 1;
    e->bytes += comm->rank == 0 ? receivers * (int64_t)total : (int64_t)mine;
}
