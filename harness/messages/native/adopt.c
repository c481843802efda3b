/* Communicators for a loop of a program that already has MPI, and the functions
 * that only such a loop uses. */
#include "harness/messages/native/messages_internal.h"

#include <errno.h>
#include <stdlib.h>

/* On separate cache lines. */
struct block {
    _Alignas(128) struct engine_lock lock;
    _Alignas(128) _Atomic int failed;
};

static void find_host(struct comm *comm)
{
    int one = 0;
    if (comm_check(comm, MPI_Comm_split_type(comm->all, MPI_COMM_TYPE_SHARED,
                                             comm->rank, MPI_INFO_NULL,
                                             &comm->host)) != MPI_SUCCESS)
        return;
    comm_check(comm, MPI_Comm_rank(comm->host, &comm->host_rank));
    comm_check(comm, MPI_Comm_size(comm->host, &comm->host_ranks));
    int here = comm->host_ranks == comm->ranks;
    comm_check(comm,
               MPI_Allreduce(&here, &one, 1, MPI_INT, MPI_MIN, comm->all));
    comm->one_host = one != 0;
}

bool comm_same_host(const struct comm *comm, int rank)
{
    MPI_Group all, host;
    int there = MPI_UNDEFINED;
    if (comm->one_host || rank == comm->rank)
        return true;
    comm_check(comm, MPI_Comm_group(comm->all, &all));
    comm_check(comm, MPI_Comm_group(comm->host, &host));
    comm_check(comm, MPI_Group_translate_ranks(all, 1, &rank, host, &there));
    MPI_Group_free(&all);
    MPI_Group_free(&host);
    return there != MPI_UNDEFINED;
}

/* Our messages never meet the program's, because a duplicate has its own
 * context (MPI 3.1, section 6.4.2).  The program's communicator keeps its error
 * handler. */
int comm_adopt(struct comm *comm, MPI_Comm from, struct error *err)
{
    struct block *block = aligned_alloc(128, sizeof(*block));
    if (block != NULL) {
        atomic_init(&block->lock.held, 0);
        atomic_init(&block->failed, MPI_SUCCESS);
    }
    *comm = (struct comm){.all = MPI_COMM_NULL,
                          .host = MPI_COMM_NULL,
                          .local = 1,
                          .lanes = 1,
                          .mpi = block ? &block->lock : NULL,
                          .failed = block ? &block->failed : NULL,
                          .block = block};
    if (comm_check(comm, MPI_Comm_dup(from, &comm->all)) == MPI_SUCCESS) {
        comm_check(comm, MPI_Comm_set_errhandler(comm->all, MPI_ERRORS_RETURN));
        comm_check(comm, MPI_Comm_rank(comm->all, &comm->rank));
        comm_check(comm, MPI_Comm_size(comm->all, &comm->ranks));
        find_host(comm);
    }
    comm_settle(comm);
    if (comm_failed(comm))
        return comm_failure(comm, err);
    return block != NULL ? 0 : error_set(err, ENOMEM, "out of memory");
}

void comm_release(struct comm *comm)
{
    if (!comm_failed(comm) && comm->all != MPI_COMM_NULL) {
        comm_quiet_barrier(comm);
        MPI_Comm_free(&comm->host);
        MPI_Comm_free(&comm->all);
    }
    comm_unsettle(comm);
    free(comm->block);
    *comm = (struct comm){.all = MPI_COMM_NULL, .host = MPI_COMM_NULL};
}

int comm_failure(const struct comm *comm, struct error *err)
{
    char why[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(atomic_load(comm->failed), why, &length);
    return error_set(err, EIO, "MPI failed: %s", why);
}

/* A number is equal everywhere if and only if the maxima of it and of its
 * complement are those of each rank. */
int comm_differing(const struct comm *comm, const uint64_t *values, int count)
{
    int at = 0;
    for (; at < count; at++) {
        uint64_t mine[2] = {values[at], ~values[at]};
        uint64_t most[2] = {mine[0], mine[1]};
        comm_combine(comm, mine, most, 2, MPI_UINT64_T, MPI_MAX);
        if (most[0] != ~most[1])
            break;
    }
    return at;
}

void comm_share_f64(const struct comm *comm, const double *mine,
                    const int *count, double *all)
{
    int at = 0, total = 0;
    for (int rank = 0; rank < comm->ranks; rank++) {
        at += rank < comm->rank ? count[rank] : 0;
        total += count[rank];
    }
    for (int i = 0; i < count[comm->rank]; i++)
        all[at + i] = mine[i];
    comm_combine(comm, MPI_IN_PLACE, all, total, MPI_DOUBLE, MPI_SUM);
}
