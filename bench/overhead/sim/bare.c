/* dlsbench-bare-sim CHUNKS FLOPS: the program with which DLSBench is compared
 * at scale (bench/overhead/sim/scale.py).  Only a flat master and its workers;
 * each chunk is a request, an answer and its flops. */
#include <mpi.h>
#include <simgrid/actor.h>
#include <smpi/smpi.h>
#include <stdlib.h>

/* Between the starts of two ranks: as long as the master needs for one, so that
 * requests never wait.  Each new one would be compared with all waiting
 * ones. */
static const double STAGGER_S = 8e-6;

static void serve(long chunks, int workers)
{
    while (workers > 0) {
        long next, here;
        MPI_Status status;
        MPI_Recv(&here, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
                 &status);
        next = chunks > 0 ? chunks-- : 0;
        workers -= next == 0;
        MPI_Send(&next, 1, MPI_LONG, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
    }
}

static void work(int rank, double flops)
{
    long chunk = 0;
    sg_actor_sleep_for(rank * STAGGER_S);
    for (;;) {
        MPI_Send(&chunk, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&chunk, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (chunk == 0)
            return;
        smpi_execute_flops(flops);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (rank == 0)
        serve(atol(argv[1]), ranks - 1);
    else
        work(rank, atof(argv[2]));
    MPI_Finalize();
    return 0;
}
