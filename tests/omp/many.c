/* Runs a hundred parallel regions more than the library has room for, each with
 * a function of its own, and then a loop. */
#include <stdint.h>
#include <stdio.h>

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);

/* Functions that return at once. */
enum { REGIONS = 1124 };
extern const char regions[], regions_end[];
__asm__(".text\nregions:\n.rept 1124\nret\n.endr\nregions_end:\n");

int main(void)
{
    long size = (regions_end - regions) / REGIONS;
    int sum = 0;
    for (int i = 0; i < REGIONS; i++)
        GOMP_parallel((void (*)(void *))((intptr_t)regions + i * size), NULL, 1,
                      0);
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    printf("%d\n", sum);
    return 0;
}
