#include "bench/overhead/overhead.h"

#include "base/stats.h"

#include "harness/guard/need.h"
#include "kernels/kernel.h"

#include <cblas.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    RUNS = 7,
    /* Sampled rows of the large convolution, evenly spread. */
    SAMPLE = 200,
};

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_of(void (*body)(void *), void *arg)
{
    double start = cpu_now();
    body(arg);
    return cpu_now() - start;
}

/* Both in turn, so that a disturbance meets both; the first turn warms up. */
static void measure_pair(const struct speed_pair *p, double *ours, double *base)
{
    double a[RUNS], b[RUNS];
    p->run(p->arg);
    p->run_base(p->arg);
    for (int i = 0; i < RUNS; i++) {
        a[i] = time_of(p->run, p->arg);
        b[i] = time_of(p->run_base, p->arg);
    }
    *ours = stats_middle(a, RUNS);
    *base = stats_middle(b, RUNS);
}

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
    memset(job->output, 0, bytes); /* its pages are there */
    for (size_t i = 0; i < n; i++) {
        job->b[i] = 1.0 / (double)(i + 1);
        job->c[i] = 1.0 / (double)(i + 2);
    }
    return 0;
}

static void close_job(struct job *job)
{
    if (job->instance != NULL)
        job->ops->destroy(job->instance);
    free(job->output);
    free(job->b);
    free(job->c);
}

static void run_all(void *arg)
{
    struct job *job = arg;
    job->ops->run(job->instance, NULL, 0, job->iterations, job->output, NULL);
}

static void reference_all(void *arg)
{
    struct job *job = arg;
    job->ops->reference(job->instance, 0, job->iterations, job->output);
}

static void run_rows(void *arg)
{
    struct job *job = arg;
    for (int64_t row = 0; row < job->iterations; row += job->step)
        job->ops->run(job->instance, NULL, row, 1, job->output + row * 8, NULL);
}

static void dot_rows(void *arg)
{
    struct job *job = arg;
    for (int64_t row = 0; row < job->iterations; row += job->step)
        job->sum += cblas_ddot((int)(job->iterations - row), job->b + row, 1,
                               job->c, 1);
}

void speed_report(FILE *out, const struct speed_pair *p, bool faster)
{
    double ours, base;
    measure_pair(p, &ours, &base);
    fprintf(out, "%-38s %-10s %10.6f s  %-12s %10.6f s  ", p->title, p->ours,
            ours, p->base, base);
    if (faster)
        fprintf(out, "%5.2fx faster (aim: at least 4)\n", base / ours);
    else
        fprintf(out, "%5.2fx the time (aim: at most 1.30)\n", ours / base);
}

static void mandelbrot_speed(FILE *out)
{
    struct error err;
    struct job job;
    const char *text = "mandelbrot:size=2048,maxiter=1000";
    if (open_job(text, &job, &err) != 0)
        fprintf(out, "%s: %s\n", text, err.text);
    else
        speed_report(out,
                     &(struct speed_pair){text, "run", "plain loop", run_all,
                                          reference_all, &job},
                     true);
    close_job(&job);
}

static void adjoint_speed(FILE *out, int size, int64_t rows)
{
    struct error err;
    struct job job;
    char text[64];
    snprintf(text, sizeof(text), "adjoint:size=%d", size);
    if (open_job(text, &job, &err) != 0) {
        fprintf(out, "%s: %s\n", text, err.text);
    } else {
        job.step = job.iterations / rows;
        char title[96];
        snprintf(title, sizeof(title), "%s, %lld rows", text, (long long)rows);
        speed_report(out,
                     &(struct speed_pair){title, "run", "cblas_ddot", run_rows,
                                          dot_rows, &job},
                     false);
    }
    close_job(&job);
}

void overhead_kernels(FILE *out)
{
    fprintf(out, "kernels, one core, medians of %d interleaved runs\n", RUNS);
    mandelbrot_speed(out);
    adjoint_speed(out, 100, 100 * 100);
    adjoint_speed(out, 800, SAMPLE);
    speed_of_products(out);
}
