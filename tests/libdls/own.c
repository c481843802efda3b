/* own SCHEME OPTIONS THREADS: schemes of the program over ranks.  `number`
 * gives worker w (over all ranks) w + 1 iterations at a time; `learning` gives
 * one until it was told the time of a chunk, then `then`.  Prints `ok`, the
 * refusal, or what was wrong. */
#include "ranks.h"

struct state {
    int64_t then, told, again;
};

static int init(void *memory, const dls_shape *shape, const double *value)
{
    struct state *state = memory;
    state->then = (int64_t)value[0];
    return shape->iterations == 13;
}

static int64_t number_next(void *memory, int worker, int64_t remaining)
{
    (void)memory, (void)remaining;
    return worker + 1;
}

static int64_t learning_next(void *memory, int worker, int64_t remaining)
{
    const struct state *state = memory;
    (void)worker, (void)remaining;
    return state->told > 0 ? state->then : 1;
}

static void feedback(void *memory, int worker, int64_t size, double time)
{
    struct state *state = memory;
    (void)worker, (void)time;
    state->told += size > 0;
}

static void again(void *memory, const dls_shape *shape)
{
    struct state *state = memory;
    (void)shape;
    state->again++;
}

static const dls_key keys[] = {
    {.name = "then", .fallback = 7, .min = 1, .max = 100}, {.name = NULL}};
static const dls_scheme number = {.size = sizeof(number),
                                  .name = "number",
                                  .keys = keys,
                                  .state_size = sizeof(struct state),
                                  .init = init,
                                  .next = number_next};
static const dls_scheme learning = {.size = sizeof(learning),
                                    .name = "learning",
                                    .keys = keys,
                                    .state_size = sizeof(struct state),
                                    .init = init,
                                    .next = learning_next,
                                    .feedback = feedback,
                                    .again = again};

/* What this rank's workers got, by size. */
static void *count(void *arg)
{
    struct hand *hand = arg;
    int64_t begin, end;
    while (dls_next(hand->counted->loop, hand->worker, &begin, &end) == 1) {
        int size = (int)(end - begin);
        __atomic_fetch_add(&hand->counted->hits[size < 100 ? size : 100], 1,
                           __ATOMIC_RELAXED);
    }
    return NULL;
}

/* Chunks of each size, in all ranks. */
static void run(struct counted *counted, int all[101])
{
    struct hand hand[8];
    pthread_t thread[8];
    memset(counted->hits, 0, 101 * sizeof(int));
    for (int w = 0; w < counted->threads; w++) {
        hand[w] = (struct hand){counted, w};
        pthread_create(&thread[w], NULL, count, &hand[w]);
    }
    for (int w = 0; w < counted->threads; w++)
        pthread_join(thread[w], NULL);
    combine(counted->hits, all, 101, MPI_SUM, MPI_COMM_WORLD);
}

static bool check(const int all[101], const char *scheme, int workers,
                  bool again)
{
    int64_t sum = 0;
    int rest = 0, ones = all[1];
    for (int size = 1; size <= 100; size++) {
        bool usual = strstr(scheme, "number") != NULL ? size <= workers
                                                      : size == 1 || size == 9;
        sum += (int64_t)size * all[size];
        rest += usual ? 0 : all[size];
    }
    /* A scheme that learned in the last step needs no second chunk of size
     * 1. */
    bool knows = strstr(scheme, "learning") == NULL || !again || ones <= 1;
    if (strchr(scheme, '/') != NULL)
        return sum == 500;
    return sum == 500 && rest <= 1 && knows;
}

int main(int argc, char **argv)
{
    struct counted counted = {.iterations = 500};
    dls_context *context;
    int level, rank, ranks, all[101];
    bool good = true;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    counted.threads = atoi(argv[3]);
    prepare(&counted);
    good = dls_context_open(&context) == 0 &&
           dls_context_add(context, &number) == 0 &&
           dls_context_add(context, &learning) == 0;
    const dls_options options = {
        .size = sizeof(options), .text = argv[2], .context = context};
    int code = dls_mpi_open(&counted.loop, MPI_COMM_WORLD, argv[1], 500,
                            counted.threads, &options, NULL);
    if (code != 0 && rank == 0)
        printf("%s\n", dls_error(counted.loop));
    for (int step = 0; code == 0 && good && step < 3; step++) {
        code = step > 0 ? dls_again(counted.loop, 500) : 0;
        run(&counted, all);
        good = check(all, argv[1], ranks * counted.threads, step > 0);
        for (int size = 1; !good && rank == 0 && size <= 100; size++)
            if (all[size] > 0)
                printf("step %d: %d chunks of %d\n", step, all[size], size);
    }
    if (code == 0 && good && rank == 0)
        printf("ok\n");
    dls_close(counted.loop, NULL);
    dls_context_close(context);
    free(counted.hits);
    MPI_Finalize();
    return !good;
}
