/* Rank 1 times a burst of sends.  Rank 0 stays outside MPI until all have
 * arrived, and then times the completion of its receives: transit is in neither
 * time. */
#include "harness/messages/burst.h"

#include "base/stats.h"

#include <math.h>

/* As long as a request of harness/transport/master/relay.h; few enough for the
 * library to buffer all. */
enum { BYTES = 56, BURST = 16, TRIPS = 100, ROUNDS = 101, TAG = 1 };

/* By then a burst is over and has arrived. */
#define QUIET_S 30e-6

static double send_burst(const struct comm *comm)
{
    char message[BYTES] = {0};
    double start = engine_now();
    for (int i = 0; i < BURST; i++)
        MPI_Send(message, BYTES, MPI_BYTE, 0, TAG, comm->all);
    return engine_now() - start;
}

/* Looks for the messages once all have arrived: no call of MPI before. */
static double receive_burst(MPI_Request *request)
{
    double start = engine_now();
    while (engine_now() - start < QUIET_S)
        ;
    start = engine_now();
    for (int i = 0; i < BURST; i++)
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    return engine_now() - start;
}

static double round_trips(const struct comm *comm)
{
    char message[BYTES] = {0};
    double start = engine_now();
    for (int i = 0; i < 2 * TRIPS; i++)
        if (i % 2 == comm->rank)
            MPI_Send(message, BYTES, MPI_BYTE, 1 - comm->rank, TAG, comm->all);
        else
            MPI_Recv(message, BYTES, MPI_BYTE, 1 - comm->rank, TAG, comm->all,
                     MPI_STATUS_IGNORE);
    return engine_now() - start;
}

static double one_burst(const struct comm *comm)
{
    MPI_Request request[BURST];
    char message[BURST][BYTES];
    for (int i = 0; comm->rank == 0 && i < BURST; i++)
        MPI_Irecv(message[i], BYTES, MPI_BYTE, 1, TAG, comm->all, &request[i]);
    comm_sharp_barrier(comm);
    if (comm->rank == 0)
        return receive_burst(request);
    return comm->rank == 1 ? send_burst(comm) : 0;
}

void burst_measure(const struct comm *comm, struct burst *burst)
{
    double once[ROUNDS], trips[ROUNDS], sent = 0;
    *burst = (struct burst){NAN, NAN, NAN};
    if (comm->ranks < 2)
        return;
    for (int r = 0; r < ROUNDS; r++) {
        once[r] = one_burst(comm) / BURST;
        trips[r] = comm->rank < 2 ? round_trips(comm) / (2 * TRIPS) : 0;
    }
    double own = stats_median(once, ROUNDS).median;
    if (comm->rank == 1)
        MPI_Send(&own, 1, MPI_DOUBLE, 0, TAG, comm->all);
    if (comm->rank == 0)
        MPI_Recv(&sent, 1, MPI_DOUBLE, 1, TAG, comm->all, MPI_STATUS_IGNORE);
    *burst = (struct burst){sent, own, stats_median(trips, ROUNDS).median};
}
