/* Forecasts: what the model is given of a calibration, a kernel and a scheme.
 */
#include "harness/testing.h"

#include "bench/foretell/sync_interval/forecast.h"

#include <errno.h>
#include <math.h>

/* Three workers of which the last is slow, one kernel, known boundaries. */
static struct calibration make(void)
{
    static const double c_p[] = {1e-9, 1.05e-9, 2e-9};
    struct calibration c = {.took_s = 1};
    struct calibration_kind *kind = &c.kind[CALIBRATION_THREADS];
    struct error err;
    assert_int_equal(calibration_kind_open(kind, 3, 1, 1, 0, &err), 0);
    strcpy(kind->kernel[0].spec, "heat:rows=100,cols=400");
    kind->kernel[0].rows = 100;
    kind->kernel[0].columns = 400;
    for (int w = 0; w < 3; w++)
        kind->kernel[0].cost[w] =
            (struct calibration_cost){.c_p = c_p[w], .c_b = 6e-9, .power = 1};
    kind->pair[0] =
        (struct calibration_pair){.worker = {0, 1}, .c_d = 1e-7, .c_c = 1e-11};
    kind->dispatches = 1;
    strcpy(kind->dispatch[0].transport, "shared");
    kind->dispatch[0].c_sch = 3e-8;
    return c;
}

static struct forecast_loop loop_of(int workers)
{
    return (struct forecast_loop){
        .kernel = "heat:rows=200",
        .shape = {.rows = 200, .columns = 400, .boundary_bytes = 8, .steps = 1},
        .ranks = 1,
        .threads = workers,
        .workers = workers,
        .transport = "shared",
        .k = 1,
        .stream = true};
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.12g, not %.12g", value, expected);
}

static void costs_come_from_the_calibration(void **unused)
{
    struct calibration c = make();
    struct forecast_loop loop = loop_of(2);
    struct forecast f;
    struct error err = {""};
    loop.shape.skew = 1;
    if (forecast_open(&f, &loop, &c, &err) != 0)
        fail_msg("%s", err.text);
    assert_true(f.model.chunk_dim == 200 && f.model.sync_dim == 400);
    assert_true(f.model.skew == 1 && f.model.stream && f.model.k == 1);
    near(f.model.c_d, 1e-7);
    near(f.model.c_c, 8e-11); /* of a column */
    near(f.model.c_sch, 3e-8);
    assert_int_equal(f.model.groups, 1);
    near(f.group[0].c_p, 1.025e-9);
    near(f.group[0].c_b, 6e-9);
    assert_string_equal(f.kernel, "heat:rows=100,cols=400");
    forecast_close(&f);
    calibration_free(&c);
}

static void equal_workers_are_one_group(void **unused)
{
    struct calibration c = make();
    struct forecast_loop loop = loop_of(7);
    const double power[] = {2, 2, 1, 2, 2, 1, 1};
    struct forecast f;
    struct error err;
    /* 0 1 2 0 1 2 0: five fast, two slow */
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    assert_int_equal(f.model.groups, 2);
    assert_int_equal(f.group[0].workers, 5);
    assert_int_equal(f.group[1].workers, 2);
    near(f.group[0].c_p, (3 * 1e-9 + 2 * 1.05e-9) / 5);
    forecast_close(&f);
    loop.power = power;
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    assert_int_equal(f.model.groups, 3); /* the last is fast, of power 1 */
    near(f.group[0].power, 2);
    assert_int_equal(f.group[0].workers, 4);
    assert_int_equal(f.group[1].workers, 2); /* the slowest */
    assert_int_equal(f.group[2].workers, 1);
    assert_int_equal(interval_slowest(&f.model), 1);
    assert_int_equal(f.model.last, 2);
    forecast_close(&f);
    /* beside a process a worker takes twice as long */
    const int load[] = {0, 1, 0, 0, 0, 0, 0};
    loop.load = load;
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    assert_int_equal(f.model.groups, 4);
    near(f.group[1].c_p, 2 * 1.05e-9);
    forecast_close(&f);
    calibration_free(&c);
}

static void steps_are_more_rows_and_chunks(void **unused)
{
    struct calibration c = make();
    struct forecast_loop loop = loop_of(2);
    struct forecast one, ten;
    struct error err;
    loop.k = 5;
    assert_int_equal(forecast_open(&one, &loop, &c, &err), 0);
    loop.shape.steps = 10;
    assert_int_equal(forecast_open(&ten, &loop, &c, &err), 0);
    near(interval_chunk(&ten.model, 0), interval_chunk(&one.model, 0));
    assert_int_equal(ten.model.k, 50);
    /* the pipeline fills once */
    assert_true(forecast_time(&ten, 50, true) <
                10 * forecast_time(&one, 50, true));
    assert_true(forecast_time(&ten, 50, true) >
                9 * forecast_time(&one, 50, true));
    forecast_close(&one);
    forecast_close(&ten);
    calibration_free(&c);
}

static void chunks_are_at_least_a_row(void **unused)
{
    struct calibration c = make();
    struct forecast_loop loop = loop_of(3);
    const double power[] = {10, 10, 1};
    struct forecast f;
    struct error err;
    loop.k = 67;
    loop.power = power;
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    assert_true(f.model.k >= 7 && f.model.k <= 9); /* 200 / 21 = 9.5 */
    assert_int_equal(interval_check(&f.model, &err), 0);
    forecast_close(&f);
    calibration_free(&c);
}

static void few_rows_are_for_few_workers(void **unused)
{
    struct calibration c = make();
    struct forecast_loop loop = loop_of(3);
    const double power[] = {100, 100, 1};
    struct forecast f;
    struct error err;
    double time;
    loop.shape.rows = 2;
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    assert_int_equal(interval_workers(&f.model), 2);
    near(interval_chunk(&f.model, 0), 1);
    forecast_close(&f);
    loop.shape.rows = 1;
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    assert_int_equal(forecast_interval(&f, "auto", &time), 400);
    assert_true(isfinite(time) && time > 0);
    forecast_close(&f);
    loop.shape.rows = 20;
    loop.power = power;
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    near(interval_chunk(&f.model, 1), 1);
    near(interval_chunk(&f.model, 0), 2000. / 201);
    forecast_close(&f);
    calibration_free(&c);
}

static void some_schemes_cut_by_power(void **unused)
{
    static const char *const by_power[] = {"wf", "dtss", "dfss"};
    static const char *const equal[] = {"static", "css:chunk=4", "gss", "tss"};
    for (size_t i = 0; i < sizeof(by_power) / sizeof(by_power[0]); i++)
        if (!forecast_by_power(by_power[i]))
            fail_msg("%s cuts by power", by_power[i]);
    for (size_t i = 0; i < sizeof(equal) / sizeof(equal[0]); i++)
        if (forecast_by_power(equal[i]))
            fail_msg("%s does not cut by power", equal[i]);
}

static void listed_chunks_have_their_workers_costs(void **unused)
{
    struct calibration c = make();
    struct forecast_loop loop = loop_of(3);
    struct forecast_chunks chunks;
    struct forecast f;
    struct error err;
    loop.chunks = &chunks;
    assert_int_equal(
        forecast_chunks("css:chunk=10", 200, 2, NULL, 1, &chunks, &err), 0);
    assert_null(chunks.list);
    assert_int_equal(
        forecast_chunks("css:chunk=80", 200, 3, NULL, 1, &chunks, &err), 0);
    assert_int_equal(chunks.count, 3);
    loop.shape.steps = 2;
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    forecast_forget(&chunks);
    assert_int_equal(f.model.pieces, 3);
    assert_int_equal(f.model.steps, 2);
    near(f.model.piece[0].rows, 80);
    near(f.model.piece[2].rows, 40);
    near(f.model.piece[2].c_p, 2e-9);
    assert_true(forecast_time(&f, 50, true) > 0);
    forecast_close(&f);
    /* as many steps as would make a choice slow */
    assert_int_equal(
        forecast_chunks("css:chunk=80", 200, 3, NULL, 1, &chunks, &err), 0);
    loop.shape.steps = 1 << 14;
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    assert_null(f.model.piece);
    forecast_close(&f);
    forecast_forget(&chunks);
    calibration_free(&c);
}

/* A simulated platform gives the ends of a message, in elements of the
 * boundary. */
static void known_ends_are_taken(void **unused)
{
    struct calibration c = make();
    struct forecast_loop loop = loop_of(2);
    struct forecast f;
    struct error err;
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    assert_false(f.model.ends);
    forecast_close(&f);
    c.kind[CALIBRATION_THREADS].ends =
        (struct calibration_ends){true, 3e-8, 1e-12, 4};
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    assert_true(f.model.ends && f.model.flight == 4);
    near(f.model.b_d, 3e-8);
    near(f.model.b_c, 8e-12);
    forecast_close(&f);
    calibration_free(&c);
}

static void words_are_their_formulas(void **unused)
{
    struct calibration c = make();
    struct forecast_loop loop = loop_of(2);
    struct forecast f;
    struct error err;
    double time;
    loop.k = 4;
    loop.shape.skew = 1;
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    struct interval_model paper = f.model;
    paper.printed = true;
    assert_int_equal(forecast_interval(&f, "andronikos", &time),
                     (int64_t)round(interval_formula(&paper)));
    paper.k = 1;
    assert_int_equal(forecast_interval(&f, "chen-xue", &time),
                     (int64_t)round(interval_chen_xue(&paper)));
    int64_t best = forecast_interval(&f, "auto", &time);
    assert_int_equal(best,
                     interval_whole(&f.model, interval_optimum(&f.model)));
    near(time, interval_time(&f.model, (double)best, INTERVAL_TWA_TEXT));
    paper = f.model;
    paper.skew = 0;
    near(forecast_time(&f, 33, false),
         interval_time(&paper, 33, INTERVAL_TWA_TEXT));
    assert_int_equal(forecast_without_skew(&f),
                     interval_whole(&paper, interval_optimum(&paper)));
    forecast_close(&f);
    calibration_free(&c);
}

/* Blocks of 100 columns take as many seconds more as a simulation charges. */
static void blocks_take_what_was_measured_for_their_width(void **unused)
{
    struct calibration c = make();
    struct calibration_kernel *kernel = c.kind[0].kernel;
    struct forecast_loop loop = loop_of(2);
    struct forecast f, plain;
    struct error err;
    /* line_row is the mean of all three workers */
    double line = 6e-9 + 100 * 4.05e-9 / 3;
    assert_int_equal(forecast_open(&plain, &loop, &c, &err), 0);
    assert_null(plain.widths);
    kernel->blocks = 2;
    kernel->block[0] = (struct calibration_block){50, NAN, 0, NAN};
    kernel->block[0].row = 6e-9 + 50 * 4.05e-9 / 3;
    kernel->block[1] = (struct calibration_block){100, 1.25 * line, 3e-6, NAN};
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    calibration_free(&c); /* the forecast has its own */
    struct interval_model same = plain.model;
    same.ends = true;
    near(forecast_time(&f, 50, true),
         interval_time(&same, 50, INTERVAL_TWA_TEXT));
    struct interval_group group = plain.group[0];
    group.c_p *= 1.25, group.c_b *= 1.25;
    same.group = &group;
    /* On 400 columns, of 4 blocks; nothing is above the first chunk. */
    near(forecast_time(&f, 100, true),
         interval_time(&same, 100, INTERVAL_TWA_TEXT) + 4 * 3e-6);
    forecast_close(&f);
    forecast_close(&plain);
}

static void one_worker_needs_no_boundary(void **unused)
{
    struct calibration c = make();
    struct forecast_loop loop = loop_of(1);
    struct forecast f;
    struct error err;
    double time;
    c.kind[CALIBRATION_THREADS].pairs = 0;
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    assert_int_equal(forecast_interval(&f, "auto", &time), 400);
    assert_int_equal(forecast_interval(&f, "chen-xue", &time), 400);
    forecast_close(&f);
    /* Blocks that share rows cost more, but the worker shares none. */
    struct calibration_kernel *kernel = c.kind[0].kernel;
    for (int w = 0; w < 3; w++)
        kernel->cost[w] = (struct calibration_cost){.c_p = 1e-9, .power = 1};
    kernel->blocks = 2;
    kernel->block[0] = (struct calibration_block){1, 1e-9, 0, NAN};
    kernel->block[1] = (struct calibration_block){400, 400e-9, 3e-6, NAN};
    assert_int_equal(forecast_open(&f, &loop, &c, &err), 0);
    assert_int_equal(forecast_interval(&f, "auto", &time), 400);
    near(time, 200 * 400 * 1e-9 + 3e-8); /* one chunk is dispatched */
    forecast_close(&f);
    loop = loop_of(2);
    assert_int_equal(forecast_open(&f, &loop, &c, &err), -EINVAL);
    assert_non_null(strstr(err.text, "no boundary between threads"));
    calibration_free(&c);
}

static void what_is_missing_is_said(void **unused)
{
    struct calibration c = make();
    struct forecast_loop loop = loop_of(2);
    struct forecast f;
    struct error err;
    loop.kernel = "floyd-steinberg:rows=3";
    assert_int_equal(forecast_open(&f, &loop, &c, &err), -EINVAL);
    assert_non_null(strstr(err.text, "calibrate --kernel 'floyd-steinberg:"));
    loop.kernel = "heat";
    loop.ranks = 2;
    assert_int_equal(forecast_open(&f, &loop, &c, &err), -EINVAL);
    assert_non_null(strstr(err.text, "knows nothing of ranks"));
    calibration_free(&c);
}

static void shapes_are_those_of_the_kernel(void **unused)
{
    struct forecast_shape shape;
    struct error err;
    assert_int_equal(forecast_shape("heat:rows=7,cols=9,steps=3", &shape, &err),
                     0);
    assert_int_equal(shape.rows, 7);
    assert_int_equal(shape.columns, 9);
    assert_int_equal(shape.steps, 3);
    assert_int_equal(shape.skew, 0);
    assert_int_equal(shape.boundary_bytes, 8);
    assert_int_equal(
        forecast_shape("floyd-steinberg:rows=7,cols=9", &shape, &err), 0);
    assert_int_equal(shape.skew, 1);
    assert_int_equal(forecast_shape("mandelbrot", &shape, &err), -ENOTSUP);
    assert_int_equal(forecast_shape("haet", &shape, &err), -EINVAL);
}

TESTS(cmocka_unit_test(costs_come_from_the_calibration),
      cmocka_unit_test(equal_workers_are_one_group),
      cmocka_unit_test(steps_are_more_rows_and_chunks),
      cmocka_unit_test(chunks_are_at_least_a_row),
      cmocka_unit_test(listed_chunks_have_their_workers_costs),
      cmocka_unit_test(known_ends_are_taken),
      cmocka_unit_test(few_rows_are_for_few_workers),
      cmocka_unit_test(some_schemes_cut_by_power),
      cmocka_unit_test(words_are_their_formulas),
      cmocka_unit_test(blocks_take_what_was_measured_for_their_width),
      cmocka_unit_test(one_worker_needs_no_boundary),
      cmocka_unit_test(what_is_missing_is_said),
      cmocka_unit_test(shapes_are_those_of_the_kernel))
