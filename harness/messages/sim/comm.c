/* The communicators of a simulated launch.  Rank 0 opens, checks and collects
 * for all ranks, which live in its process: a collective operation is done when
 * rank 0 has done it. */
#include "harness/messages/sim/messages_internal.h"

#include "harness/engine/sim/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int comm_open(struct comm *comm, struct error *err)
{
    (void)err;
    *comm =
        (struct comm){.all = MPI_COMM_WORLD, .host = MPI_COMM_NULL, .lanes = 1};
    comm_simulate(comm);
    MPI_Comm_rank(comm->all, &comm->rank);
    MPI_Comm_size(comm->all, &comm->ranks);
    comm->local = comm->ranks;
    return 0;
}

void comm_close(struct comm *comm)
{
    (void)comm;
}

bool comm_same_host(const struct comm *comm, int rank)
{
    const struct world_place *place = world_here()->place;
    return place[comm->rank * comm->lanes].host ==
           place[rank * comm->lanes].host;
}

void *comm_common(const struct comm *comm, void *mine)
{
    struct world *world = world_here();
    if (comm->rank == 0)
        world->common = mine;
    return world->common;
}

void comm_sharp_barrier(const struct comm *comm)
{
    MPI_Barrier(comm->all);
}

int comm_agree(const struct comm *comm, int code, struct error *err)
{
    (void)comm, (void)err;
    return code;
}

char *comm_broadcast_text(const struct comm *comm, char *text)
{
    (void)comm;
    return text;
}

int comm_gather_any(const struct comm *comm, const void *one, size_t bytes,
                    void **all, size_t *total)
{
    (void)comm;
    *total = bytes;
    *all = malloc(bytes + 1);
    if (*all == NULL)
        return -ENOMEM;
    memcpy(*all, one, bytes);
    return 0;
}

int comm_gather_owned(const struct comm *comm, void *one, size_t bytes,
                      void **all, size_t *total)
{
    (void)comm;
    *all = one;
    *total = bytes;
    return 0;
}

int comm_max_int(const struct comm *comm, int value)
{
    (void)comm;
    return value;
}

void comm_describe(char *text, size_t size)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    strncpy(text, version, size - 1);
    text[size - 1] = '\0';
}
