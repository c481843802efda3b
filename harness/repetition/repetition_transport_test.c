/* The setup of a cell's transport for its loop. */
#include "harness/cell/cell_testing.h"
#include "harness/check/cell_transport.h"
#include "harness/problem/loop_costs.h"
#include "harness/repetition/repetition_transport.h"

#include <errno.h>

#define assert_seconds(got, expected) assert_float_equal(got, expected, 1e-12)

static double rising(const void *instance, int64_t iteration)
{
    (void)instance;
    return (double)(iteration + 1);
}

static const struct kernel_cost rising_cost = {.operations = rising};
static const struct kernel_ops rising_kernel = {.name = "rising",
                                                .cost = &rising_cost};

/* Nothing is run. */
struct fixture {
    struct setup setup;
    struct loop loop;
    struct tree tree;
    struct powers powers;
    struct planned planned;
    struct launch_context context;
    struct engine_patience patience;
    struct transport transport;
};

static void open_cell(struct fixture *f, void **state, const char *const *words,
                      const struct loop *loop)
{
    struct error err = {""};
    *f = (struct fixture){.context.comm = *(struct comm *)*state};
    open_good(&f->setup, words);
    f->loop = *loop;
    f->loop.kernel = f->setup.kernel;
    if (f->setup.recosts &&
        f->loop.kernel->create(&f->setup.kernel_spec, &f->loop.instance,
                               &err) != 0)
        fail_msg("%s", err.text);
    if (setup_build_tree(&f->setup, &f->tree, &err) != 0)
        fail_msg("%s", err.text);
    const struct run_transport of = {&f->setup,   &f->loop,    &f->tree,
                                     &f->powers,  &f->planned, NULL,
                                     &f->context, &f->patience};
    if (run_transport_open(&f->transport, &of, &err) != 0)
        fail_msg("%s", err.text);
}

static void close_cell(struct fixture *f)
{
    transport_close(&f->transport);
    if (f->loop.instance != NULL)
        f->loop.kernel->destroy(f->loop.instance);
    loop_costs_close(&f->loop);
    tree_free(&f->tree);
    setup_free(&f->setup);
}

/* Leads of requests and deadlines of chunks follow from it. */
static void an_iteration_takes_its_part_of_one_step(void **state)
{
    static const struct {
        const char *kernel;
        int steps; /* as the loop has them */
        double serial_s, advance_s, iteration_s;
    } is[] = {{"kernel=sph:size=4,steps=10", 10, 640e-3, 0, 1e-3},
              {"kernel=sph:size=4,steps=10", 10, 730e-3, 10e-3, 1e-3},
              {"kernel=sph:size=4,steps=1", 1, 64e-3, 0, 1e-3},
              {"kernel=heat:rows=64,cols=9,steps=5", 5, 320e-3, 0, 1e-3},
              {"kernel=triad:size=64,block=1", 0, 64e-3, 0, 1e-3},
              {"kernel=null:size=64", 0, -1, 0, 0}};
    for (size_t i = 0; i < sizeof(is) / sizeof(*is); i++) {
        struct fixture f;
        open_cell(&f, state, WORDS(is[i].kernel, "scheme=ss", "threads=2"),
                  &(struct loop){.iterations = 64,
                                 .grid.steps = is[i].steps,
                                 .serial_s = is[i].serial_s,
                                 .extra.advance_s = is[i].advance_s});
        assert_seconds(f.transport.setup.iteration_s, is[i].iteration_s);
        close_cell(&f);
    }
}

/* The chunks of one step, which two workers ask for in turn. */
static void assert_sizes(struct fixture *f, bool further, const int *size)
{
    struct transport_end end;
    struct error err = {""};
    struct chunk chunk;
    int64_t next[2] = {0}, all = 0;
    assert_int_equal(end_open(&end, &f->transport, &f->context.comm, &err), 0);
    assert_int_equal(transport_rewind(&f->transport, further), 0);
    end_reset(&end, further);
    for (int i = 0; source_next(end_source(&end, i % 2), &chunk); i++) {
        assert_int_equal(chunk.size, size[i]);
        next[i % 2] = chunk.start + chunk.size;
        all += chunk.size;
    }
    assert_int_equal(all, f->loop.iterations);
    assert_int_equal(next[0] > next[1] ? next[0] : next[1], all);
    end_close(&end);
}

/* Eight equal iterations; then the first four took 1 s and the others 3. */
static void chunks_follow_what_the_last_step_took(void **state)
{
    static const struct {
        const char *scheme;
        int first[8], then[8];
    } is[] = {{"scheme=static:by=cost", {4, 4}, {6, 2}},
              {"scheme=hss", {3, 2, 1, 1, 1}, {4, 1, 1, 1, 1}},
              {"scheme=binlpt", {3, 3, 2}, {5, 2, 1}}};
    for (size_t i = 0; i < sizeof(is) / sizeof(*is); i++) {
        struct fixture f;
        struct loop_took took[] = {{4, 4, 3}, {0, 4, 1}};
        open_cell(&f, state,
                  WORDS("kernel=sph:size=2,steps=3", is[i].scheme, "costs=last",
                        "threads=2"),
                  &(struct loop){.iterations = 8, .grid.steps = 3});
        assert_sizes(&f, false, is[i].first);
        loop_costs_step(&f.loop, took, 2);
        assert_sizes(&f, true, is[i].then);
        loop_costs_begin(&f.loop);
        assert_sizes(&f, false, is[i].first);
        close_cell(&f);
    }
}

/* Costs 1, 2, 3, 4: the clock was too coarse for the first chunk. */
static void chunks_keep_the_proportions_of_their_iterations(void **state)
{
    struct fixture f;
    struct error err = {""};
    const double *before;
    static const double expected[] = {0, 1.4, 4.2, 10.2, 18.2};
    struct loop_took took[] = {{2, 2, 14}, {0, 2, 0}}, none[] = {{0, 4, 0}};
    open_cell(&f, state, WORDS("kernel=adjoint:size=2", "threads=2"),
              &(struct loop){.iterations = 4});
    f.loop.kernel = &rising_kernel;
    assert_int_equal(
        loop_costs(&f.loop, "last", &f.context.comm, &before, &err), 0);
    loop_costs_step(&f.loop, took, 2);
    for (int i = 0; i < 5; i++)
        assert_seconds(before[i], expected[i]);
    loop_costs_step(&f.loop, none, 1);
    assert_seconds(before[4], expected[4]);
    f.loop.kernel = f.setup.kernel;
    close_cell(&f);
}

static void costs_of_the_last_step_need_one(void **unused)
{
    struct setup s;
    open_good(&s, WORDS("kernel=sph", "scheme=hss", "costs=last", "threads=2"));
    assert_true(s.recosts && s.stamps && s.replan);
    setup_free(&s);
    open_good(&s, WORDS("kernel=sph", "scheme=gss", "costs=last", "threads=2"));
    assert_true(!s.recosts && !s.stamps && s.cell.costs[0] == '\0');
    setup_free(&s);
    bad(WORDS("kernel=sph:steps=1", "scheme=hss", "costs=last"), -ENOTSUP,
        "costs last: kernel sph has one time step here");
    bad(WORDS("kernel=triad", "scheme=hss", "costs=last"), -ENOTSUP,
        "costs last: kernel triad has one time step here");
    bad(WORDS("kernel=sph", "scheme=hss", "costs=last", "placement=sticky"),
        -ENOTSUP, "only the first time step is handed out: use replan");
    bad(WORDS("kernel=sph", "scheme=hss", "costs=last", "layout=2x1",
              "transport=window", "window=rma"),
        -ENOTSUP, "cannot carry the times of chunks in an rma window");
}

static struct source_early early_of(void **state, const char *const *words,
                                    const struct loop *loop)
{
    struct fixture f;
    struct transport_end end;
    struct error err = {""};
    open_cell(&f, state, words, loop);
    assert_int_equal(end_open(&end, &f.transport, &f.context.comm, &err), 0);
    assert_int_equal(transport_rewind(&f.transport, false), 0);
    end_reset(&end, false);
    struct source_early early = end_source(&end, 0)->early;
    end_close(&end);
    close_cell(&f);
    return early;
}

#define TRIAD "kernel=triad:size=64,block=1", "threads=2"

/* 64 iterations of 80 ns: a chunk of 12 is short.  The last four chunks of two
 * workers go to whoever is free. */
static void requests_go_ahead_of_a_counter(void **state)
{
    static const struct {
        const char *words[5];
        int until;
    } is[] = {{{TRIAD, "scheme=ss"}, 60},
              {{TRIAD, "scheme=css:chunk=12"}, 2},
              {{TRIAD, "scheme=css:chunk=13"}, 0},
              {{TRIAD, "scheme=ss", "prefetch=off"}, 0},
              {{TRIAD, "scheme=ss", "perturb=delay:worker=1"}, 0},
              {{TRIAD, "scheme=awf-c"}, 0},
              {{TRIAD, "scheme=ss", "hierarchy=2"}, 0}};
    double cost[65];
    struct loop loop = {
        .iterations = 64, .serial_s = 5120e-9, .cost_before = cost};
    for (int i = 0; i <= 64; i++)
        cost[i] = i * 80e-9;
    for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
        struct source_early early = early_of(state, is[i].words, &loop);
        assert_int_equal(early.from, 0);
        assert_int_equal(early.until, is[i].until);
    }
    /* Nobody has timed the iterations; there is nothing to time. */
    loop.cost_before = NULL;
    assert_int_equal(early_of(state, is[0].words, &loop).until, 0);
    loop.serial_s = -1;
    assert_int_equal(early_of(state, is[2].words, &loop).until, 1);
}

/* One value for all schemes of a loop, so that they are compared. */
static void requests_go_ahead_where_cells_say_so(void **unused)
{
    static const struct {
        const char *words[5];
        bool on;
    } is[] = {
        {{"kernel=null", "scheme=ss"}, true},
        {{"kernel=null", "scheme=awf-c", "threads=3"}, true},
        {{"kernel=null", "scheme=ss", "perturb=delay"}, true},
        {{"kernel=null", "scheme=ss", "platform=this-machine"}, true},
        {{"kernel=null", "scheme=ss", "platform=a.xml"}, false},
        {{"kernel=adjoint", "scheme=ss", "reissue=on"}, false},
        {{"kernel=null", "hierarchy=2", "threads=4"}, false},
        {{"kernel=null", "hierarchy=node", "threads=4"}, false},
        {{"kernel=heat", "scheme=ss"}, false},
        {{"kernel=null", "transport=steal"}, false},
        {{"kernel=null", "ranks=2", "transport=window"}, true},
        {{"kernel=null", "ranks=2", "transport=window", "window=rma"}, false},
        {{"kernel=null", "ranks=2", "platform=a.xml"}, true}};
    for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
        struct cell cell = good(is[i].words);
        if (cell.prefetch != is[i].on)
            fail_msg("%s, %s ...", is[i].words[0], is[i].words[1]);
    }
}

static int open_comm(void **state)
{
    struct error err;
    *state = calloc(1, sizeof(struct comm));
    return comm_open(*state, &err);
}

static int close_comm(void **state)
{
    comm_close(*state);
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_iteration_takes_its_part_of_one_step),
        cmocka_unit_test(chunks_follow_what_the_last_step_took),
        cmocka_unit_test(chunks_keep_the_proportions_of_their_iterations),
        cmocka_unit_test(costs_of_the_last_step_need_one),
        cmocka_unit_test(requests_go_ahead_of_a_counter),
        cmocka_unit_test(requests_go_ahead_where_cells_say_so),
    };
    return cmocka_run_group_tests(tests, open_comm, close_comm);
}
