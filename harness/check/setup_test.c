/* Text fields become resolved values. */
#include "harness/cell/cell_testing.h"

#include <errno.h>

#define GRID "kernel=heat:rows=100,cols=800,steps=3"
#define TRACE "kernel=matmul:tasks=100"

static void text_becomes_values(void **unused)
{
    struct setup s;
    open_good(&s,
              WORDS("kernel=adjoint:size=9", "scheme=gss/static", "layout=11x2",
                    "hierarchy=2x2", "master=dedicated", "bind=0-2,7", "smt=on",
                    "rank_per=numa", "timing=chunk", "load=w1-w2:3",
                    "perturb=stop:at=1+delay:factor=2", "power=7:1,2"));
    assert_string_equal(s.kernel->name, "adjoint");
    assert_string_equal(s.kernel_spec.canonical, s.cell.kernel);
    assert_int_equal(s.scheme.kind, SCHEME_PAIR);
    assert_string_equal(s.scheme.pair.outer->name, "gss");
    assert_string_equal(s.scheme.pair.inner->name, "static");
    assert_int_equal(s.hierarchy.levels, 2);
    assert_int_equal(s.workers, (11 - 7) * 2);
    assert_int_equal(s.protocol, PROTOCOL_PARALLEL);
    assert_int_equal(s.binding.bind, TOPO_LIST);
    assert_int_equal(s.binding.count, 4);
    assert_int_equal(s.binding.domain, TOPO_NUMA);
    assert_true(s.binding.smt && s.stamps && !s.sent && !s.replan);
    assert_int_equal(s.perturbs.count, 2);
    assert_int_equal(s.load[2], 3);
    setup_free(&s);
}

static void schemes_are_of_four_kinds(void **unused)
{
    static const struct {
        const char *scheme, *transport;
        enum scheme_kind kind;
        enum protocol protocol;
    } row[] = {
        {"scheme=static", "transport=auto", SCHEME_PAIR, PROTOCOL_PARALLEL},
        {"scheme=static", "transport=openmp", SCHEME_SCHEDULE,
         PROTOCOL_PARALLEL},
        {"scheme=guided:chunk=3", "transport=auto", SCHEME_SCHEDULE,
         PROTOCOL_PARALLEL},
        {"scheme=lp-fixed:period=7", "transport=auto", SCHEME_PLAN,
         PROTOCOL_PUSH},
        {"scheme=auto:by=trial", "transport=auto", SCHEME_AUTO,
         PROTOCOL_PARALLEL},
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct setup s;
        open_good(&s,
                  WORDS(TRACE, row[i].scheme, row[i].transport, "layout=2x1"));
        assert_int_equal(s.scheme.kind, row[i].kind);
        assert_int_equal(s.protocol, row[i].protocol);
        assert_true((s.scheme.pair.outer != NULL) ==
                    (row[i].kind == SCHEME_PAIR));
        assert_string_equal(s.scheme.pair.canonical, s.cell.scheme);
        if (row[i].kind == SCHEME_PLAN)
            assert_true(s.scheme.plan.period == 7 && s.sent);
        if (i == 2)
            assert_true(s.scheme.schedule.kind == OPENMP_GUIDED &&
                        s.scheme.schedule.chunk == 3);
        setup_free(&s);
    }
}

static void loops_with_dependences_have_steps(void **unused)
{
    struct setup s;
    open_good(&s, WORDS(GRID, "layout=2x1", "placement=replan",
                        "protocol=subproblem", "scheme=awf"));
    assert_int_equal(s.protocol, PROTOCOL_SUBPROBLEM);
    assert_int_equal(s.steps, 3);
    assert_true(s.replan && !setup_learns_by_repetition(&s));
    setup_free(&s);
    open_good(&s, WORDS(GRID, "layout=2x1", "scheme=awf"));
    assert_true(!s.replan && setup_learns_by_repetition(&s));
    setup_free(&s);
}

static void measured_powers_are_left_to_the_launch(void **unused)
{
    struct setup s;
    open_good(&s, WORDS("threads=2", "power=measured"));
    assert_true(s.measures_power && s.power == NULL);
    setup_free(&s);
    open_good(&s, WORDS("threads=1", "power=measured"));
    assert_true(!s.measures_power && s.cell.power[0] == '\0');
    setup_free(&s);
}

/* A cell that is in canonical form is the same again. */
static void a_setup_of_a_checked_cell_is_the_same(void **unused)
{
    struct cell cell = good(WORDS("threads=4", "power=1,1,2,2", "load=w0,w1:2",
                                  "bind=0,1,2,3", "scheme=fac2"));
    struct setup s;
    assert_int_equal(setup_resolve(&s, &cell, NULL), 0);
    assert_memory_equal(&s.cell, &cell, sizeof(cell));
    setup_free(&s);
}

static void what_fails_leaves_nothing_open(void **unused)
{
    struct setup s;
    struct cell cell;
    struct error err = {""};
    fill(&cell, WORDS("threads=2", "power=1,2", "load=w0", "perturb=gone:at=1",
                      "reissue=on", "transport=steal"));
    assert_int_equal(setup_resolve(&s, &cell, &err), -ENOTSUP);
    assert_null(s.power);
    assert_null(s.load);
}

TESTS(cmocka_unit_test(text_becomes_values),
      cmocka_unit_test(schemes_are_of_four_kinds),
      cmocka_unit_test(loops_with_dependences_have_steps),
      cmocka_unit_test(measured_powers_are_left_to_the_launch),
      cmocka_unit_test(a_setup_of_a_checked_cell_is_the_same),
      cmocka_unit_test(what_fails_leaves_nothing_open))
