/* A loop with the clause KIND, in a library.  Its first iteration waits until
 * all others but the last have run: returns how many of them came to a thread
 * after one with a higher number. */
#include <sched.h>

int run(int n);

int run(int n)
{
    int wrong = 0, ran = 0;
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    {
        int before = -1;
#pragma omp for schedule(KIND) nowait
        for (int i = 0; i < n; i++) {
            while (i == 0 && __atomic_load_n(&ran, __ATOMIC_ACQUIRE) < n - 2)
                sched_yield();
            if (i != 0)
                __atomic_fetch_add(&ran, 1, __ATOMIC_RELEASE);
            wrong += i < before;
            before = i;
        }
    }
    return wrong;
}
