/* dlsbench topo: what would be bound where, before anything runs. */
#include "harness/topo/topo.h"

#include "bench/command.h"
#include "bench/numbers.h"

#include <errno.h>
#include <stdio.h>

enum { OPT_WORKERS = 256, OPT_BIND };

struct input {
    int64_t workers; /* 0: one for each core */
    enum topo_bind bind;
    struct error *err;
};

static const char doc[] = "Shows the cores of this machine and which worker "
                          "would be bound to which."
                          "\v"
                          "Examples:\n"
                          "  dlsbench topo\n"
                          "  dlsbench topo --workers 4 --bind scatter\n";

static const struct argp_option options[] = {
    {"workers", OPT_WORKERS, "N", 0, "default: one for each core", 0},
    {"bind", OPT_BIND, "HOW", 0, "compact (default), scatter or none", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct input *in = state->input;
    switch (key) {
    case OPT_WORKERS:
        return -number_integer("--workers", arg, 1, 1 << 20, &in->workers,
                               in->err);
    case OPT_BIND:
        if (topo_bind_parse(arg, &in->bind))
            return 0;
        return -error_set(in->err, EINVAL,
                          "--bind: '%s' is unknown, allowed: compact, "
                          "scatter, none",
                          arg);
    case ARGP_KEY_ARG:
        return -error_set(in->err, EINVAL, "topo: '%s' is not an option", arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int topo_command(int argc, char **argv)
{
    static const struct argp argp = {options, parse, NULL, doc,
                                     NULL,    NULL,  NULL};
    struct error err = {""};
    struct input in = {.bind = TOPO_COMPACT, .err = &err};
    if (command_parse(&argp, argc, argv, &in, &err) != 0)
        return command_fail(COMMAND_USAGE, &err);
    if (topo_print(stdout, (int)in.workers, in.bind, &err) != 0)
        return command_fail(COMMAND_FAILED, &err);
    return COMMAND_OK;
}
