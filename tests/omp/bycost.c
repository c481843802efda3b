/* The first ten of a hundred iterations take much longer than the others, which
 * do nothing.  Prints for each visit how many iterations the thread of the
 * first one had, and whether all ran once. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 100, LONG = 10 };

int main(int count, char **word)
{
    const struct timespec nap = {.tv_nsec = 4000000};
    int visits = count > 1 ? atoi(word[1]) : 0;
    for (int v = 0; v < visits; v++) {
        int by[N], had = 0, last = -1;
#pragma omp parallel for schedule(runtime) num_threads(2) lastprivate(last)
        for (int i = 0; i < N; i++) {
            if (i < LONG)
                nanosleep(&nap, NULL);
            by[i] = omp_get_thread_num();
            last = i;
        }
        for (int i = 0; i < N; i++)
            had += by[i] == by[0];
        printf("%d %d\n", had, last == N - 1);
    }
    return 0;
}
