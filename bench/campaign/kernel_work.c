#include "bench/campaign/kernel_work.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* One iteration in 64 represents the others; 256 points represent a whole loop
 * whose operations must be counted. */
enum { SAMPLE = 64, POINTS = 256 };

/* Scales a sample of iterations to the loop.  A kernel that counts only while
 * it runs does so on a coarse copy, `few`; its counts are scaled by the bytes
 * of output. */
double work_operations(const struct kernel_ops *ops, const struct spec *spec)
{
    void *whole, *few = NULL, *output = NULL;
    const struct kernel_cost *cost = ops->cost;
    bool counted = cost->operations == NULL;
    double sum = 0;
    if (kernel_outline(ops, spec, &whole, NULL) != 0)
        return NAN;
    int64_t n = ops->iterations(whole), asked = n < SAMPLE ? n : SAMPLE;
    if (counted && cost->coarse(whole, POINTS, &few, NULL) == 0)
        output = malloc(ops->output_bytes(few) + 64);
    for (int64_t i = 0; i < asked && (!counted || output != NULL); i++) {
        int64_t at = (2 * i + 1) * n / (2 * asked);
        if (counted)
            ops->run(few, NULL, at, 1, output, NULL);
        sum +=
            counted ? cost->counted(few, output) : cost->operations(whole, at);
    }
    if (output != NULL)
        sum *=
            (double)ops->output_bytes(whole) / (double)ops->output_bytes(few);
    if (counted && output == NULL)
        sum = NAN;
    free(output);
    if (few != NULL)
        ops->destroy(few);
    ops->destroy(whole);
    return sum * (double)n / (double)asked;
}

double work_starts(const struct kernel_ops *ops, const struct spec *spec)
{
    void *whole;
    if (kernel_outline(ops, spec, &whole, NULL) != 0)
        return NAN;
    double starts = (double)ops->iterations(whole) * kernel_starts(ops, whole);
    ops->destroy(whole);
    return starts;
}

int work_repeats(const struct kernel_ops *ops, const struct spec *spec)
{
    void *whole;
    if (kernel_outline(ops, spec, &whole, NULL) != 0)
        return 1;
    int steps = ops->steps != NULL ? ops->steps->count(whole) : 1;
    ops->destroy(whole);
    return steps;
}

/* By the calibration's fastest worker, because other load only adds time; NAN:
 * it lacks the kernel. */
double work_seconds(const struct calibration_kind *kind, const char *spec,
                    double operations, double starts)
{
    const struct calibration_kernel *kernel =
        calibration_kernel_near(kind, spec, operations);
    double least = NAN;
    for (int w = 0; kernel != NULL && w < kind->workers; w++) {
        const struct calibration_cost *cost = &kernel->cost[w];
        if (cost->operation > 0)
            least = fmin(least,
                         operations * cost->operation + starts * cost->start);
    }
    return least;
}
