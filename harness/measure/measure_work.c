#include "harness/measure/measure_work_internal.h"

#include "base/cache_line.h"
#include "base/pages.h"
#include "base/stats.h"
#include "harness/measure/fitted_line.h"
#include "harness/problem/fit.h"
#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTERVALS = 7, STEPS = 16 };

/* The passes of one round. */
#define ROUND_S 0.03

/* Narrow blocks, where starting counts, to wide ones. */
static const int64_t widths[INTERVALS] = {16, 32, 64, 128, 256, 512, 1024};

/* ---- grids ---- */

double work_row_starts(int64_t rows, int64_t columns, int skew, int64_t h)
{
    double starts = 0;
    for (int64_t k = 0; k < rows; k++) {
        int64_t first = k * skew;
        starts += (double)((first + columns - 1) / h - first / h + 1);
    }
    return starts;
}

/* Each worker has a share of the rows; no worker computes the first row of a
 * share, so that a chunk's boundary does not change while it is read. */
static int64_t share_rows(const struct work *work)
{
    return work->iterations / work->crew->workers;
}

static int64_t chunk_rows(const struct work *work)
{
    return share_rows(work) - 1;
}

static int64_t chunk_start(const struct work *work, int worker)
{
    return worker * share_rows(work) + 1;
}

/* Between two repetitions thread 0 of each rank checks and wipes the output, so
 * rows are not in the cache of the worker that writes them. */
static void wipe_chunks(const struct work *work)
{
    int first = work->crew->first;
    int last = first + work->crew->context->threads - 1;
    int64_t start = chunk_start(work, first);
    int64_t rows = chunk_start(work, last) + chunk_rows(work) - start;
    memset(work->output + (size_t)start * work->output_bytes, LOOP_POISON,
           (size_t)rows * work->output_bytes);
}

/* The first step loads rows into the cache; the following ones may find them
 * there. */
int work_steps(const struct work *work)
{
    return work->grid.steps < STEPS ? work->grid.steps : STEPS;
}

static void run_step(const struct work *work, int worker, int step)
{
    int64_t rows = chunk_rows(work), start = chunk_start(work, worker);
    int64_t extent = work->grid.columns + (rows - 1) * work->grid.skew;
    for (int64_t from = 0; from < extent; from += work->h) {
        int64_t to = extent - from < work->h ? extent : from + work->h;
        const struct kernel_block block = {
            .step = step, .start = start, .size = rows, .from = from, .to = to};
        work->ops->dependence->run_block(work->instance, work->state, &block,
                                         work->output, NULL);
    }
}

/* ---- opening ---- */

int work_map(size_t bytes, char **out, struct error *err)
{
    if (bytes == 0)
        return 0;
    *out = pages_map(bytes);
    if (*out == NULL)
        return error_set(err, ENOMEM, "no room for %zu bytes of output", bytes);
    return 0;
}

/* Collective: allocates nothing before all ranks know that it fits. */
static int open_instance(struct work *work, const char *text,
                         struct calibration_kernel *kernel, struct error *err)
{
    const struct comm *comm = &work->crew->context->comm;
    struct spec spec;
    int code =
        comm_agree(comm, kernel_parse(text, &work->ops, &spec, err), err);
    if (code == 0)
        code = fit_spec(work->ops, &spec, comm, err);
    if (code != 0)
        return code;
    snprintf(kernel->spec, sizeof(kernel->spec), "%s", spec.canonical);
    return comm_agree(comm, work->ops->create(&spec, &work->instance, err),
                      err);
}

static int open_memory(struct work *work, struct calibration_kernel *kernel,
                       struct error *err)
{
    work->iterations = work->ops->iterations(work->instance);
    work->output_bytes = work->ops->output_bytes(work->instance);
    if (work->ops->scratch_bytes != NULL)
        work->scratch_bytes = work->ops->scratch_bytes(work->instance);
    kernel->rows = work->iterations;
    kernel->columns = 1;
    kernel->grid = work->ops->dependence != NULL;
    if (!kernel->grid)
        return 0;
    work->ops->dependence->grid(work->instance, &work->grid);
    kernel->columns = work->grid.columns;
    work->mapped = (size_t)work->iterations * work->output_bytes;
    if (chunk_rows(work) <= 0)
        return error_set(
            err, EINVAL,
            "kernel %s: %lld rows are too few to measure it with %d workers, 2 "
            "for each are needed",
            work->ops->name, (long long)work->iterations, work->crew->workers);
    int code = work_map(work->mapped, &work->output, err);
    if (code == 0)
        code = work_map(work->grid.state_bytes, &work->state, err);
    if (code == 0)
        work->ops->dependence->begin(work->instance, work->state, work->output);
    return code;
}

static void open_threads(struct work *work)
{
    size_t threads = (size_t)work->crew->context->threads;
    work->pass_s = need_zeroed(threads, sizeof(*work->pass_s));
    work->pass = need_zeroed(threads, sizeof(*work->pass));
    work->round_s =
        need_zeroed(threads * WORK_ROUNDS * INTERVALS, sizeof(*work->round_s));
    work->block = need_zeroed(threads, sizeof(*work->block));
    work->scratch = need_zeroed(threads, sizeof(*work->scratch));
    for (size_t t = 0; t < threads; t++) {
        work->scratch[t] = lines_zeroed(work->scratch_bytes + 128);
        if (work->scratch[t] == NULL)
            need_failed();
    }
}

static void close_work(struct work *work)
{
    for (int t = 0; work->scratch != NULL && t < work->crew->context->threads;
         t++)
        free(work->scratch[t]);
    free(work->scratch);
    free(work->block);
    free(work->round_s);
    free(work->pass);
    free(work->pass_s);
    free(work->input);
    pages_unmap(work->output, work->mapped);
    pages_unmap(work->state, work->grid.state_bytes);
    if (work->instance != NULL)
        work->ops->destroy(work->instance);
}

/* ---- rounds ---- */

static void one_pass(struct work *work, void (*body)(int, void *))
{
    if (work->ops->dependence != NULL)
        wipe_chunks(work);
    engine_team_run(work->crew->context->team, body, work);
}

void work_round(struct work *work, void (*body)(int, void *), double *round_s)
{
    const struct comm *comm = &work->crew->context->comm;
    int threads = work->crew->context->threads;
    work->at = 0;
    one_pass(work, body);
    work->passes = (int)fmin(fmax(ROUND_S / work->pass_s[0], 1), WORK_PASSES);
    comm_broadcast(comm, &work->passes, sizeof(work->passes));
    for (; work->at < work->passes; work->at++) {
        one_pass(work, body);
        for (int t = 0; t < threads; t++)
            work->pass[t][work->at] = work->pass_s[t];
    }
    for (int t = 0; t < threads; t++)
        round_s[t] = stats_middle(work->pass[t], work->passes);
}

double work_middle(const double *round_s, int threads)
{
    double value[WORK_ROUNDS];
    for (int r = 0; r < WORK_ROUNDS; r++)
        value[r] = round_s[r * threads];
    return stats_middle(value, WORK_ROUNDS);
}

/* ---- fitting a grid ---- */

static void chunk_body(int thread, void *arg)
{
    struct work *work = arg;
    crew_bind(work->crew, thread);
    crew_start(work->crew, thread);
    double start = engine_now();
    for (int step = 0; step < work_steps(work); step++)
        run_step(work, work->crew->first + thread, step);
    work->pass_s[thread] = engine_now() - start;
}

static int fit_thread(const struct work *work, const double *x, const double *y,
                      int count, struct calibration_cost *cost,
                      struct error *err)
{
    struct fit fit = {.start = count > 0 ? y[0] : 0, .r2 = NAN};
    if (count > 1 && !line_fit(x, y, count, &fit))
        return error_set(err, ENODATA,
                         "kernel %s: its time cannot be measured here",
                         work->ops->name);
    double point = work->ops->cost->operations(work->instance, 0) /
                   ((double)work->grid.columns * work->grid.steps);
    *cost = (struct calibration_cost){.c_p = fit.start,
                                      .c_b = fit.slope,
                                      .r2 = fit.r2,
                                      .operation = fit.start / point,
                                      .start = fit.slope};
    if (!(cost->c_p > 0))
        return error_set(err, ENODATA,
                         "kernel %s: starting rows takes all the time, the "
                         "grid is too small to measure a point",
                         work->ops->name);
    return 0;
}

/* Fits over the widths of blocks: x is the rows started per point, y the median
 * seconds per point of a thread. */
static int measure_grid(struct work *work, struct calibration_cost *cost,
                        struct error *err)
{
    int threads = work->crew->context->threads, count = 1, code = 0;
    double x[INTERVALS], y[INTERVALS];
    int64_t rows = chunk_rows(work), columns = work->grid.columns;
    double points = (double)rows * (double)columns * work_steps(work);
    while (count < INTERVALS && widths[count] <= columns)
        count++;
    for (int i = 0; i < WORK_ROUNDS * count; i++) {
        work->h = widths[i % count] < columns ? widths[i % count] : columns;
        work_round(work, chunk_body,
                   work->round_s +
                       (i % count * WORK_ROUNDS + i / count) * threads);
        x[i % count] =
            work_row_starts(rows, columns, work->grid.skew, work->h) *
            work_steps(work) / points;
    }
    for (int t = 0; code == 0 && t < threads; t++) {
        for (int i = 0; i < count; i++)
            y[i] = work_middle(work->round_s + i * WORK_ROUNDS * threads + t,
                               threads) /
                   points;
        code = fit_thread(work, x, y, count, &cost[t], err);
    }
    return code;
}

/* ---- one kernel ---- */

static void gather_costs(struct work *work, const struct calibration_cost *own,
                         struct calibration_kernel *kernel)
{
    const struct comm *comm = &work->crew->context->comm;
    void *all = NULL;
    size_t bytes;
    int code = comm_gather_any(
        comm, own, (size_t)work->crew->context->threads * sizeof(*own), &all,
        &bytes);
    if (code != 0)
        need_failed();
    if (all != NULL)
        memcpy(kernel->cost, all, bytes);
    free(all);
}

int work_measure(struct crew *crew, const struct measure_kernel *asked,
                 struct calibration_kernel *kernel, struct error *err)
{
    const struct comm *comm = &crew->context->comm;
    struct work work = {.crew = crew};
    struct calibration_cost *own =
        need_zeroed((size_t)crew->context->threads, sizeof(*own));
    int code = open_instance(&work, asked->spec, kernel, err);
    if (code == 0)
        code = open_memory(&work, kernel, err);
    if (code == 0)
        open_threads(&work);
    code = comm_agree(comm, code, err);
    if (code == 0)
        code = kernel->grid ? measure_grid(&work, own, err)
                            : work_sample(&work, own, err);
    code = comm_agree(comm, code, err);
    if (code == 0)
        gather_costs(&work, own, kernel);
    if (code == 0 && kernel->grid)
        code = work_blocks(&work, asked, kernel, err);
    close_work(&work);
    free(own);
    return code;
}
