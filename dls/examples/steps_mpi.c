/* Time steps over ranks under awf, which learns how fast the workers are and
 * keeps it: the last rank does everything twice here, and gets less from step
 * to step.  Each step needs what all ranks computed in the one before.
 * mpicc steps_mpi.c $(pkg-config --cflags --libs libdls-mpich) */
#include <dls_mpi.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITERATIONS = 4000, STEPS = 6 };

static double work_on(double x)
{
    for (int k = 0; k < 2000; k++)
        x = x * 0.999 + 1;
    return x;
}

/* Returns how many iterations this rank ran. */
static int64_t run_step(dls_loop *loop, const double *before, double *after,
                        int times)
{
    int64_t begin, end, count = 0;
    while (dls_next(loop, 0, &begin, &end) == 1) {
        for (int64_t i = begin; i < end; i++)
            for (int k = 0; k < times; k++)
                after[i] = work_on(before[i]);
        count += end - begin;
    }
    return count;
}

int main(int argc, char **argv)
{
    static double value[2][ITERATIONS];
    dls_loop *loop;
    int rank, ranks, code, closed;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < ITERATIONS; i++)
        value[0][i] = i;
    /* dls_collect brings the results of a step to all ranks. */
    dls_data output = {
        .size = sizeof(output), .bytes = sizeof(double), .memory = value[1]};
    const dls_mpi_options mpi = {.size = sizeof(mpi), .output = &output};
    code =
        dls_mpi_open(&loop, MPI_COMM_WORLD, "awf", ITERATIONS, 1, NULL, &mpi);
    for (int step = 0; code == 0 && step < STEPS; step++) {
        int64_t count =
            run_step(loop, value[0], value[1], rank == ranks - 1 ? 2 : 1);
        code = dls_collect(loop, DLS_EVERYWHERE);
        for (int i = 0; i < ITERATIONS; i++)
            value[0][i] = value[1][i];
        int64_t last = count;
        MPI_Bcast(&last, 1, MPI_INT64_T, ranks - 1, MPI_COMM_WORLD);
        if (rank == 0)
            printf("step %d: %" PRId64 " of %d in the last rank\n", step, last,
                   ITERATIONS);
        if (code == 0 && step + 1 < STEPS)
            code = dls_again(loop, ITERATIONS);
    }
    if (code != 0 && rank == 0)
        fprintf(stderr, "%s\n", dls_error(loop));
    else if (rank == 0)
        printf("result %.17g\n", value[0][ITERATIONS - 1]);
    closed = dls_close(loop, NULL);
    MPI_Finalize();
    return code == 0 && closed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
