/* Cells of transport openmp: schedules, their canonical forms, and what they do
 * not go together with. */
#include "harness/cell/cell_testing.h"

#include "harness/transport/openmp/openmp_schedule.h"

#include <errno.h>
#include <stdlib.h>

#define OPENMP(...) WORDS("transport=openmp", "threads=2", __VA_ARGS__)

static void a_schedule_decides_the_transport(void **state)
{
    struct cell cell = good(WORDS("scheme=dynamic", "threads=2"));
    assert_string_equal(cell.transport, "openmp");
    assert_string_equal(cell.openmp, "libgomp");
    assert_string_equal(cell.collect, "local");
    assert_string_equal(good(WORDS("scheme=guided", "ranks=2")).transport,
                        "openmp");
    assert_string_equal(good(WORDS("scheme=static:chunk=4")).transport,
                        "openmp");
    assert_string_equal(good(WORDS("scheme=static")).transport, "shared");
    struct cell workers =
        good(WORDS("scheme=dynamic", "workers=3", "master=dedicated"));
    assert_int_equal(workers.ranks, 3);
    assert_int_equal(cell_workers(&workers), 3);
}

static void schedules_have_one_form(void **state)
{
    static const struct {
        const char *given, *canonical;
    } rows[] = {
        {"scheme=static", "static"},
        {"scheme=static:chunk=04", "static:chunk=4"},
        {"scheme=dynamic", "dynamic:chunk=1"},
        {"scheme=dynamic:chunk=8,monotonic=off", "dynamic:chunk=8"},
        {"scheme=dynamic:monotonic=on", "dynamic:chunk=1,monotonic=on"},
        {"scheme=guided", "guided:chunk=1"},
        {"scheme=runtime:kind=auto", "runtime:kind=auto"},
        {"scheme=runtime:chunk=3,kind=guided,monotonic=on",
         "runtime:kind=guided,chunk=3,monotonic=on"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_string_equal(good(OPENMP(rows[i].given)).scheme,
                            rows[i].canonical);
}

static void runtime_is_what_the_variable_says(void **state)
{
    static const struct {
        const char *variable, *canonical;
    } rows[] = {
        {"guided,4", "runtime:kind=guided,chunk=4"},
        {"Static", "runtime:kind=static"},
        {" MONOTONIC : dynamic , 07 ",
         "runtime:kind=dynamic,chunk=7,monotonic=on"},
        {"nonmonotonic:dynamic", "runtime:kind=dynamic"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        setenv("OMP_SCHEDULE", rows[i].variable, 1);
        struct cell cell = good(OPENMP("scheme=runtime"));
        assert_string_equal(cell.scheme, rows[i].canonical);
        /* The cell keeps the value read first, whatever the variable says
         * later. */
        setenv("OMP_SCHEDULE", "static,9", 1);
        struct cell again = cell;
        assert_int_equal(cell_check(&again, NULL), 0);
        assert_string_equal(again.scheme, cell.scheme);
        assert_string_equal(again.hash, cell.hash);
    }
    setenv("OMP_SCHEDULE", "fastest", 1);
    bad(OPENMP("scheme=runtime"), -EINVAL, "OMP_SCHEDULE is 'fastest'");
    setenv("OMP_SCHEDULE", "sometimes:dynamic", 1);
    bad(OPENMP("scheme=runtime"), -EINVAL, "allowed: [monotonic:");
    setenv("OMP_SCHEDULE", "dynamic,0", 1);
    bad(OPENMP("scheme=runtime"), -EINVAL, "out of range");
    unsetenv("OMP_SCHEDULE");
    bad(OPENMP("scheme=runtime"), -EINVAL, "OMP_SCHEDULE is not set");
}

static void runtimes_are_two_cells(void **state)
{
    struct cell gomp = good(OPENMP("scheme=static"));
    struct cell omp = good(OPENMP("scheme=static", "openmp=libomp"));
    struct cell shared = good(WORDS("scheme=static", "threads=2"));
    struct cell unused =
        good(WORDS("scheme=static", "threads=2", "openmp=libomp"));
    assert_string_not_equal(gomp.hash, omp.hash);
    assert_string_not_equal(gomp.hash, shared.hash);
    assert_string_equal(shared.hash, unused.hash);
    struct cell back;
    struct error err = {""};
    json_t *object = cell_to_json(&omp);
    if (cell_read(object, testing_texts(), &back, &err) != 0)
        fail_msg("%s", err.text);
    json_decref(object);
    assert_string_equal(back.hash, omp.hash);
    assert_string_equal(back.openmp, "libomp");
}

static void what_does_not_go_together_is_skipped(void **state)
{
    bad(OPENMP("scheme=ss"), -ENOTSUP, "OpenMP's own schedules");
    bad(OPENMP("scheme=single-round"), -ENOTSUP, "sends data by plan");
    bad(OPENMP("scheme=gss/static"), -ENOTSUP, "OpenMP's own schedules");
    bad(WORDS("scheme=dynamic", "transport=shared"), -ENOTSUP,
        "transport shared has no OpenMP schedules");
    bad(WORDS("scheme=guided", "transport=window", "ranks=2"), -ENOTSUP,
        "use transport openmp");
    bad(OPENMP("scheme=static", "hierarchy=node"), -ENOTSUP, "use flat");
    bad(OPENMP("scheme=static", "hierarchy=2"), -ENOTSUP, "use flat");
    bad(OPENMP("scheme=static", "reissue=on"), -ENOTSUP,
        "hands nothing out again");
    bad(OPENMP("scheme=static", "min_chunk=2"), -ENOTSUP, "min_chunk 1");
    bad(OPENMP("scheme=static", "collect=master"), -ENOTSUP, "no master");
    bad(OPENMP("scheme=static", "kernel=matmul", "data=sent"), -ENOTSUP,
        "transport openmp has no master");
    bad(OPENMP("scheme=static", "kernel=heat"), -ENOTSUP,
        "loops with dependences; use transport shared");
    bad(OPENMP("scheme=static", "platform=x.xml"), -ENOTSUP,
        "cannot be simulated");
    bad(WORDS("scheme=dynamic", "platform=x.xml"), -ENOTSUP,
        "cannot be simulated");
}

static void wrong_words_say_what_is_right(void **state)
{
    bad(OPENMP("scheme=dynamic:size=4"), -EINVAL, "chunk, monotonic");
    bad(OPENMP("scheme=static:size=4"), -EINVAL, "allowed: chunk");
    bad(OPENMP("scheme=dynamic:chunk=0"), -EINVAL, "out of range");
    bad(OPENMP("scheme=guided:monotonic=yes"), -EINVAL, "on|off");
    bad(OPENMP("scheme=runtime:kind=gss"), -EINVAL,
        "static|dynamic|guided|auto");
    bad(OPENMP("scheme=runtime:chunk=4"), -EINVAL, "go with kind=");
    bad(OPENMP("scheme=runtime:kind=static,chunk=2147483648"), -EINVAL,
        "out of range");
    bad(OPENMP("scheme=dynamc"), -EINVAL, "did you mean 'dynamic'?");
    struct cell cell;
    struct error err = {""};
    cell_defaults(&cell, testing_texts());
    assert_int_equal(cell_set(&cell, "openmp", "gomp", &err), -EINVAL);
    assert_non_null(strstr(err.text, "allowed: auto, libgomp, libomp"));
}

TESTS(cmocka_unit_test(a_schedule_decides_the_transport),
      cmocka_unit_test(schedules_have_one_form),
      cmocka_unit_test(runtime_is_what_the_variable_says),
      cmocka_unit_test(runtimes_are_two_cells),
      cmocka_unit_test(what_does_not_go_together_is_skipped),
      cmocka_unit_test(wrong_words_say_what_is_right))
