/* interleave SEED OPTIONS SCHEME THREADS: threads of the ranks ask, leave and
 * begin again in an order that the seed and the system decide; every iteration
 * runs once in every step.  Prints `ok` in rank 0. */
#include "ranks.h"

#include <errno.h>
#include <sched.h>

enum { STEPS = 6, ITERATIONS = 120 };

struct random_worker {
    struct counted *counted;
    int worker;
    unsigned random;
};

/* Of [0, below). */
static unsigned draw(unsigned *random, unsigned below)
{
    *random = *random * 1664525 + 1013904223;
    return (*random >> 16) % below;
}

static void dawdle(unsigned *random)
{
    for (unsigned n = draw(random, 4); n > 0; n--)
        sched_yield();
}

/* Worker 0 stays, so that all is run. */
static void *play(void *arg)
{
    struct random_worker *player = arg;
    dls_loop *loop = player->counted->loop;
    int64_t begin, end;
    int code;
    dawdle(&player->random);
    while ((code = dls_next(loop, player->worker, &begin, &end)) == 1) {
        dawdle(&player->random);
        for (int64_t i = begin; i < end; i++)
            __atomic_fetch_add(&player->counted->hits[i], 1, __ATOMIC_RELAXED);
        if (player->worker == 0 || draw(&player->random, 8) > 0)
            continue;
        code = dls_leave(loop, player->worker);
        if (code != -EBUSY)
            break;
    }
    if (code != 0)
        player->counted->code = code;
    return NULL;
}

static void play_step(struct counted *counted, unsigned *random)
{
    struct random_worker player[8];
    pthread_t thread[8];
    for (int w = 0; w < counted->threads; w++)
        player[w] = (struct random_worker){counted, w, draw(random, 1 << 15)};
    for (int w = 1; w < counted->threads; w++)
        pthread_create(&thread[w], NULL, play, &player[w]);
    play(&player[0]);
    for (int w = 1; w < counted->threads; w++)
        pthread_join(thread[w], NULL);
}

int main(int argc, char **argv)
{
    struct counted counted = {.comm = MPI_COMM_WORLD, .iterations = ITERATIONS};
    int level, rank;
    bool good = true;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const dls_options options = {.size = sizeof(options), .text = argv[2]};
    unsigned random = (unsigned)atoi(argv[1]) + 77 * (unsigned)rank;
    counted.threads = atoi(argv[4]);
    prepare(&counted);
    int code = dls_mpi_open(&counted.loop, MPI_COMM_WORLD, argv[3], ITERATIONS,
                            counted.threads, &options, NULL);
    for (int step = 0; code == 0 && step < STEPS; step++) {
        if (step > 0)
            code = dls_again(counted.loop, ITERATIONS);
        play_step(&counted, &random);
        good = each_ran(&counted, step + 1) && good;
    }
    if (code != 0)
        printf("rank %d: %s\n", rank, dls_error(counted.loop));
    good = dls_close(counted.loop, NULL) == 0 && code == 0 && good;
    if (rank == 0)
        printf(good ? "ok\n" : "not ok\n");
    free(counted.hits);
    MPI_Finalize();
    return !good;
}
