/* no_memory OPTIONS SCHEME: a loop with data over the ranks, in which every
 * allocation of the library fails once, first in rank 0, then in rank 1: all
 * ranks get -ENOMEM, or the loop runs in spite of it.  Prints how many failed.
 */
#include "ranks.h"

#include <errno.h>

/* Linked with --wrap, so that the calls of MPI go past these: it need not
 * survive. */
void *__real_malloc(size_t), *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t), *__real_aligned_alloc(size_t, size_t);
void *__wrap_malloc(size_t), *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t), *__wrap_aligned_alloc(size_t, size_t);
int __real_posix_memalign(void **, size_t, size_t);
int __wrap_posix_memalign(void **, size_t, size_t);

static long left = -1; /* allocations that still go well; -1: all */
static bool failed;

static bool fails(void)
{
    if (left < 0 || left-- > 0)
        return false;
    failed = true;
    return true;
}

void *__wrap_malloc(size_t n)
{
    return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t m)
{
    return fails() ? NULL : __real_calloc(n, m);
}

void *__wrap_realloc(void *p, size_t n)
{
    return fails() ? NULL : __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t line, size_t n)
{
    return fails() ? NULL : __real_aligned_alloc(line, n);
}

int __wrap_posix_memalign(void **p, size_t line, size_t n)
{
    return fails() ? ENOMEM : __real_posix_memalign(p, line, n);
}

static int rank;

static size_t measure(void *arg, int64_t i)
{
    (void)arg;
    return (size_t)(i % 5);
}

static void pack(void *arg, int64_t i, void *to)
{
    memset(to, (int)i, measure(arg, i));
}

static void unpack(void *arg, int64_t i, const void *from, size_t bytes)
{
    int *there = (int *)arg;
    for (size_t k = 0; k < bytes; k++)
        there[i] += ((const unsigned char *)from)[k] == (unsigned char)i;
}

/* Whether the worker got to the end. */
static bool work(dls_loop *loop, int worker, int64_t *run)
{
    int64_t begin, end, first;
    const void *input;
    int code;
    while ((code = dls_next(loop, worker, &begin, &end)) != 0) {
        if (code == -ENOMEM)
            continue; /* nothing is lost */
        if (code < 0)
            return false;
        code = dls_input(loop, worker, &input, &first);
        if (code == -ENOMEM)
            code = dls_input(loop, worker, &input, &first);
        if (code != 0)
            return false;
        *run += end - begin;
    }
    return true;
}

/* The program's own waits do not count. */
static bool all_ran(int64_t run, int64_t iterations)
{
    int mine = (int)run, all;
    combine(&mine, &all, 1, MPI_SUM, MPI_COMM_WORLD);
    return all == (int)iterations;
}

static int collect(dls_loop *loop)
{
    int code = dls_collect(loop, 0);
    bool same = same_code(MPI_COMM_WORLD, code);
    if (code == -ENOMEM && same)
        code = dls_collect(loop, 0);
    return same ? code : 1;
}

static bool step(dls_loop *loop, int64_t iterations)
{
    int64_t run = 0;
    bool good = work(loop, 0, &run) && work(loop, 1, &run);
    good = all_ran(run, iterations) && good;
    return collect(loop) == 0 && good;
}

/* dls_close also writes the records, if they are requested. */
static bool close_loop(dls_loop *loop)
{
    int code = dls_close(loop, NULL);
    bool same = same_code(MPI_COMM_WORLD, code);
    return same &&
           (code == 0 || (code == -ENOMEM && getenv("DLS_REPORT") != NULL));
}

static bool try_once(const char *text, const char *scheme)
{
    static int there[1000];
    const dls_options options = {.size = sizeof(options), .text = text};
    const dls_data data = {.size = sizeof(data),
                           .measure = measure,
                           .pack = pack,
                           .unpack = unpack,
                           .arg = there};
    const dls_mpi_options mpi = {
        .size = sizeof(mpi), .input = &data, .output = &data};
    dls_loop *loop = NULL;
    int code =
        dls_mpi_open(&loop, MPI_COMM_WORLD, scheme, 100, 2, &options, &mpi);
    bool good = same_code(MPI_COMM_WORLD, code);
    if (code == 0) {
        good = step(loop, 100) && good;
        code = dls_again(loop, 700);
        good = same_code(MPI_COMM_WORLD, code) && good;
    }
    if (code == 0)
        good = step(loop, 700) && good;
    else
        good = code == -ENOMEM && strstr(dls_error(loop), "memory") && good;
    if (!good)
        printf("rank %d: %d, %s\n", rank, code, dls_error(loop));
    return close_loop(loop) & good;
}

int main(int argc, char **argv)
{
    int level, count = 0, mine, any = 1, worst = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int victim = 0; victim < 2 && argc == 3; victim++) {
        any = 1;
        for (long n = 0; any && !worst; n++, count += any) {
            failed = false;
            left = rank == victim ? n : -1;
            mine = !try_once(argv[1], argv[2]);
            left = -1;
            combine(&mine, &worst, 1, MPI_MAX, MPI_COMM_WORLD);
            mine = failed;
            combine(&mine, &any, 1, MPI_MAX, MPI_COMM_WORLD);
            if (worst && rank == 0)
                printf("allocation %ld of rank %d\n", n, victim);
        }
    }
    MPI_Finalize();
    if (rank == 0)
        printf("%d failed\n", count);
    return worst;
}
