/* dlsbench: finds the command in bench/options/commands.def and calls it with
 * "dlsbench COMMAND" as argv[0].  A command without a C function is a Python
 * program of analysis/, which replaces this process. */
#include "bench/options/command.h"

#include "base/nearest.h"
#include "bench/launching/installed.h"
#include "bench/options/options.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct command {
    const char *name;
    int (*main)(int argc, char **argv); /* NULL: analysis/NAME.py */
    const char *summary;                /* NULL: not for people */
};

static const struct command commands[] = {
#define COMMAND(name, function, summary) {name, function, summary},
#define READER(name, summary) {name, NULL, summary},
#include "bench/options/commands.def"
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

/* dlsbench without a command: --help and its like, or an error. */
static void read_options(int argc, char **argv, struct error *err)
{
    char text[2048];
    int used = snprintf(text, sizeof(text),
                        "Commands ('dlsbench COMMAND --help' says more):\n");
    for (int i = 0; i < COMMANDS; i++)
        if (commands[i].summary != NULL && used < (int)sizeof(text))
            used +=
                snprintf(text + used, sizeof(text) - (size_t)used,
                         "  %-15s %s\n", commands[i].name, commands[i].summary);
    const struct options_page page = {
        .words = "COMMAND [OPTION...]",
        .summary = "Finds the best schedule for loops: of your OpenMP program, "
                   "of kernels on this machine, on simulated clusters.",
        .details = text,
        .examples =
            "dlsbench omp -- ./program\n"
            "dlsbench list schemes\n"
            "dlsbench chunks --scheme gss --iterations 1000 --workers 4\n"
            "dlsbench run --kernel mandelbrot --scheme gss --threads 2\n"
            "dlsbench run workstation"};
    if (options_read(&page, argc, argv, NULL, err) != 0)
        return;
    options_print_help(&page, false, stderr);
    error_set(err, EINVAL, "a command is missing");
}

static const struct command *find_command(const char *name, struct error *err)
{
    const char *names[COMMANDS + 1] = {NULL};
    for (int i = 0, shown = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
        if (commands[i].summary != NULL)
            names[shown++] = commands[i].name;
    }
    nearest_unknown(err, name, names, "dlsbench --help", "unknown command '%s'",
                    name);
    return NULL;
}

/* Becomes the Python program that reads results; returns only on failure. */
static int become_reader(char **argv)
{
    char name[64], path[PATH_MAX];
    struct error err;
    snprintf(name, sizeof(name), "analysis/%s.py", argv[1]);
    if (installed_find(name, path, sizeof(path)) != 0)
        error_set(&err, ENOENT, "%s is not installed", name);
    else {
        argv[0] = (char *)(uintptr_t) "python3";
        argv[1] = path;
        execvp(argv[0], argv);
        error_set(&err, errno,
                  "%s needs Python: apt-get install python3-scipy "
                  "python3-pandas python3-matplotlib python3-jinja2",
                  name);
    }
    return command_fail(COMMAND_FAILED, &err);
}

int main(int argc, char **argv)
{
    struct error err;
    /* `help` and `help COMMAND` are --help and COMMAND --help. */
    if ((argc == 2 || argc == 3) && strcmp(argv[1], "help") == 0) {
        argv[1] = argv[argc - 1];
        argv[argc - 1] = (char *)(uintptr_t) "--help";
    }
    if (argc == 2 && strcmp(argv[1], "--help=complete") == 0) {
        /* For shells, before the options of dlsbench itself. */
        for (int i = 0; i < COMMANDS; i++)
            if (commands[i].summary != NULL)
                printf("%s\t%s\n", commands[i].name, commands[i].summary);
    }
    if (argc < 2 || argv[1][0] == '-') {
        read_options(argc, argv, &err);
        return command_fail(COMMAND_USAGE, &err);
    }
    const struct command *command = find_command(argv[1], &err);
    if (command == NULL)
        return command_fail(COMMAND_USAGE, &err);
    if (command->main == NULL)
        return become_reader(argv);
    char name[64];
    snprintf(name, sizeof(name), "dlsbench %s", command->name);
    argv[1] = name;
    int code = command->main(argc - 1, argv + 1);
    /* Lost output is a failure. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == 0) {
        error_set(&err, errno, "cannot write to the standard output");
        return command_fail(COMMAND_FAILED, &err);
    }
    return code;
}
