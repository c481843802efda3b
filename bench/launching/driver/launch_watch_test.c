#include "harness/testing.h"

#include "bench/launching/driver/launch_watch.h"
#include "bench/launching/driver/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CELLS = 3 };

static void open_watch(struct watch *watch, struct cell *cells)
{
    static const char *const hash[CELLS] = {
        "cccccccccccccccc", "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"};
    struct policy policy;
    policy_defaults(&policy);
    policy.repetitions = 9;
    policy.cell_timeout = 20;
    for (int i = 0; i < CELLS; i++) {
        cell_defaults(&cells[i], testing_texts());
        snprintf(cells[i].hash, sizeof(cells[i].hash), "%s", hash[i]);
    }
    watch_open(watch, cells, CELLS, &policy, true);
    watch_launch(watch, 100);
}

static void lines_move_cells_on(void **state)
{
    struct cell cells[CELLS];
    struct watch watch;
    open_watch(&watch, cells);
    assert_false(watch_line(&watch, "hello", 100));
    assert_false(watch.launched);
    assert_true(watch_line(&watch, "@launch 2", 101));
    assert_true(watch.launched);
    assert_true(watch_line(&watch, "@rep aaaaaaaaaaaaaaaa 0", 102));
    assert_int_equal(watch.current, 0);
    assert_true(watch_line(&watch, "@rep cccccccccccccccc 5", 104));
    assert_int_equal(watch.current, 2);
    assert_true(watch_line(&watch, "@done aaaaaaaaaaaaaaaa ok", 105));
    assert_int_equal(watch.current, -1);
    assert_true(watch_line(&watch, "@done cccccccccccccccc unverified", 106));
    assert_true(watch_line(&watch, "@rep bbbbbbbbbbbbbbbb 0", 106));
    assert_true(watch_line(&watch, "@done bbbbbbbbbbbbbbbb failed", 107));
    assert_int_equal(watch_count(&watch, CELL_OK), 1);
    assert_int_equal(watch_count(&watch, CELL_UNVERIFIED), 1);
    assert_int_equal(watch_count(&watch, CELL_FAILED), 1);
    assert_false(watch.ended);
    assert_true(watch_line(&watch, "@end", 108));
    assert_true(watch.ended && watch.progressed);
    assert_true(watch_left(&watch, 110) == 3); /* it ends at last */
    watch_free(&watch);
}

static void an_end_in_the_serial_loop_is_one_cells(void **state)
{
    struct cell cells[CELLS];
    struct watch watch;
    open_watch(&watch, cells);
    assert_int_equal(watch_failed(&watch), -1);
    watch_line(&watch, "@serial 1", 101);
    assert_int_equal(watch_failed(&watch), -1); /* all fail */
    watch_line(&watch, "@rep bbbbbbbbbbbbbbbb 1", 102);
    watch_line(&watch, "@serial 2", 103);
    assert_int_equal(watch.current, -1);
    assert_int_equal(watch_failed(&watch), 1);
    watch_line(&watch, "@rep aaaaaaaaaaaaaaaa 1", 104);
    watch_line(&watch, "@done aaaaaaaaaaaaaaaa ok", 105);
    assert_int_equal(watch_failed(&watch), -1); /* the next launch continues */
    watch_launch(&watch, 110);
    assert_int_equal(watch_failed(&watch), -1);
    watch_free(&watch);
}

static void a_cells_time_is_the_sum_of_its_turns(void **state)
{
    struct cell cells[CELLS];
    struct watch watch;
    open_watch(&watch, cells);
    assert_true(watch_left(&watch, 105) == 15); /* silence from the start */
    watch_line(&watch, "@rep aaaaaaaaaaaaaaaa 1", 110);
    watch_line(&watch, "@rep bbbbbbbbbbbbbbbb 1", 118);
    assert_true(watch_left(&watch, 119) == 19);
    watch_line(&watch, "@rep aaaaaaaaaaaaaaaa 2", 120);
    assert_true(watch_left(&watch, 125) == 20 - 8 - 5);
    assert_true(watch_left(&watch, 133) < 0);
    /* launched again, it has all its time again */
    watch_launch(&watch, 140);
    watch_line(&watch, "@rep aaaaaaaaaaaaaaaa 1", 141);
    assert_true(watch_left(&watch, 141) == 20);
    watch_free(&watch);
}

static void the_time_left_follows_the_cells_so_far(void **state)
{
    struct cell cells[CELLS];
    struct watch watch;
    char text[320];
    assert_true(progress_left(10, 0) < 0);
    assert_true(progress_left(10, 0.25) == 30);
    assert_true(progress_left(10, 1) == 0);
    open_watch(&watch, cells);
    progress_text(&watch, 3, text, sizeof(text));
    assert_string_equal(text, "0/3 cells");
    watch_line(&watch, "@done aaaaaaaaaaaaaaaa ok", 101);
    watch_line(&watch, "@rep bbbbbbbbbbbbbbbb 5", 102); /* 5 of 9 + warm-up */
    assert_true(fabs(watch_fraction(&watch) - 0.5) < 1e-12);
    progress_text(&watch, 70, text, sizeof(text));
    assert_true(strncmp(text, "1/3 cells, 1 min 10 s left, ", 28) == 0);
    /* Simulated, the cell that runs has 4 of 9 behind it. */
    watch.warms = false;
    assert_true(fabs(watch_fraction(&watch) - (1 + 4 / 9.0) / 3) < 1e-12);
    watch_line(&watch, "@rep bbbbbbbbbbbbbbbb 0", 103);
    assert_true(fabs(watch_fraction(&watch) - 1 / 3.0) < 1e-12);
    watch_free(&watch);
}

static void more_repetitions_are_explained(void **state)
{
    struct cell cells[CELLS];
    struct watch watch;
    char text[320];
    open_watch(&watch, cells);
    watch_line(&watch, "@done aaaaaaaaaaaaaaaa ok", 101);
    watch_line(&watch, "@done cccccccccccccccc ok", 101);
    watch_line(&watch, "@rep bbbbbbbbbbbbbbbb 9", 102);
    assert_false(watch_any_longer(&watch));
    watch_line(&watch, "@rep bbbbbbbbbbbbbbbb 17", 103); /* of 50 + warm-up */
    assert_true(watch_any_longer(&watch));
    assert_true(fabs(watch_fraction(&watch) - (2 + 17 / 51.0) / 3) < 1e-12);
    static const char line[] = "2/3 cells, up to 20 s left, times vary: "
                               "repetition 17 (at least 9, at most 50), ";
    progress_text(&watch, 69, text, sizeof(text));
    assert_true(strncmp(text, line, sizeof(line) - 1) == 0);
    watch_line(&watch, "@done bbbbbbbbbbbbbbbb ok", 104);
    assert_false(watch_any_longer(&watch));
    watch_free(&watch);
}

static void trials_have_a_number_of_their_own(void **state)
{
    struct cell cells[CELLS];
    struct watch watch;
    char text[320];
    open_watch(&watch, cells);
    watch_free(&watch);
    struct policy policy;
    policy_defaults(&policy);
    policy.repetitions = 9;
    cells[2].scheme = "auto:by=trial,repetitions=99";
    watch_open(&watch, cells, CELLS, &policy, true);
    watch_line(&watch, "@rep bbbbbbbbbbbbbbbb 60", 103);
    assert_false(watch_any_longer(&watch));
    assert_true(fabs(watch_fraction(&watch) - 60 / 100.0 / 3) < 1e-12);
    progress_text(&watch, 69, text, sizeof(text));
    assert_null(strstr(text, "times vary"));
    watch_free(&watch);
}

/* What a moment of work says of hours is noise. */
static void the_beginning_tells_no_time_left(void **state)
{
    struct cell cells[CELLS];
    struct watch watch;
    char text[320];
    open_watch(&watch, cells);
    watch.cells[1].expected = 99;
    watch_line(&watch, "@rep bbbbbbbbbbbbbbbb 5", 102);
    progress_text(&watch, 6, text, sizeof(text));
    assert_null(strstr(text, " left"));
    watch_free(&watch);
}

/* A file gets no line twice. */
static void lines_without_a_terminal_say_something_new(void **state)
{
    struct progress progress;
    char text[99];
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    assert_true(file != NULL && dup2(fileno(file), STDERR_FILENO) >= 0);
    progress_open(&progress, 0);
    progress_line(&progress, "1/2 cells", 10, false);
    progress_line(&progress, "1/2 cells", 20, false);
    progress_line(&progress, "2/2 cells", 30, false);
    progress_line(&progress, "2/2 cells", 30, true);
    dup2(kept, STDERR_FILENO);
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    assert_string_equal(text, "dlsbench: 1/2 cells\ndlsbench: 2/2 cells\n");
    fclose(file);
    close(kept);
}

static void durations_are_short(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } rows[] = {
        {0, "0 s"}, {11.2, "12 s"}, {60, "1 min 0 s"}, {3725, "1 h 2 min"}};
    char text[48];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        progress_duration(rows[i].seconds, text, sizeof(text));
        assert_string_equal(text, rows[i].text);
    }
}

TESTS(cmocka_unit_test(lines_move_cells_on),
      cmocka_unit_test(an_end_in_the_serial_loop_is_one_cells),
      cmocka_unit_test(a_cells_time_is_the_sum_of_its_turns),
      cmocka_unit_test(the_time_left_follows_the_cells_so_far),
      cmocka_unit_test(more_repetitions_are_explained),
      cmocka_unit_test(trials_have_a_number_of_their_own),
      cmocka_unit_test(the_beginning_tells_no_time_left),
      cmocka_unit_test(lines_without_a_terminal_say_something_new),
      cmocka_unit_test(durations_are_short))
