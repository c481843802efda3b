/* Cells with perturbations: canonical forms, hashes, and wrong combinations. */
#include "harness/cell/cell_testing.h"

#include <errno.h>

#define LOOP "kernel=mandelbrot:size=64"

static void nothing_wrong_is_the_same_cell_as_ever(void **unused)
{
    struct cell plain = good(WORDS(LOOP));
    struct cell none = good(WORDS(LOOP, "perturb=none", "reissue=off"));
    assert_string_equal(plain.hash, none.hash);
    assert_true(none.reissue == 0);
}

static void perturbed_cells_have_hashes_of_their_own(void **unused)
{
    struct cell plain = good(WORDS(LOOP, "layout=1x2"));
    struct cell stop = good(WORDS(LOOP, "layout=1x2", "perturb=stop"));
    struct cell same = good(WORDS(
        LOOP, "layout=1x2", "perturb=stop:seed=1,at=0,seconds=1.0,workers=1"));
    struct cell again = good(WORDS(LOOP, "layout=1x2", "reissue=on"));
    struct cell longer = good(WORDS(LOOP, "layout=1x2", "reissue=5"));
    assert_string_equal(stop.perturb, "stop:workers=1,at=0,seconds=1,seed=1");
    assert_string_equal(stop.hash, same.hash);
    assert_string_not_equal(stop.hash, plain.hash);
    assert_string_not_equal(again.hash, plain.hash);
    assert_string_not_equal(again.hash, longer.hash);
    assert_true(again.reissue == 3);
    struct cell both = good(WORDS(LOOP, "layout=1x2", "perturb=stop+delay"));
    struct cell turned = good(WORDS(LOOP, "layout=1x2", "perturb=delay+stop"));
    assert_string_equal(both.hash, turned.hash);
    assert_string_not_equal(both.hash, stop.hash);
}

static void they_travel_as_json(void **unused)
{
    struct cell cell =
        good(WORDS(LOOP, "layout=3x1", "perturb=gone:worker=1+delay:worker=2",
                   "reissue=2.5"));
    struct cell read;
    struct error err = {""};
    json_t *object = cell_to_json(&cell);
    assert_int_equal(cell_read(object, testing_texts(), &read, &err), 0);
    json_decref(object);
    assert_string_equal(read.hash, cell.hash);
    assert_true(read.reissue == 2.5);
    /* Results come with the request for the next chunk. */
    assert_false(read.prefetch);
}

static void workers_must_be_there(void **unused)
{
    bad(WORDS(LOOP, "layout=1x2", "perturb=stop:worker=2"), -ENOTSUP,
        "this cell has w0 to w1");
    bad(WORDS(LOOP, "layout=1x2", "perturb=delay:workers=3"), -ENOTSUP,
        "there are not 3 workers from w0");
    bad(WORDS(LOOP, "layout=1x2", "perturb=gone:workers=2"), -ENOTSUP,
        "must stay");
    bad(WORDS(LOOP, "layout=2x2", "perturb=gone:worker=1"), -ENOTSUP,
        "rank of the master");
    good(
        WORDS(LOOP, "layout=3x1", "master=dedicated", "perturb=gone:worker=0"));
    bad(WORDS(LOOP, "layout=2x1", "perturb=network"), -ENOTSUP, "dlsbench sim");
    good(WORDS(LOOP, "layout=2x1", "perturb=network", "platform=p.xml"));
    bad(WORDS(LOOP, "layout=1x4", "perturb=stop:worker=1+delay:worker=4"),
        -ENOTSUP, "this cell has w0 to w3");
    bad(WORDS(LOOP, "layout=1x4",
              "perturb=gone:worker=0,workers=3+gone:worker=2,workers=2,at=1"),
        -ENOTSUP, "must stay");
    good(WORDS(LOOP, "layout=1x4",
               "perturb=gone:worker=0,workers=3+gone:worker=2,at=1"));
    bad(WORDS(LOOP, "perturb=slow"), -EINVAL,
        "allowed: none, delay, stop, gone, network");
}

/* The seed never chooses the master. */
static void the_master_is_never_gone(void **unused)
{
    for (int seed = 0; seed < 50; seed++) {
        char text[64];
        uint8_t hit[8];
        struct setup setup;
        snprintf(text, sizeof(text), "perturb=gone:workers=3,seed=%d", seed);
        open_good(&setup, WORDS(LOOP, "layout=4x2", text));
        setup_pick_perturbed(&setup, hit);
        setup_free(&setup);
        int count = 0;
        for (int w = 0; w < 8; w++)
            count += hit[w];
        assert_int_equal(count, 3);
        assert_false(hit[0] || hit[1]);
    }
}

static void reissue_says_where_it_is_possible(void **unused)
{
    const char *possible = "possible are loops without dependences";
    good(WORDS(LOOP, "layout=1x4", "reissue=on"));
    good(WORDS(LOOP, "layout=3x1", "reissue=on", "master=dedicated"));
    bad(WORDS(LOOP, "layout=2x1", "transport=steal", "reissue=on"), -ENOTSUP,
        "transport steal has no master");
    bad(WORDS(LOOP, "layout=2x1", "transport=window", "reissue=on"), -ENOTSUP,
        possible);
    bad(WORDS(LOOP, "layout=2x1", "hierarchy=2", "reissue=on"), -ENOTSUP,
        possible);
    bad(WORDS(LOOP, "layout=2x1", "collect=local", "reissue=on"), -ENOTSUP,
        possible);
    bad(WORDS(LOOP, "layout=2x1", "scheme=lp-adaptive", "reissue=on"), -ENOTSUP,
        possible);
    bad(WORDS("kernel=heat", "layout=1x2", "reissue=on"), -ENOTSUP, possible);
    bad(WORDS("kernel=null", "layout=1x2", "reissue=on"), -ENOTSUP,
        "take another kernel");
    bad(WORDS("kernel=matmul", "layout=2x1", "data=sent", "reissue=on"),
        -ENOTSUP, "data none");
}

static void factors_must_be_numbers_above_0(void **unused)
{
    static const char *const wrong[] = {"0", "-1", "yes", "", "nan", "1e9"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct cell cell;
        struct error err = {""};
        cell_defaults(&cell, testing_texts());
        assert_int_equal(cell_set(&cell, "reissue", wrong[i], &err), -EINVAL);
        assert_non_null(strstr(err.text, "on, off or a factor above 0"));
    }
}

TESTS(cmocka_unit_test(nothing_wrong_is_the_same_cell_as_ever),
      cmocka_unit_test(perturbed_cells_have_hashes_of_their_own),
      cmocka_unit_test(they_travel_as_json),
      cmocka_unit_test(workers_must_be_there),
      cmocka_unit_test(the_master_is_never_gone),
      cmocka_unit_test(reissue_says_where_it_is_possible),
      cmocka_unit_test(factors_must_be_numbers_above_0))
