/* The extension against a pipeline that runs block by block. */
#include "sched/interval/interval_testing.h"

enum { SIM_WORKERS = 10, SIM_BLOCKS = 8192 };

/* Equal workers, k chunks each, chunks in order round the workers: receive,
 * compute, send; whole blocks of h columns of the first row. */
struct pipeline {
    int workers, k, rows, columns, skew;
    double c_p, c_d, c_c;
};

/* Iterations of a chunk in its columns below `end`. */
static double iterations_below(const struct pipeline *p, int end)
{
    double sum = 0;
    for (int r = 0; r < p->rows; r++)
        sum += fmin(fmax(end - r * p->skew, 0), p->columns);
    return sum;
}

static double pipeline_run(const struct pipeline *p, int h)
{
    double ready[SIM_WORKERS] = {0};
    double *sent = malloc(3 * SIM_BLOCKS * sizeof(*sent));
    assert_non_null(sent);
    double *below = sent + SIM_BLOCKS, *own = below + SIM_BLOCKS;
    int lag = (p->rows - 1) * p->skew, end = p->columns + lag;
    int blocks = (end + h - 1) / h, chunks = p->workers * p->k;
    double message = p->c_d + h * p->c_c, now = 0;
    assert_true(blocks < SIM_BLOCKS);
    for (int m = 0; m <= blocks; m++)
        below[m] = iterations_below(p, m * h < end ? m * h : end);
    for (int i = 0; i < chunks; i++) {
        now = ready[i % p->workers];
        for (int m = 0; m < blocks; m++) {
            int to = (m + 1) * h < p->columns ? (m + 1) * h : p->columns;
            if (i > 0 && m * h < p->columns)
                now = fmax(now, sent[(to + lag + h - 1) / h - 1]) + message;
            now += (below[m + 1] - below[m]) * p->c_p;
            if (i < chunks - 1 && (m + 1) * h > lag)
                now += message;
            own[m] = now;
        }
        memcpy(sent, own, (size_t)blocks * sizeof(*sent));
        ready[i % p->workers] = now;
    }
    free(sent);
    return now;
}

static struct interval_model model_of(const struct pipeline *p,
                                      struct interval_group *group)
{
    *group = (struct interval_group){
        .workers = p->workers, .power = 1, .c_p = p->c_p};
    return (struct interval_model){.chunk_dim =
                                       (double)p->rows * p->workers * p->k,
                                   .sync_dim = p->columns,
                                   .groups = 1,
                                   .group = group,
                                   .c_d = p->c_d,
                                   .c_c = p->c_c,
                                   .k = p->k,
                                   .skew = p->skew,
                                   .stream = true};
}

/* experiment 1 as one chunk and as eight; images of 4096 columns in memory
 * and over messages; chunks with more rows than the image has columns */
static const struct pipeline pipelines[] = {
    {10, 1, 1000, 20000, 0, 0.526e-6, 99e-6, 0.69e-6},
    {10, 8, 125, 20000, 0, 0.526e-6, 99e-6, 0.69e-6},
    {10, 1, 1000, 20000, 1, 0.526e-6, 99e-6, 0.69e-6},
    {10, 8, 125, 20000, 1, 0.526e-6, 99e-6, 0.69e-6},
    {2, 1, 2048, 4096, 1, 2e-9, 2e-7, 1e-9},
    {4, 4, 256, 4096, 1, 2e-9, 2e-7, 1e-9},
    {4, 16, 64, 4096, 1, 2e-9, 2e-7, 1e-9},
    {4, 4, 256, 4096, 1, 2e-9, 5e-6, 1e-9},
    {4, 1, 1000, 1000, 1, 2e-9, 2e-7, 1e-9},
    {4, 2, 2000, 1000, 1, 2e-9, 2e-7, 1e-9},
};

static void the_extension_is_what_blocks_do(void **state)
{
    for (size_t i = 0; i < COUNT(pipelines); i++) {
        const struct pipeline *p = &pipelines[i];
        struct interval_group group;
        struct interval_model model = model_of(p, &group);
        double smooth = interval_optimum(&model);
        int h = (int)interval_whole(&model, smooth);
        double t_wa = interval_assignment(&model, h, INTERVAL_TWA_TEXT);
        double time = interval_time(&model, h, INTERVAL_TWA_TEXT) - t_wa;
        double run = pipeline_run(p, h), best = run;
        assert_near("T", time, run, 0.01);
        for (int x = h / 2 + 1; x <= 2 * h; x++)
            best = fmin(best, pipeline_run(p, x));
        if (run > 1.003 * best)
            fail_msg("row %zu: h = %d takes %g s, the best %g s", i, h, run,
                     best);
    }
}

/* The effect of the skew: T without it is far off, its h loses time. */
static void without_the_skew_the_prediction_is_worse(void **state)
{
    double lost = 0;
    for (size_t i = 0; i < COUNT(pipelines); i++) {
        const struct pipeline *p = &pipelines[i];
        struct interval_group group;
        struct interval_model model = model_of(p, &group);
        struct interval_model without = model;
        without.skew = 0;
        int h = (int)interval_whole(&model, interval_optimum(&model));
        int other = (int)interval_whole(&without, interval_optimum(&without));
        double run = pipeline_run(p, h), run_other = pipeline_run(p, other);
        double error =
            fabs(interval_time(&model, h, INTERVAL_TWA_PRINTED) / run - 1);
        double error_without = fabs(
            interval_time(&without, other, INTERVAL_TWA_PRINTED) / run_other -
            1);
        assert_true(error <= error_without + 1e-3);
        lost += run_other / run - 1;
        if (p->skew > 0 && p->k == 1)
            assert_true(error_without > 0.3);
    }
    assert_true(lost > 0.01);
}

/* One chunk for each equal worker, no skew: (4) with 2 c_d + V c_b for 2 c_d,
 * and (3) with V (h c_p + c_b) for t_p. */
TESTS(cmocka_unit_test(the_extension_is_what_blocks_do),
      cmocka_unit_test(without_the_skew_the_prediction_is_worse))
