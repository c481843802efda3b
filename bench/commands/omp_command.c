/* dlsbench omp: the loops of somebody else's OpenMP program. */
#include "base/folder.h"
#include "base/text.h"
#include "bench/commands/omp_on.h"
#include "bench/commands/omp_options.h"
#include "bench/launching/subprocess.h"
#include "bench/options/command.h"
#include "bench/programs/execution/same.h"
#include "bench/programs/seen/recorded.h"
#include "bench/programs/seen/seen_report.h"
#include "bench/programs/seen/start.h"
#include "bench/programs/seen/store.h"
#include "bench/programs/seen/suggest.h"
#include "bench/programs/static/region_list.h"
#include "bench/programs/try/try.h"
#include "bench/results/folders.h"
#include "dls/strategy.h"
#include "harness/engine/engine.h"
#include "harness/process/need.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Checks the scheme.  The path of a file with rules becomes absolute, because
 * the program may change its folder; start->scheme then points to `text`. */
static int check_schedule(struct start *start, char *text, size_t size,
                          struct error *err)
{
    struct strategy strategy;
    if (start->scheme == NULL)
        return 0;
    if (start->scheme[0] != '@') {
        int code = strategy_parse(start->scheme, &strategy, err);
        return code != 0 || !strategy.last_first || start_cuts(start->loops)
                   ? code
                   : error_set(err, EINVAL,
                               "omp: --scheme %s is an order of the blocks of "
                               "static loops: --loops static is missing",
                               strategy.text);
    }
    if (start->scheme[1] == '\0')
        return error_set(err, EINVAL,
                         "omp: --scheme @: the name of the file is missing, "
                         "allowed: a scheme or @FILE");
    char *whole = realpath(start->scheme + 1, NULL);
    if (whole == NULL)
        return error_set(err, errno, "omp: --scheme: %s: %s", start->scheme + 1,
                         strerror(errno));
    snprintf(text, size, "@%s", whole);
    free(whole);
    start->scheme = text;
    return rules_read(&start->rules, text + 1, err);
}

static void warn_of_rules(struct rules *rules, const struct loops *loops)
{
    char build[COUNTERS_NAME_MAX];
    for (int i = 0; i < loops->processes; i++)
        for (int k = 0; k < loops->process[i].loops; k++) {
            const struct loops_loop *loop = &loops->process[i].loop[k];
            loops_name_build(loops->process[i].counters, loop->site, build);
            rules_use(rules, &loop->place, build);
        }
    for (int i = 0; i < rules->count; i++)
        if (rules_is_idle(rules, i))
            command_say("omp: %s: no loop that was seen is '%s'",
                        rules->rule[i].where, rules->rule[i].name);
}

/* The folder is new, or empty: old traces are not mixed with new ones. */
static int open_folder(struct omp_input *in, struct error *err)
{
    struct folder files;
    int code = folders_make(in->record, &in->made, err);
    if (code == 0 && access(in->record, W_OK) != 0)
        code = error_set(err, errno, "omp: --record %s: %s", in->record,
                         strerror(errno));
    if (code == 0)
        code = folder_find(in->record, "", "", &files, err);
    if (code != 0)
        return code;
    if (files.count > 0)
        code = error_set(err, EEXIST,
                         "omp: --record %s: it is not empty; name another "
                         "directory%s",
                         in->record,
                         in->on != NULL ? ", or read it: leave out the program"
                                        : "");
    folder_free(&files);
    return code;
}

/* The option that asks for records. */
static const char *name_option(const struct omp_input *in)
{
    return in->record != NULL ? "record" : "on";
}

static int open_record(struct omp_input *in, struct error *err)
{
    int code = in->record != NULL ? open_folder(in, err) : 0;
    if (code == 0 && (in->record != NULL || in->on != NULL))
        command_say("omp: --%s: the loops run under dynamic,%s, and each "
                    "chunk's time is taken",
                    name_option(in), in->scheme + strlen("css:chunk="));
    return code;
}

/* Without a folder the records are at the counters.  Returns an exit code. */
static int write_records(const struct omp_input *in, const char *folder,
                         const struct loops *loops,
                         const struct report_run *run)
{
    struct error err;
    const char *to = in->record != NULL ? in->record : folder;
    int files, end = COMMAND_OK;
    if (recorded_write(folder, to, loops, stderr, &files, &err) != 0 ||
        (files > 0 && in->on != NULL &&
         omp_on(in->on, to, in->out != NULL ? in->path : NULL, stderr, &err) !=
             0))
        end = command_fail(COMMAND_FAILED, &err);
    recorded_say_rest(loops, run, stderr);
    if (end == COMMAND_OK && files == 0) {
        command_say("omp: --%s: no loop was recorded", name_option(in));
        end = COMMAND_FAILED;
    }
    if (loops->left > 0)
        command_say("omp: --%s: loops left alone, as ordered ones in LLVM's "
                    "runtime: %d",
                    name_option(in), loops->left);
    return end;
}

/* Returns an exit code. */
static int store(const struct omp_input *in, char *const *words,
                 const struct report_run *its, const struct loops *loops,
                 const char *answer)
{
    struct error err;
    char reason[128];
    bool good = WIFEXITED(its->status) && WEXITSTATUS(its->status) == 0;
    subprocess_describe(its->status, reason, sizeof(reason));
    struct store_run run = {.folder = in->path,
                            .words = words,
                            .scheme = in->scheme,
                            .status = good ? "ok" : "failed",
                            .reason = good ? NULL : reason,
                            .seconds = its->seconds,
                            .answer = answer};
    if (store_loops(&run, loops, &err) != 0)
        return command_fail(COMMAND_FAILED, &err);
    command_say("results: %s", in->path);
    return COMMAND_OK;
}

static void say_nothing(const char *program, int left, int status)
{
    char end[128];
    subprocess_describe(status, end, sizeof(end));
    if (left > 0)
        command_say("omp: %s: no OpenMP loop was measured: %d left alone, as "
                    "ordered ones are and all of LLVM's runtime without OMPT",
                    program, left);
    else
        command_say("omp: %s: no OpenMP loop was seen: none ran before its end "
                    "(%s), or its runtime is another",
                    program, end);
}

/* Prints which processes lack the library.  Returns the number of lines. */
static int say_loaded(const struct start *start, const struct start_end *end,
                      const struct loops *loops)
{
    int64_t *rank = need_zeroed((size_t)loops->processes + 1, sizeof(*rank));
    for (int i = 0; i < loops->processes; i++)
        rank[i] = loops->process[i].counters->rank;
    int lines = loaded_say(&end->loaded, start->folder, start->words, rank,
                           loops->processes);
    free(rank);
    return lines;
}

/* Reads what the library wrote into start->folder, and prints the report on
 * stderr.  Rows, results and records follow if they are asked for.  Returns an
 * exit code. */
static int report(struct start *start, const struct omp_input *in,
                  char *const *words, const struct start_end *end,
                  struct symbols *symbols, const struct code_tables *tables)
{
    int exit_code = COMMAND_OK;
    struct error err;
    struct loops loops;
    const struct loops_end over = {.tick_s = end->tick_s,
                                   .ticks = end->ticks,
                                   .now = end->outlived ? engine_ticks() : 0};
    if (loops_read(&loops, start->folder, &over, symbols, &err) != 0)
        return command_fail(COMMAND_FAILED, &err);
    /* A script may end before its children: the program is both. */
    const struct report_run run = {.seconds = end->seconds + loops.later_s,
                                   .cpu_s =
                                       end->cpu_s + loops_running_cpu(&loops),
                                   .outlived = end->outlived,
                                   .status = end->status,
                                   .pid = end->pid,
                                   .program = start->words,
                                   .folder = start->folder};
    int lines = say_loaded(start, end, &loops);
    if (loops.processes == 0 && lines == 0)
        say_nothing(start->words[0], loops.left, end->status);
    char *answer = report_print(stderr, &loops, &run);
    if (in->format != TABLE_TEXT)
        report_write_rows(stdout, (enum table_format)in->format, &loops, &run,
                          answer);
    if (!symbols_have_lines && loops.processes > 0)
        command_say("omp: loops are named by file and offset: this dlsbench "
                    "was built without elfutils' libdw, which finds lines");
    if (end->outlived)
        command_say("omp: %s: processes that it began still run: the report "
                    "has what they did until now",
                    start->words[0]);
    warn_of_rules(&start->rules, &loops);
    if (start_cuts(start->loops))
        loops_read_code(&loops, tables); /* for the next run */
    if (in->out != NULL)
        exit_code = store(in, words, &run, &loops, answer);
    free(answer);
    if (start->records && write_records(in, start->folder, &loops, &run) != 0)
        exit_code = COMMAND_FAILED;
    loops_free(&loops);
    return exit_code;
}

static int print_patch(const char *path)
{
    struct error err = {""};
    char name[PATH_MAX];
    int loops;
    if (suggest_patch(path, stdout, &loops, &err) != 0)
        return command_fail(COMMAND_USAGE, &err);
    if (loops == 0)
        command_say("omp: %s: no loop without a schedule", path);
    else
        command_say("omp: %s: loops that change: %d; OMP_SCHEDULE=static runs "
                    "them as before%s",
                    path, loops,
                    suggest_name(path, name) ? "; apply it by patch -p0 -d /"
                                             : "");
    return COMMAND_OK;
}

static int list_static(const char *path)
{
    struct error err = {""};
    int found = 0;
    if (static_list(path, stdout, &found, &err) != 0)
        return command_fail(COMMAND_USAGE, &err);
    if (found == 0)
        command_say("omp: --static %s: it has no parallel region of gcc's that "
                    "can be read",
                    path);
    return COMMAND_OK;
}

/* Runs the program once and reports its loops.  Passes on the exit code or
 * signal of a program that failed; otherwise returns the report's exit code. */
static int watch_program(struct omp_input *in, struct start *start, char **argv)
{
    struct error err = {""};
    struct start_end end = {.began = false};
    int reported = COMMAND_OK;
    char path[PATH_MAX], rules[PATH_MAX + 1];
    start->needs = start->records;
    struct scratch scratch = {.path = ""};
    int code = check_schedule(start, rules, sizeof(rules), &err);
    code = code == 0 ? start_check(start, path, sizeof(path), &err) : code;
    /* Before the program runs: a wrong one does not cost its time. */
    if (code == 0 && in->out != NULL)
        code =
            folders_make_out("omp", in->out, in->path, sizeof(in->path), &err);
    code = code == 0 ? open_record(in, &err) : code;
    struct code_tables tables = {.asked = NULL};
    if (code == 0 && scratch_open(&scratch, START_ROOM, &err) != 0)
        code = error_prefix(&err, -EIO, "omp");
    code = code == 0
               ? start_read(scratch.path, start->loops, path, &tables, &err)
               : code;
    if (code != 0) {
        tables_close(&tables);
        scratch_close(&scratch);
        return command_fail(COMMAND_USAGE, &err);
    }
    start->folder = scratch.path;
    struct symbols *symbols = symbols_open();
    code = in->compares ? same_before(start, path, symbols, &tables, &err) : 0;
    code = code == 0 ? start_run(start, path, symbols, &end, &err) : code;
    /* The folder is removed even if the report's reader has gone. */
    signal(SIGPIPE, SIG_IGN);
    if (code == 0)
        reported = report(start, in, argv, &end, symbols, &tables);
    if (code == 0 && in->compares && !same_compare(start))
        reported = COMMAND_FAILED;
    symbols_close(symbols);
    tables_close(&tables);
    scratch_close(&scratch);
    /* Removes a new but unused folder, which is empty. */
    if (in->made && (code != 0 || reported != COMMAND_OK))
        rmdir(in->record);
    if (code != 0)
        return command_fail(end.began || code == -ECHILD ? COMMAND_FAILED
                                                         : COMMAND_USAGE,
                            &err);
    return end.status == 0 ? reported : start_pass_on(end.status);
}

/* The default folder of --try: the program's name and the time. */
static char *name_folder(const char *program)
{
    time_t now = time(NULL);
    struct tm parts;
    char stamp[32];
    strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S", gmtime_r(&now, &parts));
    return need_text("%s-%s", path_last(program), stamp);
}

/* For --try and for several seeds: names the result folder and leaves the
 * rounds to bench/programs/try.  Returns an exit code. */
static int run_several(struct omp_input *in, struct start *start, char **argv)
{
    struct error err = {""};
    char path[PATH_MAX];
    start->needs = true;
    int code = start_check(start, path, sizeof(path), &err);
    char *out = in->out != NULL    ? need_copy(in->out)
                : in->list != NULL ? name_folder(start->words[0])
                                   : NULL;
    if (code == 0 && out != NULL)
        code = folders_name_out("omp", out, in->path, sizeof(in->path), &err);
    free(out);
    if (code != 0)
        return command_fail(COMMAND_USAGE, &err);
    const struct try_plan plan = {
        .words = start->words,
        .file = path,
        .command = argv,
        .check = in->check,
        .loops = start->loops,
        .list = in->list,
        .folder = in->path,
        .repetitions = in->repetitions > 0 ? (int)in->repetitions : 10,
        .resume = in->resume,
        .scheme = in->scheme};
    return in->list != NULL ? try_program(&plan) : try_seeds(&plan);
}

int omp_command(int argc, char **argv)
{
    struct error err = {""};
    struct omp_input in = {.scheme = NULL};
    struct start start = {.words = NULL};
    int code = omp_read(argc, argv, &in, &start, &err);
    bool several = in.list != NULL || in.seeds;
    int place =
        several || in.compares
            ? try_check_place(in.list != NULL ? "--try"
                              : in.seeds      ? "--scheme rnd"
                                              : "--loops static --scheme",
                              start.words != NULL ? start.words[0] : "PROGRAM")
            : COMMAND_OK;
    if (place != COMMAND_OK)
        return place;
    if (code != 0)
        return command_fail(COMMAND_USAGE, &err);
    if (in.suggest != NULL)
        return print_patch(in.suggest);
    if (in.code != NULL)
        return list_static(in.code);
    if (in.reads)
        return omp_on_records(&in);
    code = several ? run_several(&in, &start, argv)
                   : watch_program(&in, &start, argv);
    rules_free(&start.rules);
    free(in.named);
    return code;
}
