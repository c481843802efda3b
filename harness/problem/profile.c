#include "harness/problem/profile.h"

#include "harness/problem/cached.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* How many whole iterations are checked, spread over the loop; and the first
 * number of points per iteration. */
enum { CHECKED = 24, POINTS_FIRST = 256 };

/* The share by which the sum of the checked iterations may be off. */
static const double TOLERANCE = 0.01;

/* One instance at work, with room for an iteration's output. */
struct counter {
    const struct kernel_ops *kernel;
    const void *instance;
    void *output;
    double scale;
};

static double count_iteration(const struct counter *c, int64_t iteration)
{
    c->kernel->run(c->instance, NULL, iteration, 1, c->output, NULL);
    return c->scale * c->kernel->cost->counted(c->instance, c->output);
}

/* The relative deviation of the profile from the whole iterations. */
static double profile_deviation(const struct counter *whole, int64_t iterations,
                                const double *operations)
{
    double off = 0, sum = 0;
    for (int i = 0; i < CHECKED; i++) {
        int64_t at = (2 * (int64_t)i + 1) * iterations / (2 * CHECKED);
        double exact = count_iteration(whole, at);
        off += fabs(operations[at] - exact);
        sum += exact;
    }
    return sum > 0 ? off / sum : 0;
}

static int fill_profile(const struct counter *whole, size_t whole_bytes,
                        int64_t points, int64_t iterations, double *operations,
                        struct error *err)
{
    const struct kernel_ops *kernel = whole->kernel;
    void *coarse;
    int code = kernel->cost->coarse(whole->instance, points, &coarse, err);
    if (code != 0)
        return code;
    size_t bytes = kernel->output_bytes(coarse);
    double scale = (double)whole_bytes / (double)bytes;
    /* In a small loop a coarse iteration may have more points. */
    struct counter few = {kernel, coarse, malloc(bytes + 1), scale};
    if (few.output == NULL)
        code = error_set(err, ENOMEM, "out of memory for the cost profile");
    for (int64_t i = 0; code == 0 && i < iterations; i++)
        operations[i] = count_iteration(&few, i);
    free(few.output);
    kernel->destroy(coarse);
    return code;
}

static int compute_profile(const struct counter *whole, double *operations,
                           struct error *err)
{
    const struct kernel_ops *kernel = whole->kernel;
    int64_t iterations = kernel->iterations(whole->instance);
    size_t bytes = kernel->output_bytes(whole->instance);
    int64_t points = POINTS_FIRST;
    /* An output byte is a point or more: then all points are run. */
    for (; points < (int64_t)bytes; points *= 2) {
        int code =
            fill_profile(whole, bytes, points, iterations, operations, err);
        if (code != 0)
            return code;
        if (profile_deviation(whole, iterations, operations) <= TOLERANCE)
            return 0;
    }
    for (int64_t i = 0; i < iterations; i++)
        operations[i] = count_iteration(whole, i);
    return 0;
}

int profile_make(const struct kernel_ops *kernel, const struct spec *spec,
                 const void *instance, double *operations, struct error *err)
{
    int64_t iterations = kernel->iterations(instance);
    uint64_t key = cache_key(spec->canonical, kernel, spec);
    double seconds;
    if (cache_read("profile", key, iterations, operations, &seconds))
        return 0;
    size_t bytes = kernel->output_bytes(instance);
    struct counter whole = {kernel, instance, malloc(bytes + 1), 1};
    if (whole.output == NULL)
        return error_set(err, ENOMEM, "out of memory for the cost profile");
    int code = compute_profile(&whole, operations, err);
    free(whole.output);
    if (code == 0)
        cache_write("profile", key, iterations, operations, 0);
    return code;
}
