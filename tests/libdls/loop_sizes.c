/* loop_sizes OPTIONS THREADS SCHEME...: runs loops of 0, 1, 2, p-1, p, p+1 and
 * 1000 iterations under each scheme, twice by dls_again.  It does so on a
 * communicator without the world's last rank and on one in the opposite order.
 * THREADS: of each rank, the digits in turn.  Prints a line for each scheme:
 * `ok`, or the reason of a refusal. */
#include "ranks.h"

#include <errno.h>

static int rank, ranks;

static bool try_size(struct counted *counted, const char *scheme,
                     const dls_options *options, int *code)
{
    const int64_t iterations = counted->iterations;
    int64_t left = -1;
    bool good = true;
    *code = dls_mpi_open(&counted->loop, counted->comm, scheme, iterations,
                         counted->threads, options, NULL);
    good = same_code(counted->comm, *code);
    if (*code != 0 && rank == 0 && iterations == 1000)
        printf("%s: %s\n", scheme, dls_error(counted->loop));
    if (*code != 0)
        return dls_close(counted->loop, NULL) == 0 && good;
    prepare(counted);
    ask_all(counted);
    good = good && each_ran(counted, 1);
    good = good && dls_again(counted->loop, iterations) == 0;
    ask_all(counted);
    good = good && each_ran(counted, 2);
    good = dls_close(counted->loop, &left) == 0 && left == 0 && good;
    free(counted->hits);
    if (!good)
        printf("%s: wrong with %lld iterations in rank %d: %d\n", scheme,
               (long long)iterations, rank, counted->code);
    return good;
}

static bool try_scheme(struct counted *counted, const char *scheme,
                       const char *text)
{
    const dls_options options = {.size = sizeof(options), .text = text};
    bool good = true;
    int p, code = 0;
    combine(&counted->threads, &p, 1, MPI_SUM, counted->comm);
    const int64_t sizes[] = {0, 1, 2, p - 1, p, p + 1, 1000};
    for (int i = 0; i < 7; i++) {
        counted->iterations = sizes[i];
        good = try_size(counted, scheme, &options, &code) && good;
    }
    if (good && code == 0 && rank == 0)
        printf("%s: ok\n", scheme);
    return good;
}

int main(int argc, char **argv)
{
    struct counted counted = {.code = 0};
    bool good = true;
    int level, world, worlds, worst, mine;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &worlds);
    MPI_Comm_split(MPI_COMM_WORLD, world + 1 < worlds ? 0 : MPI_UNDEFINED,
                   -world, &counted.comm);
    if (counted.comm != MPI_COMM_NULL && argc > 3) {
        MPI_Comm_rank(counted.comm, &rank);
        MPI_Comm_size(counted.comm, &ranks);
        counted.threads = argv[2][(size_t)rank % strlen(argv[2])] - '0';
        for (int i = 3; i < argc; i++)
            good = try_scheme(&counted, argv[i], argv[1]) && good;
        MPI_Comm_free(&counted.comm);
    }
    /* The world's last rank waits here, and not in MPI_Finalize. */
    mine = !good;
    combine(&mine, &worst, 1, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return worst;
}
