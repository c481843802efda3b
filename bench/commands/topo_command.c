/* dlsbench topo: what would be bound where, before anything runs. */
#include "harness/topo/topo.h"

#include "base/text.h"
#include "bench/options/command.h"
#include "bench/options/options.h"
#include "harness/cell/binding.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { WORKERS_MAX = 65536 };

struct input {
    int64_t ranks, threads, workers; /* 0: not given */
    struct cell cell;                /* for bind, smt and rank_per */
    const char *topology, *cpuset;
    bool oversubscribe;
};

/* An option of the same name as a field of cells, with '-' for its '_'. */
static int take_field(void *command, const struct options_entry *entry,
                      const char *text, struct error *err)
{
    struct input *in = command;
    const char *field =
        strcmp(entry->name, "rank-per") == 0 ? "rank_per" : entry->name;
    return cell_set(&in->cell, field, text, err);
}

#define OPTIONS_OF struct input

static const struct options_entry entries[] = {
    OPTION_WHOLE("ranks", "N", ranks, 1, WORKERS_MAX,
                 "ranks on this host (default: 1)"),
    OPTION_WHOLE("threads", "N", threads, 1, WORKERS_MAX,
                 "threads of a rank (default: one for each core)"),
    OPTION_WHOLE("workers", "N", workers, 1, WORKERS_MAX,
                 "the same as one rank of N threads"),
    OPTION_CALL("rank-per", "WHAT", take_field,
                "a rank for each node, socket or numa domain, which its "
                "workers stay in"),
    OPTION_CALL(
        "bind", "HOW", take_field,
        "fast (the default: neighbours, of the fastest kind first), all (of "
        "any kind), kind=N, scatter, none, or processors: 0,2,4-7"),
    OPTION_CALL("smt", "on|off", take_field,
                "a worker for each hardware thread instead of each core (off)",
                .implied = "on"),
    OPTION_TEXT("topology", "MACHINE", topology,
                "another machine: an XML file of lstopo or a synthetic "
                "description of hwloc"),
    OPTION_TEXT("cpuset", "LIST", cpuset,
                "as if started in these processors, e.g. by Slurm"),
    OPTION_FLAG("oversubscribe", oversubscribe,
                "shared cores are no error, as in run"),
    {.name = NULL},
};

static const struct options_page page = {
    .name = "topo",
    .summary =
        "Shows the cores of this machine, or of another, and which worker of a "
        "run would be bound to which processor.  Processors are numbered as "
        "the system does; a core has the number of its first processor.  The "
        "exit code is 1 when two workers share a core, "
        "which a run refuses.",
    .examples =
        "dlsbench topo\n"
        "dlsbench topo --workers 4 --bind scatter\n"
        "dlsbench topo --rank-per numa --smt\n"
        "dlsbench topo --ranks 2 --threads 2 --bind 0,2,4,6\n"
        "dlsbench topo --topology 'pack:2 numa:2 core:32 pu:2' --rank-per "
        "numa\n"
        "dlsbench topo --topology node.xml --cpuset 0-31   # lstopo node.xml",
    .tables = (const struct options_entry *const[]){entries, NULL}};

/* Defaults: a rank for each domain, a thread for each core. */
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
                         "--workers is one rank of this many threads: give it, "
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

/* Returns the exit code: COMMAND_FAILED if a run would refuse the binding, as
 * workers share cores or exceed the CPU quota. */
static int show_binding(struct input *in, const struct topo *topo,
                        struct error *err)
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
    double quota = topo_allowed(topo)->quota;
    int workers = (int)(in->ranks * in->threads);
    if ((shared == 0 && workers <= quota) || in->oversubscribe)
        return COMMAND_OK;
    fflush(stdout);
    if (shared > 0)
        error_set(err, EBUSY,
                  "%d worker%s share%s a %s with another: a run refuses it "
                  "without --oversubscribe",
                  shared, text_s(shared), &"s"[shared != 1],
                  in -> cell.smt ? "processor" : "core");
    else
        error_set(err, EBUSY,
                  "%d worker%s a CPU quota of %.4g: a run refuses it "
                  "without --oversubscribe",
                  workers, workers == 1 ? " has" : "s have", quota);
    return command_fail(COMMAND_FAILED, err);
}

int topo_command(int argc, char **argv)
{
    struct error err = {""};
    struct input in = {.ranks = 0};
    struct topo *topo;
    cell_defaults(&in.cell, NULL);
    if (options_read(&page, argc, argv, &in, &err) != 0)
        return command_fail(COMMAND_USAGE, &err);
    if (topo_open_other(&topo, in.topology, in.cpuset, &err) != 0)
        return command_fail(COMMAND_USAGE, &err);
    int code = show_binding(&in, topo, &err);
    topo_close(topo);
    return code;
}
