#include "harness/transport/comm.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A poll that lasts this long means that nobody waits for long. */
#define PATIENCE_S 1e-3
/* Large arrays travel in parts that an int can count. */
enum { PART = 1 << 28 };

int comm_open(struct comm *comm, struct error *err)
{
    int provided, compare;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) {
        MPI_Finalize();
        return error_set(err, ENOTSUP,
                         "this MPI does not let several threads "
                         "take turns (MPI_THREAD_SERIALIZED)");
    }
    *comm = (struct comm){.patience = {.spin_s = PATIENCE_S}};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm->all);
    MPI_Comm_rank(comm->all, &comm->rank);
    MPI_Comm_size(comm->all, &comm->ranks);
    MPI_Comm_split_type(comm->all, MPI_COMM_TYPE_SHARED, comm->rank,
                        MPI_INFO_NULL, &comm->host);
    MPI_Comm_rank(comm->host, &comm->host_rank);
    MPI_Comm_size(comm->host, &comm->host_ranks);
    int one = comm->host_ranks == comm->ranks;
    MPI_Allreduce(&one, &compare, 1, MPI_INT, MPI_MIN, comm->all);
    comm->one_host = compare != 0;
    return 0;
}

void comm_close(struct comm *comm)
{
    comm_quiet_barrier(comm);
    MPI_Comm_free(&comm->host);
    MPI_Comm_free(&comm->all);
    MPI_Finalize();
}

static bool request_done(void *arg)
{
    int done;
    MPI_Test((MPI_Request *)arg, &done, MPI_STATUS_IGNORE);
    return done != 0;
}

void comm_quiet_barrier(const struct comm *comm)
{
    MPI_Request request;
    MPI_Ibarrier(comm->all, &request);
    engine_wait(&comm->patience, NULL, request_done, &request);
}

void comm_sharp_barrier(const struct comm *comm)
{
    MPI_Barrier(comm->all);
}

int comm_agree(const struct comm *comm, int code, struct error *err)
{
    int first, mine = code != 0 ? comm->rank : INT_MAX;
    comm_quiet_barrier(comm);
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm->all);
    if (first == INT_MAX)
        return 0;
    MPI_Bcast(&code, 1, MPI_INT, first, comm->all);
    MPI_Bcast(err->text, sizeof(err->text), MPI_BYTE, first, comm->all);
    return code;
}

void comm_broadcast(const struct comm *comm, void *data, size_t bytes)
{
    comm_quiet_barrier(comm);
    for (size_t at = 0; at < bytes; at += PART)
        MPI_Bcast((char *)data + at,
                  (int)(bytes - at < PART ? bytes - at : PART), MPI_BYTE, 0,
                  comm->all);
}

char *comm_broadcast_text(const struct comm *comm, char *text)
{
    uint64_t size = comm->rank == 0 ? strlen(text) + 1 : 0;
    comm_broadcast(comm, &size, sizeof(size));
    char *copy = comm->rank == 0 ? text : malloc(size);
    if (copy == NULL)
        MPI_Abort(comm->all, 1);
    comm_broadcast(comm, copy, size);
    return copy;
}

void comm_gather(const struct comm *comm, const void *one, void *all,
                 size_t bytes)
{
    comm_quiet_barrier(comm);
    MPI_Gather(one, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0,
               comm->all);
}

/* Rank 0 takes the parts of the others one by one: sizes beyond an int. */
static void gather_parts(const struct comm *comm, const void *one, size_t bytes,
                         char *all, const uint64_t *sizes)
{
    if (comm->rank != 0) {
        for (size_t at = 0; at < bytes; at += PART)
            MPI_Send((const char *)one + at,
                     (int)(bytes - at < PART ? bytes - at : PART), MPI_BYTE, 0,
                     0, comm->all);
        return;
    }
    memcpy(all, one, bytes);
    all += bytes;
    for (int rank = 1; rank < comm->ranks; rank++) {
        for (uint64_t at = 0; at < sizes[rank]; at += PART) {
            uint64_t part = sizes[rank] - at;
            MPI_Recv(all + at, (int)(part < PART ? part : PART), MPI_BYTE, rank,
                     0, comm->all, MPI_STATUS_IGNORE);
        }
        all += sizes[rank];
    }
}

int comm_gather_any(const struct comm *comm, const void *one, size_t bytes,
                    void **all, size_t *total)
{
    uint64_t mine = bytes, sum = 0;
    uint64_t *sizes =
        comm->rank == 0 ? calloc((size_t)comm->ranks, sizeof(*sizes)) : NULL;
    if (comm->rank == 0 && sizes == NULL)
        MPI_Abort(comm->all, 1);
    comm_gather(comm, &mine, sizes, sizeof(mine));
    for (int rank = 0; comm->rank == 0 && rank < comm->ranks; rank++)
        sum += sizes[rank];
    *all = comm->rank == 0 ? malloc(sum + 1) : NULL;
    *total = sum;
    if (comm->rank == 0 && *all == NULL)
        MPI_Abort(comm->all, 1);
    gather_parts(comm, one, bytes, *all, sizes);
    free(sizes);
    return 0;
}

void comm_sum_u64(const struct comm *comm, uint64_t *values, int count)
{
    comm_quiet_barrier(comm);
    MPI_Reduce(comm->rank == 0 ? MPI_IN_PLACE : values, values, count,
               MPI_UINT64_T, MPI_SUM, 0, comm->all);
}

void comm_sum_u8(const struct comm *comm, uint8_t *values, size_t count)
{
    comm_quiet_barrier(comm);
    for (size_t at = 0; at < count; at += PART) {
        int part = (int)(count - at < PART ? count - at : PART);
        MPI_Reduce(comm->rank == 0 ? MPI_IN_PLACE : values + at, values + at,
                   part, MPI_UINT8_T, MPI_SUM, 0, comm->all);
    }
}

int comm_max_int(const struct comm *comm, int value)
{
    int most;
    comm_quiet_barrier(comm);
    MPI_Allreduce(&value, &most, 1, MPI_INT, MPI_MAX, comm->all);
    return most;
}

void comm_share_u64(const struct comm *comm, uint64_t one, uint64_t *all)
{
    comm_quiet_barrier(comm);
    MPI_Allgather(&one, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, comm->all);
}

void comm_describe(char *text, size_t size)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    /* The first line names the library and its version. */
    version[strcspn(version, "\n")] = '\0';
    for (char *c = version; *c != '\0'; c++)
        if (*c == '\t')
            *c = ' ';
    snprintf(text, size, "%s", version);
}
