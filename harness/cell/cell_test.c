/* Cells: canonical forms and hashes, what is wrong in itself (-EINVAL) and what
 * does not go together (-ENOTSUP). */
#include "harness/cell/cell_testing.h"

#include <errno.h>

/* ---- equal cells ---- */

static void same(const char *const *a, const char *const *b)
{
    struct cell x = good(a), y = good(b);
    if (!equal(&x, &y))
        fail_msg("%s ... (%s) and %s ... (%s) should be the same cell", a[0],
                 x.hash, b[0], y.hash);
}

static void differ(const char *const *a, const char *const *b)
{
    struct cell x = good(a), y = good(b);
    if (strcmp(x.hash, y.hash) == 0)
        fail_msg("%s and %s should differ", a[0], b[0]);
}

static void equal_cells_have_equal_hashes(void **unused)
{
    same(WORDS("kernel=mandelbrot"),
         WORDS("kernel=mandelbrot:axis=re,maxiter=1000"));
    same(WORDS("kernel=mandelbrot:maxiter=0050,size=64"),
         WORDS("kernel=mandelbrot:size=64,maxiter=50"));
    same(WORDS("scheme=fac2"), WORDS("scheme=fss:alpha=2"));
    same(WORDS("transport=auto"), WORDS("transport=shared"));
    same(WORDS("layout=2x1"),
         WORDS("ranks=2", "transport=master", "collect=shared", "prefetch=on"));
    /* Where results cannot be written in place, or the papers' do not. */
    same(WORDS("layout=2x1", "answer=collected"),
         WORDS("layout=2x1", "answer=collected", "collect=master"));
    same(WORDS("kernel=adjoint", "layout=2x1", "reissue=on"),
         WORDS("kernel=adjoint", "layout=2x1", "reissue=on", "collect=master"));
    same(WORDS("kernel=heat", "layout=2x1"),
         WORDS("kernel=heat", "layout=2x1", "collect=master"));
    same(WORDS("kernel=matmul", "scheme=lp-adaptive", "layout=3x1"),
         WORDS("kernel=matmul", "scheme=lp-adaptive", "layout=3x1",
               "collect=master"));
    same(WORDS("layout=2x1", "platform=a.xml"),
         WORDS("layout=2x1", "platform=a.xml", "collect=master"));
    same(WORDS("layout=2x1", "platform=this-machine"),
         WORDS("layout=2x1", "platform=this-machine", "collect=shared"));
    differ(WORDS("layout=2x1"), WORDS("layout=2x1", "collect=master"));
    same(WORDS("hierarchy=flat"), WORDS("scheme=ss"));
    same(WORDS("layout=1x4", "hierarchy=02xnode"),
         WORDS("threads=4", "hierarchy=2xnode"));
    same(WORDS("kernel=heat"),
         WORDS("kernel=heat", "protocol=dmps", "sync_interval=100"));
    same(WORDS("protocol=auto"), WORDS("protocol=parallel"));
    /* Only several time steps have a placement, and keep results local. */
    same(WORDS("kernel=heat", "placement=replan"), WORDS("kernel=heat"));
    same(WORDS("kernel=heat:steps=2", "ranks=2"),
         WORDS("kernel=heat:steps=2", "ranks=2", "collect=local"));
    /* Fields that do not apply make no difference. */
    same(WORDS("sync_interval=5"), WORDS("scheme=ss"));
    same(WORDS("transport=steal", "prefetch=on"),
         WORDS("transport=steal", "prefetch=off"));
    same(WORDS("master=dedicated"), WORDS("master=computing"));
    same(WORDS("window=rma"), WORDS("window=auto"));
    same(WORDS("victim=near"), WORDS("victim=auto"));
    same(WORDS("transport=steal", "victim=auto"),
         WORDS("transport=steal", "victim=random"));
    differ(WORDS("transport=steal", "victim=near"),
           WORDS("transport=steal", "victim=random"));
    same(WORDS("layout=2x1", "window=rma"), WORDS("layout=2x1"));
    same(WORDS("layout=2x1", "transport=window", "collect=auto"),
         WORDS("layout=2x1", "transport=window", "collect=local"));
}

static void equal_powers_are_no_powers(void **unused)
{
    same(WORDS("threads=4", "power=3,3,3,3"), WORDS("threads=4"));
    same(WORDS("threads=4", "power=4:0.5"), WORDS("threads=4"));
    same(WORDS("threads=4", "power=1:2,3:2"), WORDS("threads=4"));
    same(WORDS("threads=1", "power=7"), WORDS("threads=1"));
    struct setup setup;
    open_good(&setup, WORDS("threads=4", "power=2:1,2:1.0"));
    assert_null(setup.power);
    setup_free(&setup);
}

static void powers_are_one_cell_however_written(void **unused)
{
    same(WORDS("threads=4", "power=1,1,2,2"),
         WORDS("threads=4", "power=2:1,2:2"));
    same(WORDS("threads=4", "power=1,1,1,2"),
         WORDS("threads=4", "power=1:1,2:1.0,2e0"));
    same(WORDS("threads=3", "power=0.5,1,1"),
         WORDS("threads=3", "power=1/2,2:1"));
    differ(WORDS("threads=2", "power=1,2"), WORDS("threads=2", "power=2,1"));
    differ(WORDS("threads=2", "power=1,2"),
           WORDS("threads=2", "power=1,2.0000000000000004"));
    /* Not the ratio alone: some schemes round powers. */
    differ(WORDS("threads=2", "power=1,2"), WORDS("threads=2", "power=2,4"));
}

static void powers_expand_to_one_per_worker(void **unused)
{
    static const double expected[] = {3, 3, 0.5, 1, 1, 1};
    struct setup setup;
    open_good(&setup, WORDS("layout=3x2", "power=2:3,1/2,3:1"));
    assert_non_null(setup.power);
    assert_memory_equal(setup.power, expected, sizeof(expected));
    setup_free(&setup);
}

/* As many different powers as there are characters for: they still fit after
 * they were written in their canonical form. */
static void long_power_lists_stay_whole(void **unused)
{
    char power[600] = "power=";
    for (int i = 0; i < 126; i++)
        strcat(power, i % 2 ? "1/3," : "1/7,");
    power[strlen(power) - 1] = '\0';
    struct setup setup;
    open_good(&setup, WORDS("threads=126", power));
    assert_non_null(setup.power);
    for (int i = 0; i < 126; i++)
        assert_true(setup.power[i] == (i % 2 ? 1.0 / 3 : 1.0 / 7));
    setup_free(&setup);
}

static void every_field_is_in_the_hash(void **unused)
{
    const char *const *base = WORDS("layout=2x2");
    differ(base, WORDS("layout=2x2", "kernel=null:size=5"));
    differ(base, WORDS("layout=2x2", "scheme=gss"));
    differ(base, WORDS("layout=2x4"));
    differ(base, WORDS("layout=4x2"));
    differ(base, WORDS("layout=2x2", "hierarchy=node"));
    differ(base, WORDS("layout=2x2", "transport=window"));
    differ(base, WORDS("layout=2x2", "master=dedicated"));
    differ(base, WORDS("layout=2x2", "collect=local"));
    differ(base, WORDS("layout=2x2", "bind=none"));
    differ(base, WORDS("layout=2x2", "bind=0,2"));
    differ(base, WORDS("layout=2x2", "bind=kind=0"));
    same(base, WORDS("layout=2x2", "bind=fast"));
    same(WORDS("layout=2x2", "bind=0-2"), WORDS("layout=2x2", "bind=0,1,2"));
    differ(base, WORDS("layout=2x2", "smt=on"));
    differ(base, WORDS("layout=2x2", "rank_per=numa"));
    differ(base, WORDS("layout=2x2", "memory=bind"));
    differ(base, WORDS("layout=2x2", "timing=chunk"));
    differ(base, WORDS("layout=2x2", "power=1,2,3,4"));
    differ(base, WORDS("layout=2x2", "prefetch=off"));
    differ(base, WORDS("layout=2x2", "min_chunk=2"));
    differ(WORDS("kernel=heat", "sync_interval=5"), WORDS("kernel=heat"));
    differ(WORDS("kernel=heat", "sync_interval=auto"), WORDS("kernel=heat"));
    differ(WORDS("kernel=heat", "sync_interval=auto"),
           WORDS("kernel=heat", "sync_interval=chen-xue"));
    same(WORDS("sync_interval=auto"), WORDS("scheme=ss"));
    same(WORDS("kernel=heat", "sync_interval=auto", "sync_interval=100"),
         WORDS("kernel=heat"));
    differ(WORDS("kernel=heat", "protocol=subproblem"), WORDS("kernel=heat"));
    differ(WORDS("kernel=heat:steps=2", "placement=replan"),
           WORDS("kernel=heat:steps=2"));
    differ(WORDS("layout=2x2", "transport=window", "window=rma"),
           WORDS("layout=2x2", "transport=window", "window=shared"));
}

static void checking_twice_changes_nothing(void **unused)
{
    struct cell cell = good(WORDS("layout=3x2", "hierarchy=02xnode",
                                  "power=2:3,1/2,3:1", "scheme=fac2"));
    struct cell again = cell;
    assert_int_equal(cell_check(&again, NULL), 0);
    assert_true(equal(&again, &cell));
}

/* ---- what cannot run ---- */

static void fields_wrong_in_themselves(void **unused)
{
    bad(WORDS("kernel=mandelbrod"), -EINVAL, "did you mean 'mandelbrot'");
    bad(WORDS("kernel=mandelbrot:siz=5"), -EINVAL, "siz");
    bad(WORDS("kernel="), -EINVAL, "kernel: none is given");
    bad(WORDS("scheme="), -EINVAL, "scheme: none is given");
    bad(WORDS("scheme=gsss"), -EINVAL, "did you mean 'gss'");
    bad(WORDS("scheme=ss/gsss"), -EINVAL, "ss/gsss, inner");
    bad(WORDS("scheme=auto/ss"), -EINVAL, "auto is a choice among schemes");
    bad(WORDS("scheme=ss/auto:by=trial"), -EINVAL, "trial is a choice among");
    bad(WORDS("scheme=lp-sqrt/ss"), -EINVAL, "is a plan of the whole loop");
    bad(WORDS("scheme=static/guided"), -EINVAL, "guided is a schedule of");
    bad(WORDS("hierarchy=4y"), -EINVAL, "allowed are flat");
    bad(WORDS("threads=2", "power=1,zero"), -EINVAL, "'zero'");
    bad(WORDS("threads=2", "power=1,0"), -EINVAL, "above 0");
    bad(WORDS("threads=2", "power=1,-2"), -EINVAL, "above 0");
    bad(WORDS("threads=2", "power=1,"), -EINVAL, "power: ''");
    bad(WORDS("threads=2", "power=0:1,2"), -EINVAL, "number of workers");
    bad(WORDS("threads=2", "power=x:1"), -EINVAL, "number of workers");
    bad(WORDS("threads=2", "power=1,inf"), -EINVAL, "power");
    bad(WORDS("threads=2", "power=1,nan"), -EINVAL, "power");
}

static void fields_that_do_not_go_together(void **unused)
{
    bad(WORDS("layout=2x1", "transport=shared"), -ENOTSUP, "needs one rank");
    bad(WORDS("transport=master"), -ENOTSUP, "two ranks or more");
    bad(WORDS("collect=master"), -ENOTSUP, "transport master");
    bad(WORDS("layout=2x1", "kernel=heat", "collect=shared"), -ENOTSUP,
        "neighbours still read the rows");
    bad(WORDS("layout=2x1", "kernel=adjoint", "reissue=on", "collect=shared"),
        -ENOTSUP, "two writers");
    bad(WORDS("layout=2x1", "answer=collected", "collect=shared"), -ENOTSUP,
        "with collect shared no results come");
    bad(WORDS("layout=2x1", "transport=window", "collect=master"), -ENOTSUP,
        "use transport master");
    bad(WORDS("layout=2x1", "transport=steal", "collect=master"), -ENOTSUP,
        "no master to collect");
    bad(WORDS("layout=2x1", "transport=steal", "hierarchy=2"), -ENOTSUP,
        "use flat");
    bad(WORDS("transport=steal", "kernel=heat:rows=9,cols=9"), -ENOTSUP,
        "use transport shared or window");
    bad(WORDS("transport=steal", "scheme=static"), -ENOTSUP,
        "use one of ss, css, gss, fss");
    bad(WORDS("transport=steal", "scheme=wf"), -ENOTSUP, "use one of ss, css");
    bad(WORDS("transport=steal", "scheme=af"), -ENOTSUP, "use one of ss, css");
    bad(WORDS("transport=steal", "scheme=gss/ss"), -ENOTSUP,
        "use one of ss, css");
    bad(WORDS("layout=2x1", "transport=window", "hierarchy=2"), -ENOTSUP,
        "flat or node");
    bad(WORDS("threads=3", "hierarchy=4"), -ENOTSUP,
        "more masters (4) than threads (3)");
    bad(WORDS("layout=3x8", "hierarchy=2x2"), -ENOTSUP,
        "more masters (4) than ranks (3)");
    bad(WORDS("layout=6x1", "hierarchy=2x2", "master=dedicated"), -ENOTSUP,
        "needs 11 ranks");
    bad(WORDS("threads=2", "power=1,2,3"), -ENOTSUP,
        "3 powers are given for 2 workers");
    bad(WORDS("threads=2", "power=16777216:1,2"), -ENOTSUP, "16777217 powers");
    bad(WORDS("load=w0,w1"), -ENOTSUP, "no worker w1, this cell has w0 to w0");
    bad(WORDS("threads=2", "load=w0-w2:3"), -ENOTSUP, "no worker w2");
    bad(WORDS("threads=2", "load=w1", "bind=none"), -ENOTSUP, "bound");
    bad(WORDS("protocol=dmps"), -ENOTSUP, "use parallel");
    bad(WORDS("protocol=subproblem"), -ENOTSUP, "use parallel");
    bad(WORDS("kernel=heat:steps=2", "ranks=2", "collect=master"), -ENOTSUP,
        "use local");
    bad(WORDS("kernel=heat", "protocol=parallel"), -ENOTSUP, "use dmps");
    bad(WORDS("scheme=awf-e", "kernel=heat"), -ENOTSUP, "mostly waiting");
    bad(WORDS("scheme=bold", "kernel=heat"), -ENOTSUP, "use awf, awf-b");
    bad(WORDS("scheme=ss/awf-d", "kernel=heat", "threads=2", "hierarchy=2"),
        -ENOTSUP, "scheme awf-d counts");
    bad(WORDS("scheme=awf-b", "layout=2x1", "transport=window", "window=rma"),
        -ENOTSUP, "transport master");
    bad(WORDS("scheme=awf-b/ss", "layout=2x1", "transport=window", "window=rma",
              "hierarchy=node"),
        -ENOTSUP, "the second of two schemes may learn");
    good(WORDS("scheme=fss/awf-b", "layout=2x1", "transport=window",
               "window=rma", "hierarchy=node"));
    good(WORDS("scheme=awf-b", "threads=2", "hierarchy=2"));
    good(WORDS("scheme=af", "kernel=heat"));
}

static void wrong_loads(void **unused)
{
    static const char *const wrong[] = {"w",
                                        "0",
                                        "x0",
                                        "w-1",
                                        "w0-",
                                        "w3-w1",
                                        "w0-1",
                                        "w0,",
                                        ",w0",
                                        "w0 ",
                                        "w+1",
                                        "W0",
                                        "w0:1:1",
                                        "w16777216",
                                        "w0;w1",
                                        "w0--w1",
                                        "w99999999999999999999"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char word[64];
        snprintf(word, sizeof(word), "load=%s", wrong[i]);
        bad(WORDS(word), -EINVAL, "load: ");
    }
    bad(WORDS("load=w0:0"), -EINVAL, "'0' after 'w0:' must be a number");
    bad(WORDS("load=w0:65"), -EINVAL, "from 1 to 64");
    bad(WORDS("load=w0:x"), -EINVAL, "'x' after");
    bad(WORDS("threads=4", "load=w0-w2,w1:2"), -EINVAL, "w1 is named twice");
    bad(WORDS("layout=2x1", "transport=shared", "load=w"), -EINVAL, "load");
}

/* One cell however the load is written; a number counts for all workers since
 * the number before. */
static void loads_have_one_form(void **unused)
{
    static const struct {
        const char *given, *written;
        int load[6];
    } row[] = {
        {"w0,w2:1", "w0,w2:1", {1, 0, 1}},
        {"w2,w0", "w0,w2:1", {1, 0, 1}},
        {"w5:3", "w5:3", {0, 0, 0, 0, 0, 3}},
        {"w0,w1,w2:2", "w0-w2:2", {2, 2, 2}},
        {"w4:2,w0-w1,w3:1,w5:2", "w0-w1,w3:1,w4-w5:2", {1, 1, 0, 1, 2, 2}},
        {"w1:64,w0-w0", "w0:1,w1:64", {1, 64}},
    };
    struct setup setup;
    struct cell plain = good(WORDS("threads=6"));
    open_good(&setup, WORDS("threads=6"));
    assert_null(setup.load);
    setup_free(&setup);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char word[64];
        snprintf(word, sizeof(word), "load=%s", row[i].given);
        struct cell cell = good(WORDS("threads=6", word));
        assert_string_equal(cell.load, row[i].written);
        snprintf(word, sizeof(word), "load=%s", row[i].written);
        struct cell again = good(WORDS("threads=6", word));
        assert_string_equal(again.hash, cell.hash);
        assert_string_not_equal(plain.hash, cell.hash);
        open_good(&setup, WORDS("threads=6", word));
        assert_memory_equal(setup.load, row[i].load, sizeof(row[i].load));
        setup_free(&setup);
    }
}

/* A wrong value may not hide behind a combination that is skipped. */
static void wrong_comes_before_impossible(void **unused)
{
    bad(WORDS("layout=2x1", "transport=shared", "power=1,zero"), -EINVAL,
        "'zero'");
    bad(WORDS("threads=1", "hierarchy=4", "power=,"), -EINVAL, "power");
    bad(WORDS("protocol=dmps", "hierarchy=four"), -EINVAL, "allowed are flat");
    bad(WORDS("protocol=dmps", "power=zero"), -EINVAL, "'zero'");
    bad(WORDS("layout=2x1", "transport=shared", "hierarchy=four"), -EINVAL,
        "allowed are flat");
}

static void so_many_workers_cannot_be(void **unused)
{
    bad(WORDS("layout=16777216x16777216"), -ENOTSUP, "workers");
    bad(WORDS("layout=16777216x16777216", "power=1,2"), -ENOTSUP, "workers");
    bad(WORDS("layout=2x16777216"), -ENOTSUP, "workers");
    good(WORDS("layout=4096x4096"));
}

static void workers_are_counted(void **unused)
{
    static const struct {
        const char *layout, *hierarchy, *master;
        int workers;
    } row[] = {
        {"1x3", "flat", "computing", 3}, {"2x3", "flat", "computing", 6},
        {"2x3", "flat", "dedicated", 3}, {"5x1", "2", "computing", 5},
        {"5x1", "2", "dedicated", 2},    {"9x2", "2", "dedicated", 12},
        {"11x1", "2x2", "dedicated", 4}, {"12x4", "2x2", "computing", 48},
        {"3x4", "node", "dedicated", 8}, {"3x4", "2xnode", "computing", 12},
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char layout[32], hierarchy[32], master[32];
        snprintf(layout, sizeof(layout), "layout=%s", row[i].layout);
        snprintf(hierarchy, sizeof(hierarchy), "hierarchy=%s",
                 row[i].hierarchy);
        snprintf(master, sizeof(master), "master=%s", row[i].master);
        struct cell cell = good(WORDS(layout, hierarchy, master));
        assert_int_equal(cell_workers(&cell), row[i].workers);
    }
}

TESTS(cmocka_unit_test(equal_cells_have_equal_hashes),
      cmocka_unit_test(equal_powers_are_no_powers),
      cmocka_unit_test(powers_are_one_cell_however_written),
      cmocka_unit_test(powers_expand_to_one_per_worker),
      cmocka_unit_test(long_power_lists_stay_whole),
      cmocka_unit_test(every_field_is_in_the_hash),
      cmocka_unit_test(checking_twice_changes_nothing),
      cmocka_unit_test(fields_wrong_in_themselves),
      cmocka_unit_test(fields_that_do_not_go_together),
      cmocka_unit_test(wrong_loads), cmocka_unit_test(loads_have_one_form),
      cmocka_unit_test(wrong_comes_before_impossible),
      cmocka_unit_test(so_many_workers_cannot_be),
      cmocka_unit_test(workers_are_counted))
