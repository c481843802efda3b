/* Independent iterations: a sample of them, the same for every worker. */
#include "harness/calibrate/work_parts.h"

#include "harness/calibrate/line.h"
#include "harness/stats.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

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

static void run_block(const struct work *work, int thread, int64_t block)
{
    work->ops->run(work->instance, work->scratch[thread],
                   block_start(work, block), work->size,
                   output_of(work, thread), NULL);
}

/* ---- which iterations ---- */

/* The middle iteration tells, at rank 0, how many fit into a pass. */
static int choose(struct work *work, struct error *err)
{
    const struct comm *comm = &work->crew->context->comm;
    size_t threads = (size_t)work->crew->context->threads;
    int64_t count = 1;
    work->blocks = work->size = 1;
    work->mapped = threads * work->output_bytes;
    int code = work_map(work->mapped, &work->output, err);
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
    if (work->output != NULL)
        munmap(work->output, work->mapped);
    work->output = NULL;
    work->mapped = threads * (size_t)work->size * work->output_bytes;
    return comm_agree(comm, work_map(work->mapped, &work->output, err), err);
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

static void keep_blocks(struct work *work)
{
    for (int t = 0; t < work->crew->context->threads; t++)
        for (int64_t b = 0; b < work->blocks; b++) {
            struct work_block *block = &work->block[t][b];
            double s = stats_median(block->pass_s, work->passes).median;
            if (block->one_s == 0 || s < block->one_s)
                block->one_s = s;
        }
}

/* ---- what an operation costs ---- */

/* Operations of a block, by thread 0, as the kernel knows or counts them. */
static double operations(const struct work *work, int64_t block)
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

/* The seconds of the blocks as start and operations; the fit is scaled to the
 * sum, which it must not change.  Blocks that are all alike tell of operations
 * only. */
static void fit(const struct work *work, int thread, const double *ops,
                struct calibration_cost *cost)
{
    double y[WORK_BLOCKS], sum_x = 0, sum_y = 0;
    double begun =
        (double)work->size * kernel_starts(work->ops, work->instance);
    double x[WORK_BLOCKS];
    struct line line;
    for (int64_t b = 0; b < work->blocks; b++) {
        x[b] = ops[b] / begun;
        y[b] = work->block[thread][b].one_s / begun;
        sum_x += x[b];
        sum_y += y[b];
    }
    if (!line_fit(x, y, (int)work->blocks, &line) || line.slope == 0)
        line = (struct line){.slope = sum_y / sum_x, .r2 = NAN};
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
    int code = choose(work, err);
    if (code != 0)
        return code;
    for (int64_t b = 0; work->ops->cost != NULL && b < work->blocks; b++)
        all += ops[b] = operations(work, b);
    for (int r = 0; r < WORK_ROUNDS; r++) {
        work_round(work, sample_body, work->one_s);
        keep_blocks(work);
    }
    for (int t = 0; t < threads; t++) {
        cost[t] = (struct calibration_cost){
            .c_p = work->one_s[t] / (double)(work->blocks * work->size),
            .r2 = NAN};
        if (all > 0)
            fit(work, t, ops, &cost[t]);
    }
    return 0;
}
