/* Verdicts are limited by what the same row says of others' load. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/programs/seen/seen_report.h"
#include "bench/programs/seen/seen_verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A loop of two threads that waits for 0.3 of 1 s at its end. */
static struct counters_site site(uint32_t clause, uint32_t kinds)
{
    return (struct counters_site){.clause = clause,
                                  .kinds = kinds,
                                  .visits = 10,
                                  .iterations = 10000,
                                  .chunks = 100,
                                  .threads_min = 2,
                                  .threads_max = 2};
}

static struct loops_loop row(const struct counters_site *site)
{
    return (struct loops_loop){.site = site,
                               .seconds = 1,
                               .saved_s = 0.3,
                               .here_s = 2,
                               .busy_s = 1.4,
                               .chunk_s = 0.01,
                               .longest_s = 0.2};
}

static void has(const struct loops_loop *loop, const char *said,
                const char *not_said)
{
    char text[320];
    bool is_loop = counters_is_loop(loop->site->clause);
    const char *found = is_loop ? verdict_text(loop, 1, text, sizeof(text))
                                : verdict_part(loop, 1, text, sizeof(text));
    if (strstr(found, said) == NULL || strstr(found, not_said) != NULL)
        fail_msg("'%s', not '%s', in: %s", said, not_said, found);
}

static void a_gain_below_what_balance_saves_has_its_reason(void **unused)
{
    (void)unused;
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
    (void)unused;
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
    (void)unused;
    struct counters_site dynamic = site(CLAUSE_DYNAMIC, 0);
    struct loops_loop loop = row(&dynamic);
    loop.shares = true;
    has(&loop, "not judged: its threads share cores", "never changed");
    dynamic.flags = COUNTERS_ORDERED;
    has(&loop, "never changed", "share cores");
}

static void little_waiting_is_judged_whoever_made_it(void **unused)
{
    (void)unused;
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
    (void)unused;
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
    (void)unused;
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
    (void)unused;
    const struct counters_site tasks = site(CLAUSE_PART, KIND_TASKS);
    struct loops_loop quiet = row(&tasks), loaded = quiet;
    quiet.lost_s = 0.5;
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
    (void)unused;
    const struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    struct loops_loop most = row(&loop), last = most;
    last.open_s = 0.1;
    has(&last, "up to 30.0 % of the program", "not over");
    most.open_s = 0.6;
    has(&most, "not over when the program ended: 600.0 ms", "up to");
}

static void answers_of(const struct answer_whole *whole,
                       const struct answer_sum *sum, const char *said,
                       const char *not_said)
{
    const struct report_run run = {.seconds = 1,
                                   .program = (char *[]){"./a", NULL}};
    char *text = answer_text(sum, whole, &run);
    if (strstr(text, said) == NULL || strstr(text, not_said) != NULL)
        fail_msg("'%s', not '%s', in: %s", said, not_said, text);
    free(text);
}

static void answers(const struct answer_sum *sum, const char *said,
                    const char *not_said)
{
    answers_of(&(struct answer_whole){.inside = 0.9}, sum, said, not_said);
}

/* What is between two short regions need be no serial code. */
static void many_short_regions_are_not_called_serial(void **unused)
{
    (void)unused;
    const struct answer_sum sum = {.threads = 2};
    answers_of(&(struct answer_whole){.inside = 0.2, .between_s = 2e-6}, &sum,
               "80 % of the time is outside of parallel regions, 2 us for each "
               "of them",
               "serial");
    answers_of(&(struct answer_whole){.inside = 0.2, .between_s = INFINITY},
               &sum, "(serial): schedules cannot help", "fewer");
}

static void ends_of_short_regions_are_an_answer(void **unused)
{
    (void)unused;
    const struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    const struct loops_loop its = row(&loop);
    struct answer_sum sum = {.row = &its, .threads = 2, .gain = 0.05};
    const struct answer_whole whole = {
        .all_s = 1, .inside = 0.8, .regions = 1e5, .edges = 0.5};
    answers_of(&whole, &sum,
               "up to 50 % of the time is for beginning and ending 100000 "
               "parallel regions, 5 us each: fewer and longer regions help, or "
               "one thread: see the next line (about 31 s)\n  dlsbench omp "
               "--try threads -- ./a\n",
               "to gain");
    sum.gain = 0.6;
    answers_of(&whole, &sum, "up to 60 % to gain", "ending");
}

static void what_to_try_suits_the_loop(void **unused)
{
    (void)unused;
    struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    struct loops_loop its = row(&loop);
    char list[ADVICE_SIZE];
    has(&its, "waiting at the end: more and smaller chunks, ", "larger");
    its.chunk_s = 2e-7;
    has(&its, "waiting at the end: --try", "smaller");
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

static void locks_hide_no_gain(void **unused)
{
    (void)unused;
    const struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    const struct loops_loop its = row(&loop);
    struct answer_sum sum = {.row = &its,
                             .threads = 2,
                             .here_s = 10,
                             .locked_s = 2,
                             .name = "f a.c:1"};
    answers(&sum, "schedules cannot help: threads wait for one another",
            "gain");
    sum.gain = sum.best = 0.05;
    answers(&sum,
            "locks 20 % of their time; schedules: up to 5 % to gain in f "
            "a.c:1: see the next line (about 51 s)\n  dlsbench omp --try "
            "css:chunk=16,fss,tss,ss -- ./a\n",
            "cannot help");
}

static void one_thread_waits_for_no_other(void **unused)
{
    (void)unused;
    struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    struct loops_loop its = row(&loop);
    its.saved_s = 0;
    its.locks_s = 0.6;
    has(&its, "threads wait for one another 30.0 %", "one thread");
    loop.threads_max = 1;
    has(&its, "one thread, nothing to schedule", "wait");
}

/* A schedule may be the cause in rows without a verdict. */
static void locks_answer_nothing_that_others_may_have_made(void **unused)
{
    (void)unused;
    const struct answer_whole loaded = {.inside = 0.9, .lost = 0.3};
    struct answer_sum sum = {
        .threads = 2, .here_s = 10, .locked_s = 2, .disturbed = 0.2};
    answers(&sum, "schedules cannot help", "quiet machine");
    answers_of(&loaded, &sum, "locks 20 % of their time; others had the cores",
               "cannot help");
    sum.disturbed = 0;
    answers_of(&loaded, &sum, "schedules cannot help", "quiet machine");
}

/* Nor is it "0.0 %" beside rows that wait. */
static void what_others_may_have_made_is_not_excluded(void **unused)
{
    (void)unused;
    struct answer_sum sum = {.threads = 2, .here_s = 10, .disturbed = 0.016};
    answers(&sum,
            "fine as it is, as far as this run tells: schedules could "
            "gain at most 1.6 %",
            "0.0");
    sum.disturbed = 0.2;
    answers(&sum,
            "this run cannot tell: others took the cores at times, and "
            "waiting for 20 % of the time",
            "fine as it is");
    sum = (struct answer_sum){.threads = 2, .gain = 0.004, .disturbed = 0.005};
    answers(&sum, "fine as it is: schedules could gain at most 0.9 %", "0.4");
}

/* A number that others may have made is not said without them. */
static void a_gain_that_others_may_have_made_is_no_gain(void **unused)
{
    (void)unused;
    const struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    struct loops_loop its = row(&loop);
    its.busy_s = 1;
    its.lost_s = 0.12;
    has(&its, "(others had its cores at times: this may be theirs)", "rest");
    const struct answer_whole loaded = {.inside = 0.9, .lost = 0.6};
    struct answer_sum sum = {.threads = 2, .gain = 0.23, .disturbed = 0.2};
    answers_of(&loaded, &sum,
               "this run cannot tell: others had the cores for 60 % of the "
               "time, and what seems a gain of up to 23 % may be theirs; run",
               "to gain");
    answers_of(&(struct answer_whole){.inside = 0.1, .lost = 0.6}, &sum,
               "90 % of the time is outside of parallel regions (serial): "
               "schedules cannot help there. For the rest this run cannot tell",
               "to gain");
}

static void what_no_schedule_changes_is_said_beside_a_gain(void **unused)
{
    (void)unused;
    const struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    struct loops_loop its = row(&loop);
    struct answer_sum sum = {.row = &its,
                             .threads = 2,
                             .gain = 0.02,
                             .best = 0.02,
                             .idle = 0.15,
                             .idler = "f a.c:5",
                             .what = "sections",
                             .name = "f a.c:1"};
    answers(&sum,
            "up to 2 % to gain in f a.c:1 (threads are idle 15 % of the time "
            "in f a.c:5, sections, which no schedule changes): see",
            "outside");
    strcpy(sum.what, "loop above, static"); /* what that waits is the gain */
    sum.idle_is_loop = true;
    answers(&sum, "up to 2 % to gain in f a.c:1: see", "idle");
    answers_of(&(struct answer_whole){.inside = 0.1}, &sum,
               "a.c:1 (90 % of the time is outside of parallel regions, which "
               "no schedule changes): see",
               "idle");
    sum.gain = sum.best = 0.2;
    answers(&sum, "up to 20 % to gain in f a.c:1: see", "idle");
    its.busy_s = 1e-4; /* of two threads in ten visits */
    answers(&sum, "1; its threads compute 5 us in a visit, so one", "idle");
}

static void what_still_runs_is_not_said_to_have_ended(void **unused)
{
    (void)unused;
    struct answer_sum sum = {.open = 0.5, .end = "still running"};
    strcpy(sum.open_name, "f a.c:1");
    answers(&sum, "f a.c:1, which still runs: ", "program still running");
    strcpy(sum.end, "ended by SIGINT");
    answers(&sum, "not over when the program ended by SIGINT", "still runs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gain_below_what_balance_saves_has_its_reason),
        cmocka_unit_test(the_longest_of_unequal_chunks_is_not_known),
        cmocka_unit_test(what_is_never_changed_is_said_of_shared_cores_too),
        cmocka_unit_test(little_waiting_is_judged_whoever_made_it),
        cmocka_unit_test(handing_out_is_what_chunks_leave),
        cmocka_unit_test(a_long_request_is_not_the_schedules_where_others_ran),
        cmocka_unit_test(idle_threads_are_judged_where_others_were_not_there),
        cmocka_unit_test(visits_that_ended_are_judged_at_a_signal),
        cmocka_unit_test(many_short_regions_are_not_called_serial),
        cmocka_unit_test(ends_of_short_regions_are_an_answer),
        cmocka_unit_test(what_to_try_suits_the_loop),
        cmocka_unit_test(locks_hide_no_gain),
        cmocka_unit_test(one_thread_waits_for_no_other),
        cmocka_unit_test(locks_answer_nothing_that_others_may_have_made),
        cmocka_unit_test(what_others_may_have_made_is_not_excluded),
        cmocka_unit_test(a_gain_that_others_may_have_made_is_no_gain),
        cmocka_unit_test(what_no_schedule_changes_is_said_beside_a_gain),
        cmocka_unit_test(what_still_runs_is_not_said_to_have_ended)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
