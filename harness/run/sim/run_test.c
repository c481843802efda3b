/* Whole simulated repetitions of small cells: what their workers did takes
 * exactly as long as computing, requests and messages take. */
#include "harness/engine/sim/world_testing.h"

#include "harness/cell/cell_testing.h"
#include "harness/run/run.h"

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
    struct plan plan;
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

static void open_cell(struct fixture *f, const char *scheme, const char *load)
{
    struct error err = {""};
    open_good(&f->setup, WORDS(f->kernel, scheme, load, "ranks=5", "threads=1",
                               "transport=master", "master=dedicated",
                               "prefetch=off", "collect=local"));
    check(loop_open(&f->loop, f->setup.kernel, &f->setup.kernel_spec, false,
                    &f->context.comm, 1, 1, &err),
          &err);
    check(run_open(&f->run, &f->setup, &f->loop, &f->context, false, &err),
          &err);
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
    setup_close(&f->setup);
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

static int open_fixture(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct error err;
    write_costs(f);
    f->plan.ranks = PLACES;
    f->plan.threads = 1;
    f->plan.simulation.request_s = REQUEST_S;
    *state = f;
    if (comm_open(&f->context.comm, &err) != 0)
        return 1;
    return context_open(&f->context, &f->plan, &err);
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
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}

int main(int argc, char **argv)
{
    return testing_simulate_bare(argc, argv, run_all);
}
