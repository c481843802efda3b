/* The answer says what its numbers allow, and no more. */
#include "bench/programs/seen/seen_testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void answers_of(const struct answer_whole *whole,
                       const struct answer_sum *sum, const char *said,
                       const char *not_said)
{
    const struct report_run run = {.seconds = 1,
                                   .program = (char *[]){"./a", NULL}};
    char *text = answer_text(sum, whole, &run);
    says(text, said, not_said);
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

/* Schedules gain nothing, and yet it is not fine. */
static void time_in_no_loop_is_not_called_fine(void **unused)
{
    const struct answer_sum sum = {.threads = 2};
    struct answer_whole whole = {.inside = 0.9, .beside = 0.6};
    answers_of(&whole, &sum,
               "60 % of the time is in parallel regions, and in none of their "
               "loops: schedules cannot help\n",
               "fine");
    whole.lost = 0.5;
    answers_of(&whole, &sum,
               "schedules cannot help, as far as this run tells: others had",
               "fine");
    whole.beside = 0.4;
    answers_of(&whole, &sum, "fine as it is", "in none");
}

static void locks_hide_no_gain(void **unused)
{
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
    sum.locked_s = 4.5;
    answers(&sum,
            "locks 45 % of their time; fewer threads may be as fast: see the "
            "next line (about 31 s)\n  dlsbench omp --try threads -- ./a\n",
            "to gain");
}

/* A schedule may be the cause in rows without a verdict. */
static void locks_answer_nothing_that_others_may_have_made(void **unused)
{
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

static void a_gain_that_others_may_have_made_is_no_gain(void **unused)
{
    const struct answer_whole loaded = {.inside = 0.9, .lost = 0.6};
    struct answer_sum sum = {.threads = 2, .gain = 0.23, .disturbed = 0.2};
    answers_of(&loaded, &sum,
               "this run cannot tell: others had the cores for 60 % of the "
               "time, and what seems a gain of up to 23 % may be theirs; run",
               "to gain");
    struct answer_whole serial = {.inside = 0.1, .lost = 0.6, .between_s = 1};
    answers_of(&serial, &sum,
               "90 % of the time is outside of parallel regions (serial): "
               "schedules cannot help there. For the rest this run cannot tell",
               "to gain");
}

static void what_no_schedule_changes_is_said_beside_a_gain(void **unused)
{
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
    const struct counters_site loop = site(CLAUSE_RUNTIME, 0);
    const struct loops_loop its = row(&loop);
    struct answer_sum sum = {.row = &its, .open = 0.5, .end = "still running"};
    strcpy(sum.open_name, "f a.c:1");
    answers(&sum, "f a.c:1, which still runs: ", "program still running");
    strcpy(sum.end, "ended by SIGINT");
    answers(&sum, "not over when the program ended by SIGINT", "still runs");
    sum.gain = 0.6;
    answers(&sum, "up to 60 % to gain", "not over");
}

TESTS(cmocka_unit_test(many_short_regions_are_not_called_serial),
      cmocka_unit_test(ends_of_short_regions_are_an_answer),
      cmocka_unit_test(time_in_no_loop_is_not_called_fine),
      cmocka_unit_test(locks_hide_no_gain),
      cmocka_unit_test(locks_answer_nothing_that_others_may_have_made),
      cmocka_unit_test(what_others_may_have_made_is_not_excluded),
      cmocka_unit_test(a_gain_that_others_may_have_made_is_no_gain),
      cmocka_unit_test(what_no_schedule_changes_is_said_beside_a_gain),
      cmocka_unit_test(what_still_runs_is_not_said_to_have_ended))
