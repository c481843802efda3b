/* Writes the answers of --try: a sentence for each subject, the table of the
 * whole program, and DIR/rules.  The numbers come from try_answer.c, the advice
 * from use.c. */
#include "bench/programs/try/findings.h"

#include "base/stats.h"
#include "base/system/whole.h"
#include "base/text.h"
#include "bench/options/table.h"
#include "bench/programs/seen/start.h"
#include "bench/programs/try/use.h"
#include "dls/strategy.h"
#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void findings_open(struct findings *findings, const struct rounds *rounds)
{
    const struct subjects *subjects = rounds->subjects;
    findings->rounds = rounds;
    findings->comparisons = subjects->count * rounds_choices(rounds);
    findings->answer =
        need_zeroed((size_t)subjects->count, sizeof(*findings->answer));
    for (int i = 0; i < subjects->count; i++)
        answer_find(&findings->answer[i], rounds->tries,
                    tries_find_loop(rounds->tries, subjects->subject[i].name),
                    rounds->dropped, findings->comparisons);
}

void findings_close(struct findings *findings)
{
    free(findings->answer);
    findings->answer = NULL;
}

/* ---- sentences ---- */

const char *findings_say_seems(const struct findings *findings, int subject,
                               int choice, char *text, size_t size)
{
    const struct answer_choice *its = &findings->answer[subject].choice[choice];
    snprintf(text, size,
             "%s seems to gain %.1f %%, at least %.1f %%, which load may "
             "explain: other processes used %.2f more processors during the "
             "unmodified runs",
             findings->rounds->candidates->name[choice], 100 * its->gain,
             100 * its->low, its->excess);
    return text;
}

/* Programs may rely on chunks that rise. */
static const char *warn_of_order(const struct findings *findings,
                                 const char *scheme)
{
    struct strategy strategy;
    struct error ignored;
    bool keeps = scheme == NULL ||
                 strategy_parse(scheme, &strategy, &ignored) != 0 ||
                 strategy_keeps_order(&strategy);
    if (keeps || findings->rounds->attempts->check != NULL)
        return "";
    return "; it hands out iterations in another order than the program's "
           "runtime: compare the answers with --check";
}

/* A user will not wait for so many times the existing rounds. */
static const double MANY = 20;

/* Without a best choice, more rounds help only where the load of the machine
 * does not hide the gain.  LACKS_QUIET: others may explain the gain, or it
 * needs more than MANY times the rounds. */
enum findings_lack findings_lack(const struct findings *findings, int subject,
                                 int *repetitions)
{
    const struct answer *answer = &findings->answer[subject];
    *repetitions = stats_shift_least(answer_alpha(findings->comparisons));
    if (answer->best >= 0)
        return LACKS_NOTHING;
    if (isnan(answer->hidden)) {
        const struct rounds *rounds = findings->rounds;
        for (int i = 1; i < rounds->candidates->count; i++)
            if (!rounds->dropped[i] && !rounds->failed[i])
                return LACKS_RUNS;
        return LACKS_NOTHING;
    }
    int runs = answer->choice[answer->likely].runs;
    if (answer->disturbed >= 0 || answer->needed > MANY * runs)
        return LACKS_QUIET;
    *repetitions = (int)answer->needed;
    return *repetitions > runs ? LACKS_RUNS : LACKS_NOTHING;
}

static void say_none(const struct findings *findings, int subject, char *text,
                     size_t size)
{
    const struct candidates *candidates = findings->rounds->candidates;
    const struct answer *answer = &findings->answer[subject];
    char others[256];
    int repetitions;
    if (answer->disturbed >= 0) {
        snprintf(text, size, "not decided: %s",
                 findings_say_seems(findings, subject, answer->disturbed,
                                    others, sizeof(others)));
        return;
    }
    int used = snprintf(text, size,
                        "no difference was found; the runs as it is vary by "
                        "%.*f %%, and a gain below %.1f %% would not show",
                        answer->spread < 0.1, 100 * answer->spread,
                        100 * answer->hidden);
    double seems = answer->choice[answer->likely].gain;
    enum findings_lack lack = findings_lack(findings, subject, &repetitions);
    text += used;
    size -= (size_t)used;
    if (lack == LACKS_QUIET)
        snprintf(text, size,
                 "; a quieter machine would tell more, or stop "
                 "here");
    else if (lack == LACKS_RUNS && seems > 0.01)
        snprintf(text, size,
                 "; about %d repetitions would show whether %s gains %.1f %%",
                 repetitions, candidates->name[answer->likely], 100 * seems);
    else if (lack == LACKS_RUNS)
        snprintf(text, size, "; about %d repetitions would show 1 %%",
                 repetitions);
}

/* The reference for all choices must be right itself. */
static int say_failed(const struct findings *findings, char *text, size_t size)
{
    int all, failed = rounds_count_failed(findings->rounds, &all);
    text[0] = '\0';
    return failed == 0
               ? 0
               : snprintf(text, size,
                          "the program failed as it is in %d of %d runs, so no "
                          "gain over it can be relied on",
                          failed, all);
}

bool findings_is_single(const struct findings *findings, int subject)
{
    const struct rounds *rounds = findings->rounds;
    const struct tries_loop *loop =
        tries_find_loop(rounds->tries, rounds->subjects->subject[subject].name);
    int most = 0;
    for (int i = 0; loop != NULL && i < loop->count; i++)
        if (loop->sample[i].candidate == CANDIDATES_OWN)
            most =
                loop->sample[i].threads > most ? loop->sample[i].threads : most;
    return most == 1;
}

const char *findings_say(const struct findings *findings, int subject,
                         char *all, size_t size)
{
    const struct answer *answer = &findings->answer[subject];
    bool single = answer->best < 0 && findings_is_single(findings, subject);
    int repetitions;
    char *text = all;
    if (single) {
        int used = snprintf(text, size,
                            "the team has one thread, which no "
                            "schedule can balance; ");
        text += used;
        size -= (size_t)used;
    }
    if (answer->best >= 0) {
        const struct answer_choice *choice = &answer->choice[answer->best];
        const char *name = findings->rounds->candidates->name[answer->best];
        snprintf(
            text, size, "%s gains %.1f %% (%.1f to %.1f)%s", name,
            100 * choice->gain, 100 * choice->low, 100 * choice->high,
            warn_of_order(findings,
                          findings->rounds->candidates->scheme[answer->best]));
    } else if (!isnan(answer->hidden)) {
        say_none(findings, subject, text, size);
    } else if (findings_lack(findings, subject, &repetitions) ==
               LACKS_NOTHING) {
        snprintf(text, size,
                 "it stays as it is: every other choice is clearly "
                 "slower, fails, prints something else or takes no loop");
    } else {
        snprintf(text, size,
                 "the runs are too few to say: %d comparisons need %d "
                 "repetitions at least",
                 findings->comparisons, repetitions);
    }
    return all;
}

void findings_say_all(const struct findings *findings, int subject, char *text,
                      size_t size)
{
    int used = say_failed(findings, text, size);
    if (used > 0)
        used += snprintf(text + used, size - (size_t)used, "; ");
    findings_say(findings, subject, text + used, size - (size_t)used);
}

/* ---- the table ---- */

static void add_gain(struct table *table, const struct answer_choice *choice,
                     bool other)
{
    if (other)
        table_add(table, "other answers, not ranked");
    else if (choice->failed)
        table_add(table, "failed, not ranked");
    else if (choice->dropped)
        table_add(table, "dropped, slower than others");
    else if (isnan(choice->gain))
        table_add(table, "-");
    else if (isinf(choice->low))
        table_add(table, "%.1f %%, too few runs", 100 * choice->gain);
    else
        table_add(table, "%.1f %% (%.1f to %.1f)", 100 * choice->gain,
                  100 * choice->low, 100 * choice->high);
}

static void print_table(const struct findings *findings, FILE *out)
{
    const struct rounds *rounds = findings->rounds;
    const struct answer *answer = &findings->answer[0];
    struct table table;
    char time[32];
    table_open(&table, 0, 1);
    for (int i = 0; i < rounds->candidates->count; i++) {
        const struct answer_choice *choice = &answer->choice[i];
        if (rounds->useless[i])
            continue;
        strcpy(time, "-");
        if (choice->runs > 0)
            table_seconds(choice->median_s, choice->median_s, time,
                          sizeof(time));
        table_add(table_under(&table, "choice"), "%s",
                  rounds->candidates->name[i]);
        table_add(table_under(&table, "runs"), "%d", choice->runs);
        table_add(table_under(&table, "median"), "%s", time);
        table_number(table_under(&table, "cores"), choice->cores, 2);
        table_number(table_under(&table, "others"), choice->others, 2);
        table_under(&table, "gain");
        if (i == CANDIDATES_OWN)
            table_add(&table, "-");
        else
            add_gain(&table, choice, rounds->outputs.other[i] != 0);
    }
    table_print(&table, out, 2);
    table_free(&table);
}

/* Whether a choice handed out the blocks of static loops. */
static bool were_cut(const struct findings *findings)
{
    const struct rounds *rounds = findings->rounds;
    bool any = false;
    for (int i = 1; i < rounds->subjects->count; i++)
        for (int k = 1; k < rounds->candidates->count; k++)
            any = any || (rounds->subjects->subject[i].blocks &&
                          rounds->candidates->factor[k] == FACTOR_SCHEDULE &&
                          findings->answer[i].choice[k].runs > 0);
    return any;
}

void findings_print(const struct findings *findings, FILE *out)
{
    const struct subjects *subjects = findings->rounds->subjects;
    char text[512];
    const struct rounds *rounds = findings->rounds;
    if (say_failed(findings, text, sizeof(text)) > 0)
        fprintf(out, "%s\n", text);
    use_print(findings, out);
    for (int i = 1; i < rounds->candidates->count; i++)
        if (rounds->outputs.other[i] != 0)
            fprintf(out, "%s\n",
                    outputs_say_other(&rounds->outputs, rounds->candidates, i,
                                      text, sizeof(text)));
    fprintf(out, "%s\n", subjects->subject[0].name);
    print_table(findings, out);
    for (int i = 0; i < subjects->count; i++) {
        const struct subject *subject = &subjects->subject[i];
        fprintf(out, "  %s", subject->name);
        if (i > 0)
            fprintf(out, " (%.1f %% of the time)",
                    100 * fmin(subject->share, 1));
        fprintf(out, ": %s\n", findings_say(findings, i, text, sizeof(text)));
    }
    fprintf(out, "  %s\n", outputs_say(&rounds->outputs, text, sizeof(text)));
    if (were_cut(findings))
        fprintf(out, "  static loops were cut: sums of floating point may "
                     "change their last digits\n");
    fprintf(out, "  gains are shares of the time as it is; all intervals hold "
                 "together with 95 %%;\n  cores: processors' time over the "
                 "program's, and what others had of the same ones\n");
}

/* ---- rules ---- */

int findings_best_schedule(const struct findings *findings, int subject)
{
    return answer_best(&findings->answer[subject], findings->rounds->candidates,
                       FACTOR_SCHEDULE);
}

/* Two loops of one line cannot have two rules by it. */
static bool is_alone(const struct subjects *subjects, int number)
{
    const char *line = subjects->subject[number].line;
    for (int i = 1; line != NULL && i < subjects->count; i++)
        if (i != number && subjects->subject[i].line != NULL &&
            text_is(subjects->subject[i].line, line))
            return false;
    return line != NULL;
}

/* A loop without a best schedule gets a comment only.  A rule by build is
 * exact; a rule by line also serves other builds, but cannot tell two loops of
 * one line apart. */
static void write_rule(FILE *file, const struct findings *findings, int number)
{
    const struct subjects *subjects = findings->rounds->subjects;
    const struct subject *subject = &subjects->subject[number];
    char text[512], line[1024];
    text_line(line, sizeof(line), subject->name);
    fprintf(file, "\n# %s: %s\n", line,
            findings_say(findings, number, text, sizeof(text)));
    int best = findings_best_schedule(findings, number);
    if (best < 0)
        return;
    const char *scheme = findings->rounds->candidates->name[best];
    for (int i = 0; i < subject->builds; i++)
        fprintf(file, "%s = %s\n", subject->build[i], scheme);
    if (is_alone(subjects, number))
        fprintf(file, "%s = %s\n", subject->line, scheme);
}

static void write_rules(FILE *file, const struct findings *findings, int *count)
{
    const struct subjects *subjects = findings->rounds->subjects;
    const char *loops = findings->rounds->attempts->loops;
    char text[512], library[4096];
    *count = 0;
    fprintf(file,
            "# Written by dlsbench omp --try.  A loop has a line by its place "
            "in this build\n# of its module (module:build+offset), and one by "
            "file:line, for other builds.\n"
            "# To use it: dlsbench omp --scheme @FILE");
    start_print_option(file, loops);
    fprintf(file, " -- PROGRAM%s\n", start_cuts(loops) ? "" : ", or");
    if (!start_cuts(loops))
        fprintf(file, "# DLS_SCHEDULE=@FILE%s LD_PRELOAD=%s PROGRAM\n",
                text_is(loops, "dynamic") ? " DLS_OMP_LOOPS=dynamic" : "",
                start_library_text(loops, library, sizeof(library)));
    if (say_failed(findings, text, sizeof(text)) > 0)
        fprintf(file, "# But %s.\n", text);
    for (int i = 1; i < subjects->count; i++) {
        write_rule(file, findings, i);
        *count += findings_best_schedule(findings, i) >= 0;
    }
}

int findings_write_rules(const struct findings *findings, int *count,
                         struct error *err)
{
    char *path = need_text("%s/rules", findings->rounds->folder);
    char *text;
    size_t size;
    FILE *file = need_stream(&text, &size);
    write_rules(file, findings, count);
    int code = fclose(file) != 0 ? error_set(err, ENOMEM, "out of memory")
                                 : file_whole(path, text, size, err);
    free(text);
    free(path);
    return code == 0 ? 0 : error_prefix(err, code, "omp");
}
