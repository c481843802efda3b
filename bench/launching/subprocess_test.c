#include "base/unit_testing.h"

#include "bench/launching/subprocess.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The output of a watched child, and the deadline to stop it. */
struct heard {
    char out[256], err[256];
    double deadline;
};

static void hear_out(void *arg, const char *line)
{
    struct heard *heard = arg;
    strncat(heard->out, line, 100);
    strcat(heard->out, "|");
}

static void hear_err(void *arg, const char *line)
{
    struct heard *heard = arg;
    strncat(heard->err, line, 100);
    strcat(heard->err, "|");
}

static double left(void *arg)
{
    return ((struct heard *)arg)->deadline - subprocess_now();
}

static void run_shell(const char *command, double seconds, struct heard *heard,
                      struct subprocess_end *end)
{
    struct error err;
    char *const argv[] = {"/bin/sh", "-c", (char *)command, NULL};
    const struct subprocess_watcher watcher = {
        .output = hear_out, .message = hear_err, .tick = left, .arg = heard};
    struct stops stops;
    assert_int_equal(stops_open(&stops, &err), 0);
    *heard = (struct heard){.deadline = subprocess_now() + seconds};
    assert_int_equal(subprocess_run(argv, &stops, &watcher, end, &err), 0);
    stops_close(&stops);
}

static void output_comes_in_lines_with_the_end(void **state)
{
    struct heard heard;
    struct subprocess_end end;
    char text[64];
    run_shell("echo a; printf b; sleep 0.1; echo c; echo e >&2; exit 3", 60,
              &heard, &end);
    assert_string_equal(heard.out, "a|bc|");
    assert_string_equal(heard.err, "e|");
    assert_false(end.timed_out || end.interrupted);
    subprocess_describe(end.status, text, sizeof(text));
    assert_string_equal(text, "exit code 3");
    run_shell("kill -9 $$", 60, &heard, &end);
    subprocess_describe(end.status, text, sizeof(text));
    assert_string_equal(text, "signal 9 (Killed)");
}

static void a_child_that_takes_too_long_leaves_nothing(void **state)
{
    struct heard heard;
    struct subprocess_end end;
    double start = subprocess_now();
    run_shell("sleep 50 & sleep 50", 0.3, &heard, &end);
    assert_true(end.timed_out);
    assert_true(subprocess_now() - start < 5);
}

static void a_missing_program_is_an_error(void **state)
{
    struct heard heard = {.deadline = 0};
    struct subprocess_end end;
    struct error err;
    char *const argv[] = {"/none/such", NULL};
    const struct subprocess_watcher watcher = {
        .output = hear_out, .message = hear_err, .tick = left, .arg = &heard};
    struct stops stops;
    assert_int_equal(stops_open(&stops, &err), 0);
    assert_int_not_equal(subprocess_run(argv, &stops, &watcher, &end, &err), 0);
    stops_close(&stops);
    assert_string_equal(err.text,
                        "cannot start /none/such: No such file or directory");
}

/* ---- nothing is left ---- */

static bool has_ended(pid_t pid)
{
    return kill(pid, 0) != 0 && errno == ESRCH;
}

static bool ends_soon(pid_t pid)
{
    for (int i = 0; i < 1000 && !has_ended(pid); i++)
        usleep(10000);
    return has_ended(pid);
}

/* Ranks of a killed proxy live in a separate session, like this child. */
static void what_a_launcher_leaves_behind_is_ended(void **state)
{
    struct heard heard;
    struct subprocess_end end;
    double start = subprocess_now();
    run_shell("trap '' TERM; setsid sh -c 'echo $$; exec sleep 50' & "
              "sleep 0.3; kill -9 $$",
              60, &heard, &end);
    assert_true(subprocess_now() - start < 5);
    pid_t orphan = atoi(heard.out);
    assert_true(orphan > 1);
    assert_true(has_ended(orphan));
}

static void a_launcher_that_ends_on_a_signal_leaves_nothing(void **state)
{
    struct heard heard;
    struct subprocess_end end;
    run_shell("setsid sh -c 'trap \"\" TERM; echo $$; sleep 50 & wait' & wait",
              0.5, &heard, &end);
    assert_true(end.timed_out);
    assert_true(has_ended(atoi(heard.out)));
}

/* "orphan|launcher's parent|", the second is killed. */
static void hear_and_kill(void *arg, const char *line)
{
    struct heard *heard = arg;
    hear_out(arg, line);
    const char *second = strchr(heard->out, '|') + 1;
    if (*second != '\0')
        kill(atoi(second), SIGKILL);
}

static void
a_keeper_that_is_killed_leaves_nothing_and_nobody_elses(void **state)
{
    struct heard heard = {.deadline = subprocess_now() + 60};
    struct subprocess_end end;
    struct stops stops;
    struct error err;
    const struct subprocess_watcher watcher = {.output = hear_and_kill,
                                               .message = hear_err,
                                               .tick = left,
                                               .arg = &heard};
    char *const argv[] = {"/bin/sh", "-c",
                          "setsid sh -c 'echo $$; exec sleep 50' & "
                          "sleep 0.2; echo $PPID; wait",
                          NULL};
    pid_t other = fork();
    if (other == 0) {
        pause();
        _exit(0);
    }
    usleep(50000); /* it is older than the reaper by the system's clock */
    assert_int_equal(stops_open(&stops, &err), 0);
    assert_int_equal(subprocess_run(argv, &stops, &watcher, &end, &err), 0);
    stops_close(&stops);
    assert_true(WIFSIGNALED(end.status));
    assert_true(has_ended(atoi(heard.out)));
    assert_false(has_ended(other));
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
}

/* Starts a driver, kills it when its launch has begun, and waits for the end of
 * both processes of the launch. */
static void kill_driver(void)
{
    struct heard heard;
    struct subprocess_end end;
    char path[] = "/tmp/subprocess_test-XXXXXX", command[256];
    int orphan = 0, launcher = 0, file = mkstemp(path);
    assert_true(file >= 0);
    snprintf(command, sizeof(command),
             "setsid sh -c 'echo $$ >>%s; exec sleep 50' & "
             "while ! [ -s %s ]; do sleep 0.01; done; "
             "echo $$ end >>%s; wait",
             path, path, path);
    pid_t driver = fork();
    if (driver == 0) {
        run_shell(command, 60, &heard, &end);
        _exit(0);
    }
    for (int tries = 0; launcher == 0 && tries < 1000; tries++) {
        char text[64] = "";
        usleep(10000);
        if (pread(file, text, sizeof(text) - 1, 0) > 0 &&
            strstr(text, "end") != NULL)
            sscanf(text, "%d %d", &orphan, &launcher);
    }
    close(file);
    unlink(path);
    kill(driver, SIGKILL);
    waitpid(driver, NULL, 0);
    assert_true(orphan > 0 && launcher > 0);
    assert_true(ends_soon(orphan) && ends_soon(launcher));
}

/* A process that a reaper ends without waiting for it comes to this subreaper
 * and stays as an entry.  The first process of a system that waits for nobody
 * would keep it in the same way. */
static void a_driver_that_is_killed_leaves_nothing(void **state)
{
    enum { ROUNDS = 10 };
    int left = 0;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (int i = 0; i < ROUNDS; i++)
        kill_driver();
    while (waitpid(-1, NULL, 0) > 0)
        left++;
    assert_int_equal(left, ROUNDS); /* the reapers themselves */
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

TESTS(cmocka_unit_test(output_comes_in_lines_with_the_end),
      cmocka_unit_test(a_child_that_takes_too_long_leaves_nothing),
      cmocka_unit_test(a_missing_program_is_an_error),
      cmocka_unit_test(what_a_launcher_leaves_behind_is_ended),
      cmocka_unit_test(a_launcher_that_ends_on_a_signal_leaves_nothing),
      cmocka_unit_test(a_keeper_that_is_killed_leaves_nothing_and_nobody_elses),
      cmocka_unit_test(a_driver_that_is_killed_leaves_nothing))
