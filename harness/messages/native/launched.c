/* A program that is the launch itself: MPI begins and ends with it, and it ends
 * where memory is missing. */
#include "harness/messages/native/messages_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int comm_open(struct comm *comm, struct error *err)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) {
        MPI_Finalize();
        return error_set(err, ENOTSUP,
                         "this MPI does not let several threads "
                         "take turns (MPI_THREAD_SERIALIZED)");
    }
    int code = comm_adopt(comm, MPI_COMM_WORLD, err);
    if (code != 0) {
        MPI_Finalize();
        return code;
    }
    /* From now on an error ends the launch. */
    MPI_Comm_set_errhandler(comm->all, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(comm->host, MPI_ERRORS_ARE_FATAL);
    comm->failed = NULL;
    return 0;
}

void comm_close(struct comm *comm)
{
    comm_release(comm);
    MPI_Finalize();
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

/* Rank 0 takes the others' one by one: sizes beyond an int. */
static void receive_parts(const struct comm *comm, char *data, size_t bytes,
                          int rank)
{
    MPI_Request request;
    for (size_t at = 0; at < bytes; at += COMM_PART) {
        MPI_Irecv(data + at, comm_part(bytes, at), MPI_BYTE, rank, 0, comm->all,
                  &request);
        comm_wait_quietly(comm, &request);
    }
}

static void gather_parts(const struct comm *comm, const void *one, size_t bytes,
                         char *all, const uint64_t *sizes)
{
    if (comm->rank != 0) {
        MPI_Request request;
        for (size_t at = 0; at < bytes; at += COMM_PART) {
            MPI_Isend(one + at, comm_part(bytes, at), MPI_BYTE, 0, 0, comm->all,
                      &request);
            comm_wait_quietly(comm, &request);
        }
        return;
    }
    if (bytes > 0)
        memcpy(all, one, bytes);
    all += bytes;
    for (int rank = 1; rank < comm->ranks; rank++) {
        receive_parts(comm, all, sizes[rank], rank);
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

int comm_gather_owned(const struct comm *comm, void *one, size_t bytes,
                      void **all, size_t *total)
{
    int code = comm_gather_any(comm, one, bytes, all, total);
    free(one);
    return code;
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
