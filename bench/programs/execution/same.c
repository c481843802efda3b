#include "bench/programs/execution/same.h"

#include "base/folder.h"
#include "bench/options/command.h"
#include "harness/program/need.h"

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

int same_before(struct start *start, const char *path, struct symbols *symbols,
                struct error *err)
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
    if (code == 0 && !(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0))
        code = error_set(err, EINVAL, "omp: the program fails as it is");
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
