/* Random chunkings that can be repeated, as a fuzzer for races. */
#include "bench/programs/try/try.h"

#include "base/text.h"
#include "bench/launching/driver/progress.h"
#include "bench/launching/subprocess.h"
#include "bench/options/command.h"
#include "bench/programs/execution/attempt.h"
#include "bench/programs/seen/start.h"
#include "dls/strategy.h"
#include "harness/process/need.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AGAIN = 2 }; /* runs of the seed that was found */

/* A range in a scheme, as in rnd:seed=1..100.  `scheme` is the whole text,
 * which the caller owns; `behind` points to what follows the range. */
struct seeds {
    const char *scheme;
    int before; /* length of the text up to the range */
    const char *behind;
    int64_t first, last;
};

/* ---- the range ---- */

static const char *find_range(const char *scheme)
{
    const char *range = strstr(scheme, "..");
    while (range != NULL && range > scheme && range[-1] != '=' &&
           range[-1] != ',' && range[-1] != ':')
        range--;
    return range;
}

bool try_has_seeds(const char *scheme)
{
    return scheme[0] != '@' && find_range(scheme) != NULL;
}

static void write_scheme(const struct seeds *seeds, int64_t seed,
                         char text[SPEC_CANONICAL_MAX])
{
    snprintf(text, SPEC_CANONICAL_MAX, "%.*s%" PRId64 "%s", seeds->before,
             seeds->scheme, seed, seeds->behind);
}

static int read_seeds(struct seeds *seeds, const char *scheme,
                      struct error *err)
{
    const char *range = find_range(scheme);
    char text[SPEC_CANONICAL_MAX], *end, *last;
    struct strategy strategy;
    *seeds = (struct seeds){.scheme = scheme, .before = (int)(range - scheme)};
    errno = 0;
    seeds->first = strtoll(range, &end, 10);
    if (end == range || strncmp(end, "..", 2) != 0 || strlen(scheme) > 400)
        return error_set(err, EINVAL,
                         "omp: --scheme %s: allowed: rnd:seed=FIRST..LAST",
                         scheme);
    seeds->last = strtoll(end + 2, &last, 10);
    seeds->behind = last;
    if (last == end + 2 || (*last != '\0' && *last != ',') || errno != 0 ||
        seeds->first < 0 || seeds->last < seeds->first)
        return error_set(err, EINVAL,
                         "omp: --scheme %s: allowed: rnd:seed=FIRST..LAST, "
                         "0 <= FIRST <= LAST",
                         scheme);
    write_scheme(seeds, seeds->last, text);
    int code = strategy_parse(text, &strategy, err);
    if (code != 0)
        return error_prefix(err, code, "omp: --scheme");
    return strncmp(strategy.text, "rnd", 3) == 0 &&
                   strncmp(range - 5, "seed=", 5) == 0
               ? 0
               : error_set(err, EINVAL,
                           "omp: --scheme %s: a range is for the seed of rnd "
                           "alone",
                           scheme);
}

/* ---- the line that runs it again ---- */

/* The check also judges a range of one seed. */
static void print_again(FILE *out, const struct try_plan *plan,
                        const struct seeds *seeds, int64_t seed)
{
    fputs("  again:", out);
    command_print_variables(out, NULL);
    fprintf(out, " dlsbench omp --scheme %.*s%" PRId64 "..%" PRId64 "%s",
            seeds->before, seeds->scheme, seed, seed, seeds->behind);
    start_print_option(out, plan->loops);
    if (plan->check != NULL) {
        fputs(" --check", out);
        command_print_word(out, plan->check);
    }
    fputs(" --", out);
    for (int i = 0; plan->words[i] != NULL; i++)
        command_print_word(out, plan->words[i]);
    fputc('\n', out);
}

/* ---- the runs ---- */

/* The unmodified run. */
struct first {
    char digest[OUTPUT_DIGEST]; /* empty: a check compares the answers */
    bool lines;                 /* lines may come in any order */
    double limit_s;             /* for the next runs */
};

/* Without a check, the output is the answer if two runs print the same. */
static int compare_first(const struct attempts *attempts, struct first *first,
                         struct error *err)
{
    struct attempt again = {.ran = false};
    int code = attempts->check == NULL ? try_first(attempts, &again, err) : 0;
    enum output_match match = output_match(first->digest, again.digest);
    first->lines = match == OUTPUT_LINES;
    attempt_free(&again);
    if (code != 0 || attempts->check != NULL)
        return code;
    if (match == OUTPUT_OTHER || output_is_empty(first->digest))
        return error_set(err, EINVAL,
                         "omp: the answers cannot be compared, because %s: "
                         "--check COMMAND is missing",
                         match == OUTPUT_OTHER
                             ? "two runs as it is print different things"
                             : "the program prints nothing to stdout");
    return 0;
}

static int run_first(const struct attempts *attempts, struct first *first,
                     struct error *err)
{
    struct attempt attempt = {.ran = false};
    int code = try_first(attempts, &attempt, err);
    *first = (struct first){.limit_s = attempt_limit(attempt.seconds)};
    snprintf(first->digest, sizeof(first->digest), "%s", attempt.digest);
    attempt_free(&attempt);
    return code == 0 ? compare_first(attempts, first, err) : code;
}

/* How a run was not good; no reason: it was. */
struct wrong {
    bool checked; /* the program ended with 0, and its answer is another */
    char reason[256];
};

/* A run that is not good is a finding, not an error: `wrong` has it.  A scheme
 * that no loop takes is an error, because then the seeds change nothing. */
static int run_seed(const struct attempts *attempts, const struct first *first,
                    const char *scheme, struct wrong *wrong, struct error *err)
{
    struct attempt attempt;
    int code =
        attempt_run(attempts, scheme, NULL, first->limit_s, &attempt, err);
    *wrong = (struct wrong){.checked = attempt.ran};
    if (code == 0 && attempt.interrupted)
        code = error_set(err, EINTR, "omp: interrupted at %s", scheme);
    else if (code == 0 && !attempt.good)
        snprintf(wrong->reason, sizeof(wrong->reason), "%.255s",
                 attempt.reason);
    else if (code == 0 && output_match(first->digest, attempt.digest) >
                              (first->lines ? OUTPUT_LINES : OUTPUT_SAME))
        snprintf(wrong->reason, sizeof(wrong->reason),
                 "it prints something else than as it is");
    else if (code == 0 && !loops_have_scheme(&attempt.loops))
        code =
            error_set(err, ENOTSUP,
                      "omp: %s hands out the chunks of no loop here%s", scheme,
                      text_is(attempts->loops, "runtime")
                          ? "; --loops dynamic adds those with dynamic and "
                            "guided"
                          : "");
    attempt_free(&attempt);
    return code;
}

/* Prints the outcome of `count` runs.  The program's last line follows the way
 * it ended. */
static void print_wrong(FILE *out, const struct wrong *wrong, double limit_s,
                        int count)
{
    const char *reason = wrong->reason;
    const char *last = strstr(reason, ": ");
    int length = (int)strcspn(reason, ":");
    if (wrong->checked)
        fputs("the answer is wrong", out);
    else if (strncmp(reason, "stopped", 7) == 0)
        fprintf(out, "the program does not end within %.3g s", limit_s);
    else
        fprintf(out, "the program ends %s %.*s",
                strncmp(reason, "signal", 6) == 0 ? "by" : "with", length,
                reason);
    fprintf(out, " in %d of %d runs", count, AGAIN + 1);
    if (wrong->checked)
        fprintf(out, ": %s", reason);
    else
        fputs(last != NULL ? last : "", out);
    fputc('\n', out);
}

/* A race need not show each time. */
static int confirm_seed(const struct try_plan *plan, const struct seeds *seeds,
                        const struct attempts *attempts,
                        const struct first *first, int64_t seed,
                        const struct wrong *wrong, struct error *err)
{
    char scheme[SPEC_CANONICAL_MAX];
    struct wrong again;
    int count = 1;
    write_scheme(seeds, seed, scheme);
    for (int i = 0; i < AGAIN; i++) {
        int code = run_seed(attempts, first, scheme, &again, err);
        if (code != 0)
            return code;
        count += again.reason[0] != '\0';
    }
    printf("%s: ", scheme);
    print_wrong(stdout, wrong, first->limit_s, count);
    print_again(stdout, plan, seeds, seed);
    fflush(stdout);
    return 0;
}

static void show_seed(struct progress *progress, const struct seeds *seeds,
                      int64_t seed)
{
    char text[200], duration[48], time[64] = "";
    double done = (double)(seed - seeds->first);
    double left =
        progress_left(subprocess_now() - progress->started,
                      done / (double)(seeds->last - seeds->first + 1));
    if (left >= 0) {
        progress_duration(left, duration, sizeof(duration));
        snprintf(time, sizeof(time), ", %s left", duration);
    }
    snprintf(text, sizeof(text),
             "seed %" PRId64 " of %" PRId64 "..%" PRId64 "%s", seed,
             seeds->first, seeds->last, time);
    progress_line(progress, text, subprocess_now(), false);
}

/* `found`: a run that is not good. */
static int run_seeds(const struct try_plan *plan, const struct seeds *seeds,
                     const struct attempts *attempts, bool *found,
                     struct error *err)
{
    struct first first;
    struct progress progress;
    char scheme[SPEC_CANONICAL_MAX];
    struct wrong wrong = {.reason = ""};
    int code = run_first(attempts, &first, err);
    int64_t seed = seeds->first;
    progress_open(&progress, subprocess_now());
    for (; code == 0 && seed <= seeds->last; seed++) {
        show_seed(&progress, seeds, seed);
        write_scheme(seeds, seed, scheme);
        code = run_seed(attempts, &first, scheme, &wrong, err);
        if (code == 0 && wrong.reason[0] != '\0')
            break;
    }
    progress_clear(&progress);
    *found = wrong.reason[0] != '\0';
    if (code == 0 && *found)
        return confirm_seed(plan, seeds, attempts, &first, seed, &wrong, err);
    if (code == 0)
        printf("seeds %" PRId64 " to %" PRId64 ": every answer is right, which "
               "does not prove that there is no race\n",
               seeds->first, seeds->last);
    return code;
}

int try_seeds(const struct try_plan *plan)
{
    struct error err = {""};
    struct seeds seeds;
    struct attempts attempts = {.words = plan->words,
                                .check = plan->check,
                                .loops = plan->loops,
                                .file = plan->file};
    bool found = false;
    if (read_seeds(&seeds, plan->scheme, &err) != 0)
        return command_fail(COMMAND_USAGE, &err);
    int code = attempts_open(&attempts, &err);
    if (code == 0)
        code = run_seeds(plan, &seeds, &attempts, &found, &err);
    attempts_close(&attempts);
    /* 1 is the answer that a seed was found. */
    if (code != 0)
        return command_fail(COMMAND_USAGE, &err);
    return found ? COMMAND_FAILED : COMMAND_OK;
}
