/* The kernel's events, with and without PAPI.  Where no counters are, the tests
 * of counts are skipped and say why. */
#include "harness/counters/counters_testing.h"
#include "harness/counters/papi_events.h"
#include "harness/counters/perf.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ONE "imul %0, %0\n"
#define FOUR ONE ONE ONE ONE

/* So many multiplications, each of which needs the one before: three cycles
 * each, on every processor from Intel and AMD of the last fifteen years. */
enum { CHAINED = 4000000, CHAIN_CYCLES = 3 };

static void run_chain(int64_t length)
{
    uint64_t x = 3;
    for (int64_t i = 0; i < length / 4; i++) {
#if defined(__x86_64__)
        __asm__ volatile(FOUR : "+r"(x));
#else
        __asm__ volatile("" : "+r"(x));
#endif
    }
}

static void need_counters(void)
{
    char why[COUNTERS_WHY_SIZE];
    if (!events_no_pmu(why, sizeof(why)))
        return;
    print_message("skipped: %s\n", why);
    skip();
}

static struct counters *open_list(const char *text)
{
    struct counters_list list;
    struct counters *counters;
    struct error err;
    assert_int_equal(counters_parse(text, &list, &err), 0);
    assert_int_equal(counters_open(&counters, &list, 1, &err), 0);
    counters_thread_open(counters, 0);
    return counters;
}

static void close_list(struct counters *counters)
{
    counters_thread_close(counters, 0);
    counters_close(counters);
}

static struct counters_values count_chain(struct counters *counters,
                                          int64_t length)
{
    struct counters_values values;
    counters_begin(counters, 0);
    run_chain(length);
    counters_pause(counters, 0);
    counters_resume(counters, 0);
    counters_take(counters, 0, &values);
    return values;
}

/* As many counters as there are, read here and not by the program, count the
 * instructions of the same loop: false when two of them disagree, or when one
 * has another number the next time. */
static bool machine_counts_alike(void)
{
    enum { COUNTERS = 6, TIMES = 10 };
    int64_t least = INT64_MAX, most = 0;
    for (int k = 0; k < TIMES; k++) {
        int file[COUNTERS], files = 0;
        for (int i = 0; i < COUNTERS; i++) {
            struct perf_event_attr attr;
            perf_find("instructions:u", &attr);
            attr.pinned = 1;
            long got = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
            if (got >= 0)
                file[files++] = (int)got;
        }
        run_chain(CHAINED);
        for (int i = 0; i < files; i++) {
            int64_t value;
            if (read(file[i], &value, sizeof(value)) == sizeof(value)) {
                least = value < least ? value : least;
                most = value > most ? value : most;
            }
            close(file[i]);
        }
    }
    return least > CHAINED && most - least < least / 50;
}

/* A count that is wrong is the program's fault only where the machine's own
 * counters are right. */
static void assert_counted(bool right)
{
    if (!right && !machine_counts_alike()) {
        print_message("skipped: the counters of this machine count one loop "
                      "differently\n");
        skip();
    }
    assert_true(right);
}

/* Two successive counts that agree, by all events of the list and by event i.
 * A virtual machine's counter may stop for a while and then give another number
 * each time.  A count that is always wrong is returned. */
static struct counters_values count_steadily(struct counters *counters, int i)
{
    enum { TRIES = 40 };
    uint32_t all = counters_counted(counters);
    bool whole = false;
    struct counters_values last = count_chain(counters, CHAINED);
    for (int k = 0; k < TRIES; k++) {
        struct counters_values now = count_chain(counters, CHAINED);
        bool both = last.known == all && now.known == all;
        if (both && llabs(now.compute[i] - last.compute[i]) < CHAINED / 1000)
            return now;
        whole = whole || both;
        last = now;
    }
    assert_counted(whole);
    print_message("skipped: the counters of this machine stand still by "
                  "turns\n");
    skip();
    return last;
}

/* Another copy of this program takes all counters of the cores. */
static int lock_counters(void **state)
{
    int file = open(".", O_RDONLY | O_DIRECTORY);
    return file >= 0 && flock(file, LOCK_EX) == 0 ? 0 : -1;
}

static void names_are_perfs(void **state)
{
    struct perf_event_attr attr;
    assert_true(perf_find("cycles", &attr));
    assert_true(attr.type == PERF_TYPE_HARDWARE && !attr.exclude_kernel);
    assert_true(perf_find("branch-misses:u", &attr));
    assert_true(attr.config == PERF_COUNT_HW_BRANCH_MISSES &&
                attr.exclude_kernel && attr.exclude_hv);
    assert_true(perf_find("r1F2e:u", &attr));
    assert_true(attr.type == PERF_TYPE_RAW && attr.config == 0x1f2e);
    static const char *const wrong[] = {
        "cycle", "cycles:k", "cycles:", "r", "rxy", "r12345678901234567", "",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(perf_find(wrong[i], &attr));
    testing_refuses("cycels", "did you mean 'cycles'");
    testing_refuses("branch-miss", "did you mean 'branch-misses'");
}

/* The loop's known instructions and cycles, and a time that fits a real
 * frequency. */
static void counts_are_the_loops(void **state)
{
    need_counters();
#if defined(__x86_64__)
    struct counters *counters =
        open_list("cycles:u,instructions:u,task-clock,branch-misses:u");
    if (counters_counted(counters) != 15) {
        print_message("skipped: not all four can be counted together now\n");
        skip();
    }
    struct counters_values least = count_steadily(counters, 1);
    double instructions = (double)least.compute[1] / CHAINED;
    print_message("%.4f instructions\n", instructions);
    assert_counted(instructions > 1 && instructions < 2.5);
    for (int i = 0; i < 5; i++) {
        struct counters_values again = count_steadily(counters, 1);
        assert_counted(llabs(again.compute[1] - least.compute[1]) <
                       CHAINED / 100);
        if (again.compute[0] < least.compute[0])
            least = again;
    }
    double cycles = (double)least.compute[0] / CHAINED / CHAIN_CYCLES;
    double gigahertz = (double)least.compute[0] / (double)least.compute[2];
    print_message("%.4f of the cycles, %.2f GHz, read by %s\n", cycles,
                  gigahertz, counters_reading(counters));
    assert_counted(cycles > 0.9 && cycles < 1.15);
    assert_counted(gigahertz > 0.1 && gigahertz < 8);
    assert_counted(least.compute[3] < CHAINED / 1000);
    assert_string_equal(counters_by(counters), "perf");
    close_list(counters);
#else
    skip();
#endif
}

/* Both ways read the same counters: what one reads lies between what the other
 * read before and after. */
static void both_ways_agree(void **state)
{
    struct counters_list list = {.any = true, .count = 2};
    char why[COUNTERS_MAX][COUNTERS_WHY_SIZE] = {""};
    struct perf *perf;
    struct error err;
    need_counters();
    strcpy(list.name[0], "instructions:u");
    strcpy(list.name[1], "branches:u");
    assert_int_equal(perf_open(&perf, &list, 1, why, &err), 0);
    for (int first = 0; first < 2; first++) {
        perf_read_by(perf, first == 1);
        assert_int_equal(perf_thread_open(perf, 0), 3);
        int64_t last[2] = {0};
        for (int i = 0; i < 20; i++) {
            int64_t count[2] = {0};
            perf_read_by(perf, (i + first) % 2);
            perf_read(perf, 0, count);
            assert_counted(count[0] >= last[0] && count[1] >= last[1]);
            assert_counted(i == 0 || count[0] - last[0] < 100000);
            last[0] = count[0];
            last[1] = count[1];
        }
        assert_counted(last[0] > 0 && last[1] > 0);
        assert_int_equal(perf_lost(perf, 0), 0);
        perf_thread_close(perf, 0);
    }
    perf_close(perf);
}

/* Events take no turns: what does not fit says so, and the others count as if
 * they were alone. */
static void what_does_not_fit_is_said(void **state)
{
    need_counters();
    struct counters *alone = open_list("instructions:u");
    int64_t true_count = count_steadily(alone, 0).compute[0];
    close_list(alone);
    struct counters *many = open_list(
        "instructions:u,cycles:u,branches:u,branch-misses:u,cache-misses:u,"
        "cache-references:u,instructions,cycles,branches,branch-misses,"
        "cache-misses,cache-references");
    int counted = 0;
    for (int i = 0; i < counters_asked(many)->count; i++) {
        const char *why = counters_why(many, i);
        counted += why == NULL;
        assert_true(why == NULL || strlen(why) > 10);
    }
    print_message("%d of 12 fit\n", counted);
    assert_in_range(counted, 1, 12);
    assert_false(counters_multiplexed(many));
    struct counters_values values = count_steadily(many, 0);
    assert_counted(llabs(values.compute[0] - true_count) < true_count / 100);
    close_list(many);
}

/* Somebody with more rights takes all counters of the cores: counts of that
 * time are unknown, later ones are right again. */
static void what_is_lost_is_no_zero(void **state)
{
    enum { HOGS = 24 };
    int file[1024], files = 0;
    need_counters();
    struct counters *counters = open_list("instructions:u,branches:u");
    count_steadily(counters, 0);
    long cores = sysconf(_SC_NPROCESSORS_CONF);
    for (int core = 0; core < cores; core++)
        for (int i = 0; i < HOGS && files < 1024; i++) {
            struct perf_event_attr attr;
            perf_find("branches", &attr);
            attr.pinned = 1;
            long hog = syscall(SYS_perf_event_open, &attr, -1, core, -1, 0);
            if (hog >= 0)
                file[files++] = (int)hog;
        }
    usleep(1000);
    struct counters_values robbed = count_chain(counters, CHAINED);
    for (int i = 0; i < files; i++)
        close(file[i]);
    struct counters_values after = count_steadily(counters, 0);
    close_list(counters);
    if (files == 0) {
        print_message("skipped: no right to take the counters\n");
        skip();
    }
    assert_int_equal(robbed.known, 0);
    assert_int_equal(after.known, 3);
    assert_counted(after.compute[0] > CHAINED);
}

static void expect_refusal(int code, int paranoid, const char *words)
{
    char why[COUNTERS_WHY_SIZE];
    events_refusal(code, paranoid, why, sizeof(why));
    if (strstr(why, words) == NULL)
        fail_msg("'%s' is not in '%s'", words, why);
}

static void a_refusal_names_one_reason(void **unused)
{
    expect_refusal(EACCES, 3, "perf_event_paranoid is 3, and 2 or less");
    expect_refusal(EPERM, 2, "though perf_event_paranoid is 2: a container");
    expect_refusal(EPERM, -9, "cannot be read, or a container");
    expect_refusal(ENOENT, 2, "no PMU");
    expect_refusal(ENOSYS, 2, "no performance events");
    expect_refusal(EIO, 2, "refuses to count cycles: Input/output");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_perfs),
        cmocka_unit_test(counts_are_the_loops),
        cmocka_unit_test(both_ways_agree),
        cmocka_unit_test(what_does_not_fit_is_said),
        cmocka_unit_test(what_is_lost_is_no_zero),
        cmocka_unit_test(a_refusal_names_one_reason),
    };
    return cmocka_run_group_tests(tests, lock_counters, NULL);
}
