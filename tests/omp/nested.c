/* Regions inside of regions, thousands of them, that end at the same time as
 * others begin: prints how many iterations ran and how many had to. */
#include <stdio.h>

enum { OUTER = 3000, INNER = 16 };

int main(void)
{
    long ran = 0;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < OUTER; i++) {
#pragma omp parallel for schedule(runtime) num_threads(2)
        for (int j = 0; j < INNER; j++)
#pragma omp atomic
            ran++;
    }
    printf("%ld of %ld\n", ran, (long)OUTER * INNER);
    return 0;
}
