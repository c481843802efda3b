/* A program that relies on the order in which dynamic hands out iterations:
 * each waits until the one before it has begun.  Where MORE others begin in the
 * meantime, or nothing does for a second, it gives up: the answer is another.
 */
#include <omp.h>
#include <stdio.h>

enum { N = 200, MORE = 20 };
static int begun[N], count, out_of_order;

static void wait_for(int i)
{
    int since = __atomic_load_n(&count, __ATOMIC_RELAXED);
    double until = omp_get_wtime() + 1;
    while (!__atomic_load_n(&begun[i], __ATOMIC_ACQUIRE))
        if (__atomic_load_n(&count, __ATOMIC_RELAXED) > since + MORE ||
            omp_get_wtime() > until) {
            __atomic_store_n(&out_of_order, 1, __ATOMIC_RELAXED);
            return;
        }
}

int main(int words, char **word)
{
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++) {
        __atomic_store_n(&begun[i], 1, __ATOMIC_RELEASE);
        __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
        if (i > 0 && !__atomic_load_n(&out_of_order, __ATOMIC_RELAXED))
            wait_for(i - 1);
        for (volatile int k = 0; k < 200000; k++) /* something to do */
            ;
    }
    printf("%s\n", out_of_order ? "other" : "answer");
    if (words > 1) /* another number each time */
        printf("%s %f\n", word[1], omp_get_wtime());
    return 0;
}
