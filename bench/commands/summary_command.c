/* dlsbench summary: the table of an existing result directory, or its times for
 * a tracker.  The exit code is 1 if a cell failed or did not verify, or if a
 * tracker gets no cell. */
#include "base/folder.h"
#include "bench/commands/summary_trackers.h"
#include "bench/options/command.h"
#include "bench/options/options.h"
#include "bench/results/summary.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct asked {
    const char *dir;
    int format;
};

static int take_word(void *command, const char *text, struct error *err)
{
    struct asked *in = command;
    if (in->dir != NULL)
        return error_set(err, EINVAL, "summary: '%s' is one word too many",
                         text);
    in->dir = text;
    return 0;
}

#define OPTIONS_OF struct asked

static const char *const formats[] = {TABLE_FORMATS, TRACKER_FORMATS, NULL};

static const struct options_entry entries[] = {
    OPTION_WORD("format", TABLE_FORMAT_WORDS "|" TRACKER_FORMAT_WORDS, format,
                formats,
                "default table; else a row for each cell, and nothing else "
                "(columns: results/README.md); the last three are for "
                "trackers (docs/trackers.md)"),
    {.name = NULL},
};
static const struct options_entry *const tables[] = {entries, NULL};

static const struct options_page page = {
    .name = "summary",
    .words = "DIRECTORY",
    .summary = "Prints the tables of a result directory, as dlsbench run does "
               "at its end.",
    .examples = "dlsbench summary results/workstation/monday\n"
                "dlsbench summary results/workstation/monday --format json",
    .tables = tables,
    .take_word = take_word};

/* Says where the results are instead, if folders in it have some. */
static int refuse_empty(const char *dir, struct error *err)
{
    struct folder below = {.count = 0}, found = {.count = 0};
    int code = error_set(err, ENOENT, "%s: no results are here", dir);
    folder_find(dir, "", "", &below, NULL);
    for (int i = 0; i < below.count && found.count == 0; i++) {
        folder_free(&found);
        folder_find(below.path[i], "runs-", ".jsonl", &found, NULL);
        if (found.count > 0)
            code = error_set(err, ENOENT,
                             "%s: no results are here, but in folders of it: "
                             "name one, such as %s, or let dlsbench report "
                             "read all of them as one",
                             dir, below.path[i]);
    }
    folder_free(&found);
    folder_free(&below);
    return code;
}

static int read_dir(const char *dir, struct results *results, struct error *err)
{
    struct stat info;
    if (dir == NULL)
        return error_set(err, EINVAL, "summary: a result directory is missing");
    if (stat(dir, &info) != 0 || !S_ISDIR(info.st_mode))
        return error_set(err, ENOENT, "%s: not a result directory: %s", dir,
                         strerror(errno ? errno : ENOTDIR));
    int code = results_read(dir, results, err);
    if (code == 0 && results->count == 0) {
        results_free(results);
        return refuse_empty(dir, err);
    }
    return code;
}

int summary_command(int argc, char **argv)
{
    struct error err = {""};
    struct asked in = {NULL, -1};
    struct results results;
    if (options_read(&page, argc, argv, &in, &err) != 0 ||
        read_dir(in.dir, &results, &err) != 0)
        return command_fail(COMMAND_USAGE, &err);
    struct summary_counts counts = summary_count(&results);
    bool any = true;
    if (in.format > TABLE_MARKDOWN)
        any = trackers_write(&results, in.format - TABLE_MARKDOWN - 1, stdout) >
              0;
    else
        summary_print(&results, in.dir, false, -1,
                      in.format > 0 ? in.format : TABLE_TEXT);
    results_free(&results);
    return any && counts.failed + counts.unverified == 0 ? COMMAND_OK
                                                         : COMMAND_FAILED;
}
