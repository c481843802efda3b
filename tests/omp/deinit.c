/* clang from 19 on calls __kmpc_dispatch_deinit behind every loop that is not
 * static; older runtimes have none, and only the library does.  Loops inside
 * one another, each with its call. */
#include <omp.h>
#include <stdio.h>

void __kmpc_dispatch_deinit(void *where, int thread) __attribute__((weak));
int __kmpc_global_thread_num(void *where);

static void deinit(void)
{
    if (__kmpc_dispatch_deinit != NULL)
        __kmpc_dispatch_deinit(NULL, __kmpc_global_thread_num(NULL));
}

int main(void)
{
    long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < 100; i++)
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
#pragma omp for schedule(dynamic, 3) nowait
            for (int k = 0; k < i; k++)
                sum += k;
            deinit();
        }
        deinit();
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < 100; i++)
            sum += i;
        deinit();
    }
    printf("%d %ld\n", __kmpc_dispatch_deinit != NULL, sum);
    return 0;
}
