/* Time steps under awf, which learns how fast the workers are and keeps it:
 * worker 0 does everything twice here, and gets less from step to step.
 * cc -fopenmp steps.c $(pkg-config --cflags --libs libdls) */
#include <dls.h>

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITERATIONS = 4000, STEPS = 6, THREADS = 2 };

static double work_on(int64_t i, int times)
{
    double x = (double)i;
    for (int k = 0; k < 2000 * times; k++)
        x = x * 0.999 + 1;
    return x;
}

int main(void)
{
    dls_loop *loop;
    int64_t share[STEPS][THREADS] = {{0}};
    static double result[ITERATIONS];
    if (dls_open(&loop, "awf", ITERATIONS, THREADS, NULL) != 0) {
        fprintf(stderr, "%s\n", dls_error(loop));
        dls_close(loop, NULL);
        return EXIT_FAILURE;
    }
#pragma omp parallel num_threads(THREADS)
    for (int step = 0; step < STEPS; step++) {
        int worker = omp_get_thread_num();
        int64_t begin, end;
        while (dls_next(loop, worker, &begin, &end) == 1) {
            for (int64_t i = begin; i < end; i++)
                result[i] = work_on(i, worker == 0 ? 2 : 1);
            share[step][worker] += end - begin;
        }
#pragma omp barrier
#pragma omp single
        if (step + 1 < STEPS && dls_again(loop, ITERATIONS) != 0)
            fprintf(stderr, "%s\n", dls_error(loop));
    }
    for (int step = 0; step < STEPS; step++)
        printf("step %d: %" PRId64 " %" PRId64 "\n", step, share[step][0],
               share[step][1]);
    printf("result %.17g\n", result[ITERATIONS - 1]);
    return dls_close(loop, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
