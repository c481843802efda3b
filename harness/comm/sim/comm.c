/* The communicators of a simulated launch.  Rank 0 opens, checks and collects
 * for all ranks, which live in its process: a collective operation is done when
 * rank 0 has done it. */
#include "harness/comm/comm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Requests on their way to a master at a time.  Natively a message travels
 * whether its receive is posted or not; here it sets out when it is posted,
 * so that one receive at a time would make a master wait for every message's
 * latency.  More than a few dozen at a time cost time to simulate, because
 * all share the link, and bring nothing. */
enum { POSTED = 16, LANDING = 32 };

/* The number of a rank's own messages that may stay under way. */
enum { LONG_LIST = 64, SHORT_LIST = 32 };

int comm_open(struct comm *comm, struct error *err)
{
    (void)err;
    *comm = (struct comm){.all = MPI_COMM_WORLD,
                          .host = MPI_COMM_NULL,
                          .lanes = 1,
                          .posted = POSTED,
                          .landing = LANDING};
    MPI_Comm_rank(comm->all, &comm->rank);
    MPI_Comm_size(comm->all, &comm->ranks);
    comm->held = comm->ranks;
    return 0;
}

void comm_close(struct comm *comm)
{
    (void)comm;
}

/* SMPI never forgets a message whose receiver learned of it by MPI_Test: from
 * then on every message of that sender takes longer to simulate. */
bool comm_test(const struct comm *comm, MPI_Request *request)
{
    (void)comm, (void)request;
    return false;
}

int comm_reap(const struct comm *comm, MPI_Request *list, int count)
{
    int kept = 0;
    (void)comm;
    for (int i = 0; i < count - SHORT_LIST && count >= LONG_LIST; i++)
        MPI_Wait(&list[i], MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        if (list[i] != MPI_REQUEST_NULL)
            list[kept++] = list[i];
    return kept;
}

void comm_wait(const struct comm *comm, const struct engine_patience *patience,
               MPI_Request *request)
{
    (void)comm, (void)patience;
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

int comm_pause(const struct comm *comm, struct engine_idle *idle,
               const struct engine_patience *patience,
               struct engine_event *event, MPI_Request *requests, int count,
               MPI_Status *status)
{
    int which = 0;
    (void)comm;
    if (count == 0) {
        engine_idle(idle, patience, event);
        return -1;
    }
    if (count == 1)
        MPI_Wait(requests, status);
    else
        MPI_Waitany(count, requests, &which, status);
    return which;
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
