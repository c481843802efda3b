#include "harness/measure/measure_internal.h"

#include "base/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 9, POSTED = 16, TAG = 1 };

/* From an empty result to rows of an image; a few ms a round. */
static const int sizes[CALIBRATION_SIZES] = {8,     64,     512,    4096,
                                             32768, 262144, 1048576};
static const double ROUND_BYTES = 8e6, ROUND_MESSAGES = 1000;

/* The messages of one sender in a round. */
static int count_messages(int bytes)
{
    return (int)fmax(fmin(ROUND_BYTES / bytes, ROUND_MESSAGES), 1);
}

/* Some receives are always posted, as a master's are. */
static void receive_all(const struct comm *comm, char *room, int bytes)
{
    int left = count_messages(bytes) * (comm->ranks - 1);
    int posted = left < POSTED ? left : POSTED;
    MPI_Request request[POSTED];
    for (int i = 0; i < posted; i++)
        MPI_Irecv(room + (size_t)i * (size_t)bytes, bytes, MPI_BYTE,
                  MPI_ANY_SOURCE, TAG, comm->all, &request[i]);
    for (int more = left - posted; left > 0; left--) {
        int i;
        MPI_Waitany(posted, request, &i, MPI_STATUS_IGNORE);
        if (more-- > 0)
            MPI_Irecv(room + (size_t)i * (size_t)bytes, bytes, MPI_BYTE,
                      MPI_ANY_SOURCE, TAG, comm->all, &request[i]);
    }
}

/* A second; at rank 0. */
static double take_round(const struct comm *comm, char *room, int bytes)
{
    comm_sharp_barrier(comm);
    if (comm->rank != 0) {
        for (int i = count_messages(bytes); i > 0; i--)
            MPI_Send(room, bytes, MPI_BYTE, 0, TAG, comm->all);
        return 0;
    }
    double start = engine_now();
    receive_all(comm, room, bytes);
    return count_messages(bytes) * (comm->ranks - 1.0) / (engine_now() - start);
}

int rates_measure(const struct comm *comm, struct calibration_kind *kind,
                  struct error *err)
{
    for (int s = 0; s < CALIBRATION_SIZES; s++)
        kind->rate[s] = (struct calibration_rate){sizes[s], NAN};
    if (comm->ranks == 1)
        return 0;
    size_t largest = (size_t)sizes[CALIBRATION_SIZES - 1];
    char *room = calloc(comm->rank == 0 ? POSTED : 1, largest);
    int code = room != NULL ? 0
                            : error_set(err, ENOMEM,
                                        "out of memory for messages of %zu "
                                        "bytes",
                                        largest);
    code = comm_agree(comm, code, err);
    for (int s = 0; code == 0 && s < CALIBRATION_SIZES; s++) {
        double rate[ROUNDS];
        for (int r = -1; r < ROUNDS; r++) {
            double found = take_round(comm, room, sizes[s]);
            if (r >= 0)
                rate[r] = found;
        }
        kind->rate[s].messages = stats_middle(rate, ROUNDS);
    }
    free(room);
    return code;
}
