/* Speed of the main kernels on one core: mandelbrot beside a plain loop, and
 * the convolution beside dot products of the same lengths (BLAS's, if built
 * in). */
#include "bench/overhead/contest.h"
#include "bench/overhead/overhead.h"

#include "harness/engine/engine.h"
#include "harness/process/need.h"
#include "kernels/kernel.h"

#include <stdlib.h>
#include <string.h>
#ifdef WITH_BLAS
#include <cblas.h>
#endif

/* Sampled rows of the large convolution, evenly spread. */
enum { SAMPLE = 200 };

struct job {
    const struct kernel_ops *ops;
    void *instance;
    int64_t iterations;
    int64_t step; /* every step-th iteration */
    char *output;
    double *b, *c; /* data of the dot products */
    double sum;
};

static int open_job(const char *text, struct job *job, struct error *err)
{
    struct spec spec;
    *job = (struct job){.step = 1};
    int code = kernel_parse(text, &job->ops, &spec, err);
    if (code == 0)
        code = job->ops->create(&spec, &job->instance, err);
    if (code != 0)
        return code;
    job->iterations = job->ops->iterations(job->instance);
    size_t n = (size_t)job->iterations;
    size_t bytes = n * job->ops->output_bytes(job->instance);
    job->output = need_zeroed(1, bytes);
    job->b = need_zeroed(n, sizeof(double));
    job->c = need_zeroed(n, sizeof(double));
    memset(job->output, 0, bytes); /* touches its pages */
    for (size_t i = 0; i < n; i++) {
        job->b[i] = 1.0 / (double)(i + 1);
        job->c[i] = 1.0 / (double)(i + 2);
    }
    return 0;
}

static double run_all(void *arg)
{
    struct job *job = arg;
    double start = engine_now();
    job->ops->run(job->instance, NULL, 0, job->iterations, job->output, NULL);
    return 1e9 * (engine_now() - start);
}

static double reference_all(void *arg)
{
    struct job *job = arg;
    double start = engine_now();
    job->ops->reference(job->instance, 0, job->iterations, job->output);
    return 1e9 * (engine_now() - start);
}

static double run_rows(void *arg)
{
    struct job *job = arg;
    double start = engine_now();
    for (int64_t row = 0; row < job->iterations; row += job->step)
        job->ops->run(job->instance, NULL, row, 1, job->output + row * 8, NULL);
    return 1e9 * (engine_now() - start);
}

#ifdef WITH_BLAS
#define DOT "cblas_ddot"
static double dot(int count, const double *b, const double *c)
{
    return cblas_ddot(count, b, 1, c, 1);
}
#else
#define DOT "plain loop"
static double dot(int count, const double *b, const double *c)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += b[i] * c[i];
    return sum;
}
#endif

static double dot_rows(void *arg)
{
    struct job *job = arg;
    double start = engine_now();
    for (int64_t row = 0; row < job->iterations; row += job->step)
        job->sum += dot((int)(job->iterations - row), job->b + row, job->c);
    return 1e9 * (engine_now() - start);
}

static void compare_kernel(FILE *out, struct launch_context *context,
                           const char *text, int64_t rows, struct contest row)
{
    struct error err;
    struct job job;
    if (open_job(text, &job, &err) != 0) {
        fprintf(out, "  %s: %s\n", text, err.text);
    } else {
        job.step = job.iterations / rows;
        row.name = text;
        row.arg = &job;
        contest_run(out, context, &row, 1, NULL);
    }
    if (job.instance != NULL)
        job.ops->destroy(job.instance);
    free(job.output);
    free(job.b);
    free(job.c);
}

void overhead_kernels(FILE *out, struct launch_context *context)
{
    const struct contest lanes = {.how = "plain loop",
                                  .ours = run_all,
                                  .bare = reference_all,
                                  .aim = 0.25};
    const struct contest dots = {
        .how = DOT, .ours = run_rows, .bare = dot_rows, .aim = 1.3};
    contest_head(out,
                 "Kernels, one core, beside other code that does the same");
    compare_kernel(out, context, "mandelbrot:size=2048,maxiter=1000", 1, lanes);
    compare_kernel(out, context, "adjoint:size=100", 100 * 100, dots);
    compare_kernel(out, context, "adjoint:size=800", SAMPLE, dots);
    overhead_products(out, context);
}
