/* What a loop costs under schedule(runtime): ns for a chunk of an empty loop, s
 * for a loop of chunks of some us, ns for a visit of a loop that has no
 * iterations, and ns for a region that does nothing.  costs THREADS STEPS, or
 * costs THREADS 0 for the number of steps that take 2 us.  The best of some
 * rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    ROUNDS = 7,
    EMPTY = 4000000,
    WORKED = 50000,
    VISITS = 50000,
    REGIONS = 20000
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

static int find_steps(void)
{
    double began = now();
    work(0, 10000000);
    return (int)(2e-6 / ((now() - began) / 1e7)) + 1;
}

static void least(double *best, double time)
{
    if (*best == 0 || time < *best)
        *best = time;
}

int main(int count, char **words)
{
    if (count < 3)
        return 2;
    int threads = atoi(words[1]), steps = atoi(words[2]);
    double chunk = 0, worked = 0, visit = 0, region = 0;
    if (steps == 0) {
        printf("%d\n", find_steps());
        return 0;
    }
    for (int round = 0; round < ROUNDS; round++) {
        least(&chunk, time_chunks(threads));
        least(&worked, time_work(threads, steps));
        least(&visit, time_visits(threads));
        least(&region, time_regions(threads));
    }
    printf("%.17g %.17g %.17g %.17g\n", chunk, worked, visit, region);
    return 0;
}
