/* Loops as gcc compiled them before 4.9, by libgomp's entries that it still
 * has: the caller is a thread of the team and runs the body itself.  Each
 * iteration adds its square; prints the sums of all schedules. */
#include <stdbool.h>
#include <stdio.h>

typedef void body_fn(void *);
void GOMP_parallel_loop_static_start(body_fn, void *, unsigned, long, long,
                                     long, long);
void GOMP_parallel_loop_dynamic_start(body_fn, void *, unsigned, long, long,
                                      long, long);
void GOMP_parallel_loop_guided_start(body_fn, void *, unsigned, long, long,
                                     long, long);
void GOMP_parallel_loop_runtime_start(body_fn, void *, unsigned, long, long,
                                      long);
void GOMP_parallel_end(void);
bool GOMP_loop_static_next(long *, long *);
bool GOMP_loop_dynamic_next(long *, long *);
bool GOMP_loop_guided_next(long *, long *);
bool GOMP_loop_runtime_next(long *, long *);
void GOMP_loop_end_nowait(void);

static void work(long *sum, bool next(long *, long *))
{
    long from, to;
    while (next(&from, &to))
        for (long i = from; i < to; i++)
            __atomic_fetch_add(sum, i * i, __ATOMIC_RELAXED);
    GOMP_loop_end_nowait();
}

#define LOOP(kind, ...)                                                        \
    static void body_##kind(void *sum)                                         \
    {                                                                          \
        work(sum, GOMP_loop_##kind##_next);                                    \
    }                                                                          \
    static void run_##kind(void)                                               \
    {                                                                          \
        long sum = 0;                                                          \
        GOMP_parallel_loop_##kind##_start(body_##kind, &sum, 2, 3, 1000,       \
                                          1 __VA_ARGS__);                      \
        body_##kind(&sum);                                                     \
        GOMP_parallel_end();                                                   \
        printf("%ld\n", sum);                                                  \
    }
LOOP(static, , 4)
LOOP(dynamic, , 4)
LOOP(guided, , 4)
LOOP(runtime)

static void run_new(void)
{
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(2)
    for (long i = 3; i < 1000; i++)
        sum += i * i;
    printf("%ld\n", sum);
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        run_static();
        run_dynamic();
        run_guided();
        run_runtime();
        run_new();
    }
    return 0;
}
