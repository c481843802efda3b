/* Whole simulated repetitions of small cells: what their workers did takes
 * exactly as long as computing, requests and messages take. */
#include "harness/engine/sim/world_testing.h"

#include "harness/cell/cell_testing.h"
#include "harness/repetition/repetition.h"

enum {
    WORKERS = 4,
    SHARE = 3,
    ITERATIONS = WORKERS * SHARE,
    REQUEST_BYTES = 48,
    ANSWER_BYTES = 24,
};
static const double REQUEST_S = 7e-6, ITERATION_S = 1e-3;

/* Kernel trace: every iteration costs ITERATION_S. */
struct fixture {
    char folder[256], kernel[400];
    struct worklist work;
    struct launch_context context;
    struct setup setup;
    struct loop loop;
    struct run *run;
    struct run_result result;
};

static void write_costs(struct fixture *f)
{
    char path[280], text[ITERATIONS * 16] = "";
    testing_folder(f->folder, sizeof(f->folder));
    snprintf(path, sizeof(path), "%s/costs.txt", f->folder);
    for (int i = 0; i < ITERATIONS; i++)
        strcat(text, "1e-3\n");
    testing_write(path, text, strlen(text));
    snprintf(f->kernel, sizeof(f->kernel), "kernel=trace:file=%s,steps=1",
             path);
}

static void check(int code, const struct error *err)
{
    if (code != 0)
        fail_msg("%s", err->text);
}

static void open_kernel(struct fixture *f, const char *kernel,
                        const char *scheme, const char *load)
{
    struct error err = {""};
    open_good(&f->setup, WORDS(kernel, scheme, load, "ranks=5", "threads=1",
                               "transport=master", "master=dedicated",
                               "prefetch=off", "collect=local"));
    check(loop_open(&f->loop, f->setup.kernel, &f->setup.kernel_spec, false,
                    &f->context.comm, 1, 1, &err),
          &err);
    check(run_open(&f->run, &f->setup, &f->loop, &f->context, false, &err),
          &err);
}

static void open_cell(struct fixture *f, const char *scheme, const char *load)
{
    open_kernel(f, f->kernel, scheme, load);
}

static void repeat(struct fixture *f)
{
    struct error err = {""};
    check(run_repeat(f->run, &f->result, &err), &err);
    assert_true(f->result.verified);
    assert_int_equal(f->result.iterations, ITERATIONS);
}

static void close_cell(struct fixture *f)
{
    run_close(f->run);
    loop_close(&f->loop);
    setup_free(&f->setup);
}

/* Worker 1, the first on another host than the master: its chunk and its end
 * are a request, the master's time for it, and an answer each. */
static void a_request_goes_there_and_back(void **state)
{
    struct fixture *f = *state;
    const struct worker_result *worker;
    double asked_s = testing_message_s(REQUEST_BYTES) + REQUEST_S +
                     testing_message_s(ANSWER_BYTES);
    open_cell(f, "scheme=static", "load=");
    for (int i = 0; i < 2; i++) {
        repeat(f);
        worker = &f->result.workers[1];
        assert_int_equal(worker->chunks, 1);
        assert_seconds(worker->compute_s, SHARE * ITERATION_S);
        assert_seconds(worker->wait_s, 2 * asked_s);
        assert_seconds(worker->finish_s, 2 * asked_s + SHARE * ITERATION_S);
    }
    assert_int_equal(f->result.chunks, WORKERS);
    close_cell(f);
}

static void each_chunk_is_asked_for(void **state)
{
    struct fixture *f = *state;
    double asked_s = testing_message_s(REQUEST_BYTES) + REQUEST_S +
                     testing_message_s(ANSWER_BYTES);
    open_cell(f, "scheme=css:chunk=1", "load=");
    repeat(f);
    assert_int_equal(f->result.chunks, ITERATIONS);
    assert_int_equal(f->result.workers[1].chunks, SHARE);
    assert_seconds(f->result.workers[1].compute_s, SHARE * ITERATION_S);
    assert_seconds(f->result.workers[1].wait_s, (SHARE + 1) * asked_s);
    close_cell(f);
}

/* Without a machine's slices a core is shared fairly at every moment. */
static void a_busy_core_takes_twice_as_long(void **state)
{
    struct fixture *f = *state;
    open_cell(f, "scheme=static", "load=w1:1,w2:3");
    repeat(f);
    assert_seconds(f->result.workers[0].compute_s, SHARE * ITERATION_S);
    assert_seconds(f->result.workers[1].compute_s, 2 * SHARE * ITERATION_S);
    assert_seconds(f->result.workers[2].compute_s, 4 * SHARE * ITERATION_S);
    close_cell(f);
}

/* All ranks make the data of the next step at the same time, between two. */
static void between_steps_every_rank_makes_data(void **state)
{
    static const double ADVANCE_S = 1e-3;
    struct fixture *f = *state;
    struct error err = {""};
    double without_s, between_s, cost_s = 0;
    open_kernel(f, "kernel=sph:size=2,steps=3", "scheme=static", "load=");
    double pairs = 8, operations = 6; /* of each of 8 particles */
    assert_seconds(f->loop.extra.advance_s,
                   loop_cost(&f->loop, 0)[8] * operations / pairs);
    assert_seconds(f->loop.serial_s, (3 * pairs + 2 * operations) / pairs *
                                         loop_cost(&f->loop, 0)[8]);
    f->loop.extra.advance_s = 0;
    check(run_repeat(f->run, &f->result, &err), &err);
    without_s = f->result.time_s;
    between_s = f->result.between_s;
    assert_true(between_s > f->result.exchange_s && f->result.exchange_s > 0);
    for (int step = 0; step < 3; step++)
        cost_s += loop_cost(&f->loop, step)[8];
    assert_seconds(f->result.bound_s, cost_s / WORKERS);
    f->loop.extra.advance_s = ADVANCE_S;
    check(run_repeat(f->run, &f->result, &err), &err);
    assert_true(f->result.verified);
    assert_seconds(f->result.time_s, without_s + 2 * ADVANCE_S);
    assert_seconds(f->result.between_s, between_s + 2 * ADVANCE_S);
    assert_seconds(f->result.advance_s, 2 * ADVANCE_S);
    assert_seconds(f->result.bound_s, cost_s / WORKERS + 2 * ADVANCE_S);
    close_cell(f);
}

static int open_fixture(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct error err;
    write_costs(f);
    f->work.ranks = PLACES;
    f->work.threads = 1;
    f->work.simulation.request_s = REQUEST_S;
    *state = f;
    if (comm_open(&f->context.comm, &err) != 0)
        return 1;
    return context_open(&f->context, &f->work, &err);
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    context_close(&f->context);
    testing_folder_remove(f->folder);
    free(f);
    return 0;
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_goes_there_and_back),
        cmocka_unit_test(each_chunk_is_asked_for),
        cmocka_unit_test(a_busy_core_takes_twice_as_long),
        cmocka_unit_test(between_steps_every_rank_makes_data),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}

int main(int argc, char **argv)
{
    return testing_simulate_bare(argc, argv, run_all);
}
