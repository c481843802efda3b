/* A loop first written for DLS4LB, whose calls are in the comments.
 *
 *     mpicc dls4lb.c $(pkg-config --cflags --libs libdls-mpich)
 *     mpiexec -n 4 ./a.out gss */
#include <dls_mpi.h>
#include <stdio.h>

enum { NUMBERS = 5000, TIME_STEPS = 3 };

static long long divisors(int64_t number)
{
    long long sum = 0;
    for (int64_t d = 1; d <= number; d++)
        sum += number % d == 0 ? d : 0;
    return sum;
}

int main(int argc, char **argv)
{
    dls_loop *loop;
    int rank, code;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* DLS_Parameters_Setup(MPI_COMM_WORLD, &info, ranks, requestWhen,
     *     breakAfter, minChunk, h, sigma, ranks, method, xeonSpeed, knlSpeed,
     *     knlRanks, fileName);
     * DLS_StartLoop(&info, 1, NUMBERS, method); */
    const dls_options options = {.size = sizeof(options),
                                 .text = "min-chunk=1"};
    code = dls_mpi_open(&loop, MPI_COMM_WORLD, argc > 1 ? argv[1] : "gss",
                        NUMBERS, 1, &options, NULL);
    if (code != 0 && rank == 0)
        fprintf(stderr, "%s\n", dls_error(loop));
    for (int step = 0; step < TIME_STEPS && code == 0; step++) {
        long long sum = 0, all;
        int64_t begin, end;
        /* while (!DLS_Terminated(&info)) {
         *     DLS_StartChunk(&info, &start, &size);
         *     ...
         *     DLS_EndChunk(&info);
         * } */
        while (dls_next(loop, 0, &begin, &end) == 1)
            for (int64_t i = begin; i < end; i++)
                sum += divisors(i + 1);
        MPI_Reduce(&sum, &all, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("step %d: %lld\n", step, all);
        /* DLS_EndLoop(&info); DLS_StartLoop(&info, 1, NUMBERS, method); */
        if (step + 1 < TIME_STEPS)
            code = dls_again(loop, NUMBERS);
    }
    int closed = dls_close(loop, NULL);
    MPI_Finalize();
    return code != 0 || closed != 0;
}
