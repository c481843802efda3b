/* Places: slots of workers, crowded groups, and who shares a core. */
#include "harness/testing.h"

#include "harness/check/cell_transport.h"
#include "harness/workers/place.h"

#include <errno.h>
#include <math.h>

/* Four ranks of two threads on two hosts of the given cores. */
struct fixture {
    struct place place;
    struct tree tree;
    uint64_t group[4];
    int cores[4], processors[4];
    double quota[4];
    uint64_t limit[4];
};

static void open_fixture(struct fixture *f, const char *master,
                         const char *hierarchy, int cores)
{
    struct cell cell;
    cell_defaults(&cell, testing_texts());
    cell.ranks = 4;
    cell.threads = 2;
    cell.transport = "master";
    cell.master = master;
    cell.hierarchy = hierarchy;
    assert_int_equal(cell_tree_build(&cell, &f->tree, NULL), 0);
    for (int r = 0; r < 4; r++) {
        f->group[r] = r < 2 ? 111 : 222;
        f->cores[r] = cores;
        f->processors[r] = 2 * cores;
        f->quota[r] = INFINITY;
        f->limit[r] = f->group[r];
    }
    f->place = (struct place){.group = f->group,
                              .cores = f->cores,
                              .processors = f->processors,
                              .quota = f->quota,
                              .limit = f->limit,
                              .ranks = 4,
                              .rank = 0};
}

static void slots_are_shared_out(void **unused)
{
    static const int slot[4] = {0, 2, 0, 2};
    struct fixture f;
    open_fixture(&f, "computing", "flat", 4);
    for (int r = 0; r < 4; r++)
        for (int t = 0; t < 2; t++) {
            struct place_slot s = place_slot(&f.place, &f.tree, 1, r, t);
            assert_int_equal(s.slot, slot[r] + t);
            assert_int_equal(s.slots, 4);
            /* In two domains each rank has its own. */
            s = place_slot(&f.place, &f.tree, 2, r, t);
            assert_int_equal(s.domain, r % 2);
            assert_int_equal(s.slot, t);
            assert_int_equal(s.slots, 2);
        }
    assert_false(place_crowded(&f.place, &f.tree, false));
    f.cores[0] = 3;
    assert_true(place_crowded(&f.place, &f.tree, false));
    assert_false(place_crowded(&f.place, &f.tree, true));
    tree_free(&f.tree);
}

/* Three ranks of a host round two domains: the first has two of them. */
static void ranks_go_round_the_domains(void **unused)
{
    static const int domain[4] = {0, 1, 0, 0}, slot[4] = {0, 0, 2, 0};
    static const int slots[4] = {4, 2, 4, 2};
    struct fixture f;
    open_fixture(&f, "computing", "flat", 8);
    f.group[2] = 111;
    for (int r = 0; r < 4; r++) {
        struct place_slot s = place_slot(&f.place, &f.tree, 2, r, 1);
        assert_int_equal(s.domain, domain[r]);
        assert_int_equal(s.slot, slot[r] + 1);
        assert_int_equal(s.slots, slots[r]);
    }
    tree_free(&f.tree);
}

/* A dedicated master has the slot behind the workers of its host. */
static void dedicated_masters_come_last(void **unused)
{
    struct fixture f;
    open_fixture(&f, "dedicated", "flat", 3);
    struct place_slot s = place_slot(&f.place, &f.tree, 1, 0, 0);
    assert_int_equal(s.slot, 2);
    assert_int_equal(s.slots, 2);
    assert_int_equal(place_slot(&f.place, &f.tree, 1, 1, 0).slot, 0);
    assert_int_equal(place_slot(&f.place, &f.tree, 1, 1, 1).slot, 1);
    assert_false(place_crowded(&f.place, &f.tree, false));
    f.cores[0] = 2; /* it waits on a worker's core */
    assert_true(place_crowded(&f.place, &f.tree, false));
    tree_free(&f.tree);
    /* Ranks 0 and 1 are masters, 2 and 3 their workers; all on one host. */
    open_fixture(&f, "dedicated", "1", 3);
    f.group[2] = f.group[3] = 111;
    assert_int_equal(place_slot(&f.place, &f.tree, 1, 0, 0).slot, 4);
    assert_int_equal(place_slot(&f.place, &f.tree, 1, 1, 0).slot, 5);
    s = place_slot(&f.place, &f.tree, 1, 3, 1);
    assert_int_equal(s.slot, 3);
    assert_int_equal(s.slots, 4);
    /* Two domains: a master and a worker rank in each. */
    s = place_slot(&f.place, &f.tree, 2, 1, 0);
    assert_int_equal(s.domain, 1);
    assert_int_equal(s.slot, 2);
    s = place_slot(&f.place, &f.tree, 2, 3, 1);
    assert_int_equal(s.domain, 1);
    assert_int_equal(s.slot, 1);
    tree_free(&f.tree);
}

/* A launcher that gives each rank one core makes four groups of one core.  The
 * host has more ranks than a rank has cores, yet no rank waits for a core. */
static void bound_ranks_are_not_crowded(void **unused)
{
    struct fixture f;
    open_fixture(&f, "computing", "flat", 1);
    assert_true(place_ranks_crowded(&f.place)); /* two share one core */
    for (int r = 0; r < 4; r++)
        f.group[r] = (uint64_t)r;
    assert_false(place_ranks_crowded(&f.place));
    for (int r = 0; r < 4; r++)
        f.group[r] = 5;
    f.cores[0] = 4;
    assert_false(place_ranks_crowded(&f.place));
    f.cores[0] = 3;
    assert_true(place_ranks_crowded(&f.place));
    tree_free(&f.tree);
}

static const struct topo_binding compact = {.bind = TOPO_COMPACT};
static const struct topo_binding none = {.bind = TOPO_NONE};
static const struct topo_binding threads = {.bind = TOPO_COMPACT, .smt = true};

/* Hardware threads of one core are two places with smt, and one without. */
static void hardware_threads_share_a_core(void **unused)
{
    struct fixture f;
    struct error err = {""};
    struct place_report report[8];
    open_fixture(&f, "computing", "flat", 4);
    for (int w = 0; w < 8; w++)
        report[w] = (struct place_report){.host = w < 4 ? 111 : 222,
                                          .machine = w < 4 ? 111 : 222,
                                          .core = w % 4 / 2,
                                          .processor = w % 4,
                                          .bound = 1};
    assert_int_equal(place_check(&f.place, &f.tree, report, &threads, &err), 0);
    assert_int_equal(place_check(&f.place, &f.tree, report, &compact, &err),
                     -EBUSY);
    assert_non_null(strstr(err.text, "workers 0 and 1 share core 0"));
    report[3].processor = 2;
    assert_int_equal(place_check(&f.place, &f.tree, report, &threads, &err),
                     -EBUSY);
    assert_non_null(strstr(err.text, "workers 2 and 3 share processor 2 (8 "
                                     "workers, 8 hardware threads)"));
    tree_free(&f.tree);
}

static void reports_are_checked(void **unused)
{
    struct fixture f;
    struct error err = {""};
    struct place_report report[8];
    open_fixture(&f, "computing", "flat", 4);
    for (int w = 0; w < 8; w++)
        report[w] = (struct place_report){.host = w < 4 ? 111 : 222,
                                          .machine = w < 4 ? 111 : 222,
                                          .core = w % 4,
                                          .bound = 1};
    assert_int_equal(place_check(&f.place, &f.tree, report, &compact, &err), 0);
    report[6].core = 1; /* that of worker 5 */
    assert_int_equal(place_check(&f.place, &f.tree, report, &compact, &err),
                     -EBUSY);
    assert_non_null(strstr(err.text, "workers 5 and 6 share core 1"));
    report[6].machine = 333; /* the same number as worker 7, on another host */
    report[6].core = 3;
    assert_int_equal(place_check(&f.place, &f.tree, report, &compact, &err), 0);
    report[6].host = 444; /* two hosts with the same cores */
    report[6].machine = 222;
    assert_int_equal(place_check(&f.place, &f.tree, report, &compact, &err),
                     -EBUSY);
    assert_non_null(strstr(err.text, "workers 6 and 7 share core 3"));
    report[6].machine = 333;
    report[3].bound = 0;
    assert_int_equal(place_check(&f.place, &f.tree, report, &compact, &err),
                     -EBUSY);
    assert_non_null(strstr(err.text, "worker 3 is not bound"));
    /* Unbound on purpose: there must be enough cores, that is all. */
    assert_int_equal(place_check(&f.place, &f.tree, report, &none, &err), 0);
    f.cores[3] = 3;
    assert_int_equal(place_check(&f.place, &f.tree, report, &none, &err),
                     -EBUSY);
    assert_non_null(strstr(err.text, "4 workers have 3 cores"));
    tree_free(&f.tree);
}

/* Below a quota of fewer cores than workers none has a core alone, bound or
 * not; ranks with one limit have it together. */
static void a_quota_is_like_fewer_cores(void **unused)
{
    struct fixture f;
    struct error err = {""};
    struct place_report report[8];
    open_fixture(&f, "computing", "flat", 4);
    for (int w = 0; w < 8; w++)
        report[w] = (struct place_report){.host = w < 4 ? 111 : 222,
                                          .machine = w < 4 ? 111 : 222,
                                          .core = w % 4,
                                          .bound = 1};
    for (int r = 0; r < 4; r++)
        f.quota[r] = 4;
    assert_int_equal(place_check(&f.place, &f.tree, report, &compact, &err), 0);
    assert_false(place_crowded(&f.place, &f.tree, false));
    f.quota[2] = f.quota[3] = 3.5;
    assert_int_equal(place_check(&f.place, &f.tree, report, &compact, &err),
                     -EBUSY);
    assert_non_null(strstr(err.text, "4 workers have a CPU quota of 3.5"));
    assert_int_equal(place_check(&f.place, &f.tree, report, &none, &err),
                     -EBUSY);
    assert_false(place_crowded(&f.place, &f.tree, false));
    f.place.rank = 3;
    assert_true(place_crowded(&f.place, &f.tree, false));
    /* A group for each rank: two workers of two have 3.5 each. */
    f.limit[3] = 333;
    assert_int_equal(place_check(&f.place, &f.tree, report, &compact, &err), 0);
    assert_false(place_ranks_crowded(&f.place));
    f.quota[3] = 0.5;
    assert_true(place_ranks_crowded(&f.place));
    tree_free(&f.tree);
}

/* A master of two workers' host, bound or not. */
static void masters_that_share_are_counted(void **unused)
{
    struct fixture f;
    open_fixture(&f, "dedicated", "flat", 3);
    struct topo_binding binding = {.bind = TOPO_COMPACT};
    struct place_report worker[6], master = {111, 2, 2, true, 0, 0, 111};
    for (int w = 0; w < 6; w++)
        worker[w] = (struct place_report){
            w < 2 ? 111 : 222, w < 2 ? w : w - 2, w, true, 0, 0,
            w < 2 ? 111 : 222};
#define SHARED()                                                               \
    place_shared_masters(&f.place, &f.tree, worker, &master, 1, &binding)
    assert_int_equal(SHARED(), 0);
    master.core = 1; /* worker 1's, by another hardware thread */
    assert_int_equal(SHARED(), 1);
    binding.smt = true;
    assert_int_equal(SHARED(), 0);
    binding = (struct topo_binding){.bind = TOPO_NONE};
    assert_int_equal(SHARED(), 0);
    f.cores[0] = f.cores[1] = 2;
    assert_int_equal(SHARED(), 1);
    master.host = master.machine =
        222; /* four workers, three cores, and no master */
    assert_int_equal(SHARED(), 1);
    f.cores[2] = f.cores[3] = 4;
    assert_int_equal(SHARED(), 0);
    f.quota[0] = f.quota[1] = 2;
    assert_int_equal(SHARED(), 0);
    f.quota[2] = f.quota[3] = 3; /* four workers */
    assert_int_equal(SHARED(), 1);
#undef SHARED
    tree_free(&f.tree);
}

TESTS(cmocka_unit_test(slots_are_shared_out),
      cmocka_unit_test(ranks_go_round_the_domains),
      cmocka_unit_test(dedicated_masters_come_last),
      cmocka_unit_test(bound_ranks_are_not_crowded),
      cmocka_unit_test(hardware_threads_share_a_core),
      cmocka_unit_test(reports_are_checked),
      cmocka_unit_test(a_quota_is_like_fewer_cores),
      cmocka_unit_test(masters_that_share_are_counted))
