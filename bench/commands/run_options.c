#include "bench/driver/run.h"

#include "bench/campaign/policy.h"
#include "bench/cli/command.h"
#include "bench/cli/numbers.h"
#include "bench/simulate/this_machine.h"
#include "bench/start/launcher.h"
#include "harness/cell/binding.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An option is a cell field, a policy key or one of its own: the key tells
 * which, and the name tells the field ('-' for '_'). */
enum { CELL = 256, POLICY = 512, SWITCH = 768, OWN = 1024, SIMULATION = 1280 };
enum {
    OUT = OWN,
    SHARD,
    SHAPE,
    CORES,
    TOPOLOGY,
    RESUME,
    PREPARE,
    DRY_RUN,
    FORMAT,
    FROM,
    SET,
    LAUNCHER,
    CALIBRATION
};

static const char doc[] =
    "Measures the cells of a campaign (a file, or the name of one that comes "
    "with DLSBench), or a single cell given by options."
    "\v"
    "Results go to results/CAMPAIGN/NAME, with NAME from --out or the time; an "
    "--out with a '/' is a path.  The exit code is 0 when all cells ran and "
    "verified, 1 when one did not, 2 for wrong usage.\n"
    "\n"
    "Examples:\n"
    "  dlsbench run --kernel mandelbrot --scheme gss\n"
    "  dlsbench run --kernel adjoint:size=100 --scheme tss --ranks 2\n"
    "  dlsbench run workstation --out monday\n"
    "  dlsbench run workstation --out monday --resume\n"
    "  dlsbench run workstation --dry-run --set "
    "'scheme=[ss,gss]'\n"
    "  dlsbench run big.yaml --out all --shard 3/8\n";

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "One cell:", 1},
    {"kernel", CELL, "K", 0, "see dlsbench list kernels", 1},
    {"scheme", CELL + 1, "S", 0,
     "see dlsbench list schemes; outer/inner: one between masters, one inside; "
     "of OpenMP: dynamic, guided, ...; auto: chosen by simulation or trial",
     1},
    {"ranks", CELL + 2, "R", 0, "MPI ranks (default 1)", 1},
    {"threads", CELL + 3, "T", 0,
     "threads of a rank (default: all cores with one rank, else 1)", 1},
    {"hierarchy", CELL + 4, "H", 0, "flat, 2, 4x16, node, 2xnode, ...", 1},
    {"transport", CELL + 5, "T", 0, "shared, master, window, steal or openmp",
     1},
    {"master", CELL + 6, "M", 0, "computing or dedicated", 1},
    {"window", CELL + 7, "W", 0, "auto, shared or rma", 1},
    {"openmp", CELL + 40, "R", 0,
     "runtime of transport openmp: libgomp (default) or libomp", 1},
    {"victim", CELL + 41, "V", 0,
     "of transport steal: whom an idle worker robs, random (default), or near: "
     "who shares its cache, its socket, its node, then others",
     1},
    {"collect", CELL + 8, "C", 0, "where results go: master or local", 1},
    {"prefetch", CELL + 9, "on|off", 0, "requests go one ahead", 1},
    {"rank-per", CELL + 18, "WHAT", 0,
     "a rank for each node, socket or numa domain, in which its threads stay",
     1},
    {"nodes", CELL + 19, "N", 0,
     "for --rank-per, as many nodes (in a Slurm job its nodes, else 1)", 1},
    {"bind", CELL + 10, "B", 0,
     "compact, scatter, none, or processors in the order of a host's workers: "
     "0,2,4-7",
     1},
    {"smt", CELL + 20, "on|off", OPTION_ARG_OPTIONAL,
     "workers on hardware threads instead of cores", 1},
    {"memory", CELL + 21, "M", 0,
     "workers' data: touch (default), where they touch it first, or bind, on "
     "their NUMA node",
     1},
    {"timing", CELL + 11, "T", 0, "worker, or chunk to time every chunk", 1},
    {"power", CELL + 12, "V,...", 0,
     "one for each worker, n:v for n times; measured: by a short run of the "
     "kernel at the start",
     1},
    {"min-chunk", CELL + 13, "N", 0, "smallest chunk", 1},
    {"protocol", CELL + 14, "P", 0,
     "of loops with dependences: dmps (default) or subproblem; push: of plans, "
     "which have it by themselves",
     1},
    {"placement", CELL + 15, "P", 0,
     "of chunks in several time steps: sticky (default) or replan", 1},
    {"sync-interval", CELL + 16, "H", 0,
     "columns between synchronization points, for loops with dependences "
     "(100); auto: the model's best, andronikos, chen-xue: other models'",
     1},
    {"load", CELL + 17, "L", 0,
     "busy processes beside workers: w0,w2:1 is one on the cores of each of "
     "these two, w0-w3:2 two on each of four",
     1},
    {"perturb", CELL + 30, "P", 0,
     "what goes wrong on purpose: delay, stop or gone (workers), network "
     "(simulated), as stop:worker=1,at=0.3,seconds=0.5, several joined by +; "
     "see dlsbench list perturbations",
     1},
    {"reissue", CELL + 31, "FACTOR", OPTION_ARG_OPTIONAL,
     "hand chunks out again that are out for FACTOR (3) times what they should "
     "take; the first result counts",
     1},
    {"data", CELL + 29, "D", 0,
     "sent: the input data of each chunk travel to its worker (the default of "
     "plans), none: it makes them itself",
     1},
    {NULL, 0, NULL, 0, "How it is measured:", 2},
    {"repetitions", POLICY, "N", 0, "at least so many (10)", 2},
    {"repetitions-max", POLICY + 1, "N", 0, "at most so many (50)", 2},
    {"ci", POLICY + 2, "X", 0,
     "enough when the median is known within this share (0.02)", 2},
    {"cell-seconds", POLICY + 3, "S", 0, "or after so long (60)", 2},
    {"cell-timeout", POLICY + 4, "S", 0, "give a cell up after (600)", 2},
    {"verify-limit", POLICY + 5, "S", 0,
     "check a sample if the serial reference takes longer (60)", 2},
    {"events", POLICY + 6, "E,...", 0,
     "counters of each worker: default, none or names, see dlsbench list "
     "events",
     2},
    {"oversubscribe", SWITCH, NULL, 0, "go on when workers share cores", 2},
    {"trace", SWITCH + 1, NULL, 0, "record who ran which chunk when", 2},
    {"save", SWITCH + 2, NULL, 0,
     "write what each cell computed as a picture (mandelbrot, "
     "floyd-steinberg), by one more repetition",
     2},
    {NULL, 0, NULL, 0, "The run:", 3},
    {"out", OUT, "DIR", 0, "name or path of the result directory", 3},
    {"shard", SHARD, "I/N", 0, "only the I-th of N parts, I from 0", 3},
    {"shape", SHAPE, "RxT", 0,
     "only the cells of this layout; --shard then counts in it", 3},
    {"cores", CORES, "N", 0,
     "what 'cores' in layouts stands for (this machine's cores, at least 2)",
     3},
    {"topology", TOPOLOGY, "MACHINE", 0,
     "a node of the cluster, for 'cores' and rank_per: an XML file of lstopo "
     "or "
     "a synthetic description of hwloc (default: this machine)",
     3},
    {"resume", RESUME, NULL, 0, "run what is not complete in --out", 3},
    {"prepare", PREPARE, NULL, 0,
     "only make the result directory for jobs to come; print its path and the "
     "campaign's name",
     3},
    {"dry-run", DRY_RUN, NULL, 0, "say what would run", 3},
    {"format", FORMAT, "table|csv", 0,
     "of --dry-run; csv has a line for each cell, with its place in its "
     "layout by hash, its status in --out, its estimated seconds and what they "
     "are by: measured, alike, model or limit (cell_seconds)",
     3},
    {"from", FROM, "DIR", 0,
     "an earlier result directory to estimate by (default: --out)", 3},
    {"set", SET, "KEY=VALUE", 0, "override a key or cell field", 3},
    {"calibration", CALIBRATION, "FILE", 0,
     "for sync_interval auto (default: where dlsbench calibrate writes)", 3},
    {"launcher", LAUNCHER, "COMMAND", 0,
     "starts the ranks (default as mpiexec.mpich -n {ranks})", 3},
    {0},
};

static const char simulation_doc[] =
    "Runs the cells of a campaign file, or a single cell, on a simulated "
    "cluster."
    "\v"
    "Every rank, and every thread of a rank, is one core of the platform, in "
    "the order of its hosts; the threads of a rank share a host.  Nothing is "
    "computed: iterations take the time that their operations cost.  Results "
    "are those of dlsbench run, with simulated times.  There is one "
    "repetition, since it would always be the same; of schemes that learn "
    "from one to the next (awf) there are --repetitions.\n"
    "\n"
    "Examples:\n"
    "  dlsbench sim --platform bench/platforms/ranger.xml --workers 1024 "
    "--master dedicated --hierarchy 4 --kernel adjoint:size=800 --scheme tss\n"
    "  dlsbench sim mine.yaml --platform "
    "bench/platforms/ranger.xml --out han\n";

/* Behind the others, for dlsbench sim only. */
static const struct argp_option simulation_options[] = {
    {NULL, 0, NULL, 0, "The simulation:", 4},
    {"platform", SIMULATION, "FILE", 0,
     "SimGrid's description of a cluster, or this-machine: as calibrated", 4},
    {"workers", SIMULATION + 1, "P", 0,
     "so many workers; dedicated masters come on top", 4},
    {"cp", SIMULATION + 2, "S", 0,
     "c_p: seconds of one operation of the kernel on the slowest host "
     "(default: its flops over the host's)",
     4},
    {"request-cost", SIMULATION + 3, "S", 0,
     "a master takes in and answers one request (0.2e-6)", 4},
    {"result-bytes", SIMULATION + 4, "N", 0,
     "results of one iteration (default: as many as the kernel has)", 4},
    {0},
};

/* The option's name with '_' for '-': a field of cells or a policy key. */
static const char *key_name(int key, char *name, size_t size)
{
    const struct argp_option *option =
        key >= SIMULATION ? simulation_options : options;
    while (option->key != key)
        option++;
    snprintf(name, size, "%s", option->name);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '-')
            *c = '_';
    return option->name;
}

static int take_cell(struct run_options *o, int key, const char *arg)
{
    char field[32];
    const char *name = key_name(key, field, sizeof(field));
    if (o->field == NULL)
        o->field = name;
    o->ranks = o->ranks || key == CELL + 2;
    o->threads = o->threads || key == CELL + 3;
    return cell_set(&o->cell, field, arg ? arg : "on", o->err);
}

/* With a campaign file it is one of its overrides. */
static int keep_setting(struct run_options *o, const char *name,
                        const char *arg)
{
    char *kept = o->measure[o->measures];
    if (o->measures == RUN_MEASURES_MAX ||
        (size_t)snprintf(kept, sizeof(o->measure[0]), "%s=%s", name, arg) >=
            sizeof(o->measure[0]))
        return error_set(o->err, E2BIG, "--%s: too many options", name);
    o->measures++;
    return 0;
}

static int take_policy(struct run_options *o, int key, const char *arg)
{
    char name[32];
    key_name(key, name, sizeof(name));
    o->max_given = o->max_given || strcmp(name, "repetitions_max") == 0;
    int code = policy_set(&o->policy, name, arg, o->err);
    return code == 0 ? keep_setting(o, name, arg) : code;
}

/* Fields of cells that go with a campaign file too. */
static int take_simulation(struct run_options *o, int key, const char *arg)
{
    char name[32];
    key_name(key, name, sizeof(name));
    int code = cell_set(&o->cell, name, arg, o->err);
    return code == 0 ? keep_setting(o, name, arg) : code;
}

static int take_shard(struct run_options *o, const char *arg)
{
    char end;
    if (strlen(arg) < 16 &&
        sscanf(arg, "%d/%d%c", &o->dir.part.shard, &o->dir.part.shards, &end) ==
            2 &&
        o->dir.part.shards <= 1000000 && o->dir.part.shard >= 0 &&
        o->dir.part.shard < o->dir.part.shards)
        return 0;
    return error_set(o->err, EINVAL,
                     "--shard: '%s' must be I/N with I from 0 to N-1, e.g. 3/8",
                     arg);
}

static int take_shape(struct run_options *o, const char *arg)
{
    char end;
    if (strlen(arg) < 16 &&
        sscanf(arg, "%dx%d%c", &o->shape.ranks, &o->shape.threads, &end) == 2 &&
        o->shape.ranks > 0 && o->shape.threads > 0) {
        o->dir.part.ranks = o->shape.ranks;
        o->dir.part.threads = o->shape.threads;
        return 0;
    }
    return error_set(o->err, EINVAL,
                     "--shape: '%s' must be RANKSxTHREADS, e.g. 4x8", arg);
}

static int take_cores(struct run_options *o, const char *arg)
{
    int64_t cores = 0;
    int code = number_integer("--cores", arg, 1, 1000000, &cores, o->err);
    o->cores = (int)cores;
    return code;
}

static int take_format(struct run_options *o, const char *arg)
{
    o->csv = strcmp(arg, "csv") == 0;
    if (o->csv || strcmp(arg, "table") == 0)
        return 0;
    return error_set(o->err, EINVAL,
                     "--format: '%s' is unknown, allowed: table, csv", arg);
}

static int take_set(struct run_options *o, const char *arg)
{
    if (o->setup.sets == CAMPAIGN_SETS_MAX - RUN_MEASURES_MAX - 1)
        return error_set(o->err, E2BIG, "--set: at most %d are possible",
                         CAMPAIGN_SETS_MAX - RUN_MEASURES_MAX - 1);
    o->setup.set[o->setup.sets++] = arg;
    return 0;
}

static int take_file(struct run_options *o, const char *arg)
{
    if (o->file != NULL)
        return error_set(o->err, EINVAL,
                         "run: '%s' is one word too many, the campaign is %s",
                         arg, o->file);
    o->file = arg;
    return 0;
}

static error_t take_own(struct run_options *o, int key, char *arg)
{
    switch (key) {
    case OUT:
        o->dir.out = arg;
        return arg[0] != '\0'
                   ? 0
                   : -error_set(o->err, EINVAL, "--out: the name is empty");
    case SHARD:
        return -take_shard(o, arg);
    case SHAPE:
        return -take_shape(o, arg);
    case CORES:
        return -take_cores(o, arg);
    case TOPOLOGY:
        o->topology = arg;
        return 0;
    case FROM:
        o->from = arg;
        return 0;
    case FORMAT:
        return -take_format(o, arg);
    case PREPARE:
        o->dir.prepare = true;
        return 0;
    case RESUME:
        o->dir.resume = true;
        return 0;
    case DRY_RUN:
        o->dry_run = true;
        return 0;
    case SET:
        return -take_set(o, arg);
    case CALIBRATION:
        o->calibration = arg;
        return 0;
    case LAUNCHER:
        o->launcher = arg;
        return 0;
    case ARGP_KEY_ARG:
        return -take_file(o, arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;
    if (key >= CELL && key < POLICY)
        return -take_cell(o, key, arg);
    if (key >= SIMULATION && key < SIMULATION + 256)
        return -take_simulation(o, key, arg);
    if (key >= POLICY && key < OWN)
        return -take_policy(o, key, arg ? arg : "on");
    return take_own(o, key, arg);
}

/* What the options say together. */
static int check(const struct run_options *o, struct error *err)
{
    if (o->file != NULL && o->field != NULL)
        return error_set(err, EINVAL,
                         "--%s does not go with a campaign file; to override "
                         "a field of its cells use --set",
                         o->field);
    if (o->file == NULL && o->field == NULL)
        return error_set(err, EINVAL,
                         "run: a campaign file, or --kernel and --scheme, is "
                         "missing");
    if (o->file == NULL && o->cell.kernel[0] == '\0')
        return error_set(err, EINVAL, "run: --kernel is missing");
    if (o->file == NULL && o->cell.scheme[0] == '\0')
        return error_set(err, EINVAL, "run: --scheme is missing");
    if (o->file == NULL && o->setup.sets > 0)
        return error_set(err, EINVAL,
                         "--set goes with a campaign file; a single cell has "
                         "options for all");
    if (o->from != NULL && !o->csv)
        return error_set(err, EINVAL, "--from goes with --format csv");
    if (o->csv && !o->dry_run)
        return error_set(err, EINVAL, "--format goes with --dry-run");
    if (o->dir.resume && o->dir.out == NULL)
        return error_set(err, EINVAL,
                         "--resume needs --out: the directory to go on with");
    if (o->dir.part.shards > 1 && o->dir.out == NULL)
        return error_set(err, EINVAL,
                         "--shard needs --out, so that all parts meet in one "
                         "directory");
    return 0;
}

/* Cells are simulated on platforms, and measured here. */
static int check_platforms(const struct run_options *o,
                           const struct campaign *campaign, struct error *err)
{
    for (int i = 0; i < campaign->all.count; i++) {
        const char *platform = campaign->all.cells[i].simulation.platform;
        if (o->simulated && platform[0] == '\0')
            return error_set(err, EINVAL,
                             "sim: platform is missing, a SimGrid file such as "
                             "bench/platforms/ranger.xml: give --platform, or "
                             "platform in the campaign");
        if (!o->simulated && platform[0] != '\0')
            return error_set(err, EINVAL,
                             "run: the campaign has cells for platform %s: "
                             "simulate them with dlsbench sim",
                             platform);
    }
    return 0;
}

enum {
    COUNT = sizeof(options) / sizeof(options[0]) - 1,
    SIMULATION_COUNT =
        sizeof(simulation_options) / sizeof(simulation_options[0]),
};

int run_options_read(int argc, char **argv, bool simulated,
                     struct run_options *o, struct error *err)
{
    struct argp_option all[COUNT + SIMULATION_COUNT];
    const struct argp argp = {simulated ? all : options,
                              parse,
                              "CAMPAIGN\n--kernel K --scheme S",
                              simulated ? simulation_doc : doc,
                              NULL,
                              NULL,
                              NULL};
    memcpy(all, options, COUNT * sizeof(*all));
    memcpy(all + COUNT, simulation_options, sizeof(simulation_options));
    *o = (struct run_options){.launcher = launcher_default(),
                              .simulated = simulated,
                              .dir = {.part = {.shards = 1}},
                              .err = err};
    cell_defaults(&o->cell);
    policy_defaults(&o->policy);
    int code = command_parse(&argp, argc, argv, o, err);
    if (code == 0)
        code = check(o, err);
    if (code == 0 && !simulated && !o->dry_run && !o->dir.prepare)
        code = launcher_check(o->launcher, err);
    return code;
}

static int load_campaign(struct run_options *o, struct campaign *campaign,
                         struct error *err)
{
    for (int i = 0; i < o->measures; i++)
        o->setup.set[o->setup.sets++] = o->measure[i];
    char path[PATH_MAX];
    int code = campaign_find(o->file, path, sizeof(path), err);
    return code != 0 ? code : campaign_load(path, &o->setup, campaign, err);
}

/* The shape that is not given: by rank_per, or one rank with all cores. */
static int single_shape(struct run_options *o, struct error *err)
{
    const char *job = getenv("SLURM_JOB_NUM_NODES");
    if (o->cell.rank_per[0] != '\0') {
        if (o->cell.nodes == 0 && job != NULL)
            o->cell.nodes = atoi(job);
        return binding_fill_shape(&o->cell, o->setup.room, o->ranks, o->threads,
                                  err);
    }
    if (o->cell.nodes > 0)
        return error_set(err, EINVAL, "--nodes goes with --rank-per");
    if (!o->simulated && !o->threads && o->cell.ranks == 1)
        o->cell.threads =
            o->cell.smt ? o->room.processors[TOPO_NODE] : o->setup.cores;
    return 0;
}

/* A core of this machine is shared in time slices, and loops start anywhere in
 * one. */
static bool differs(const struct cell *cell)
{
    return cell_learns_by_repetition(cell) ||
           (cell->load[0] != '\0' &&
            strcmp(cell->simulation.platform, this_machine_name) == 0);
}

/* Other repetitions are all the same. */
static void set_simulated_repetitions(struct campaign *campaign)
{
    bool any = false;
    for (int i = 0; i < campaign->all.count; i++)
        any = any || differs(&campaign->all.cells[i]);
    if (!any)
        campaign->policy.repetitions = 1;
    campaign->policy.repetitions_max = campaign->policy.repetitions;
}

int run_options_campaign(struct run_options *o, struct campaign *campaign,
                         struct error *err)
{
    int code;
    if (o->file != NULL) {
        code = load_campaign(o, campaign, err);
    } else {
        code = single_shape(o, err);
        if (code != 0)
            return code;
        if (!o->max_given && o->policy.repetitions_max < o->policy.repetitions)
            o->policy.repetitions_max = o->policy.repetitions;
        code = campaign_single(&o->cell, &o->policy, campaign, err);
    }
    if (code == 0 && (code = check_platforms(o, campaign, err)) != 0)
        campaign_free(campaign);
    if (code == 0 && o->simulated)
        set_simulated_repetitions(campaign);
    return code;
}
