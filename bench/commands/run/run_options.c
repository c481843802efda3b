/* The table of options of run and sim. */
#include "bench/commands/run/run_options.h"

#include "bench/campaign/policy.h"
#include "bench/options/options.h"
#include "bench/options/table.h"
#include "harness/cell/cell_field.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 32, CORES_MAX = 1000000 };

static void copy_name(const char *from, char *name, size_t size, char old,
                      char new)
{
    snprintf(name, size, "%s", from);
    for (; *name != '\0'; name++)
        *name = *name == old ? new : *name;
}

void run_option_name(const char *field, char *name, size_t size)
{
    copy_name(field, name, size, '_', '-');
}

/* ---- options for fields of cells or keys of campaigns ---- */

/* With a campaign file it becomes one of its overrides. */
static int keep_setting(struct run_options *o, const char *name,
                        const char *text, bool several, struct error *err)
{
    char *kept = o->measure[o->measures];
    if (o->measures == RUN_MEASURES_MAX ||
        (size_t)snprintf(kept, sizeof(o->measure[0]),
                         several ? "%s=[%s]" : "%s=%s", name,
                         text) >= sizeof(o->measure[0]))
        return error_set(err, E2BIG, "--%s: too many options", name);
    o->measures++;
    return 0;
}

static int take_policy(void *command, const struct options_entry *entry,
                       const char *text, struct error *err)
{
    struct run_options *o = command;
    const char *value = text != NULL ? text : "on";
    char name[NAME_SIZE];
    copy_name(entry->name, name, sizeof(name), '-', '_');
    o->max_given = o->max_given || strcmp(name, "repetitions_max") == 0;
    int code = policy_set(&o->policy, name, value, err);
    return code == 0 ? keep_setting(o, name, value, false, err) : code;
}

/* A list of numbers needs a campaign file whose layouts depend on the number of
 * nodes. */
static int take_nodes(struct run_options *o, const char *text,
                      struct error *err)
{
    size_t size = sizeof(o->nodes);
    if ((size_t)snprintf(o->nodes, size, "nodes=[%s]", text) >= size)
        return error_set(err, E2BIG, "--nodes: the list is too long");
    return strchr(text, ',') == NULL ? cell_set(&o->cell, "nodes", text, err)
                                     : 0;
}

/* Fields of the simulation are allowed with a campaign file, too. */
static int take_field(void *command, const struct options_entry *entry,
                      const char *text, struct error *err)
{
    struct run_options *o = command;
    char name[NAME_SIZE];
    copy_name(entry->name, name, sizeof(name), '-', '_');
    const struct cell_field *field = cell_field_find(name);
    bool simulation = field->group == CELL_SIMULATION;
    if (strcmp(name, "nodes") == 0)
        return take_nodes(o, text, err);
    if (o->field == NULL && !simulation)
        o->field = field->name;
    o->ranks = o->ranks || strcmp(name, "ranks") == 0;
    o->threads = o->threads || strcmp(name, "threads") == 0;
    bool several = field->kind != CELL_TEXT && strchr(text, ',') != NULL;
    int code = simulation && !several ? cell_set(&o->cell, name, text, err)
                                      : run_lists_set(o, field, text, err);
    return code == 0 && simulation ? keep_setting(o, name, text, several, err)
                                   : code;
}

/* ---- options of the run ---- */

static int take_shard(void *command, const struct options_entry *entry,
                      const char *text, struct error *err)
{
    struct shard *shard = &((struct run_options *)command)->dir.shard;
    char end;
    if (strlen(text) < 16 &&
        sscanf(text, "%d/%d%c", &shard->index, &shard->count, &end) == 2 &&
        shard->count <= 1000000 && shard->index >= 0 &&
        shard->index < shard->count)
        return 0;
    return error_set(err, EINVAL,
                     "--%s: '%s' must be I/N with I from 0 to N-1, e.g. 3/8",
                     entry->name, text);
}

static int take_shape(void *command, const struct options_entry *entry,
                      const char *text, struct error *err)
{
    struct run_options *o = command;
    struct layout *shape = &o->shape;
    char end;
    if (strlen(text) < 16 &&
        sscanf(text, "%dx%d%c", &shape->ranks, &shape->threads, &end) == 2 &&
        shape->ranks > 0 && shape->threads > 0) {
        o->dir.shard.ranks = shape->ranks;
        o->dir.shard.threads = shape->threads;
        return 0;
    }
    return error_set(err, EINVAL, "--%s: '%s' must be RANKSxTHREADS, e.g. 4x8",
                     entry->name, text);
}

static int take_set(void *command, const struct options_entry *entry,
                    const char *text, struct error *err)
{
    struct campaign_setup *setup = &((struct run_options *)command)->setup;
    int most = CAMPAIGN_SETS_MAX - RUN_MEASURES_MAX - 1;
    if (setup->sets == most)
        return error_set(err, E2BIG, "--%s: at most %d are possible",
                         entry->name, most);
    setup->set[setup->sets++] = text;
    return 0;
}

static int take_campaign(void *command, const char *text, struct error *err)
{
    struct run_options *o = command;
    if (o->file != NULL)
        return error_set(err, EINVAL,
                         "%s: '%s' is one word too many, the campaign is %s",
                         o->setup.replayed ? "replay"
                         : o->simulated    ? "sim"
                                           : "run",
                         text, o->file);
    o->file = text;
    return 0;
}

/* ---- the tables ---- */

#define OPTIONS_OF struct run_options

static const char *const formats[] = {TABLE_FORMATS, NULL};

static const struct options_entry running[] = {
    {.group = "The run:"},
    OPTION_TEXT("out", "DIR", dir.out, "name or path of the result directory"),
    OPTION_FLAG("resume", dir.resume,
                "run the cells that are not complete in "
                "--out"),
    OPTION_FLAG("dry-run", dry_run, "say what would run"),
    OPTION_WORD(
        "format", TABLE_FORMAT_WORDS, format, formats,
        "of the results: a row for each cell and nothing else; of --dry-run, "
        "csv: each cell with its place in its layout by hash, its status in "
        "--out, its estimated seconds and their source: measured, alike, model "
        "or limit (cell_seconds)"),
    OPTION_TEXT("from", "DIR", from,
                "estimate by this earlier result directory (default: --out)"),
    OPTION_CALL("set", "KEY=VALUE", take_set,
                "override a key or cell field of the campaign"),
    OPTION_CALL("shard", "I/N", take_shard,
                "only the I-th of N parts, I from 0"),
    OPTION_CALL("shape", "RxT", take_shape,
                "only the cells of this layout; --shard then counts in it"),
    OPTION_FLAG("prepare", dir.prepare,
                "only make the result directory for jobs to come; print its "
                "path and the campaign's name"),
    OPTION_WHOLE(
        "cores", "N", cores, 1, CORES_MAX,
        "what 'cores' means in layouts (this machine's cores, at least 2)"),
    OPTION_TEXT(
        "topology", "MACHINE", topology,
        "a node of the cluster, for 'cores' and rank_per: an XML file of "
        "lstopo or a synthetic description of hwloc (default: this machine)"),
    OPTION_TEXT(
        "calibration", "FILE", calibration,
        "for sync_interval auto (default: where dlsbench calibrate writes)"),
    OPTION_TEXT("launcher", "COMMAND", launcher,
                "of dlsbench run: starts the ranks (default as mpiexec.mpich "
                "-n {ranks})"),
    {.name = NULL},
};

static const char ways[] = "CAMPAIGN\n--kernel K --scheme S";

static const struct options_page native_page = {
    .name = "run",
    .common = (const char *const[]){"kernel", "scheme", "ranks", "threads",
                                    "transport", "repetitions", "out", "resume",
                                    "dry-run", "set", NULL},
    .words = ways,
    .summary = "Measures the cells of a campaign (a file, or the name of one "
               "that comes with DLSBench), or a single cell given by options.",
    .details = "Results go to results/CAMPAIGN/NAME, with NAME from --out or "
               "the time; an --out with a '/' is a path.  The exit code is 0 "
               "when all cells ran and verified, 1 when one did not, 2 for "
               "wrong usage.  Options of a single cell may be lists, which "
               "are crossed: --scheme ss,css:chunk=16 --ranks 1,2.",
    .examples = "dlsbench run --kernel mandelbrot --scheme gss\n"
                "dlsbench run --kernel mandelbrot --scheme "
                "static,css:chunk=16,gss\n"
                "dlsbench run --kernel adjoint:size=100 --scheme tss --ranks "
                "2\n"
                "dlsbench run workstation --out monday\n"
                "dlsbench run workstation --out monday --resume\n"
                "dlsbench run workstation --dry-run --set 'scheme=[ss,gss]'\n"
                "dlsbench run big.yaml --out all --shard 3/8",
    .take_word = take_campaign,
    .print_words = campaign_print_names};

static const struct options_page simulated_page = {
    .name = "sim",
    .common = (const char *const[]){"kernel", "scheme", "platform", "workers",
                                    "threads", "master", "hierarchy", "out",
                                    "dry-run", "set", NULL},
    .words = ways,
    .summary = "Runs the cells of a campaign file, or a single cell, on a "
               "simulated cluster.",
    .details = "Every rank, and every thread of a rank, is one core of the "
               "platform, in the order of its hosts; the threads of a rank "
               "share a host.  Nothing is computed: iterations take the time "
               "that their operations cost.  Results are those of dlsbench "
               "run, with simulated times.  There is one repetition, since it "
               "would always be the same; of schemes that learn from one to "
               "the next (awf) there are --repetitions.",
    .examples =
        "dlsbench sim --platform bench/platforms/ranger.xml --workers 1024 "
        "--master dedicated --hierarchy 4 --kernel adjoint:size=800 --scheme "
        "tss\n"
        "dlsbench sim mine.yaml --platform bench/platforms/ranger.xml --out "
        "han",
    .take_word = take_campaign,
    .print_words = campaign_print_names};

static const struct options_page replayed_page = {
    .name = "replay",
    .common = (const char *const[]){"platform", "nodes", "cores", "out",
                                    "resume", "dry-run", "set", NULL},
    .words = "CAMPAIGN",
    .summary = "Replays the cells of a campaign, by events, on up to millions "
               "of workers.",
    .details =
        "Takes what dlsbench sim takes of the platform: hosts and their speed, "
        "the time of a message inside a host and between two hosts that are "
        "far apart, and the cost of a request.  Without a platform the costs "
        "are those that dlsbench calibrate has measured on this machine, for "
        "any number of nodes.  Results stay where they are computed, as with "
        "dlsbench sim --set collect=local.  Left out, with a line that says "
        "so: dependences, time steps, load, perturbations and transports other "
        "than shared, master and window.  Uses all processors that it may.",
    .examples =
        "dlsbench replay cluster --platform bench/platforms/ranger.xml --cores "
        "16 --nodes 512,1024,4096 --out large\n"
        "dlsbench replay mine.yaml --out here",
    .take_word = take_campaign,
    .print_words = campaign_print_names};

/* ---- options from harness/cell/cell_fields.def and campaign/policy.c ---- */

/* In the order of enum cell_group. */
static const char *const group_titles[] = {
    "One cell:",
    "Where its workers and their data are:",
    "Its conditions:",
    "How it is simulated:",
};

enum { GROUPS = sizeof(group_titles) / sizeof(group_titles[0]), MADE_MAX = 64 };

_Static_assert(CELL_FIELDS + GROUPS + 12 < MADE_MAX, "room for all options");

struct made_options {
    struct options_entry entry[MADE_MAX];
    char name[MADE_MAX][NAME_SIZE], value[MADE_MAX][NAME_SIZE];
    int count;
};

/* "[ARG]" may be left out, which is `on`. */
static struct options_entry *add_option(struct made_options *made,
                                        const char *key, const char *arg)
{
    char *name = made->name[made->count], *value = made->value[made->count];
    struct options_entry *entry = &made->entry[made->count++];
    bool optional = arg != NULL && arg[0] == '[';
    run_option_name(key, name, NAME_SIZE);
    if (arg != NULL)
        snprintf(value, NAME_SIZE, "%.*s",
                 (int)strlen(arg) - (optional ? 2 : 0), arg + optional);
    *entry = (struct options_entry){.name = name,
                                    .value = arg != NULL ? value : NULL,
                                    .implied = optional ? "on" : NULL,
                                    .type = OPTIONS_CALL};
    return entry;
}

static void add_group(struct made_options *made, const char *title)
{
    made->entry[made->count++] = (struct options_entry){.group = title};
}

static void add_field(struct made_options *made, const struct cell_field *field,
                      const char *help)
{
    struct options_entry *e = add_option(made, field->name, field->arg);
    e->help = help;
    e->take = take_field;
}

/* A replay only takes campaigns, whose layouts may depend on nodes. */
static void make_options(struct made_options *made, const struct run_options *o)
{
    int group = o->setup.replayed ? CELL_SIMULATION : 0;
    made->count = 0;
    if (o->setup.replayed) {
        add_group(made, "Its layouts:");
        add_field(made, cell_field_find("nodes"),
                  "numbers of nodes, of layouts by nodes: 512,1024");
    }
    for (; group < (o->simulated ? GROUPS : CELL_SIMULATION); group++) {
        add_group(made, group_titles[group]);
        for (int i = 0; i < CELL_FIELDS; i++) {
            const struct cell_field *field = &cell_field_table[i];
            if (field->arg != NULL && (int)field->group == group)
                add_field(made, field, field->help);
        }
    }
    if (!o->setup.replayed)
        add_group(made, "How it is measured:");
    for (const struct policy_key *key = policy_keys;
         !o->setup.replayed && key->name != NULL; key++) {
        struct options_entry *e = add_option(made, key->name, key->arg);
        e->help = key->help;
        e->take = take_policy;
    }
    made->entry[made->count] = (struct options_entry){.name = NULL};
}

int run_table_read(int argc, char **argv, struct run_options *options,
                   struct error *err)
{
    struct made_options made;
    const struct options_entry *const tables[] = {made.entry, running, NULL};
    struct options_page page = options->setup.replayed ? replayed_page
                               : options->simulated    ? simulated_page
                                                       : native_page;
    make_options(&made, options);
    page.tables = tables;
    return options_read(&page, argc, argv, options, err);
}
