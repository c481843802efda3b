/* The exchange of results between ranks, in simulation: threads of a rank are
 * ranks of SMPI, and each sends its own part.  The results return to one thread
 * of each rank by the broadcast's tree; the others share its memory. */
#include "harness/protocol/pipeline/exchange.h"

#include "harness/engine/sim/world.h"

#include <errno.h>
#include <stdlib.h>

int exchange_open(struct exchange *e, const struct comm *comm, char *output,
                  size_t output_bytes, int64_t iterations, bool timed,
                  struct error *err)
{
    size_t range = exchange_range_bytes(timed);
    size_t bytes = (size_t)iterations * (range + output_bytes);
    *e = (struct exchange){.comm = comm,
                           .output = output,
                           .output_bytes = output_bytes,
                           .iterations = iterations,
                           .range_bytes = range};
    e->all = world_room_open(bytes);
    e->mine = e->all;
    if (e->all == NULL)
        return error_set(err, ENOMEM,
                         "steps: no room for the results of %lld iterations",
                         (long long)iterations);
    return 0;
}

void exchange_close(struct exchange *e)
{
    if (e->all != NULL)
        world_room_close(e->all);
    e->mine = e->all = NULL;
}

static double bytes_of(const struct exchange *e,
                       const struct exchange_range *own, int64_t count)
{
    double bytes = 0;
    for (int64_t i = 0; i < count; i++)
        bytes += (double)e->range_bytes +
                 (double)own[i].size * (double)e->output_bytes;
    return bytes;
}

/* Down a binary tree of ranks: a rank sends after it has received everything.
 * The barrier of each level represents this wait. */
static void spread_bytes(struct exchange *e, int rank, double bytes)
{
    int lanes = e->comm->lanes, ranks = e->comm->ranks;
    for (int reach = 1; reach < ranks; reach *= 2) {
        if (rank < reach && rank + reach < ranks) {
            world_carry(rank * lanes, (rank + reach) * lanes, bytes);
            e->messages++;
            e->bytes += (int64_t)bytes;
        }
        MPI_Barrier(e->comm->all);
    }
}

void exchange_all(struct exchange *e, const struct exchange_range *own,
                  int64_t count)
{
    int self, lanes = e->comm->lanes;
    if (e->comm->ranks == 1)
        return;
    MPI_Comm_rank(e->comm->all, &self);
    double mine = bytes_of(e, own, count);
    if (e->range_bytes == sizeof(*own))
        e->count += count; /* sum over all threads, read after the barrier */
    if (self >= lanes && mine > 0) {
        world_carry(self, 0, mine);
        e->messages += self % lanes == 0;
        e->bytes += (int64_t)mine;
    }
    MPI_Barrier(e->comm->all);
    if (self % lanes != 0)
        self = e->comm->ranks * lanes; /* of no rank: only joins the barriers */
    double times = (double)e->count * (double)sizeof(own->took_s);
    spread_bytes(e, self / lanes,
                 (double)e->iterations * (double)e->output_bytes + times);
}
