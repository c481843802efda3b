/* Collective steps of ranks in separate processes, or in SMPI's view of them:
 * those of a simulated program with its own loop. */
#include "harness/messages/native/messages_internal.h"

#include <limits.h>

void comm_sharp_barrier(const struct comm *comm)
{
    comm_check(comm, MPI_Barrier(comm->all));
}

int comm_agree(const struct comm *comm, int code, struct error *err)
{
    int first = INT_MAX, mine = code != 0 ? comm->rank : INT_MAX;
    MPI_Request request = MPI_REQUEST_NULL;
    comm_combine(comm, &mine, &first, 1, MPI_INT, MPI_MIN);
    if (comm_failed(comm))
        return comm_failure(comm, err);
    if (first == INT_MAX)
        return 0;
    comm_check(comm, MPI_Ibcast(&code, 1, MPI_INT, first, comm->all, &request));
    comm_wait_quietly(comm, &request);
    comm_check(comm, MPI_Ibcast(err->text, sizeof(err->text), MPI_BYTE, first,
                                comm->all, &request));
    comm_wait_quietly(comm, &request);
    return code;
}

void comm_broadcast(const struct comm *comm, void *data, size_t bytes)
{
    MPI_Request request = MPI_REQUEST_NULL;
    for (size_t at = 0; at < bytes; at += COMM_PART) {
        comm_check(comm, MPI_Ibcast((char *)data + at, comm_part(bytes, at),
                                    MPI_BYTE, 0, comm->all, &request));
        comm_wait_quietly(comm, &request);
    }
}

void comm_gather(const struct comm *comm, const void *one, void *all,
                 size_t bytes)
{
    MPI_Request request = MPI_REQUEST_NULL;
    comm_check(comm, MPI_Igather(one, (int)bytes, MPI_BYTE, all, (int)bytes,
                                 MPI_BYTE, 0, comm->all, &request));
    comm_wait_quietly(comm, &request);
}

void comm_sum_u64(const struct comm *comm, uint64_t *values, int count)
{
    MPI_Request request = MPI_REQUEST_NULL;
    comm_check(comm, MPI_Ireduce(comm->rank == 0 ? MPI_IN_PLACE : values,
                                 values, count, MPI_UINT64_T, MPI_SUM, 0,
                                 comm->all, &request));
    comm_wait_quietly(comm, &request);
}

void comm_sum_u8(const struct comm *comm, uint8_t *values, size_t count)
{
    MPI_Request request = MPI_REQUEST_NULL;
    for (size_t at = 0; at < count; at += COMM_PART) {
        comm_check(comm,
                   MPI_Ireduce(comm->rank == 0 ? MPI_IN_PLACE : values + at,
                               values + at, comm_part(count, at), MPI_UINT8_T,
                               MPI_SUM, 0, comm->all, &request));
        comm_wait_quietly(comm, &request);
    }
}

int comm_max_int(const struct comm *comm, int value)
{
    int most = value;
    comm_combine(comm, &value, &most, 1, MPI_INT, MPI_MAX);
    return most;
}

void comm_share_u64(const struct comm *comm, uint64_t one, uint64_t *all)
{
    comm_share(comm, &one, all, MPI_UINT64_T);
}
