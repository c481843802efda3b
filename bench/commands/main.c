/* dlsbench: the command line.  Each subcommand is one line in the table. */
#include "bench/cli/command.h"

#include "base/nearest.h"
#include "harness/record/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct command {
    const char *name;
    int (*main)(int argc, char **argv);
    const char *summary; /* NULL: not for people */
};

static const struct command commands[] = {
    {"run", run_command, "measure a campaign file or a single cell"},
    {"sim", sim_command, "run the same on a simulated cluster"},
    {"summary", summary_command, "print the tables of a result directory"},
    {"chunks", chunks_command, "print the chunk sequence of a scheme"},
    {"calibrate", calibrate_command, "measure what predict needs to know"},
    {"predict", predict_command, "predict the best synchronization interval"},
    {"plan", plan_command, "plan a divisible load: who gets how much, when"},
    {"list", list_command,
     "list schemes, kernels, transports, events, perturbations"},
    {"topo", topo_command, "show cores and what would be bound where"},
    {"launch", launch_command, NULL},
    {"busy", busy_command, NULL},
    {"stopper", stopper_command, NULL},
    {"calibrate-launch", calibrate_launch_command, NULL},
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

struct input {
    int first; /* index of the subcommand in argv, 0: none */
};

static const char doc[] =
    "Benchmarks dynamic loop self-scheduling on this machine."
    "\v"
    "Commands ('dlsbench COMMAND --help' says more):\n";

static const char examples[] =
    "\nExamples:\n"
    "  dlsbench list schemes\n"
    "  dlsbench chunks --scheme gss --iterations 1000 --workers 4\n"
    "  dlsbench run --kernel mandelbrot --scheme gss --threads 2\n"
    "  dlsbench run workstation\n";

static char *help_filter(int key, const char *text, void *input)
{
    (void)input;
    char *all = NULL;
    size_t size;
    FILE *out;
    if (key != ARGP_KEY_HELP_POST_DOC ||
        (out = open_memstream(&all, &size)) == NULL)
        return (char *)text;
    fputs(text, out);
    for (int i = 0; i < COMMANDS; i++)
        if (commands[i].summary != NULL)
            fprintf(out, "  %-15s %s\n", commands[i].name, commands[i].summary);
    fputs(examples, out);
    fclose(out);
    return all;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    struct input *input = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    input->first = state->next - 1;
    state->next = state->argc;
    return 0;
}

static const struct command *find(const char *name, struct error *err)
{
    const char *names[COMMANDS + 1] = {NULL};
    for (int i = 0, shown = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
        if (commands[i].summary != NULL)
            names[shown++] = commands[i].name;
    }
    nearest_unknown(err, name, names, "unknown command '%s'", name);
    return NULL;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        NULL, parse, "COMMAND [OPTION...]", doc, NULL, help_filter, NULL};
    struct input input = {.first = 0};
    struct error err;
    char version[128];
    snprintf(version, sizeof(version), "dlsbench %s", build_version);
    argp_program_version = version;
    argp_err_exit_status = COMMAND_USAGE;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &input);
    if (input.first == 0) {
        error_set(&err, EINVAL, "a command is missing, see dlsbench --help");
        return command_fail(COMMAND_USAGE, &err);
    }
    const struct command *command = find(argv[input.first], &err);
    if (command == NULL)
        return command_fail(COMMAND_USAGE, &err);
    char name[64];
    snprintf(name, sizeof(name), "dlsbench %s", command->name);
    argv[input.first] = name;
    int code = command->main(argc - input.first, argv + input.first);
    /* Results that nobody got are no success. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == 0) {
        error_set(&err, errno, "cannot write to the standard output");
        return command_fail(1, &err);
    }
    return code;
}
