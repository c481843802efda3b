/* The same inside an OpenMP region, which keeps its own threads.
 * cc -fopenmp openmp.c $(pkg-config --cflags --libs libdls) */
#include <dls.h>

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBERS = 20000 };

static int64_t divisors_of(int64_t n)
{
    int64_t sum = 0;
    for (int64_t d = 1; d <= n; d++)
        sum += n % d == 0 ? d : 0;
    return sum;
}

int main(void)
{
    dls_loop *loop;
    int64_t sum = 0;
    int failed = 0;
    if (dls_open(&loop, "gss:min=4", NUMBERS, omp_get_max_threads(), NULL)) {
        fprintf(stderr, "%s\n", dls_error(loop));
        dls_close(loop, NULL);
        return EXIT_FAILURE;
    }
#pragma omp parallel reduction(+ : sum) reduction(|| : failed)
    {
        int64_t begin, end;
        int code;
        while ((code = dls_next(loop, omp_get_thread_num(), &begin, &end)) == 1)
            for (int64_t i = begin; i < end; i++)
                sum += divisors_of(i + 1);
        failed = code < 0;
    }
    printf("sum %" PRId64 " under %s\n", sum, dls_scheme_of(loop));
    return dls_close(loop, NULL) == 0 && !failed ? EXIT_SUCCESS : EXIT_FAILURE;
}
