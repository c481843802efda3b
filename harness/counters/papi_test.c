/* Events with PAPI.  The kernel's software events, if permitted, are read like
 * processor counters. */
#include "harness/counters/counters_testing.h"

#include <errno.h>
#include <papi.h>
#include <sde_lib.h>
#include <string.h>
#include <sys/mman.h>

static void wrong_names_get_the_nearest(void **state)
{
    testing_refuses("PAPI_TOT_CYCC", "did you mean 'PAPI_TOT_CYC'");
    testing_refuses("default,PAPI_TOTINS", "did you mean 'PAPI_TOT_INS'");
    testing_refuses("sde:::papi_test::00", "did you mean 'sde:::papi_test::0'");
    testing_refuses("sde:::nobody::chunks", "is unknown");
    testing_refuses("sed:::nobody::chunks", "did you mean 'sde'");
    testing_refuses("no-event", "list events");
}

static void names_of_other_machines_pass(void **state)
{
    struct counters_list list;
    struct error err;
    assert_int_equal(
        counters_parse("nopmu::SOME_EVENT, PAPI_VEC_DP", &list, &err), 0);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.name[1], "PAPI_VEC_DP");
}

/* ---- two workers count ---- */

enum { WORKERS = 2, PAGE = 4096, COMPUTED = 64, WAITED = 32 };
#define LIST                                                                   \
    "sde:::papi_test::0,sde:::papi_test::1,perf::PAGE-FAULTS,nopmu::SOME_"     \
    "EVENT"

/* Counts that workers report themselves, as any library in the process may.
 * PAPI reads them even without counters of the processor. */
static long long reported[WORKERS];

struct bench {
    struct engine_team *team;
    struct counters *counters;
    struct counters_values values[WORKERS];
    char *memory[WORKERS];
};

static void touch(int thread, char *memory, int first, int count)
{
    reported[thread] += count;
    for (int i = first; i < first + count; i++)
        memory[i * PAGE] = 1;
}

static void open_body(int thread, void *arg)
{
    struct bench *bench = arg;
    counters_thread_open(bench->counters, thread);
}

static void close_body(int thread, void *arg)
{
    struct bench *bench = arg;
    counters_thread_close(bench->counters, thread);
}

/* Computes, waits for another thread, computes, and waits for the end. */
static void loop_body(int thread, void *arg)
{
    struct bench *bench = arg;
    char *memory = bench->memory[thread];
    counters_begin(bench->counters, thread);
    touch(thread, memory, 0, COMPUTED / 2);
    struct engine_watch *watch = counters_watch(bench->counters, thread);
    watch->wait(watch);
    touch(thread, memory, COMPUTED, WAITED / 2);
    watch->go_on(watch);
    touch(thread, memory, COMPUTED / 2, COMPUTED / 2);
    counters_pause(bench->counters, thread);
    touch(thread, memory, COMPUTED + WAITED / 2, WAITED / 2);
    counters_resume(bench->counters, thread);
    counters_take(bench->counters, thread, &bench->values[thread]);
}

static int bench_open(void **state)
{
    static struct bench memory;
    struct bench *bench = *state = &memory;
    struct counters_list list;
    struct error err;
    *bench = (struct bench){0};
    papi_handle_t library = papi_sde_init("papi_test");
    papi_sde_register_counter(library, "0", PAPI_SDE_RO | PAPI_SDE_DELTA,
                              PAPI_SDE_long_long, &reported[0]);
    papi_sde_register_counter(library, "1", PAPI_SDE_RO | PAPI_SDE_DELTA,
                              PAPI_SDE_long_long, &reported[1]);
    assert_int_equal(counters_parse(LIST, &list, &err), 0);
    assert_int_equal(engine_team_start(&bench->team, WORKERS, &err), 0);
    assert_int_equal(counters_open(&bench->counters, &list, WORKERS, &err), 0);
    engine_team_run(bench->team, open_body, bench);
    return 0;
}

static int bench_close(void **state)
{
    struct bench *bench = *state;
    engine_team_run(bench->team, close_body, bench);
    counters_close(bench->counters);
    engine_team_stop(bench->team);
    return 0;
}

static void run_loop(struct bench *bench)
{
    size_t bytes = (COMPUTED + WAITED) * PAGE;
    for (int i = 0; i < WORKERS; i++) {
        bench->memory[i] = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_ptr_not_equal(bench->memory[i], MAP_FAILED);
        madvise(bench->memory[i], bytes, MADV_NOHUGEPAGE);
    }
    engine_team_run(bench->team, loop_body, bench);
    for (int i = 0; i < WORKERS; i++)
        munmap(bench->memory[i], bytes);
}

static void workers_count_their_own(void **state)
{
    struct bench *bench = *state;
    run_loop(bench);
    run_loop(bench);
    bool faults = counters_why(bench->counters, 2) == NULL;
    for (int i = 0; i < WORKERS; i++) {
        const struct counters_values *v = &bench->values[i];
        assert_int_equal(v->known, faults ? 7 : 3);
        assert_int_equal(v->readings, 5);
        assert_int_equal(v->compute[i], COMPUTED);
        assert_int_equal(v->wait[i], WAITED);
        /* A few faults are the reading's own. */
        if (faults) {
            assert_in_range(v->compute[2], COMPUTED, COMPUTED + 10);
            assert_in_range(v->wait[2], WAITED, WAITED + 10);
        }
    }
    assert_non_null(counters_why(bench->counters, 3));
}

/* After a thread stops counting, it can name events and count again: PAPI must
 * still know the thread. */
static void a_thread_counts_again(void **state)
{
    struct counters_list list;
    struct counters *again;
    struct counters_values values;
    struct error err;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(counters_parse("perf::PAGE-FAULTS", &list, &err), 0);
        assert_int_equal(counters_open(&again, &list, 1, &err), 0);
        counters_thread_open(again, 0);
        counters_begin(again, 0);
        counters_pause(again, 0);
        counters_resume(again, 0);
        counters_take(again, 0, &values);
        assert_int_equal(values.known, counters_why(again, 0) == NULL);
        counters_thread_close(again, 0);
        counters_close(again);
    }
    /* The tests that follow find this thread as they left it. */
    assert_int_equal(PAPI_register_thread(), PAPI_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_names_get_the_nearest),
        cmocka_unit_test(names_of_other_machines_pass),
        cmocka_unit_test(workers_count_their_own),
        cmocka_unit_test(a_thread_counts_again),
    };
    return cmocka_run_group_tests(tests, bench_open, bench_close);
}
