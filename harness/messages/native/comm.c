/* How the ranks of processes wait for each other. */
#include "harness/messages/native/messages_internal.h"

#include <limits.h>

/* A poll that lasts this long means that no rank waits for long. */
#define PATIENCE_S 1e-3

bool comm_test(const struct comm *comm, MPI_Request *request)
{
    int done = 1; /* a failed call is not repeated */
    if (comm_failed(comm))
        return true;
    if (!comm_try(comm))
        return false;
    comm_check(comm, MPI_Test(request, &done, MPI_STATUS_IGNORE));
    comm_end(comm);
    return done != 0;
}

void comm_reap(const struct comm *comm, MPI_Request *list, int *count)
{
    int kept = 0;
    for (int i = 0; i < *count; i++) {
        int done = 1;
        comm_check(comm, MPI_Test(&list[i], &done, MPI_STATUS_IGNORE));
        if (!done)
            list[kept++] = list[i];
    }
    *count = kept;
}

struct wait {
    const struct comm *comm;
    MPI_Request *request;
};

static bool wait_over(void *arg)
{
    const struct wait *wait = arg;
    return comm_test(wait->comm, wait->request);
}

void comm_wait(const struct comm *comm, const struct engine_patience *patience,
               MPI_Request *request)
{
    struct wait wait = {comm, request};
    engine_wait(patience, NULL, wait_over, &wait);
}

/* Messages wake no thread, and no event reports them. */
int comm_pause(const struct comm *comm, struct engine_idle *idle,
               const struct engine_patience *patience,
               struct engine_event *event, MPI_Request *requests, int count,
               MPI_Status *status)
{
    (void)comm, (void)event, (void)requests, (void)count, (void)status;
    engine_idle(idle, patience, NULL);
    return -1;
}

static bool request_done(void *arg)
{
    struct wait *wait = arg;
    int done = 1;
    if (!comm_failed(wait->comm))
        comm_check(wait->comm,
                   MPI_Test(wait->request, &done, MPI_STATUS_IGNORE));
    return done != 0;
}

void comm_wait_quietly(const struct comm *comm, MPI_Request *request)
{
    struct wait wait = {comm, request};
    engine_wait(&comm->patience, NULL, request_done, &wait);
}

void comm_quiet_barrier(const struct comm *comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    comm_check(comm, MPI_Ibarrier(comm->all, &request));
    comm_wait_quietly(comm, &request);
}

void comm_combine(const struct comm *comm, const void *mine, void *all,
                  int count, MPI_Datatype type, MPI_Op op)
{
    MPI_Request request = MPI_REQUEST_NULL;
    comm_check(comm,
               MPI_Iallreduce(mine, all, count, type, op, comm->all, &request));
    comm_wait_quietly(comm, &request);
}

void comm_share(const struct comm *comm, const void *one, void *all,
                MPI_Datatype type)
{
    MPI_Request request = MPI_REQUEST_NULL;
    comm_check(comm,
               MPI_Iallgather(one, 1, type, all, 1, type, comm->all, &request));
    comm_wait_quietly(comm, &request);
}

void comm_settle(struct comm *comm)
{
    comm->patience.spin_s = PATIENCE_S;
    comm->posted = 1;
    comm->landing = INT_MAX;
}

void comm_unsettle(struct comm *comm)
{
    (void)comm;
}

void *comm_common(const struct comm *comm, void *mine)
{
    (void)comm;
    return mine;
}

int64_t comm_total(const struct comm *comm, int64_t value,
                   void (*keep_on)(void *arg), void *arg)
{
    MPI_Request request = MPI_REQUEST_NULL;
    struct engine_idle idle = {0};
    int64_t total = value;
    comm_check(comm, MPI_Iallreduce(&value, &total, 1, MPI_INT64_T, MPI_SUM,
                                    comm->all, &request));
    while (!comm_test(comm, &request)) {
        if (keep_on != NULL)
            keep_on(arg);
        engine_idle(&idle, &comm->patience, NULL);
    }
    return total;
}
