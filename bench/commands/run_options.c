#include "bench/driver/run.h"

#include "bench/campaign/policy.h"
#include "bench/cli/command.h"
#include "bench/cli/numbers.h"
#include "bench/simulate/this_machine.h"
#include "bench/start/launcher.h"
#include "harness/cell/binding.h"
#include "harness/cell/cell_field.h"
#include "harness/setup/setup.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An option is a cell field (CELL and its number in the table), a policy key,
 * named alike with '-' for '_', or one of its own. */
enum { CELL = 256, POLICY = 512, SWITCH = 768, OWN = 1024 };
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

/* All options: those of cells are made of the table of fields. */
enum { OPTIONS_MAX = CELL_FIELDS + sizeof(options) / sizeof(options[0]) + 2 };

struct option_list {
    struct argp_option option[OPTIONS_MAX + 1];
    char name[CELL_FIELDS][32], arg[CELL_FIELDS][16];
    int count;
};

static void swap_letter(char *name, char from, char to)
{
    for (; *name != '\0'; name++)
        *name = *name == from ? to : *name;
}

/* "[ARG]" may be left out. */
static void add_field(struct option_list *list, int i, int group)
{
    const struct cell_field *field = &cell_field_table[i];
    bool optional = field->arg[0] == '[';
    size_t length = strlen(field->arg);
    snprintf(list->name[i], sizeof(list->name[i]), "%s", field->name);
    swap_letter(list->name[i], '_', '-');
    snprintf(list->arg[i], sizeof(list->arg[i]), "%.*s",
             (int)(optional ? length - 2 : length), field->arg + optional);
    list->option[list->count++] =
        (struct argp_option){list->name[i], CELL + i,
                             list->arg[i],  optional ? OPTION_ARG_OPTIONAL : 0,
                             field->help,   group};
}

static void add_fields(struct option_list *list, const char *title,
                       bool simulation, int group)
{
    list->option[list->count++] =
        (struct argp_option){.doc = title, .group = group};
    for (int i = 0; i < CELL_FIELDS; i++)
        if (cell_field_table[i].arg != NULL &&
            (cell_field_table[i].group == CELL_SIMULATION) == simulation)
            add_field(list, i, group);
}

static void list_options(struct option_list *list, bool simulated)
{
    *list = (struct option_list){.count = 0};
    add_fields(list, "One cell:", false, 1);
    memcpy(list->option + list->count, options, sizeof(options));
    list->count += (int)(sizeof(options) / sizeof(options[0])) - 1;
    if (simulated)
        add_fields(list, "The simulation:", true, 4);
}

static void policy_name(int key, char *name, size_t size)
{
    const struct argp_option *option = options;
    while (option->key != key)
        option++;
    snprintf(name, size, "%s", option->name);
    swap_letter(name, '-', '_');
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
    policy_name(key, name, sizeof(name));
    o->max_given = o->max_given || strcmp(name, "repetitions_max") == 0;
    int code = policy_set(&o->policy, name, arg, o->err);
    return code == 0 ? keep_setting(o, name, arg) : code;
}

/* How cells are simulated goes with a campaign file too. */
static int take_cell(struct run_options *o, int i, const char *arg)
{
    const struct cell_field *field = &cell_field_table[i];
    bool simulation = field->group == CELL_SIMULATION;
    if (o->field == NULL && !simulation)
        o->field = field->name;
    o->ranks = o->ranks || i == CELL_FIELD_ranks;
    o->threads = o->threads || i == CELL_FIELD_threads;
    int code = cell_set(&o->cell, field->name, arg ? arg : "on", o->err);
    return code == 0 && simulation ? keep_setting(o, field->name, arg) : code;
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
        return -take_cell(o, key - CELL, arg);
    if (key >= POLICY && key < OWN)
        return -take_policy(o, key, arg ? arg : "on");
    return take_own(o, key, arg);
}

/* What the options say together. */
static int check(const struct run_options *o, struct error *err)
{
    if (o->file != NULL && o->field != NULL) {
        char name[32];
        snprintf(name, sizeof(name), "%s", o->field);
        swap_letter(name, '_', '-');
        return error_set(err, EINVAL,
                         "--%s does not go with a campaign file; to override "
                         "a field of its cells use --set",
                         name);
    }
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
        const char *platform = campaign->all.cells[i].platform;
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

int run_options_read(int argc, char **argv, bool simulated,
                     struct run_options *o, struct error *err)
{
    struct option_list list;
    const struct argp argp = {list.option,
                              parse,
                              "CAMPAIGN\n--kernel K --scheme S",
                              simulated ? simulation_doc : doc,
                              NULL,
                              NULL,
                              NULL};
    list_options(&list, simulated);
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
    struct scheme scheme;
    bool learns = scheme_parse(cell->scheme, &scheme, NULL) == 0 &&
                  scheme_keeps(&scheme) &&
                  strcmp(cell->placement, "sticky") == 0;
    return learns || (cell->load[0] != '\0' &&
                      strcmp(cell->platform, this_machine_name) == 0);
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
