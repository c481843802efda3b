/* What a loop costs, by the figure that is asked for: ns for a chunk of an
 * empty loop under schedule(runtime), s for a loop of chunks of some us, ns for
 * a visit of a loop that has no iterations, ns for a region that does nothing,
 * s for static loops and for the same ones under schedule(runtime), and s for
 * 100,000 small regions.  costs THREADS STEPS FIGURE, or costs THREADS 0 0 for
 * the number of steps that take 2 us.  The best of some rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    ROUNDS = 3,
    EMPTY = 4000000,
    WORKED = 50000,
    VISITS = 50000,
    REGIONS = 20000,
    UNITS = 16, /* of a thread in a visit of a static loop, of 22 us each */
    UNIT = 11,
    STATIC_VISITS = 100,
    SMALL = 100000
};

static volatile unsigned long sink[128];
static int none; /* not known to the compiler */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work(long i, int steps)
{
    unsigned long x = (unsigned long)i;
    for (int k = 0; k < steps; k++)
        x = x * 6364136223846793005ul + 1;
    sink[i % 2 * 64] = x;
}

static double time_chunks(int threads)
{
    double began = now();
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (long i = 0; i < EMPTY; i++)
        __asm__ volatile("" ::: "memory");
    return (now() - began) * 1e9 / EMPTY;
}

static double time_work(int threads, int steps)
{
    double began = now();
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (long i = 0; i < WORKED; i++)
        work(i, steps);
    return now() - began;
}

static double time_visits(int threads)
{
    double began = now();
#pragma omp parallel num_threads(threads)
    for (int k = 0; k < VISITS; k++) {
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < none; i++)
            work(i, 1);
    }
    return (now() - began) * 1e9 / VISITS;
}

static double time_regions(int threads)
{
    double began = now();
    for (int k = 0; k < REGIONS; k++) {
#pragma omp parallel num_threads(threads)
        __asm__ volatile("" ::: "memory");
    }
    return (now() - began) * 1e9 / REGIONS;
}

static double time_static(int threads, int steps)
{
    double began = now();
    int all = threads * UNITS * UNIT;
    for (int k = 0; k < STATIC_VISITS; k++) {
#pragma omp parallel for num_threads(threads)
        for (int i = 0; i < all; i++)
            work(i, steps);
    }
    return now() - began;
}

static double time_same(int threads, int steps)
{
    double began = now();
    int all = threads * UNITS * UNIT;
    for (int k = 0; k < STATIC_VISITS; k++) {
#pragma omp parallel for num_threads(threads) schedule(runtime)
        for (int i = 0; i < all; i++)
            work(i, steps);
    }
    return now() - began;
}

/* Of 2 us for each thread. */
static double time_small(int threads, int steps)
{
    double began = now();
    for (int k = 0; k < SMALL; k++) {
#pragma omp parallel for num_threads(threads)
        for (int i = 0; i < threads; i++)
            work(i, steps);
    }
    return now() - began;
}

static int find_steps(void)
{
    double began = now();
    work(0, 10000000);
    return (int)(2e-6 / ((now() - began) / 1e7)) + 1;
}

static double time_once(int figure, int threads, int steps)
{
    switch (figure) {
    case 0:
        return time_chunks(threads);
    case 1:
        return time_work(threads, steps);
    case 2:
        return time_visits(threads);
    case 3:
        return time_regions(threads);
    case 4:
        return time_static(threads, steps);
    case 5:
        return time_same(threads, steps);
    default:
        return time_small(threads, steps);
    }
}

int main(int count, char **words)
{
    if (count < 4)
        return 2;
    int threads = atoi(words[1]), steps = atoi(words[2]);
    int figure = atoi(words[3]);
    double best = 0;
    if (steps == 0) {
        printf("%d\n", find_steps());
        return 0;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double time = time_once(figure, threads, steps);
        if (best == 0 || time < best)
            best = time;
    }
    printf("%.17g\n", best);
    return 0;
}
