/* A library whose constructor runs a loop, in which thread 1 comes first and
 * thread 0 waits for it; run() returns how many iterations are missing. */
#include <omp.h>
#include <sched.h>

int run(int n);

static int ran;

static __attribute__((constructor)) void open(void)
{
#pragma omp parallel num_threads(2)
    {
        while (omp_get_thread_num() == 0 &&
               __atomic_load_n(&ran, __ATOMIC_ACQUIRE) == 0)
            sched_yield();
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < 100; i++)
            __atomic_fetch_add(&ran, 1, __ATOMIC_RELEASE);
    }
}

int run(int n)
{
    return n - ran;
}
