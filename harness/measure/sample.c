/* Independent iterations: a sample of them, the same for every worker. */
#include "harness/measure/measure_work_internal.h"

#include "base/pages.h"
#include "base/stats.h"
#include "harness/measure/fitted_line.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A pass over the sample. */
#define PASS_S 0.01

static char *output_of(const struct work *work, int thread)
{
    if (work->output == NULL)
        return NULL;
    return work->output +
           (size_t)thread * (size_t)work->size * work->output_bytes;
}

static int64_t block_start(const struct work *work, int64_t block)
{
    int64_t part = work->iterations / work->blocks;
    return block * part + (part - work->size) / 2;
}

static size_t block_bytes(const struct work *work, int64_t block)
{
    size_t bytes = 0;
    int64_t start = block_start(work, block);
    for (int64_t i = 0; i < work->size; i++)
        bytes += work->ops->input->bytes(work->instance, start + i);
    return bytes;
}

/* The input data are in memory before work begins, as on workers that receive
 * them. */
static int make_input(struct work *work, struct error *err)
{
    const struct kernel_input *input = work->ops->input;
    size_t bytes = 0;
    if (input == NULL)
        return 0;
    for (int64_t b = 0; b < work->blocks; b++)
        bytes += block_bytes(work, b);
    free(work->input);
    char *to = work->input = aligned_alloc(128, (bytes / 128 + 1) * 128);
    if (to == NULL)
        return error_set(err, ENOMEM, "kernel %s: no memory for its input data",
                         work->ops->name);
    for (int64_t k = 0; k < work->blocks * work->size; k++) {
        int64_t i = block_start(work, k / work->size) + k % work->size;
        input->make(work->instance, i, to);
        to += input->bytes(work->instance, i);
    }
    return 0;
}

static void run_block(const struct work *work, int thread, int64_t block)
{
    const struct kernel_ops *ops = work->ops;
    int64_t start = block_start(work, block);
    /* The data of blocks are consecutive. */
    const char *input = work->input;
    for (int64_t b = 0; input != NULL && b < block; b++)
        input += block_bytes(work, b);
    if (input != NULL)
        ops->input->run(work->instance, work->scratch[thread], start,
                        work->size, input, output_of(work, thread), NULL);
    else
        ops->run(work->instance, work->scratch[thread], start, work->size,
                 output_of(work, thread), NULL);
}

/* ---- which iterations ---- */

/* The middle iteration tells, at rank 0, how many fit into a pass. */
static int choose_block(struct work *work, struct error *err)
{
    const struct comm *comm = &work->crew->context->comm;
    size_t threads = (size_t)work->crew->context->threads;
    int64_t count = 1;
    work->blocks = work->size = 1;
    work->mapped = threads * work->output_bytes;
    int code = work_map(work->mapped, &work->output, err);
    if (code == 0)
        code = make_input(work, err);
    if (code == 0 && comm->rank == 0) {
        run_block(work, 0, 0);
        double start = engine_now();
        while (engine_now() - start < PASS_S && count < work->iterations) {
            run_block(work, 0, 0);
            count++;
        }
    }
    code = comm_agree(comm, code, err);
    if (code != 0)
        return code;
    comm_broadcast(comm, &count, sizeof(count));
    work->blocks = count < WORK_BLOCKS ? count : WORK_BLOCKS;
    work->size = count / work->blocks;
    pages_unmap(work->output, work->mapped);
    work->output = NULL;
    work->mapped = threads * (size_t)work->size * work->output_bytes;
    code = work_map(work->mapped, &work->output, err);
    if (code == 0)
        code = make_input(work, err);
    return comm_agree(comm, code, err);
}

/* ---- passes ---- */

static void sample_body(int thread, void *arg)
{
    struct work *work = arg;
    crew_bind(work->crew, thread);
    crew_start(work->crew, thread);
    double start = engine_now(), last = start;
    for (int64_t b = 0; b < work->blocks; b++) {
        run_block(work, thread, b);
        double now = engine_now();
        work->block[thread][b].pass_s[work->at] = now - last;
        last = now;
    }
    work->pass_s[thread] = last - start;
}

/* ---- what an operation costs ---- */

/* Operations of a block, by thread 0, as the kernel knows or counts them. */
static double count_operations(const struct work *work, int64_t block)
{
    const struct kernel_cost *cost = work->ops->cost;
    int64_t start = block_start(work, block);
    double sum = 0;
    if (cost->operations == NULL)
        run_block(work, 0, block);
    for (int64_t i = 0; i < work->size; i++)
        sum += cost->operations != NULL
                   ? cost->operations(work->instance, start + i)
                   : cost->counted(work->instance,
                                   output_of(work, 0) +
                                       (size_t)i * work->output_bytes);
    return sum;
}

/* The seconds of the blocks as start and operations; the fit is scaled to keep
 * the sum.  Equal blocks only determine operations.  It takes the median of the
 * rounds, not the least: runs have the machine as it is. */
static void fit_cost(struct work *work, int thread, const double *ops,
                     struct calibration_cost *cost)
{
    double y[WORK_BLOCKS], sum_x = 0, sum_y = 0;
    double begun =
        (double)work->size * kernel_starts(work->ops, work->instance);
    double x[WORK_BLOCKS];
    struct fit line;
    for (int64_t b = 0; b < work->blocks; b++) {
        x[b] = ops[b] / begun;
        y[b] =
            stats_median(work->block[thread][b].round_s, WORK_ROUNDS).median /
            begun;
        sum_x += x[b];
        sum_y += y[b];
    }
    if (!line_fit(x, y, (int)work->blocks, &line) || line.slope == 0)
        line = (struct fit){.slope = sum_y / sum_x, .r2 = NAN};
    double scale =
        sum_y / ((double)work->blocks * line.start + line.slope * sum_x);
    cost->r2 = line.r2;
    cost->start = scale * line.start;
    cost->operation = scale * line.slope;
}

int work_sample(struct work *work, struct calibration_cost *cost,
                struct error *err)
{
    double ops[WORK_BLOCKS] = {0}, all = 0;
    int threads = work->crew->context->threads;
    int code = choose_block(work, err);
    if (code != 0)
        return code;
    for (int64_t b = 0; work->ops->cost != NULL && b < work->blocks; b++)
        all += ops[b] = count_operations(work, b);
    for (int r = 0; r < WORK_ROUNDS; r++) {
        work_round(work, sample_body, work->round_s + r * threads);
        for (int t = 0; t < work->crew->context->threads; t++)
            for (int64_t b = 0; b < work->blocks; b++) {
                struct work_block *block = &work->block[t][b];
                block->round_s[r] =
                    stats_median(block->pass_s, work->passes).median;
            }
    }
    for (int t = 0; t < threads; t++) {
        cost[t] = (struct calibration_cost){
            .c_p = work_middle(work->round_s + t, threads) /
                   (double)(work->blocks * work->size),
            .r2 = NAN};
        if (all > 0)
            fit_cost(work, t, ops, &cost[t]);
    }
    return 0;
}
