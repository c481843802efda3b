/* The visits of one loop: each argument is the number of iterations of one.
 * Prints how often the iterations ran, all together, and how often they should
 * have. */
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **word)
{
    long ran = 0, expected = 0;
    for (int v = 1; v < count; v++) {
        long n = atol(word[v]);
        expected += n;
#pragma omp parallel for schedule(runtime) reduction(+ : ran)
        for (long i = 0; i < n; i++)
            ran++;
    }
    printf("%ld %ld\n", ran, expected);
    return 0;
}
