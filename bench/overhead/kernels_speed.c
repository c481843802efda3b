#include "bench/overhead/overhead.h"
#include "bench/overhead/rounds/states.h"

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

/* A pair, and the seconds of both in each round. */
struct race {
    const struct speed_pair *pair;
    double ours[RUNS], base[RUNS], handover_ns[RUNS];
};

/* Both in turn, so that a disturbance meets both. */
static void time_round(void *arg, int round)
{
    struct race *race = arg;
    race->ours[round] = time_of(race->pair->run, race->pair->arg);
    race->base[round] = time_of(race->pair->run_base, race->pair->arg);
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

static void print_state(FILE *out, const struct race *race,
                        const struct state *state)
{
    const struct speed_pair *p = race->pair;
    fprintf(out, "%-38s %-10s %10.6f s  %-12s %10.6f s  ", p->title, p->ours,
            state_middle(state, race->ours), p->base,
            state_middle(state, race->base));
    if (p->faster)
        fprintf(out, "%5.2fx faster (aim: at least 4)",
                state_ratio(state, race->base, race->ours));
    else
        fprintf(out, "%5.2fx the time (aim: at most 1.30)",
                state_ratio(state, race->ours, race->base));
    state_print(out, state);
    fprintf(out, "\n");
}

void speed_report(FILE *out, struct launch_context *context,
                  const struct speed_pair *pair)
{
    struct race race = {.pair = pair};
    struct state state[STATES_MAX];
    time_round(&race, 0); /* warms up */
    for (int r = 0; r < RUNS; r++)
        race.handover_ns[r] = state_time_round(context, time_round, &race, r);
    int states = state_split(race.handover_ns, RUNS, state);
    for (int s = 0; s < states; s++)
        print_state(out, &race, &state[s]);
}

static void mandelbrot_speed(FILE *out, struct launch_context *context)
{
    struct error err;
    struct job job;
    const char *text = "mandelbrot:size=2048,maxiter=1000";
    if (open_job(text, &job, &err) != 0)
        fprintf(out, "%s: %s\n", text, err.text);
    else
        speed_report(out, context,
                     &(struct speed_pair){text, "run", "plain loop", run_all,
                                          reference_all, &job, true});
    close_job(&job);
}

static void adjoint_speed(FILE *out, struct launch_context *context, int size,
                          int64_t rows)
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
        speed_report(out, context,
                     &(struct speed_pair){title, "run", "cblas_ddot", run_rows,
                                          dot_rows, &job, false});
    }
    close_job(&job);
}

void overhead_kernels(FILE *out, struct launch_context *context)
{
    fprintf(out, "kernels, one core, medians of %d interleaved runs\n", RUNS);
    mandelbrot_speed(out, context);
    adjoint_speed(out, context, 100, 100 * 100);
    adjoint_speed(out, context, 800, SAMPLE);
    speed_of_products(out, context);
}
