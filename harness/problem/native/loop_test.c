/* The serial time of a loop with time steps: its iterations and, apart from
 * them, the making of the data between two steps. */
#include "harness/testing.h"

#include "harness/problem/loop.h"

#include <time.h>

enum { STEPS = 4 };
static const double PAUSE_S = 3e-3;

struct fixture {
    struct comm comm;
    char folder[256];
};

static const struct kernel_ops *sph(void)
{
    struct error err;
    return kernel_find("sph", &err);
}

static void slow_advance(const void *instance, void *state, const void *output)
{
    struct timespec pause = {.tv_nsec = (long)(PAUSE_S * 1e9)};
    nanosleep(&pause, NULL);
    sph()->steps->advance(instance, state, output);
}

static void open_loop(struct fixture *f, struct loop *loop,
                      const struct kernel_ops *kernel, const char *text)
{
    struct spec spec;
    struct error err = {""};
    const struct kernel_ops *named;
    if (kernel_parse(text, &named, &spec, &err) != 0 ||
        loop_open(loop, kernel, &spec, false, &f->comm, 1, 1, &err) != 0)
        fail_msg("%s", err.text);
}

static double cost_of_steps(const struct loop *loop)
{
    double sum = 0;
    for (int step = 0; step < loop_steps(loop); step++)
        sum += loop_cost(loop, step)[loop->iterations];
    return sum;
}

static void assert_adds_up(const struct loop *loop)
{
    double sum = cost_of_steps(loop) + loop_advances_s(loop);
    assert_true(cost_of_steps(loop) > 0);
    assert_float_equal(sum / loop->serial_s, 1, 1e-9);
}

static void time_between_steps_is_no_cost_of_iterations(void **state)
{
    struct loop loop;
    struct kernel_steps steps = *sph()->steps;
    struct kernel_ops slow = *sph();
    steps.advance = slow_advance;
    slow.steps = &steps;
    open_loop(*state, &loop, &slow, "sph:size=4,steps=4");
    assert_int_equal(loop_steps(&loop), STEPS);
    assert_true(loop.extra.advance_s >= PAUSE_S);
    assert_adds_up(&loop);
    loop_close(&loop);
}

/* All steps have the costs of one step. */
static void equal_steps_add_up(void **state)
{
    struct loop loop;
    struct error err;
    open_loop(*state, &loop, kernel_find("spmv", &err),
              "spmv:rmat=6,degree=4,steps=4");
    assert_false(loop.drifts);
    assert_true(loop.extra.advance_s > 0);
    assert_adds_up(&loop);
    loop_close(&loop);
}

static void one_step_has_nothing_between(void **state)
{
    struct loop loop;
    open_loop(*state, &loop, sph(), "sph:size=4,steps=1");
    assert_true(loop.extra.advance_s == 0 && loop_advances_s(&loop) == 0);
    assert_adds_up(&loop);
    loop_close(&loop);
}

static int setup(void **state)
{
    struct error err;
    struct fixture *f = calloc(1, sizeof(*f));
    testing_folder(f->folder, sizeof(f->folder));
    setenv("XDG_CACHE_HOME", f->folder, 1);
    *state = f;
    return comm_open(&f->comm, &err);
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    comm_close(&f->comm);
    testing_folder_remove(f->folder);
    free(f);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_between_steps_is_no_cost_of_iterations),
        cmocka_unit_test(equal_steps_add_up),
        cmocka_unit_test(one_step_has_nothing_between),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
