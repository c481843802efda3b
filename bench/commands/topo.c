/* dlsbench topo: what would be bound where, before anything runs. */
#include "harness/topo/topo.h"

#include "bench/cli/command.h"
#include "bench/cli/numbers.h"
#include "harness/cell/binding.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    OPT_RANKS = 256,
    OPT_THREADS,
    OPT_WORKERS,
    OPT_RANK_PER,
    OPT_BIND,
    OPT_SMT,
    OPT_TOPOLOGY,
    OPT_CPUSET,
    OPT_OVERSUBSCRIBE
};

enum { WORKERS_MAX = 65536 };

struct input {
    int64_t ranks, threads, workers; /* 0: not given */
    struct cell cell;                /* bind, smt and rank_per of it */
    const char *topology, *cpuset;
    bool oversubscribe;
    struct error *err;
};

static const char doc[] =
    "Shows the cores of this machine, or of another, and which worker of a run "
    "would be bound to which processor.  Processors are numbered as the system "
    "does.  The exit code is 1 when two workers share a core, which a run "
    "refuses."
    "\v"
    "Examples:\n"
    "  dlsbench topo\n"
    "  dlsbench topo --workers 4 --bind scatter\n"
    "  dlsbench topo --rank-per numa --smt\n"
    "  dlsbench topo --ranks 2 --threads 2 --bind 0,2,4,6\n"
    "  dlsbench topo --topology 'pack:2 numa:2 core:32 pu:2' --rank-per numa\n"
    "  dlsbench topo --topology node.xml --cpuset 0-31   # lstopo node.xml\n";

static const struct argp_option options[] = {
    {"ranks", OPT_RANKS, "R", 0, "ranks on this host (default: 1)", 0},
    {"threads", OPT_THREADS, "T", 0,
     "threads of a rank (default: one for each core)", 0},
    {"workers", OPT_WORKERS, "N", 0, "the same as one rank of N threads", 0},
    {"rank-per", OPT_RANK_PER, "WHAT", 0,
     "a rank for each node, socket or numa domain, which its workers stay in",
     0},
    {"bind", OPT_BIND, "HOW", 0,
     "compact (default), scatter, none, or processors: 0,2,4-7", 0},
    {"smt", OPT_SMT, "on|off", OPTION_ARG_OPTIONAL,
     "a worker for each hardware thread instead of each core (off)", 0},
    {"topology", OPT_TOPOLOGY, "MACHINE", 0,
     "another machine: an XML file of lstopo or a synthetic description of "
     "hwloc",
     0},
    {"cpuset", OPT_CPUSET, "LIST", 0,
     "as if started in these processors, e.g. by Slurm", 0},
    {"oversubscribe", OPT_OVERSUBSCRIBE, NULL, 0,
     "shared cores are no error, as in run", 0},
    {0},
};

static int parse_count(const char *name, const char *arg, int64_t *out,
                       struct error *err)
{
    return -number_integer(name, arg, 1, WORKERS_MAX, out, err);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct input *in = state->input;
    switch (key) {
    case OPT_RANKS:
        return parse_count("--ranks", arg, &in->ranks, in->err);
    case OPT_THREADS:
        return parse_count("--threads", arg, &in->threads, in->err);
    case OPT_WORKERS:
        return parse_count("--workers", arg, &in->workers, in->err);
    case OPT_RANK_PER:
        return -cell_set(&in->cell, "rank_per", arg, in->err);
    case OPT_BIND:
        return -cell_set(&in->cell, "bind", arg, in->err);
    case OPT_SMT:
        return -cell_set(&in->cell, "smt", arg ? arg : "on", in->err);
    case OPT_TOPOLOGY:
        in->topology = arg;
        return 0;
    case OPT_CPUSET:
        in->cpuset = arg;
        return 0;
    case OPT_OVERSUBSCRIBE:
        in->oversubscribe = true;
        return 0;
    case ARGP_KEY_ARG:
        return -error_set(in->err, EINVAL, "topo: '%s' is not an option", arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What is not given: a rank for each domain, a thread for each core. */
static int choose_shape(struct input *in, const struct topo *topo,
                        struct error *err)
{
    struct topo_room room;
    enum topo_domain domain;
    topo_room(topo, &room);
    int code = binding_domain_parse(&domain, in->cell.rank_per, err);
    if (code != 0)
        return code;
    if (in->workers > 0 && (in->ranks > 0 || in->threads > 0))
        return error_set(err, EINVAL,
                         "--workers is one rank of so many threads: give it, "
                         "or --ranks and --threads");
    if (in->workers > 0)
        in->ranks = 1;
    if (in->ranks == 0)
        in->ranks = room.domains[domain];
    if (in->threads == 0)
        in->threads = in->workers > 0 ? in->workers
                      : in->cell.smt  ? room.processors[domain]
                                      : room.cores[domain];
    if (in->ranks * in->threads > WORKERS_MAX)
        return error_set(err, EINVAL, "at most %d workers can be shown",
                         WORKERS_MAX);
    return 0;
}

static int show(struct input *in, const struct topo *topo, struct error *err)
{
    struct topo_binding binding;
    int code = choose_shape(in, topo, err);
    if (code != 0)
        return command_fail(COMMAND_USAGE, err);
    binding_of_cell(&binding, &in->cell);
    int shared = topo_print(stdout, topo, &binding, (int)in->ranks,
                            (int)in->threads, err);
    if (shared < 0)
        return command_fail(COMMAND_USAGE, err);
    if (shared == 0 || in->oversubscribe)
        return COMMAND_OK;
    fflush(stdout);
    error_set(err, EBUSY,
              "%d workers share a %s with another: a run refuses it without "
              "--oversubscribe",
              shared, in->cell.smt ? "processor" : "core");
    return command_fail(COMMAND_FAILED, err);
}

int topo_command(int argc, char **argv)
{
    static const struct argp argp = {options, parse, NULL, doc,
                                     NULL,    NULL,  NULL};
    struct error err = {""};
    struct input in = {.err = &err};
    struct topo *topo;
    cell_defaults(&in.cell);
    if (command_parse(&argp, argc, argv, &in, &err) != 0)
        return command_fail(COMMAND_USAGE, &err);
    if (topo_open_other(&topo, in.topology, in.cpuset, &err) != 0)
        return command_fail(COMMAND_USAGE, &err);
    int code = show(&in, topo, &err);
    topo_close(topo);
    return code;
}
