/* dlsbench summary: the table of an existing result directory. */
#include "bench/cli/command.h"
#include "bench/results/summary.h"
#include "bench/results/tables.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct input {
    const char *dir;
    struct error *err;
};

static const char doc[] =
    "Prints the tables of a result directory, as dlsbench run does at its end."
    "\v"
    "Examples:\n"
    "  dlsbench summary results/workstation/monday\n";

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct input *input = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (input->dir != NULL)
        return -error_set(input->err, EINVAL,
                          "summary: '%s' is one word too many", arg);
    input->dir = arg;
    return 0;
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
        return error_set(err, ENOENT, "%s: no results are here", dir);
    }
    return code;
}

int summary_command(int argc, char **argv)
{
    static const struct argp argp = {NULL, parse, "DIRECTORY", doc,
                                     NULL, NULL,  NULL};
    struct error err = {""};
    struct input input = {.err = &err};
    struct results results;
    if (command_parse(&argp, argc, argv, &input, &err) != 0 ||
        read_dir(input.dir, &results, &err) != 0)
        return command_fail(COMMAND_USAGE, &err);
    struct summary_counts counts = summary_count(&results);
    int code = summary_print(stdout, &results, &err);
    if (code == 0)
        tables_print(&results, input.dir, false);
    if (code == 0)
        summary_end(stdout, input.dir, counts, -1);
    results_free(&results);
    if (code != 0)
        return command_fail(COMMAND_FAILED, &err);
    return counts.failed + counts.unverified == 0 ? COMMAND_OK : COMMAND_FAILED;
}
