/* A loop over simulated ranks, as many as you like, before there is a cluster.
 * Its costs were recorded, one number of seconds per line; SimGrid lets them
 * pass, and this program computes nothing.
 * smpicc simulated.c $(pkg-config --cflags --libs libdls-smpi)
 * smpirun -np 64 -platform cluster.xml -hostfile hosts ./a.out \
 *     costs.txt fss transport=master */
#include <dls_mpi.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The numbers of a file; NULL: none. */
static double *read_costs(const char *path, int64_t *count)
{
    FILE *in = fopen(path, "r");
    double *cost = NULL, one;
    for (*count = 0; in != NULL && fscanf(in, "%lf", &one) == 1; ++*count) {
        double *more = realloc(cost, ((size_t)*count + 1) * sizeof(*cost));
        if (more == NULL)
            exit(EXIT_FAILURE);
        cost = more;
        cost[*count] = one;
    }
    if (in != NULL)
        fclose(in);
    return cost;
}

/* Returns how many iterations of the whole loop did not run exactly once. */
static int64_t run_loop(dls_loop *loop, int64_t iterations, int rank)
{
    int *times = calloc((size_t)iterations, sizeof(*times)), *all = NULL;
    int64_t begin, end, chunks = 0, sum[2] = {0}, wrong = 0;
    if (times == NULL || (all = calloc((size_t)iterations, sizeof(*all))) == 0)
        exit(EXIT_FAILURE);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    while (dls_next(loop, 0, &begin, &end) == 1) {
        chunks++;
        for (int64_t i = begin; i < end; i++)
            times[i]++;
    }
    double mine = MPI_Wtime() - start, longest = 0;
    MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&chunks, sum, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(times, all, (int)iterations, MPI_INT, MPI_SUM, 0,
               MPI_COMM_WORLD);
    for (int64_t i = 0; rank == 0 && i < iterations; i++)
        wrong += all[i] != 1;
    if (rank == 0)
        printf("%" PRId64 " chunks, %.9g s, %" PRId64 " iterations wrong\n",
               sum[0], longest, wrong);
    free(times);
    free(all);
    return wrong;
}

int main(int argc, char **argv)
{
    int rank, closed;
    int64_t iterations, wrong = 1;
    char text[256];
    dls_loop *loop;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *cost = argc > 1 ? read_costs(argv[1], &iterations) : NULL;
    if (argc < 3 || cost == NULL) {
        if (rank == 0)
            fprintf(stderr, "usage: simulated COSTS SCHEME [OPTIONS]\n");
        MPI_Finalize();
        return EXIT_FAILURE;
    }
    snprintf(text, sizeof(text), "charge=costs%s%s", argc > 3 ? "," : "",
             argc > 3 ? argv[3] : "");
    const dls_options options = {
        .size = sizeof(options), .text = text, .costs = cost};
    if (dls_mpi_open(&loop, MPI_COMM_WORLD, argv[2], iterations, 1, &options,
                     NULL) == 0)
        wrong = run_loop(loop, iterations, rank);
    else if (rank == 0)
        fprintf(stderr, "%s\n", dls_error(loop));
    closed = dls_close(loop, NULL);
    free(cost);
    MPI_Finalize();
    return wrong == 0 && closed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
