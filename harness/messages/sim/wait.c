/* How simulated ranks wait for messages: they block. */
#include "harness/messages/comm.h"

/* How many of a rank's own messages may stay under way. */
enum { LONG_LIST = 64, SHORT_LIST = 32 };

/* SMPI never forgets a message whose receiver found it by MPI_Test: afterwards
 * every message of that sender takes longer to simulate. */
bool comm_test(const struct comm *comm, MPI_Request *request)
{
    (void)comm, (void)request;
    return false;
}

void comm_reap(const struct comm *comm, MPI_Request *list, int *count)
{
    MPI_Request old[LONG_LIST];
    int taken = 0, kept = 0;
    (void)comm;
    for (int i = 0; i < *count; i++)
        if (list[i] != MPI_REQUEST_NULL && *count >= LONG_LIST &&
            i < *count - SHORT_LIST && taken < LONG_LIST)
            old[taken++] = list[i];
        else if (list[i] != MPI_REQUEST_NULL)
            list[kept++] = list[i];
    *count = kept;
    for (int i = 0; i < taken; i++)
        MPI_Wait(&old[i], MPI_STATUS_IGNORE);
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
