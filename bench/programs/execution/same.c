/* Runs the program as it is before the run that the user wants.  Both outputs
 * are files, and are compared byte by byte. */
#include "bench/programs/execution/same.h"

#include "base/folder.h"
#include "bench/launching/subprocess.h"
#include "bench/options/command.h"
#include "bench/programs/seen/loops.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char *name_of(const struct start *start, const char *which)
{
    return need_text("%s/printed-%s", start->folder, which);
}

/* The program may have begun others, or opened libraries: their code is known
 * for the next run. */
static int read_loaded(const char *folder, const struct start_end *end,
                       struct symbols *symbols,
                       const struct code_tables *tables, struct error *err)
{
    struct loops loops;
    const struct loops_end over = {.tick_s = end->tick_s,
                                   .ticks = end->ticks,
                                   .now = end->outlived ? end->ticks : 0};
    int code = loops_read(&loops, folder, &over, symbols, err);
    if (code != 0)
        return code;
    loops_read_code(&loops, tables);
    loops_free(&loops);
    return tables_check(tables, true, err);
}

int same_before(struct start *start, const char *path, struct symbols *symbols,
                const struct code_tables *tables, struct error *err)
{
    struct start plain = *start;
    struct start_end end = {.began = false};
    char *folder = need_text("%s/as-it-is", start->folder),
         *output = name_of(start, "before");
    plain.scheme = NULL;
    plain.loops = "runtime";
    plain.folder = folder;
    plain.output = output;
    command_say("omp: a first run as it is, to compare with");
    int code =
        mkdir(folder, 0700) == 0 ? 0 : error_set(err, errno, "omp: %s", folder);
    if (code == 0)
        code = start_run(&plain, path, symbols, &end, err);
    if (code == 0 && !(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0)) {
        char how[100];
        subprocess_describe(end.status, how, sizeof(how));
        code =
            error_set(err, ECHILD, "omp: the program fails as it is: %s", how);
    }
    if (code == 0)
        code = read_loaded(folder, &end, symbols, tables, err);
    folder_remove(folder);
    free(folder);
    free(output);
    start->output = name_of(start, "now");
    return code;
}

bool same_compare(const struct start *start)
{
    char *before = name_of(start, "before");
    FILE *old = fopen(before, "r"), *new = fopen(start->output, "r");
    bool same = old != NULL && new != NULL;
    for (int c, other; new != NULL && (c = getc(new)) != EOF;) {
        other = old != NULL ? getc(old) : EOF;
        same = same && other == c;
        putc(c, start->to_stderr ? stderr : stdout);
    }
    same = same && getc(old) == EOF && fflush(stdout) == 0;
    if (!same)
        command_say("omp: it printed something else than as it is: do not use "
                    "this (sums of floating point may differ in their last "
                    "digits)");
    if (old != NULL)
        fclose(old);
    if (new != NULL)
        fclose(new);
    free(before);
    return same;
}
