/* Loops to be recorded, and such as are not: monotonic, ordered, and of a
 * schedule that is left alone unless it is asked for.  The first four
 * iterations of the first loop take long. */
#include <stdio.h>
#include <time.h>

enum { N = 40, LONG = 4 };

int main(void)
{
    const struct timespec nap = {.tv_nsec = 4000000};
    double sum = 0;
    for (int v = 0; v < 2; v++) {
#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : sum)
        for (int i = 0; i < N; i++) {
            if (i < LONG)
                nanosleep(&nap, NULL);
            sum += i;
        }
    }
#pragma omp parallel for schedule(monotonic : runtime) reduction(+ : sum)
    for (int i = 0; i < N; i++)
        sum += i;
#pragma omp parallel for schedule(runtime) ordered
    for (int i = 0; i < N; i++) {
#pragma omp ordered
        sum += i;
    }
#pragma omp parallel for schedule(guided) reduction(+ : sum)
    for (int i = 0; i < N; i++)
        sum += i;
    printf("%g\n", sum);
    return 0;
}
