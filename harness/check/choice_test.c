/* Scheme auto in cells: canonical specs, candidates, what is refused. */
#include "harness/cell/cell_testing.h"

#include <errno.h>
#include <stdlib.h>

#define GRID "kernel=heat:rows=100,cols=800"

static int candidates(const struct cell *cell, struct cell **list)
{
    struct error err = {""};
    int count;
    struct setup setup;
    assert_int_equal(setup_resolve(&setup, cell, &err), 0);
    if (choice_candidates(&setup, list, &count, &err) != 0)
        fail_msg("%s", err.text);
    setup_free(&setup);
    return count;
}

static void specs_are_canonical_with_their_defaults(void **unused)
{
    struct cell a = good(WORDS("scheme=auto"));
    struct cell b = good(WORDS("scheme=auto:hierarchies=all,by=simulation"));
    struct cell c = good(WORDS("scheme=auto:by=trial"));
    struct cell d = good(WORDS("scheme=auto:by=trial,share=2/5,change=1e-1"));
    assert_string_equal(a.scheme, "auto:by=simulation,schemes=all,"
                                  "hierarchies=all,intervals=given");
    assert_string_equal(a.hash, b.hash);
    assert_string_equal(c.hash, d.hash);
    assert_string_not_equal(a.hash, c.hash);
    struct cell again = a;
    assert_int_equal(cell_check(&again, NULL), 0);
    assert_memory_equal(&again, &a, sizeof(a));
}

/* The cell's explicit values stay. */
static void given_levels_and_intervals_stay(void **unused)
{
    struct cell *list;
    struct cell cell = good(WORDS("scheme=auto", GRID, "ranks=2", "hierarchy=2",
                                  "sync_interval=70"));
    assert_non_null(strstr(cell.scheme, "hierarchies=given,intervals=given"));
    int count = candidates(&cell, &list);
    assert_true(count > 10);
    for (int i = 0; i < count; i++) {
        assert_string_equal(list[i].hierarchy, "2");
        assert_int_equal(list[i].sync_interval, 70);
    }
    free(list);
}

static void candidates_are_the_fixed_cells(void **unused)
{
    struct cell *list;
    struct cell cell = good(WORDS("scheme=auto:schemes=tss+css:chunk=16+fac2,"
                                  "hierarchies=flat+2,intervals=100+200",
                                  GRID, "ranks=2", "transport=window"));
    /* The window transport excludes masters. */
    assert_int_equal(candidates(&cell, &list), 6);
    struct cell fixed = good(WORDS("scheme=css:chunk=16", GRID, "ranks=2",
                                   "transport=window", "sync_interval=200"));
    assert_string_equal(list[3].hash, fixed.hash);
    assert_string_equal(list[4].scheme, "fss:alpha=2");
    choice_make(&cell, &list[3]);
    struct cell runs;
    assert_int_equal(choice_apply(&cell, &runs, NULL), 0);
    assert_int_equal(cell_check(&runs, NULL), 0);
    assert_string_equal(runs.hash, fixed.hash);
    free(list);
}

static void all_intervals_fit_the_columns(void **unused)
{
    struct cell *list;
    struct cell cell =
        good(WORDS("scheme=auto:schemes=ss,hierarchies=given", GRID));
    assert_int_equal(candidates(&cell, &list), 6);
    assert_int_equal(list[0].sync_interval, 25);
    assert_int_equal(list[5].sync_interval, 800);
    free(list);
}

static void a_choice_travels_with_its_cell(void **unused)
{
    struct error err;
    struct cell *list, back;
    struct cell cell = good(WORDS("scheme=auto", GRID));
    assert_int_equal(choice_apply(&cell, &back, &err), -EINVAL);
    assert_non_null(strstr(err.text, "nothing was chosen"));
    candidates(&cell, &list);
    choice_make(&cell, &list[1]);
    json_t *object = cell_to_json(&cell);
    assert_int_equal(cell_read(object, testing_texts(), &back, &err), 0);
    assert_string_equal(back.chosen_scheme, cell.chosen_scheme);
    assert_string_equal(back.chosen_hierarchy, cell.chosen_hierarchy);
    assert_int_equal(back.chosen_interval, cell.chosen_interval);
    assert_string_equal(back.hash, cell.hash);
    json_decref(object);
    free(list);
}

static void what_cannot_be_is_refused(void **unused)
{
    bad(WORDS("scheme=auto:schemes=gss+auto"), -EINVAL, "its own candidates");
    bad(WORDS("scheme=auto:schemes=lp-fixed"), -EINVAL, "is a plan");
    bad(WORDS("scheme=auto:schemes=gsss"), -EINVAL, "did you mean 'gss'");
    bad(WORDS("scheme=auto:hierarchies=2+two"), -EINVAL, "'two' is unknown");
    bad(WORDS("scheme=auto:intervals=auto"), -EINVAL, "among numbers");
    bad(WORDS("scheme=auto:change=0.2"), -EINVAL, "goes with by=trial");
    bad(WORDS("scheme=auto:by=trial,schemes=ss+gss,share=0.1,repetitions=30"),
        -ENOTSUP, "give repetitions=40");
    bad(WORDS("scheme=auto:by=trial,schemes=all,repetitions=1000,share=1,"
              "hierarchies=all",
              "ranks=64"),
        -ENOTSUP, "more than trials can tell apart");
    bad(WORDS("scheme=auto", GRID, "sync_interval=auto"), -ENOTSUP,
        "is for a given scheme");
    bad(WORDS("scheme=auto", "platform=x.xml"), -ENOTSUP, "or by=trial");
    good(WORDS("scheme=auto:by=trial", "platform=x.xml"));
}

TESTS(cmocka_unit_test(specs_are_canonical_with_their_defaults),
      cmocka_unit_test(given_levels_and_intervals_stay),
      cmocka_unit_test(candidates_are_the_fixed_cells),
      cmocka_unit_test(all_intervals_fit_the_columns),
      cmocka_unit_test(a_choice_travels_with_its_cell),
      cmocka_unit_test(what_cannot_be_is_refused))
