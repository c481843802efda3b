/* report SCHEME OPTIONS STEPS THREADS [leave|twice]: a loop of several time
 * steps, which prints what dls_statistics says of each worker in each step.
 * With -DRANKS over ranks, otherwise in one process.  leave: the last step is
 * not finished.  twice: the loop is opened, run and closed once more. */
#ifdef RANKS
#include <dls_mpi.h>
#else
#include <dls.h>
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 200 };

struct hand {
    dls_loop *loop;
    int worker;
    double result;
};

static void *ask(void *arg)
{
    struct hand *hand = arg;
    int64_t begin, end;
    while (dls_next(hand->loop, hand->worker, &begin, &end) == 1)
        for (int64_t i = begin; i < end; i++)
            for (int k = 0; k < 20 * (int)i; k++)
                hand->result = hand->result * 0.999 + 1;
    return NULL;
}

static void run(dls_loop *loop, int threads)
{
    struct hand hand[16];
    pthread_t thread[16];
    for (int w = 0; w < threads; w++)
        hand[w] = (struct hand){.loop = loop, .worker = w};
    for (int w = 1; w < threads; w++)
        pthread_create(&thread[w], NULL, ask, &hand[w]);
    if (threads > 0)
        ask(&hand[0]);
    for (int w = 1; w < threads; w++)
        pthread_join(thread[w], NULL);
}

static void print(const dls_loop *loop, int rank, int step, int threads)
{
    char text[4096];
    int used = 0;
    for (int w = -1; w < threads; w++) {
        dls_stats s = {.size = sizeof(s)};
        dls_statistics(loop, w, &s);
        used += snprintf(text + used, sizeof(text) - (size_t)used,
                         "%d %d %d %lld %lld %.17g %.17g %.17g\n", rank, step,
                         w, (long long)s.iterations, (long long)s.chunks,
                         s.busy_s, s.ask_s, s.imbalance);
    }
    fwrite(text, 1, (size_t)used, stdout);
    fflush(stdout);
}

static int open_loop(dls_loop **loop, char **argv, int threads)
{
    const dls_options options = {
        .size = sizeof(options), .name = "the \"rays\"", .text = argv[2]};
#ifdef RANKS
    return dls_mpi_open(loop, MPI_COMM_WORLD, argv[1], ITERATIONS, threads,
                        &options, NULL);
#else
    return dls_open(loop, argv[1], ITERATIONS, threads, &options);
#endif
}

static int run_loop(int argc, char **argv, int rank)
{
    dls_loop *loop;
    int64_t begin, end;
    int steps = atoi(argv[3]), threads = atoi(argv[4]);
    int code = open_loop(&loop, argv, threads);
    for (int step = 0; code == 0 && step < steps; step++) {
        run(loop, threads);
        print(loop, rank, step, threads);
        if (step + 1 < steps)
            code = dls_again(loop, ITERATIONS);
    }
    if (code == 0 && argc > 5 && strcmp(argv[5], "leave") == 0) {
        code = dls_again(loop, ITERATIONS);
        dls_next(loop, 0, &begin, &end);
        dls_close(loop, NULL);
        return code;
    }
    if (code != 0)
        fprintf(stderr, "%s\n", dls_error(loop));
    int closed = dls_close(loop, NULL);
    return code != 0 ? code : closed;
}

int main(int argc, char **argv)
{
    int rank = 0;
#ifdef RANKS
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
    int code = run_loop(argc, argv, rank);
    if (code == 0 && argc > 5 && strcmp(argv[5], "twice") == 0)
        code = run_loop(argc, argv, rank);
#ifdef RANKS
    MPI_Finalize();
#endif
    return code == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
