/* The communicators of a program compiled with smpicc.  Its ranks are SMPI's,
 * each contains a loop, and they share the data that dlsbench-sim's ranks
 * share.  Only in libdls-smpi. */
#include "harness/engine/sim/world.h"
#include "harness/messages/native/messages_internal.h"
#include "harness/messages/sim/messages_internal.h"

#include <stdlib.h>

/* A sum over all ranks; one per communicator. */
struct tally {
    int64_t round; /* number of sums so far */
    int ranks;     /* that have added their number to the current one */
    int64_t sum;   /* so far */
    int64_t total; /* of the sum before */
    struct engine_event counted;
};

void comm_settle(struct comm *comm)
{
    comm_simulate(comm);
    if (!world_join())
        comm_check(comm, MPI_ERR_NO_MEM);
    if (comm->all == MPI_COMM_NULL)
        return;
    comm->shared = comm_common(
        comm, comm->rank == 0 ? calloc(1, sizeof(struct tally)) : NULL);
    if (comm->shared == NULL)
        comm_check(comm, MPI_ERR_NO_MEM);
    double here = world_place().speed;
    comm_combine(comm, &here, &comm->speed, 1, MPI_DOUBLE, MPI_MIN);
}

void comm_unsettle(struct comm *comm)
{
    if (comm->rank == 0 && !comm_failed(comm))
        free(comm->shared);
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

/* In SMPI's MPI_Iallreduce, MPI_Iallgather and MPI_Allgather every rank sends
 * to every other: a thousand ranks would take hours. */
void comm_combine(const struct comm *comm, const void *mine, void *all,
                  int count, MPI_Datatype type, MPI_Op op)
{
    comm_check(comm, MPI_Allreduce(mine, all, count, type, op, comm->all));
}

void comm_share(const struct comm *comm, const void *one, void *all,
                MPI_Datatype type)
{
    comm_check(comm, MPI_Gather(one, 1, type, all, 1, type, 0, comm->all));
    comm_check(comm, MPI_Bcast(all, comm->ranks, type, 0, comm->all));
}

void *comm_common(const struct comm *comm, void *mine)
{
    void *common = mine;
    comm_check(comm,
               MPI_Bcast(&common, sizeof(common), MPI_BYTE, 0, comm->all));
    return common;
}

/* By memory, because SMPI never forgets a message that was received by
 * MPI_Test. The barrier is the time that ranks need to tell each other. */
int64_t comm_total(const struct comm *comm, int64_t value,
                   void (*keep_on)(void *arg), void *arg)
{
    struct tally *tally = comm->shared;
    int64_t round = tally->round;
    struct engine_idle idle = {.seen = atomic_load(&tally->counted.sequence)};
    tally->sum += value;
    if (++tally->ranks == comm->ranks) {
        tally->total = tally->sum;
        tally->sum = tally->ranks = 0;
        tally->round++;
        engine_wake(&tally->counted);
    }
    while (tally->round == round && !comm_failed(comm)) {
        if (keep_on != NULL)
            keep_on(arg);
        /* A rank that serves others looks again and again. */
        engine_idle(&idle, &comm->patience,
                    keep_on != NULL ? NULL : &tally->counted);
    }
    int64_t total = tally->total;
    comm_quiet_barrier(comm);
    return total;
}
