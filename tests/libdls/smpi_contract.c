/* smpi_contract CASE [OPTIONS]: what dls_mpi.h promises under SimGrid. Prints
 * `good` in rank 0, and what was wrong. */
#include "ranks.h"

#include <errno.h>
#include <sys/resource.h>

static int rank;

static bool check(bool good, const char *what)
{
    if (!good)
        printf("rank %d: not so: %s\n", rank, what);
    return good;
}

static int open_loop(struct counted *counted, const dls_options *options)
{
    counted->comm = MPI_COMM_WORLD;
    prepare(counted);
    return dls_mpi_open(&counted->loop, MPI_COMM_WORLD, "fss",
                        counted->iterations, 1, options, NULL);
}

/* Largest so far, of this process. */
static long memory_kb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Loops leave no memory behind.  The first fill the C library's lists. */
static bool many(const char *text)
{
    const dls_options options = {.size = sizeof(options), .text = text};
    bool good = true;
    long before = 0;
    for (int i = 0; i < 8; i++) {
        struct counted counted = {.iterations = 500, .threads = 1};
        good = check(open_loop(&counted, &options) == 0, "it opens") && good;
        ask_all(&counted);
        good = check(dls_again(counted.loop, 500) == 0, "once more") && good;
        ask_all(&counted);
        good = check(dls_close(counted.loop, NULL) == 0, "it ends") && good;
        free(counted.hits);
        before = i == 2 ? memory_kb() : before;
    }
    return check(memory_kb() - before < 1500, "memory stays") && good;
}

/* Charged costs are those of each iteration, also of another step's. */
static bool charged(const char *text)
{
    double cost[100];
    struct counted counted = {.iterations = 100, .threads = 1};
    const dls_options options = {
        .size = sizeof(options), .text = text, .costs = cost};
    for (int i = 0; i < 100; i++)
        cost[i] = 1e-3;
    int code = open_loop(&counted, &options);
    ask_all(&counted);
    double start = MPI_Wtime();
    bool good =
        check(code == 0, "it opens") &&
        check(dls_again(counted.loop, 5000) == -EINVAL, "no such costs") &&
        check(strstr(dls_error(counted.loop), "costs of 100 iterations") != 0,
              dls_error(counted.loop)) &&
        check(dls_again(counted.loop, 100) == 0, "the same again");
    ask_all(&counted);
    double took = MPI_Wtime() - start;
    good = check(took > 0.02 && took < 0.1, "the time of 100") && good;
    return check(dls_close(counted.loop, NULL) == 0, "it ends") && good;
}

/* Costs refer to the slowest rank of the loop's communicator, even if slower
 * ranks run another loop. */
static bool halves(const char *text)
{
    double cost[100];
    struct counted counted = {.iterations = 100, .threads = 1};
    const dls_options options = {
        .size = sizeof(options), .text = text, .costs = cost};
    MPI_Comm half;
    bool good = true;
    for (int i = 0; i < 100; i++)
        cost[i] = 1e-3;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    prepare(&counted);
    for (int turn = 0; turn < 3; turn++) {
        int code =
            dls_mpi_open(&counted.loop, half, "ss", 100, 1, &options, NULL);
        double start = MPI_Wtime();
        ask_all(&counted);
        double took = MPI_Wtime() - start;
        good = check(code == 0, "it opens") &&
               check(took > 0.049 && took < 0.06, "100 ms by two") && good;
        dls_close(counted.loop, NULL);
    }
    return good;
}

/* A loop in one rank, while no other is open. */
static bool sampled(const char *text)
{
    const dls_options options = {.size = sizeof(options), .text = "stats=1"};
    dls_stats stats = {.size = sizeof(stats)};
    dls_loop *loop;
    volatile double sum = 0;
    int64_t begin, end;
    (void)text;
    int code = dls_open(&loop, "ss", 5, 1, &options);
    while (code == 0 && dls_next(loop, 0, &begin, &end) == 1)
        for (int i = 0; i < 2000000; i++)
            sum = sum + i;
    dls_statistics(loop, 0, &stats);
    return check(stats.busy_s > 1e-3, "computing takes time") &&
           check(dls_close(loop, NULL) == 0, "it ends");
}

static const struct {
    const char *name;
    bool (*run)(const char *text);
} cases[] = {{"many", many},
             {"charged", charged},
             {"halves", halves},
             {"sampled", sampled}};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bool good = false;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            good = cases[i].run(argc > 2 ? argv[2] : NULL);
    MPI_Finalize();
    if (good && rank == 0)
        puts("good");
    return !good;
}
