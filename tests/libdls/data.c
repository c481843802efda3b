/* data OPTIONS THREADS LEAVES, data misuse: loops with input and results; every
 * byte is compared.  Data has a fixed size or is packed; the first rank, the
 * last or all ranks collect it; several steps have other input and other
 * numbers of iterations.  LEAVES: 1: the workers of rank 1 leave after their
 * first chunk.  Prints `good` in rank 0. */
#include "ranks.h"

#include <errno.h>

enum { MOST = 1000 };

static int rank, ranks;

/* The data of one loop: iteration i has bytes_of(i) of them, and `bytes` 0
 * means that they are packed. */
struct loop {
    size_t bytes;
    int step;
    unsigned char *input, *output; /* contiguous */
    unsigned char *packed[MOST];   /* packed results */
    _Atomic int wrong;
    dls_loop *loop;
    bool leaves;
};

static size_t bytes_of(const struct loop *loop, int64_t i)
{
    return loop->bytes > 0 ? loop->bytes : (size_t)(i * 7919 % 41);
}

static unsigned char input_byte(const struct loop *loop, int64_t i, size_t k)
{
    return (unsigned char)(i * 31 + (int64_t)k * 7 + loop->step * 101);
}

static unsigned char output_byte(const struct loop *loop, int64_t i, size_t k)
{
    return (unsigned char)(input_byte(loop, i, k) * 3 + 1);
}

/* ---- packed ---- */

static size_t measure(void *arg, int64_t i)
{
    return bytes_of((struct loop *)arg, i);
}

static void pack_input(void *arg, int64_t i, void *to)
{
    for (size_t k = 0; k < measure(arg, i); k++)
        ((unsigned char *)to)[k] = input_byte((struct loop *)arg, i, k);
}

static void pack_output(void *arg, int64_t i, void *to)
{
    memcpy(to, ((struct loop *)arg)->packed[i], measure(arg, i));
}

static void unpack(void *arg, int64_t i, const void *from, size_t bytes)
{
    struct loop *loop = (struct loop *)arg;
    if (loop->packed[i] != NULL || bytes != measure(arg, i))
        loop->wrong++;
    loop->packed[i] = (unsigned char *)malloc(bytes + 1);
    memcpy(loop->packed[i], from, bytes);
}

/* ---- a worker ---- */

static void compute(struct loop *loop, int64_t i, const unsigned char *input)
{
    size_t bytes = bytes_of(loop, i);
    unsigned char *to = loop->output + (size_t)i * loop->bytes;
    if (loop->bytes == 0)
        to = loop->packed[i] = (unsigned char *)malloc(bytes + 1);
    for (size_t k = 0; k < bytes; k++) {
        loop->wrong += input[k] != input_byte(loop, i, k);
        to[k] = (unsigned char)(input[k] * 3 + 1);
    }
}

struct worker {
    struct loop *loop;
    int number;
};

static void *work(void *arg)
{
    struct worker *worker = (struct worker *)arg;
    struct loop *loop = worker->loop;
    int64_t begin, end, first;
    const void *input, *same;
    int code;
    while ((code = dls_next(loop->loop, worker->number, &begin, &end)) == 1) {
        loop->wrong +=
            dls_input(loop->loop, worker->number, &input, &first) != 0 ||
            first != begin;
        loop->wrong += dls_input(loop->loop, worker->number, &same, &first) ||
                       input != same;
        const unsigned char *at = (const unsigned char *)input;
        for (int64_t i = begin; i < end; at += bytes_of(loop, i++))
            compute(loop, i, at);
        if (loop->leaves && dls_leave(loop->loop, worker->number) == 0)
            return NULL;
    }
    loop->wrong += code != 0;
    loop->wrong +=
        dls_input(loop->loop, worker->number, &input, &first) != -EINVAL;
    return NULL;
}

static void work_all(struct loop *loop, int threads)
{
    struct worker worker[16];
    pthread_t thread[16];
    for (int w = 0; w < threads; w++)
        worker[w] = (struct worker){loop, w};
    for (int w = 1; w < threads; w++)
        pthread_create(&thread[w], NULL, work, &worker[w]);
    if (threads > 0)
        work(&worker[0]);
    while (threads == 0 && dls_poll(loop->loop) == 1)
        ;
    for (int w = 1; w < threads; w++)
        pthread_join(thread[w], NULL);
}

/* ---- the whole ---- */

static bool is_whole(const struct loop *loop, int64_t iterations)
{
    for (int64_t i = 0; i < iterations; i++) {
        const unsigned char *has = loop->bytes > 0
                                       ? loop->output + (size_t)i * loop->bytes
                                       : loop->packed[i];
        for (size_t k = 0; k < bytes_of(loop, i); k++)
            if (has == NULL || has[k] != output_byte(loop, i, k))
                return false;
    }
    return true;
}

static void begin_step(struct loop *loop, int64_t iterations, int step)
{
    loop->step = step;
    memset(loop->output, 0xa5, MOST * loop->bytes + 1);
    for (int64_t i = 0; i < MOST; i++) {
        free(loop->packed[i]);
        loop->packed[i] = NULL;
    }
    for (int64_t i = 0; rank == 0 && i < iterations && loop->bytes > 0; i++)
        for (size_t k = 0; k < loop->bytes; k++)
            loop->input[(size_t)i * loop->bytes + k] = input_byte(loop, i, k);
}

static bool run_step(struct loop *loop, int64_t iterations, int threads)
{
    const int root = loop->step % 3 == 0   ? 0
                     : loop->step % 3 == 1 ? DLS_EVERYWHERE
                                           : ranks - 1;
    work_all(loop, threads);
    int code = dls_collect(loop->loop, root);
    bool good = code == 0 && loop->wrong == 0;
    if (good && (root == rank || root == DLS_EVERYWHERE))
        good = is_whole(loop, iterations);
    if (!good)
        printf("rank %d, %zu bytes, step %d, %lld iterations: %d, %d wrong, "
               "%s\n",
               rank, loop->bytes, loop->step, (long long)iterations, code,
               loop->wrong, dls_error(loop->loop));
    return good;
}

static bool run(size_t bytes, const char *text, int threads, bool leaves)
{
    static const int64_t sizes[] = {1000, 1000, 0, 1, 777, 3};
    struct loop loop = {.bytes = bytes, .leaves = leaves && rank == 1};
    loop.input = (unsigned char *)calloc(MOST, bytes + 1);
    loop.output = (unsigned char *)calloc(MOST, bytes + 1);
    const dls_data input = {.size = sizeof(input),
                            .bytes = bytes,
                            .memory = bytes && !rank ? loop.input : NULL,
                            .measure = bytes ? NULL : measure,
                            .pack = bytes ? NULL : pack_input,
                            .arg = &loop};
    dls_data output = input;
    output.memory = loop.output;
    output.pack = bytes ? NULL : pack_output;
    output.unpack = bytes ? NULL : unpack;
    const dls_options options = {.size = sizeof(options), .text = text};
    const dls_mpi_options mpi = {
        .size = sizeof(mpi), .input = &input, .output = &output};
    begin_step(&loop, sizes[0], 0);
    bool good = dls_mpi_open(&loop.loop, MPI_COMM_WORLD, "gss", sizes[0],
                             threads, &options, &mpi) == 0;
    if (!good)
        printf("rank %d: %s\n", rank, dls_error(loop.loop));
    for (int s = 0; good && s < 6; s++) {
        if (s > 0) {
            begin_step(&loop, sizes[s], s);
            good = dls_again(loop.loop, sizes[s]) == 0;
        }
        good = good && run_step(&loop, sizes[s], threads);
    }
    begin_step(&loop, 0, 0);
    free(loop.input);
    free(loop.output);
    return dls_close(loop.loop, NULL) == 0 && good;
}

/* ---- misuse ---- */

static bool refused(const dls_mpi_options *mpi, int code, const char *why)
{
    dls_loop *loop;
    int got = dls_mpi_open(&loop, MPI_COMM_WORLD, "gss", 10, 1, NULL, mpi);
    bool good = got == code && strstr(dls_error(loop), why) != NULL;
    if (!good)
        printf("rank %d: %d, %s\n", rank, got, dls_error(loop));
    return (dls_close(loop, NULL) == 0) & good;
}

static bool misused_open(const dls_data *right)
{
    dls_data wrong = *right;
    dls_mpi_options mpi = {.size = sizeof(mpi), .input = &wrong};
    wrong.size = 1;
    bool good = refused(&mpi, -EINVAL, "the size of dls_data is 1, it must be");
    wrong = *right;
    wrong.memory = NULL;
    good = refused(&mpi, -EINVAL, "the input: the memory is NULL") && good;
    wrong = *right;
    wrong.pack = pack_input;
    good = refused(&mpi, -EINVAL, "it is one or the other") && good;
    wrong = *right;
    wrong.bytes = 0;
    good = refused(&mpi, -EINVAL, "measure or pack is NULL") && good;
    wrong.bytes = SIZE_MAX / 4;
    good = refused(&mpi, -EINVAL, "more bytes than any memory") && good;
    wrong.bytes = (size_t)(rank + 1);
    good = refused(&mpi, -EINVAL, "different input or output") && good;
    mpi.input = rank == 1 ? right : NULL;
    good = refused(&mpi, -EINVAL, "different input or output") && good;
    mpi = (dls_mpi_options){.size = 3};
    return refused(&mpi, -EINVAL, "the size of dls_mpi_options is 3") && good;
}

static bool misused_calls(dls_loop *loop, bool has_data)
{
    const int none = has_data ? -EINVAL : -ENOTSUP;
    const void *pointer;
    int64_t begin, end, first;
    bool good = dls_input(NULL, 0, &pointer, &first) == -EINVAL &&
                dls_input(loop, 0, &pointer, &first) == none &&
                dls_input(loop, 1, &pointer, &first) == none &&
                dls_input(loop, -1, &pointer, &first) == none &&
                dls_collect(NULL, 0) == -EINVAL &&
                dls_collect(loop, 0) == (has_data ? -EBUSY : -ENOTSUP);
    while (dls_next(loop, 0, &begin, &end) == 1)
        good = good && dls_input(loop, 0, NULL, &first) == none &&
               dls_input(loop, 0, &pointer, NULL) == none;
    if (!has_data)
        return good;
    good = good && dls_again(loop, INT64_MAX / 4) == -EINVAL &&
           strstr(dls_error(loop), "more bytes than any memory");
    return good && dls_collect(loop, rank) == -EINVAL &&
           strstr(dls_error(loop), "different roots") &&
           dls_collect(loop, 2) == -EINVAL &&
           dls_collect(loop, -2) == -EINVAL &&
           strstr(dls_error(loop), "there is no rank -2, allowed: 0 to 1");
}

static bool misuse(void)
{
    unsigned char memory[100] = {0};
    const dls_data data = {.size = sizeof(data), .bytes = 10, .memory = memory};
    const dls_mpi_options mpi = {
        .size = sizeof(mpi), .input = &data, .output = &data};
    bool good = true;
    dls_data here = data;
    here.memory = rank == 0 ? memory : NULL;
    good = misused_open(&here);
    for (int has = 0; has < 2; has++) {
        dls_loop *loop;
        good = dls_mpi_open(&loop, MPI_COMM_WORLD, "gss", 10, 1, NULL,
                            has ? &mpi : NULL) == 0 &&
               good;
        good = misused_calls(loop, has) && good;
        good = dls_close(loop, NULL) == 0 && good;
    }
    dls_loop *loop;
    here = data;
    here.memory = NULL;
    const dls_mpi_options late = {.size = sizeof(late), .input = &here};
    good = dls_mpi_open(&loop, MPI_COMM_WORLD, "gss", 0, 1, NULL, &late) == 0 &&
           good;
    good = dls_again(loop, 10) == -EINVAL && good;
    good = strstr(dls_error(loop), "the memory is NULL") && good;
    return dls_close(loop, NULL) == 0 && good;
}

int main(int argc, char **argv)
{
    static const size_t bytes[] = {3, 0, 1001};
    int level, mine, worst;
    bool good = true;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 2) {
        good = misuse();
        MPI_Finalize();
        if (good && rank == 0)
            puts("good");
        return !good;
    }
    int threads = argv[2][(size_t)rank % strlen(argv[2])] - '0';
    for (int i = 0; good && i < 3; i++) {
        mine = !run(bytes[i], argv[1], threads, argv[3][0] == '1');
        combine(&mine, &worst, 1, MPI_MAX, MPI_COMM_WORLD);
        good = worst == 0;
    }
    MPI_Finalize();
    if (good && rank == 0)
        puts("good");
    return !good;
}
