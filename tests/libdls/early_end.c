/* A rank that ends in the middle of a loop: early_end WHAT OPTIONS. */
#include <dls_mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end_as(const char *what)
{
    if (strcmp(what, "exit") == 0)
        exit(0);
    if (strcmp(what, "finalize") == 0) {
        MPI_Finalize();
        exit(0);
    }
}

int main(int argc, char **argv)
{
    int rank;
    int64_t begin, end;
    dls_loop *loop;
    dls_options options = {.size = sizeof(options), .text = argv[argc - 1]};
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (dls_mpi_open(&loop, MPI_COMM_WORLD, "ss", 1000, 1, &options, NULL) != 0)
        return 3;
    while (dls_next(loop, 0, &begin, &end) == 1) {
        usleep(500); /* so that the other rank gets chunks */
        if (rank == 1)
            end_as(argv[1]);
    }
    if (strcmp(argv[1], "open") != 0)
        dls_close(loop, NULL);
    MPI_Finalize();
    return 0;
}
