/* The first ten of a hundred iterations take much longer than the others, so
 * that two equal blocks take twice as long as small chunks.  With a planted
 * race: an odd iteration takes what the one before has left on its thread,
 * which is right in chunks of two.  Prints the sum, and ends with the second
 * argument's code. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 100, LONG = 10 };

static double before;
#pragma omp threadprivate(before)

int main(int count, char **word)
{
    const struct timespec nap = {.tv_nsec = 4000000};
    int visits = count > 1 ? atoi(word[1]) : 0;
    double sum = 0;
    for (int v = 0; v < visits; v++) {
#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : sum)
        for (int i = 0; i < N; i++) {
            if (i < LONG)
                nanosleep(&nap, NULL);
            if (i % 2 == 0)
                before = i;
            sum += before;
        }
    }
    printf("%g\n", sum);
    return count > 2 ? atoi(word[2]) : 0;
}
