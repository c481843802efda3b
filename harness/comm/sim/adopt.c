/* The communicators of a program that is compiled with smpicc: its ranks are
 * SMPI's, each has a loop of its own, and they share what dlsbench-sim's ranks
 * share.  Only in libdls-smpi. */
#include "harness/comm/native/parts.h"
#include "harness/comm/sim/parts.h"
#include "harness/engine/sim/world.h"

void comm_settle(struct comm *comm)
{
    comm->posted = COMM_POSTED;
    comm->landing = COMM_LANDING;
    if (!world_join())
        comm_check(comm, MPI_ERR_NO_MEM);
}

void comm_unsettle(struct comm *comm)
{
    (void)comm;
    world_part();
}

void comm_wait_quietly(const struct comm *comm, MPI_Request *request)
{
    comm_check(comm, MPI_Wait(request, MPI_STATUS_IGNORE));
}

/* SMPI's MPI_Ibarrier is complete before all ranks have called it. */
void comm_quiet_barrier(const struct comm *comm)
{
    comm_check(comm, MPI_Barrier(comm->all));
}

void *comm_common(const struct comm *comm, void *mine)
{
    void *common = mine;
    comm_check(comm,
               MPI_Bcast(&common, sizeof(common), MPI_BYTE, 0, comm->all));
    return common;
}

/* A rank that still serves others looks again and again, and time passes in
 * between. */
int64_t comm_total(const struct comm *comm, int64_t value,
                   void (*keep_on)(void *arg), void *arg)
{
    MPI_Request request = MPI_REQUEST_NULL;
    struct engine_idle idle = {0};
    int64_t total = value;
    int done = 0;
    comm_check(comm, MPI_Iallreduce(&value, &total, 1, MPI_INT64_T, MPI_SUM,
                                    comm->all, &request));
    for (;;) {
        comm_check(comm, MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        if (done || comm_failed(comm))
            return total;
        keep_on(arg);
        engine_idle(&idle, &comm->patience, NULL);
    }
}
