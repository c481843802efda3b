/* The parts that do not depend on PAPI: the list, the facts, and the messages
 * where nothing can be counted. */
#include "harness/counters/counters_testing.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct counters *open_list(const char *text, int threads)
{
    struct counters_list list;
    struct counters *counters;
    struct error err;
    assert_int_equal(counters_parse(text, &list, &err), 0);
    assert_int_equal(counters_open(&counters, &list, threads, &err), 0);
    return counters;
}

static void lists_are_read(void **state)
{
    struct counters_list list;
    struct error err;
    assert_int_equal(counters_parse("default", &list, &err), 0);
    assert_true(list.any);
    assert_int_equal(list.count, 1);
    assert_int_equal(counters_parse("default,cycles:u,default", &list, &err),
                     0);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.name[1], "cycles:u");
    testing_refuses("r0,r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf,r10",
                    "more than 16");
    testing_refuses("r0,r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,default",
                    "more than 16");
    assert_int_equal(counters_parse("none", &list, &err), 0);
    assert_false(list.any);
    testing_refuses("", "empty name");
    testing_refuses("default,", "empty name");
    testing_refuses(",default", "empty name");
    testing_refuses("default,none", "none does not go with others");
    testing_refuses("PAPI_\"TOT", "no event has");
    testing_refuses("rm -rf", "no event has");
    char word[200] = {0};
    memset(word, 'x', sizeof(word) - 1);
    testing_refuses(word, "longer than 95");
}

static void none_counts_nothing(void **state)
{
    struct counters_values values;
    struct counters *counters = open_list("none", 2);
    assert_null(counters);
    assert_null(counters_watch(counters, 0));
    memset(&values, 0xa5, sizeof(values));
    const struct counters_values before = values;
    counters_thread_open(counters, 0);
    counters_begin(counters, 0);
    counters_pause(counters, 0);
    counters_resume(counters, 0);
    counters_take(counters, 0, &values);
    counters_thread_close(counters, 0);
    counters_close(counters);
    assert_memory_equal(&values, &before, sizeof(values));
}

static double processor_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* First touches of pages, a sleep, and work for a fixed processor time, however
 * long others keep the core. */
static void facts_are_of_the_loop(void **state)
{
    enum { PAGES = 100, PAGE = 4096 };
    struct counters_values values, second;
    struct counters *counters = open_list("default", 1);
    char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
    counters_thread_open(counters, 0);
    counters_begin(counters, 0);
    for (int i = 0; i < PAGES; i++)
        memory[i * PAGE] = 1;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    double since = processor_s();
    while (processor_s() - since < 0.05)
        ;
    counters_pause(counters, 0);
    counters_resume(counters, 0);
    counters_take(counters, 0, &values);
    counters_begin(counters, 0);
    counters_take(counters, 0, &second);
    counters_thread_close(counters, 0);
    counters_close(counters);
    munmap(memory, PAGES * PAGE);
    assert_in_range(values.faults_minor, PAGES, PAGES + 50);
    assert_in_range(values.switches_voluntary, 1, 5);
    /* Some kernels count in ticks of 10 ms. */
    assert_true(values.user_s + values.system_s > 0.02);
    assert_true(values.user_s + values.system_s < 0.2);
    assert_true(second.faults_minor < 50 && second.switches_voluntary == 0);
}

/* Every requested event is counted, or the reason is given. */
static void what_is_missing_is_said(void **state)
{
    double reading_s, facts_s;
    struct counters *counters = open_list("default", 1);
    counters_thread_open(counters, 0);
    bool any = false;
    assert_true(counters_asked(counters)->count >= 4);
    for (int i = 0; i < counters_asked(counters)->count; i++) {
        const char *why = counters_why(counters, i);
        assert_true(why == NULL || strlen(why) > 10);
        any = any || why == NULL;
    }
    assert_int_equal(counters_watch(counters, 0) != NULL, any);
    assert_int_equal(counters_by(counters) != NULL, any);
    counters_cost(counters, 0, &reading_s, &facts_s);
    assert_int_equal(reading_s > 0, any);
    assert_true(facts_s > 0 && facts_s < 1e-3);
    counters_thread_close(counters, 0);
    counters_close(counters);
}

TESTS(cmocka_unit_test(lists_are_read), cmocka_unit_test(none_counts_nothing),
      cmocka_unit_test(facts_are_of_the_loop),
      cmocka_unit_test(what_is_missing_is_said))
