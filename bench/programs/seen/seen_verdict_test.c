/* Verdicts are limited by what the same row says of others' load. */
#include "bench/programs/seen/seen_testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void has(const struct loops_loop *loop, const char *said,
                const char *not_said)
{
    char text[320];
    bool is_loop = counters_is_loop(loop->site->clause);
    const char *found = is_loop ? verdict_text(loop, 1, text, sizeof(text))
                                : verdict_part(loop, 1, text, sizeof(text));
    says(found, said, not_said);
}

static void a_gain_below_what_balance_saves_has_its_reason(void **unused)
{
    const struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    struct loops_loop quiet = row(&loop), loaded = quiet;
    has(&quiet, "up to 30.0 % of the program", "others");
    loaded.lost_s = 0.1;
    has(&loaded,
        "up to 20.0 % of the program, for waiting at the end (the rest "
        "may be others', who had its cores at times): ",
        "30.0");
}

static void the_longest_of_unequal_chunks_is_not_known(void **unused)
{
    const struct counters_site guided = site(CLAUSE_GUIDED, 0);
    struct counters_site dynamic = site(CLAUSE_DYNAMIC, 0);
    struct loops_loop loop = row(&guided);
    loop.lost_s = 0.1;
    loop.longest_s = 0.02;
    has(&loop, "up to 20.0 % of the program", "2.0 % (");
    loop.site = &dynamic;
    dynamic.sample.chunks = dynamic.chunks;
    has(&loop, "up to 2.0 % of the program", "20.0");
    dynamic.sample.chunks--; /* the sample represents 1.0 of 1.3 s */
    loop.chunk_s = 0.012;
    has(&loop, "up to 12.0 % of the program", "20.0");
}

static void what_is_never_changed_is_said_of_shared_cores_too(void **unused)
{
    struct counters_site dynamic = site(CLAUSE_DYNAMIC, 0);
    struct loops_loop loop = row(&dynamic);
    loop.shares = true;
    has(&loop, "not judged: its threads share cores", "never changed");
    dynamic.flags = COUNTERS_ORDERED;
    has(&loop, "never changed", "share cores");
}

static void little_waiting_is_judged_whoever_made_it(void **unused)
{
    const struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    struct loops_loop its = row(&loop);
    its.saved_s = 2e-6;
    its.asked_s = 0.02;
    its.lost_s = 0.06;
    has(&its, "fine as it is", "not judged");
    its.lost_s = 0.8;
    has(&its, "not judged: other threads or processes had", "fine as it is");
    const struct counters_site part = site(CLAUSE_PART, KIND_STATIC);
    its = row(&part);
    its.saved_s = 0.008;
    its.lost_s = 0.006;
    has(&its, "fine as it is: balance would save at most 0.8 %", "not judged");
}

static void handing_out_is_what_chunks_leave(void **unused)
{
    const struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    struct loops_loop its = row(&loop);
    its.saved_s = 0;
    its.asked_s = 0.3;
    its.chunk_s = 0.018; /* of 100 on 2 threads: 0.9 s */
    has(&its, "up to 9.0 % of the program, most of it for handing out", "30");
    its.chunk_cv = 1; /* 400 of 0.018 s may well be 0.0198 s in the mean */
    struct counters_site timed = loop;
    timed.sample.chunks = 400;
    its.site = &timed;
    has(&its, "at most 0.9 % of the program", "up to");
    its.chunk_s = 0.02;
    has(&its, "at most 0.0 % of the program", "up to");
}

/* One of a few timed requests loses its core. */
static void a_long_request_is_not_the_schedules_where_others_ran(void **unused)
{
    const struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    struct loops_loop its = row(&loop);
    its.saved_s = 0.01;
    its.asked_s = 5;
    its.chunk_s = 0.012; /* of 100 on 2 threads: 0.6 s */
    has(&its, "up to 36.1 % of the program, most of it for handing out", "not");
    its.lost_s = 0.6;
    has(&its, "not judged: other threads or processes had", "up to");
    assert_true(verdict_unjudged_s(&its) > 0.34);
}

static void idle_threads_are_judged_where_others_were_not_there(void **unused)
{
    struct counters_site tasks = site(CLAUSE_PART, KIND_TASKS);
    struct loops_loop quiet = row(&tasks), loaded = quiet;
    quiet.lost_s = 0.5;
    has(&quiet, "time: fewer and longer tasks, or one", "not judged");
    tasks.units = (struct counters_units){.count = 10, .ticks = 1};
    has(&quiet, "idle 30.0 % of their time: more and shorter", "not judged");
    assert_true(verdict_unjudged_s(&quiet) == 0);
    loaded.lost_s = 0.7;
    has(&loaded, "not judged: other threads or processes had its cores for 50",
        "shorter tasks");
    const struct counters_site around = site(CLAUSE_PART, KIND_LOOP);
    const struct loops_loop its = row(&around);
    has(&its, "idle 30.0 % of their time: its loop above says",
        "do not change");
    assert_true(verdict_unjudged_s(&loaded) > 0.29);
}

static void visits_that_ended_are_judged_at_a_signal(void **unused)
{
    const struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    struct loops_loop most = row(&loop), last = most;
    last.open_s = 0.1;
    has(&last, "up to 30.0 % of the program", "not over");
    most.open_s = 0.6;
    has(&most, "not over when the program ended: 600.0 ms", "up to");
}

static void what_to_try_suits_the_loop(void **unused)
{
    struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    struct loops_loop its = row(&loop);
    char list[ADVICE_SIZE];
    has(&its, "waiting at the end: more and smaller chunks, ", "larger");
    its.chunk_s = 2e-7;
    has(&its, "waiting at the end: --try", "smaller");
    advice_list(&its, list); /* waiting for chunks is no computing */
    assert_string_equal(list, "css:chunk=16,fss,tss,ss,threads");
    its.busy_s = 1e-6; /* of 500 iterations for a thread in a visit */
    advice_list(&its, list);
    assert_string_equal(list, "fss,tss,gss,threads");
    its.busy_s = 0; /* not timed */
    advice_list(&its, list);
    assert_string_equal(list, "css:chunk=16,fss,tss,gss");
    its.saved_s = 0;
    its.asked_s = 0.5;
    loop.chunks = loop.visits; /* no larger ones are left */
    has(&its, "fine as it is", "handing out");
    const uint32_t clauses[] = {CLAUSE_REGION, CLAUSE_PART, CLAUSE_BLOCKS};
    for (int i = 0; i < 3; i++) {
        loop = site(clauses[i], KIND_STATIC);
        its = row(&loop);
        assert_int_equal(advice_list(&its, list), 4);
        assert_string_equal(list, "fss,tss,ss,last-first");
        its.busy_s = its.seconds = 3e-4; /* of two threads in ten visits */
        assert_int_equal(advice_list(&its, list), 5);
        assert_string_equal(list, "fss,tss,ss,last-first,threads");
        its.seconds = 1.9e-4; /* one thread takes 1.6 times as long */
        assert_int_equal(advice_list(&its, list), 4);
    }
}

static void one_thread_waits_for_no_other(void **unused)
{
    struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    struct loops_loop its = row(&loop);
    its.saved_s = 0;
    its.locks_s = 0.6;
    has(&its, "threads wait for one another 30.0 %", "one thread");
    loop.threads_max = 1;
    has(&its, "one thread, nothing to schedule", "wait");
}

/* A number that others may have made is not said without them. */
static void a_gain_that_others_may_have_made_is_no_gain(void **unused)
{
    const struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    struct loops_loop its = row(&loop);
    its.busy_s = 1;
    its.lost_s = 0.12;
    has(&its, "(others had its cores at times: this may be theirs)", "rest");
}

TESTS(cmocka_unit_test(a_gain_below_what_balance_saves_has_its_reason),
      cmocka_unit_test(the_longest_of_unequal_chunks_is_not_known),
      cmocka_unit_test(what_is_never_changed_is_said_of_shared_cores_too),
      cmocka_unit_test(little_waiting_is_judged_whoever_made_it),
      cmocka_unit_test(handing_out_is_what_chunks_leave),
      cmocka_unit_test(a_long_request_is_not_the_schedules_where_others_ran),
      cmocka_unit_test(idle_threads_are_judged_where_others_were_not_there),
      cmocka_unit_test(visits_that_ended_are_judged_at_a_signal),
      cmocka_unit_test(what_to_try_suits_the_loop),
      cmocka_unit_test(one_thread_waits_for_no_other),
      cmocka_unit_test(a_gain_that_others_may_have_made_is_no_gain))
