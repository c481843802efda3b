/* A loop over POSIX threads: the sum of the divisors of all numbers up to
 * 20,000, whose costs grow.  cc threads.c $(pkg-config --cflags --libs libdls)
 */
#include <dls.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, NUMBERS = 20000 };

struct work {
    dls_loop *loop;
    int worker;
    int64_t sum, chunks;
};

static int64_t divisors_of(int64_t n)
{
    int64_t sum = 0;
    for (int64_t d = 1; d <= n; d++)
        sum += n % d == 0 ? d : 0;
    return sum;
}

static void *run(void *arg)
{
    struct work *work = arg;
    int64_t begin, end;
    while (dls_next(work->loop, work->worker, &begin, &end) == 1) {
        for (int64_t i = begin; i < end; i++)
            work->sum += divisors_of(i + 1);
        work->chunks++;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    dls_loop *loop;
    struct work work[THREADS];
    pthread_t thread[THREADS];
    int64_t sum = 0;
    if (dls_open(&loop, argc > 1 ? argv[1] : "fss", NUMBERS, THREADS, NULL)) {
        fprintf(stderr, "%s\n", dls_error(loop));
        dls_close(loop, NULL);
        return EXIT_FAILURE;
    }
    for (int w = 0; w < THREADS; w++) {
        work[w] = (struct work){.loop = loop, .worker = w};
        if (pthread_create(&thread[w], NULL, run, &work[w]) != 0)
            abort();
    }
    for (int w = 0; w < THREADS; w++) {
        pthread_join(thread[w], NULL);
        sum += work[w].sum;
        printf("worker %d: %" PRId64 " chunks\n", w, work[w].chunks);
    }
    printf("sum %" PRId64 " under %s\n", sum, dls_scheme_of(loop));
    return dls_close(loop, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
