#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/check.h"

#include <time.h>
#include <unistd.h>

/* A file with the given bytes; its spec, with `more` keys, goes to text. */
static void write_trace(char path[64], const char *bytes, size_t size)
{
    snprintf(path, 64, "/tmp/dlsbench_trace_XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
    close(fd);
}

static void refused(const char *bytes, size_t size, int line, const char *words)
{
    char path[64], text[128], want[128];
    write_trace(path, bytes, size);
    snprintf(text, sizeof(text), "trace:file=%s", path);
    if (line > 0)
        snprintf(want, sizeof(want), "%s:%d: %s", path, line, words);
    else
        snprintf(want, sizeof(want), "%s %s", path, words);
    check_refused(text, EINVAL, want);
    unlink(path);
}
#define REFUSED(bytes, line, words)                                            \
    refused(bytes, sizeof(bytes) - 1, line, words)

static void bad_files_are_refused_with_the_line(void **unused)
{
    (void)unused;
    REFUSED("", 0, "has no costs");
    REFUSED("# nothing\n\n  \t\n", 0, "has no costs");
    REFUSED("1e-6\nabc\n", 2, "'abc' is not a number");
    REFUSED("# x\n\n1e-6 2e-6\n", 3, "'1e-6 2e-6' is not a number");
    REFUSED("nan", 1, "'nan' is not a number");
    REFUSED("1\n-1e-9\n", 2, "the cost -1e-9 is negative");
    REFUSED("1\n-inf\n", 2, "the cost -inf is negative");
    REFUSED("inf\n", 1, "the cost inf is above 1e+06 seconds");
    REFUSED("1e7 # days\n", 1, "the cost 1e7 is above");
    REFUSED("1\n1\0\n", 2, "a zero byte");
    REFUSED("0:1\n", 1, "'0:1': before the colon");
    REFUSED("1\n2x:1\n", 2, "'2x:1': before the colon");
}

static void missing_files_are_refused(void **unused)
{
    (void)unused;
    check_refused("trace", EINVAL, "file= is missing");
    check_refused("trace:file=/nonexistent/x", ENOENT,
                  "/nonexistent/x: No such file");
    check_refused("trace:file=/tmp", EINVAL, "/tmp: not a regular file");
    check_refused("trace:file=/dev/zero", EINVAL, "zero: not a regular file");
    check_refused("trace:file=x,steps=0", EINVAL, "out of range");
}

static const char good[] = "# costs\n1e-5\n\n  2.5e-5 # x\r\n0\n-0\n1e-4";

static void run_has_the_bits_of_the_reference(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    char path[64], text[128];
    write_trace(path, good, sizeof(good) - 1);
    static const char *const more[] = {"",
                                       ",steps=1e6",
                                       ",steps=1",
                                       ",steps=1,input=100",
                                       ",steps=1,output=101",
                                       ",steps=1,output=16,wait=on"};
    for (int i = 0; i < 6; i++) {
        snprintf(text, sizeof(text), "trace:file=%s%s", path, more[i]);
        check_bits(text, seed);
    }
    unlink(path);
}

static void the_output_does_not_depend_on_the_rate(void **unused)
{
    (void)unused;
    char path[64], text[2][128];
    uint64_t out[2][10];
    write_trace(path, good, sizeof(good) - 1);
    snprintf(text[0], sizeof(text[0]), "trace:file=%s", path);
    snprintf(text[1], sizeof(text[1]), "trace:file=%s,steps=1e5", path);
    for (int i = 0; i < 2; i++) {
        struct check_kernel k = check_make(text[i]);
        assert_int_equal(k.iterations, 5);
        assert_int_equal(k.bytes, 16);
        k.ops->run(k.instance, k.scratch, 0, 5, out[i], NULL);
        check_free(&k);
    }
    assert_memory_equal(out[0], out[1], sizeof(out[0]));
    for (int i = 0; i < 5; i++)
        assert_int_equal(out[0][2 * i], i);
    unlink(path);
}

static void count_poll(void *arg)
{
    ++*(int *)arg;
}

/* A tenth of a second: no processor time to speak of, and many polls. */
static void waiting_takes_time_and_no_core(void **unused)
{
    (void)unused;
    char path[64], text[128], out[40];
    int polls = 0;
    const struct kernel_poll poll = {count_poll, &polls};
    write_trace(path, "0.1\n", 4);
    snprintf(text, sizeof(text), "trace:file=%s,steps=1,output=40,wait=on",
             path);
    struct check_kernel k = check_make(text);
    assert_int_equal(k.bytes, 40);
    struct timespec before, after;
    clock_t used = clock();
    clock_gettime(CLOCK_MONOTONIC, &before);
    k.ops->run(k.instance, k.scratch, 0, 1, out, &poll);
    clock_gettime(CLOCK_MONOTONIC, &after);
    used = clock() - used;
    double took = (double)(after.tv_sec - before.tv_sec) +
                  1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    assert_true(took >= 0.1);
    assert_true((double)used / CLOCKS_PER_SEC < 0.09);
    assert_true(polls > 1 && polls <= 4000);
    check_free(&k);
    unlink(path);
}

static void input_data_are_read_as_they_came(void **unused)
{
    (void)unused;
    char path[64], text[128];
    write_trace(path, good, sizeof(good) - 1);
    snprintf(text, sizeof(text), "trace:file=%s,steps=1,input=100", path);
    check_input(text, 2, false);
    check_input(text, 2, true);
    unlink(path);
}

static void a_line_can_stand_for_many(void **unused)
{
    (void)unused;
    char path[64], text[128];
    write_trace(path, "1e-5\n3:2e-5\n", 12);
    snprintf(text, sizeof(text), "trace:file=%s,steps=1", path);
    struct check_kernel k = check_make(text);
    assert_int_equal(k.iterations, 4);
    assert_true(k.ops->cost->operations(k.instance, 0) == 1e-5);
    for (int i = 1; i < 4; i++)
        assert_true(k.ops->cost->operations(k.instance, i) == 2e-5);
    check_free(&k);
    unlink(path);
    /* 100 bytes must not ask for a gigabyte. */
    write_trace(path, "33554432:0\n33554432:0\n1\n", 24);
    snprintf(text, sizeof(text), "trace:file=%s,steps=1", path);
    check_refused(text, EINVAL, ":3: there are more than 67108864 iterations");
    unlink(path);
}

static void a_long_iteration_polls_in_time(void **unused)
{
    (void)unused;
    char path[64], text[128];
    write_trace(path, "0.01\n", 5);
    snprintf(text, sizeof(text), "trace:file=%s,steps=1e8", path);
    struct check_kernel k = check_make(text);
    int64_t polls = 0;
    const struct kernel_poll poll = {check_count_poll, &polls};
    uint64_t out[2];
    k.ops->run(k.instance, k.scratch, 0, 1, out, &poll);
    assert_in_range(polls, 1000000 / 32768, 1000000 / 8192);
    check_free(&k);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_refused_with_the_line),
        cmocka_unit_test(missing_files_are_refused),
        cmocka_unit_test(run_has_the_bits_of_the_reference),
        cmocka_unit_test(the_output_does_not_depend_on_the_rate),
        cmocka_unit_test(waiting_takes_time_and_no_core),
        cmocka_unit_test(input_data_are_read_as_they_came),
        cmocka_unit_test(a_line_can_stand_for_many),
        cmocka_unit_test(a_long_iteration_polls_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
