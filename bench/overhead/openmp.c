#include "bench/overhead/overhead.h"

#include "harness/engine/engine.h"

#include <omp.h>

/* An iteration that the compiler keeps and that does nothing. */
static inline void body(int64_t i)
{
    __asm__ volatile("" : : "r"(i));
}

static void loops_of(enum overhead_schedule schedule, int64_t loops,
                     int64_t iterations)
{
    for (int64_t n = 0; n < loops; n++) {
        if (schedule == OMP_DYNAMIC) {
#pragma omp for schedule(dynamic, 1) nowait
            for (int64_t i = 0; i < iterations; i++)
                body(i);
        } else if (schedule == OMP_GUIDED) {
#pragma omp for schedule(guided) nowait
            for (int64_t i = 0; i < iterations; i++)
                body(i);
        } else {
#pragma omp for schedule(static) nowait
            for (int64_t i = 0; i < iterations; i++)
                body(i);
        }
    }
}

double overhead_openmp(enum overhead_schedule schedule, int threads,
                       int64_t loops, int64_t iterations,
                       void (*bind)(int thread, void *arg), void *arg)
{
    double start = 0, end = 0;
#pragma omp parallel num_threads(threads)
    {
        bind(omp_get_thread_num(), arg);
#pragma omp barrier
#pragma omp master
        start = engine_now();
        loops_of(schedule, loops, iterations);
#pragma omp barrier
#pragma omp master
        end = engine_now();
    }
    return end - start;
}

int64_t overhead_openmp_chunks(int threads, int64_t iterations)
{
    int64_t chunks = 0;
    for (; iterations > 0; chunks++)
        iterations -= (iterations + threads - 1) / threads;
    return chunks;
}
