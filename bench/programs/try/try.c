/* The course of --try: a first run finds the loops, rounds compare the choices,
 * the best of each kind run together, and the answer is written.  A directory
 * with all its rounds is answered without a run. */
#include "bench/programs/try/try.h"

#include "base/stats.h"
#include "base/text.h"
#include "bench/launching/progress_line.h"
#include "bench/options/command.h"
#include "bench/programs/seen/seen_report.h"
#include "bench/programs/seen/start.h"
#include "bench/programs/try/findings.h"
#include "bench/programs/try/origin.h"
#include "bench/programs/try/use.h"
#include "bench/results/dirlock.h"
#include "bench/results/folders.h"
#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the first run ---- */

int try_first(const struct attempts *attempts, struct attempt *attempt,
              struct error *err)
{
    int code = attempt_run(attempts, NULL, NULL, 0, attempt, err);
    if (code == 0 && attempt->read > 0 && attempt->good) {
        attempt_free(attempt); /* once more, as its code is known now */
        code = attempt_run(attempts, NULL, NULL, 0, attempt, err);
    }
    if (code == 0 && attempt->interrupted)
        return error_set(err, EINTR, "omp: interrupted");
    if (code != 0 || attempt->good)
        return code;
    if (attempt->ran)
        return error_set(err, EINVAL,
                         "omp: --check '%.200s' fails for the program as it "
                         "is: %s",
                         attempts->check, attempt->reason);
    return error_set(err, EINVAL, "omp: the program fails as it is: %s",
                     attempt->reason);
}

/* ---- trying ---- */

int try_check_place(const char *option, const char *program)
{
    struct error err;
    const char *rank = loaded_own_rank();
    if (rank == NULL)
        return COMMAND_OK;
    if (!text_is(rank, "0"))
        return COMMAND_USAGE;
    error_set(&err, EINVAL,
              "omp: %s is below a launcher of MPI; put it above: dlsbench omp "
              "%s ... -- mpiexec -n N %s",
              option, option, program);
    return command_fail(COMMAND_USAGE, &err);
}

/* Whether there is something to try.  Returns 0, or -ENOTSUP with a text. */
static int check_subjects(const struct subjects *subjects,
                          const struct try_plan *plan, bool settings,
                          struct error *err)
{
    if (subjects->untimed)
        command_say("omp: the time of some loops is not known as they are: "
                    "they count in that of the whole program alone");
    if (subjects->all > 0 || subjects->untimed || settings)
        return 0;
    return error_set(
        err, ENOTSUP,
        "omp: no loop can get another schedule%s; --try "
        "threads,places,waiting changes the rest; see dlsbench omp -- %s",
        text_is(plan->loops, "runtime")
            ? " (--loops dynamic adds dynamic and guided ones, static gcc's "
              "without a schedule)"
            : "",
        plan->words[0]);
}

/* If no important loop can get another schedule, the rest is tried. */
static void leave_schemes(struct rounds *rounds)
{
    int count = 0;
    for (int i = 1; i < rounds->candidates->count; i++)
        if (rounds->candidates->factor[i] == FACTOR_SCHEDULE) {
            rounds->dropped[i] = rounds->useless[i] = true;
            count++;
        }
    if (count > 0)
        command_say("omp: schemes are left out: the loops that can get another "
                    "schedule take %.2f %% of the time",
                    100 * fmin(rounds->subjects->all, 1));
}

/* Whether the answer needs no run, if none was made yet. */
static bool are_small(struct rounds *rounds)
{
    const struct subjects *subjects = rounds->subjects;
    if (subjects->count > 1 || subjects->untimed)
        return false;
    if (candidates_have_settings(rounds->candidates)) {
        leave_schemes(rounds);
        return false;
    }
    printf("%s: nothing to try: the loops that can get another schedule take "
           "%.2f %% of the time\n",
           subjects->subject[0].name, 100 * fmin(subjects->all, 1));
    fflush(stdout);
    return true;
}

static void announce_plan(const struct rounds *rounds)
{
    int count = 1 + rounds_choices(rounds), runs;
    int to_come = rounds_count(rounds, &runs);
    int comparisons = rounds->subjects->count * (count - 1);
    int least = stats_shift_least(answer_alpha(comparisons));
    char time[48];
    progress_duration(rounds->own_s * runs, time, sizeof(time));
    int loops = rounds->subjects->count - 1;
    command_say(
        "omp: %d choices, %d loop%s, %d round%s: about %s, less what is "
        "dropped",
        count, loops, text_s(loops), to_come, text_s(to_come), time);
    if (rounds->repetitions < least)
        command_say("omp: %d comparisons need %d repetitions at least: nothing "
                    "will be proved with %d",
                    comparisons, least, rounds->repetitions);
}

static void print_rules(const struct findings *findings)
{
    const char *loops = findings->rounds->attempts->loops;
    char library[4096], *rules = use_rules(findings);
    printf("  for the loops: %s", rules);
    free(rules);
    if (!start_cuts(loops))
        printf(", or\n  DLS_SCHEDULE=@%s/rules%s LD_PRELOAD=%s ...",
               findings->rounds->folder,
               text_is(loops, "dynamic") ? " DLS_OMP_LOOPS=dynamic" : "",
               start_library_text(loops, library, sizeof(library)));
    putchar('\n');
}

static int conclude_rounds(struct rounds *rounds, struct error *err)
{
    struct findings findings;
    int count = 0, spoiled = rounds_spoil(rounds, err);
    if (spoiled != 0)
        return spoiled;
    subjects_weigh(rounds->subjects, rounds->tries);
    findings_open(&findings, rounds);
    findings_print(&findings, stdout);
    int code = findings_write_rules(&findings, &count, err);
    if (code == 0)
        code = findings_write_json(&findings, err);
    if (code == 0)
        code = strips_write(&findings, use_best(&findings), err);
    if (code == 0 && count > 0)
        print_rules(&findings);
    fflush(stdout);
    findings_close(&findings);
    return code;
}

/* The best of each kind run together, as one choice more, if there is any. */
static bool add_together(struct rounds *rounds, struct error *err)
{
    struct findings findings;
    int ignored;
    if (rounds_spoil(rounds, err) != 0)
        return false;
    subjects_weigh(rounds->subjects, rounds->tries);
    findings_open(&findings, rounds);
    bool any = use_together(&findings, rounds->candidates) >= 0 &&
               findings_write_rules(&findings, &ignored, err) == 0;
    findings_close(&findings);
    return any;
}

/* Schemes that were left out before do not run again. */
static void leave_out(struct rounds *rounds, const json_t *names)
{
    size_t i, size;
    const json_t *name;
    char *text;
    FILE *list = need_stream(&text, &size);
    json_array_foreach(names, i, name)
    {
        const char *is = json_string_value(name);
        int found = is != NULL ? candidates_find(rounds->candidates, is) : -1;
        if (found <= CANDIDATES_OWN)
            continue;
        rounds->dropped[found] = rounds->useless[found] = true;
        fprintf(list, "%s%s", ftell(list) > 0 ? ", " : "", is);
    }
    fclose(list);
    if (text[0] != '\0')
        command_say(
            "omp: left out, as before, because they hand out the chunks "
            "of no loop here: %.600s",
            text);
    free(text);
}

static int keep_left_out(const struct rounds *rounds, struct origin *origin,
                         struct error *err)
{
    json_t *names = json_array();
    for (int i = 1; i < rounds->candidates->count; i++)
        if (rounds->useless[i])
            json_array_append_new(names,
                                  json_string(rounds->candidates->name[i]));
    origin_set(origin, "no_loop", names);
    return origin_write(origin, err);
}

/* Takes the directory's rounds and runs the missing ones, but only if a first
 * run was made (`began`). */
static int run_missing(struct rounds *rounds, struct origin *origin, bool began,
                       bool *left, struct error *err)
{
    int runs;
    tries_free(rounds->tries);
    int code =
        tries_read(rounds->tries, rounds->candidates, rounds->folder, err);
    if (code != 0)
        return code;
    subjects_weigh(rounds->subjects, rounds->tries);
    rounds_close(rounds);
    rounds_open(rounds);
    *left = rounds_count(rounds, &runs) > 0;
    if (!*left || !began)
        return 0;
    announce_plan(rounds);
    code = rounds_run(rounds, err);
    int kept = keep_left_out(rounds, origin, code == 0 ? err : NULL);
    return code == 0 ? kept : code;
}

/* `failed`: a run of any choice failed.  `began`: the first run was made;
 * otherwise nothing runs, and `began` becomes true if no run is needed. */
static int run_rounds(struct rounds *rounds, struct origin *origin, bool *began,
                      bool *failed, struct error *err)
{
    struct tries tries = {.runs = 0};
    const struct shard shard = {.count = 1};
    bool left = false, more = false;
    int lock = dirlock_take(rounds->folder, &shard, err);
    if (lock < 0)
        return lock;
    rounds->tries = &tries;
    int code = run_missing(rounds, origin, *began, &left, err);
    if (code == 0 && (*began || !left) && add_together(rounds, err))
        code = run_missing(rounds, origin, *began, &more, err);
    if (code == 0 && !left && !more && !*began) {
        command_say("omp: nothing is left to run");
        *began = true;
    }
    if (code == 0 && *began)
        code = conclude_rounds(rounds, err);
    if (code == 0 && *began)
        command_say("results: %s", rounds->folder);
    *failed = code == 0 && *began && rounds_have_failed(rounds);
    rounds_close(rounds);
    tries_free(&tries);
    close(lock);
    return code;
}

/* The first run, which says what there is to try. */
static int run_first(const struct try_plan *plan, struct origin *origin,
                     const struct attempts *attempts, struct rounds *rounds,
                     bool *small, struct error *err)
{
    struct attempt attempt = {.ran = false};
    command_say("omp: a first run as it is, which does not count");
    int code = try_first(attempts, &attempt, err);
    if (code == 0)
        code = origin_add_modules(origin, &attempt.loops, err);
    if (code == 0) {
        if (attempt.loops.processes > 0)
            cores_print(stderr, &attempt.loops);
        for (int i = 0; i < attempt.loops.processes; i++)
            report_left(stderr, &attempt.loops.process[i]);
        subjects_find(rounds->subjects, plan->words[0], &attempt.loops,
                      attempt.seconds, plan->loops);
        code =
            check_subjects(rounds->subjects, plan,
                           candidates_have_settings(rounds->candidates), err);
    }
    *small = code == 0 && origin->before == NULL && are_small(rounds);
    if (code == 0 && !*small) {
        origin_set(origin, "found", subjects_to_json(rounds->subjects));
        origin_set(origin, "output", json_string(attempt.digest));
        outputs_open(&rounds->outputs, plan->check != NULL, attempt.digest,
                     attempt.output);
        attempt.output = NULL;
        code = origin_write(origin, err);
    }
    rounds->own_s = attempt.seconds;
    attempt_free(&attempt);
    return code;
}

static int try_all(const struct try_plan *plan, struct origin *origin,
                   struct candidates *candidates, struct attempts *attempts,
                   bool *failed, struct error *err)
{
    struct subjects subjects = {.count = 0};
    struct rounds rounds = {.attempts = attempts,
                            .candidates = candidates,
                            .subjects = &subjects,
                            .folder = plan->folder,
                            .command = plan->command,
                            .list = plan->list,
                            .repetitions = plan->repetitions,
                            .seed = origin->seed};
    bool small = false, began = false;
    int code = 0;
    const char *first = json_string_value(origin_list(origin, "output"));
    outputs_open(&rounds.outputs, plan->check != NULL,
                 first != NULL ? first : "", NULL);
    subjects_from_json(&subjects, origin_list(origin, "found"));
    leave_out(&rounds, origin_list(origin, "no_loop"));
    if (subjects.known > 0)
        code = run_rounds(&rounds, origin, &began, failed, err);
    if (code == 0 && !began) {
        began = true;
        code = run_first(plan, origin, attempts, &rounds, &small, err);
        if (code == 0 && !small)
            code = run_rounds(&rounds, origin, &began, failed, err);
    }
    for (int i = 0; i < CANDIDATES_MAX; i++)
        free(rounds.strip[i]);
    subjects_free(&subjects);
    outputs_close(&rounds.outputs);
    return code;
}

static int try_in_folder(const struct try_plan *plan, struct origin *origin,
                         struct candidates *candidates, bool *failed,
                         struct error *err)
{
    struct attempts attempts = {.words = plan->words,
                                .check = plan->check,
                                .loops = plan->loops,
                                .file = plan->file};
    size_t there = folders_there(plan->folder);
    bool new;
    int code = folders_make(plan->folder, &new, err);
    if (code != 0)
        return code;
    code = attempts_open(&attempts, err);
    if (code == 0)
        code = try_all(plan, origin, candidates, &attempts, failed, err);
    attempts_close(&attempts);
    if (new)
        folders_remove(plan->folder, there); /* only if empty */
    return code;
}

int try_program(const struct try_plan *plan)
{
    struct error err = {""};
    struct candidates candidates = {.count = 0};
    struct origin origin = {.path = NULL};
    int code = candidates_read(&candidates, plan->list, plan->loops, &err);
    if (code == 0)
        code = origin_open(&origin, plan, &err);
    bool failed = false;
    int end = COMMAND_OK;
    if (code != 0)
        end = command_fail(COMMAND_USAGE, &err);
    else if (try_in_folder(plan, &origin, &candidates, &failed, &err) != 0)
        end = command_fail(COMMAND_FAILED, &err);
    else if (failed)
        end = COMMAND_FAILED;
    candidates_free(&candidates);
    origin_close(&origin);
    return end;
}
