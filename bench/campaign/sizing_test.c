#include "base/unit_testing.h"

#include "bench/campaign/campaign.h"
#include "bench/campaign/sizing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char speeds[] = "heat=1e-9,adjoint=1e-9,sph=1e-9";

/* The size that a spec got, by the text behind its first '='. */
static int resolve(const char *kernel, double cell_s, int workers)
{
    struct sizing sizing = {.cell_s = cell_s, .cores = 4};
    char out[SPEC_CANONICAL_MAX];
    struct error err;
    int size = 0;
    snprintf(sizing.speeds, sizeof(sizing.speeds), "%s", speeds);
    assert_int_equal(sizing_resolve(&sizing, kernel, workers, out, &err), 0);
    assert_false(sizing_asked(out));
    assert_int_equal(sscanf(strchr(out, '='), "=%d", &size), 1);
    return size;
}

/* Heat has an operation, here of 1 ns, for each point and step. */
static void sizes_take_the_time(void **state)
{
    assert_int_equal(resolve("heat:steps=strong,rows=1000,cols=1000", 1, 9),
                     4000);
    assert_int_equal(resolve("heat:rows=strong,cols=1000", 0.001, 9), 4000);
    assert_int_equal(resolve("heat:rows=strong,cols=strong", 0.001, 9), 2000);
    /* Of a loop that is executed for each step, one step takes it. */
    assert_int_equal(resolve("sph:size=strong,steps=1", 0.001, 9),
                     resolve("sph:size=strong,steps=20", 0.001, 9));
    /* Three digits. */
    assert_int_equal(resolve("heat:rows=strong,cols=1000", 0.0012345, 9), 4940);
    /* Less than the least is the least. */
    assert_int_equal(resolve("heat:steps=strong,rows=1000,cols=1000", 1e-6, 9),
                     1);
}

static void weak_ones_grow_with_the_workers(void **state)
{
    for (int workers = 1; workers <= 64; workers *= 2)
        assert_int_equal(resolve("heat:rows=weak,cols=100", 0.0001, workers),
                         1000 * workers);
}

static void results_do_not_outgrow_the_memory(void **state)
{
    int rows = resolve("heat:rows=strong,cols=10000", 1000, 1);
    assert_in_range(rows, 3000, 3125);
}

static void speeds_are_read_and_missed(void **state)
{
    struct sizing sizing = {.cell_s = 1, .cores = 4};
    char out[SPEC_CANONICAL_MAX];
    struct error err;
    assert_int_equal(sizing_resolve(&sizing, "heat:steps=strong", 1, out, &err),
                     -ENODATA);
    static const char shape[] = "must be seconds of an operation";
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"heat", shape},
        {"heat=", shape},
        {"heat=0", shape},
        {"heat=-1", shape},
        {"heat=1e999", shape},
        {"=1", shape},
        {"heat=1 adjoint=2", shape},
        {"heat=nan", shape},
        {"heat=1,", shape},
        {"heat=1,,adjoint=2", shape},
        {"heat=1,adjoint=2,heat=3", "speeds: kernel 'heat' is there twice"},
        {"quux=1,heat=1",
         "speeds: unknown kernel 'quux'; 'dlsbench list kernels'"},
        {"heat=1,mandelbort=5", "did you mean 'mandelbrot'?"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(sizing_speeds_check(wrong[i].text, &err), -EINVAL);
        if (strstr(err.text, wrong[i].says) == NULL)
            fail_msg("%s: '%s'", wrong[i].text, err.text);
    }
    assert_int_equal(sizing_speeds_check(speeds, &err), 0);
}

/* The stored campaign has the same cells, from its own speeds alone. */
static void layouts_are_by_the_nodes(void **state)
{
    static const struct campaign_setup setup = {
        .cores = 4,
        .sets = 3,
        .set = {"nodes=[1,3]", "depth=short", "speeds=heat=1e-9"}};
    static const char text[] =
        "cell_time: 0.001\n"
        "cells:\n"
        "  - {depth: full, kernel: null, scheme: tss}\n"
        "  - {depth: [short, full], kernel: \"heat:rows=weak,cols=1000\",\n"
        "     scheme: tss, layout: [allx1, nodesxcores], cell_time: 0.002}\n";
    static const struct {
        int ranks, threads, rows;
    } expected[] = {{4, 1, 8000}, {12, 1, 24000}, {1, 4, 8000}, {3, 4, 24000}};
    struct campaign c, again;
    struct error err = {""};
    if (campaign_parse("c.yaml", text, &setup, &c, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(c.all.count, 4);
    for (int i = 0; i < 4; i++) {
        char kernel[64];
        snprintf(kernel, sizeof(kernel), "heat:rows=%d,cols=1000,",
                 expected[i].rows);
        assert_int_equal(c.all.cells[i].ranks, expected[i].ranks);
        assert_int_equal(c.all.cells[i].threads, expected[i].threads);
        assert_memory_equal(c.all.cells[i].kernel, kernel, strlen(kernel));
    }
    const struct campaign_setup plain = {.cores = 4};
    assert_int_equal(campaign_parse("c.yaml", c.text, &plain, &again, &err), 0);
    assert_true(again.cells == c.cells);
    campaign_free(&again);
    campaign_free(&c);
}

TESTS(cmocka_unit_test(sizes_take_the_time),
      cmocka_unit_test(weak_ones_grow_with_the_workers),
      cmocka_unit_test(results_do_not_outgrow_the_memory),
      cmocka_unit_test(speeds_are_read_and_missed),
      cmocka_unit_test(layouts_are_by_the_nodes))
