/* Runs the program once with the library preloaded, then reads its counters.  A
 * program that fails is a result with a reason; error codes are only for what
 * went wrong here. */
#include "bench/programs/execution/attempt.h"

#include "base/folder.h"
#include "base/system/busy.h"
#include "bench/launching/subprocess.h"
#include "bench/programs/seen/start.h"
#include "harness/engine/engine.h"
#include "harness/process/need.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int attempts_open(struct attempts *attempts, struct error *err)
{
    char output[PATH_MAX + 8];
    attempts->stops = (struct stops){-1, -1};
    attempts->tables.asked = NULL;
    attempts->symbols = symbols_open();
    struct allowed allowed;
    allowed_read("", &allowed);
    attempts->processors = allowed.mask;
    int code = scratch_open(&attempts->scratch, START_ROOM, err);
    if (code != 0)
        return error_prefix(err, code, "omp");
    snprintf(output, sizeof(output), "%s/output", attempts->scratch.path);
    setenv("DLS_OUTPUT", output, 1);
    code = start_preload(attempts->scratch.path, attempts->loops,
                         attempts->preload, sizeof(attempts->preload), err);
    if (code == 0)
        code = start_read(attempts->scratch.path, attempts->loops,
                          attempts->file, &attempts->tables, err);
    return code == 0 ? stops_open(&attempts->stops, err) : code;
}

void attempts_close(struct attempts *attempts)
{
    symbols_close(attempts->symbols);
    tables_close(&attempts->tables);
    stops_close(&attempts->stops);
    scratch_close(&attempts->scratch);
}

static const double LIMIT_TIMES = 10, LIMIT_S = 10;

double attempt_limit(double own_s)
{
    return LIMIT_TIMES * own_s + LIMIT_S;
}

/* ---- a child ---- */

struct watched {
    double until;
    struct output *output; /* NULL: not stored */
    char last[200];        /* line of stderr */
};

static double seconds_left(void *arg)
{
    const struct watched *watched = arg;
    return watched->until - subprocess_now();
}

static void take_bytes(void *arg, const char *data, size_t size)
{
    struct watched *watched = arg;
    if (watched->output != NULL)
        output_add(watched->output, data, size);
}

static bool has_letter(const char *line)
{
    while (*line != '\0' && !isalpha((unsigned char)*line))
        line++;
    return *line != '\0';
}

/* Launchers end with rows of dashes. */
static void keep_last(void *arg, const char *line)
{
    struct watched *watched = arg;
    bool any = line[strspn(line, " \t")] != '\0';
    if (has_letter(line) || (any && !has_letter(watched->last)))
        snprintf(watched->last, sizeof(watched->last), "%.199s", line);
}

static const double NO_LIMIT = 1e9;

/* Fills in `reason` where it did not end with 0. */
static int run_command(char *const argv[], const struct attempts *attempts,
                       double limit_s, const char *what,
                       struct attempt *attempt, struct reaper_usage *usage,
                       struct error *err)
{
    struct watched watched = {.until = subprocess_now() +
                                       (limit_s > 0 ? limit_s : NO_LIMIT),
                              .output = usage != NULL ? attempt->output : NULL};
    const struct subprocess_watcher watcher = {.bytes = take_bytes,
                                               .message = keep_last,
                                               .tick = seconds_left,
                                               .arg = &watched};
    struct subprocess_end end;
    char how[160];
    int code = subprocess_run(argv, &attempts->stops, &watcher, &end, err);
    if (code != 0)
        return code;
    if (usage != NULL)
        *usage = end.usage;
    attempt->interrupted = attempt->interrupted || end.interrupted;
    if (!end.timed_out && WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0)
        return 0;
    subprocess_describe(end.status, how, sizeof(how));
    if (end.timed_out)
        snprintf(how, sizeof(how),
                 "stopped after %.3g s (%.0f times the program's time as it "
                 "is, and %.0f s)",
                 limit_s, LIMIT_TIMES, LIMIT_S);
    snprintf(attempt->reason, sizeof(attempt->reason), "%s%s%s%s", what, how,
             watched.last[0] != '\0' ? ": " : "", watched.last);
    return 0;
}

/* ---- the program ---- */

/* The time that others had the processors meanwhile.  The system counts in
 * steps: a negative value means 0. */
static void count_usage(const struct attempts *attempts,
                        const struct busy *before,
                        const struct reaper_usage *usage,
                        struct attempt *attempt)
{
    struct busy after;
    busy_read("", &attempts->processors, &after);
    attempt->cpu_s = usage->cpu_s;
    attempt->preempted = usage->preempted;
    attempt->others_s =
        before->processors > 0 && before->processors == after.processors
            ? fmax(after.seconds - before->seconds - usage->cpu_s, 0)
            : NAN;
}

/* The shell sets the environment, then becomes the program by exec: so no other
 * process stands between.  Words of the setting are split at blanks by the
 * shell. */
static int run_program(const struct attempts *attempts, const char *scheme,
                       const char *setting, const char *counters,
                       double limit_s, struct attempt *attempt,
                       struct error *err)
{
    /* Scheme and setting are empty if there are none. */
#define BEGIN                                                                  \
    "export LD_PRELOAD=\"$1\" " COUNTERS_FOLDER "=\"$2\" " COUNTERS_LOOPS      \
    "=\"$3\" DLS_SCHEDULE=\"$4\"\n"                                            \
    "for x in $5; do export \"$x\"; done\n"                                    \
    "shift 5\n"                                                                \
    "exec \"$@\" </dev/null"
    static const char script[] = BEGIN, checked[] = BEGIN " >\"$DLS_OUTPUT\"";
    struct reaper_usage usage;
    struct busy busy;
    enum { FIXED = 9 };
    int words = 0;
    while (attempts->words[words] != NULL)
        words++;
    const char **argv = need_zeroed((size_t)words + FIXED + 1, sizeof(*argv));
    const char *fixed[FIXED] = {"/bin/sh",
                                "-c",
                                attempts->check != NULL ? checked : script,
                                "dlsbench",
                                attempts->preload,
                                counters,
                                attempts->loops,
                                scheme != NULL ? scheme : "",
                                setting != NULL ? setting : ""};
    memcpy(argv, fixed, sizeof(fixed));
    for (int i = 0; i < words; i++)
        argv[FIXED + i] = attempts->words[i];
    busy_read("", &attempts->processors, &busy);
    int code = run_command((char *const *)argv, attempts, limit_s, "", attempt,
                           &usage, err);
    if (code == 0)
        count_usage(attempts, &busy, &usage, attempt);
    free(argv);
    return code;
}

static int run_check(const struct attempts *attempts, double limit_s,
                     struct attempt *attempt, struct error *err)
{
    char *const argv[] = {"/bin/sh", "-c", (char *)(uintptr_t)attempts->check,
                          NULL};
    return attempts->check == NULL
               ? 0
               : run_command(argv, attempts, limit_s, "the check: ", attempt,
                             NULL, err);
}

/* The clock and the tick counter are both read around the run: their ratio is
 * the length of a tick.  The machine code of new modules is read after the run,
 * and serves the next one. */
int attempt_run(const struct attempts *attempts, const char *scheme,
                const char *setting, double limit_s, struct attempt *attempt,
                struct error *err)
{
    char counters[PATH_MAX + 16];
    *attempt = (struct attempt){.ran = false};
    if (attempts->check == NULL)
        attempt->output = output_open();
    snprintf(counters, sizeof(counters), "%s/counters", attempts->scratch.path);
    if (mkdir(counters, 0700) != 0)
        return error_set(err, errno, "omp: %s: %s", counters, strerror(errno));
    double began = engine_now();
    uint64_t ticks = engine_ticks();
    int code =
        run_program(attempts, scheme, setting, counters, limit_s, attempt, err);
    attempt->seconds = engine_now() - began;
    const struct loops_end end = {.ticks = engine_ticks(),
                                  .tick_s = attempt->seconds /
                                            (double)(engine_ticks() - ticks)};
    if (code == 0)
        code =
            loops_read(&attempt->loops, counters, &end, attempts->symbols, err);
    folder_remove(counters);
    if (start_cuts(attempts->loops))
        attempt->read = loops_read_code(&attempt->loops, &attempts->tables);
    if (code == 0)
        code = tables_check(&attempts->tables, true, err);
    attempt->ran = code == 0 && attempt->reason[0] == '\0';
    if (attempt->ran && !attempt->interrupted)
        code = run_check(
            attempts, limit_s > 0 ? limit_s : attempt_limit(attempt->seconds),
            attempt, err);
    attempt->good = attempt->ran && attempt->reason[0] == '\0';
    if (attempt->output != NULL)
        output_end(attempt->output, attempt->digest);
    return code;
}

void attempt_free(struct attempt *attempt)
{
    loops_free(&attempt->loops);
    output_close(attempt->output);
    attempt->output = NULL;
}
