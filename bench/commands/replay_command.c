/* dlsbench replay: what schemes would do with these costs and these workers, by
 * events, without SimGrid. */
#include "base/text.h"
#include "bench/calibrate/calibration_find.h"
#include "bench/commands/run/run_options.h"
#include "bench/foretell/replay/replay_cell.h"
#include "bench/foretell/replay/replay_names.h"
#include "bench/foretell/replay/replay_store.h"
#include "bench/foretell/replay/replay_table.h"
#include "bench/options/command.h"
#include "bench/options/options.h"
#include "bench/results/folders.h"
#include "harness/cell/cell_field.h"
#include "harness/process/need.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct asked {
    struct cell cell;
    const char *trace, *unit, *scheme, *calibration, *out;
    char **words;                         /* the command line */
    int64_t workers, threads, node_ranks; /* 0: not given */
    bool served; /* options were given that only masters have */
    double cp;
    struct replay_costs costs; /* NAN: not given */
    int format;
};

#define OPTIONS_OF struct asked

enum { CHUNKS = TABLE_MARKDOWN + 1 };
static const char *const formats[] = {TABLE_FORMATS, "chunks", NULL};

/* A field of cells, as of dlsbench run. */
static int take_field(void *command, const struct options_entry *entry,
                      const char *text, struct error *err)
{
    struct asked *in = command;
    char name[32];
    snprintf(name, sizeof(name), "%s", entry->name);
    for (char *at = name; *at != '\0'; at++)
        *at = *at == '-' ? '_' : *at;
    in->served = in->served || strcmp(name, "master") == 0;
    return cell_set(&in->cell, name, text, err);
}

#define SECONDS(field, member, text)                                           \
    OPTION_REAL(field, "S", member, 0, 1e6, text)

static const struct options_entry entries[] = {
    {.group = "The loop:"},
    OPTION_TEXT("trace", "FILE", trace,
                "costs of the iterations, one per line, or n:cost for n equal "
                "ones"),
    OPTION_TEXT("unit", "s|ms|us|ns", unit, "of these costs (s)"),
    OPTION_CALL("kernel", "K", take_field,
                "or a kernel with a cost model, see dlsbench list kernels"),
    SECONDS("cp", cp,
            "its c_p: seconds of one operation at power 1 (as calibrated)"),
    {.group = "The schemes and their workers:"},
    OPTION_TEXT("scheme", "S,...", scheme,
                "schemes, see dlsbench list schemes, or all", .required = true),
    OPTION_WHOLE("workers", "P", workers, 1, CELL_WORKERS_MAX,
                 "number of workers; dedicated masters are added",
                 .required = true),
    OPTION_WHOLE(
        "threads", "T", threads, 1, CELL_WORKERS_MAX,
        "of a rank (default: all workers, where they need no master, else 1)"),
    OPTION_WHOLE("node-ranks", "R", node_ranks, 1, CELL_WORKERS_MAX,
                 "ranks of a node (default 1)"),
    OPTION_CALL("transport", "T", take_field,
                "shared, master or window (default: shared with one rank, else "
                "master)"),
    OPTION_CALL("window", "W", take_field, "shared or rma (default)"),
    OPTION_CALL("hierarchy", "H", take_field,
                "flat, 2, 4x16, node, 2xnode, ..."),
    OPTION_CALL("master", "M", take_field, "computing or dedicated"),
    OPTION_CALL("prefetch", "on|off", take_field,
                "ask for the next chunk "
                "while computing this one "
                "(on)"),
    OPTION_CALL("min-chunk", "N", take_field, "smallest chunk"),
    OPTION_CALL("power", "V,...", take_field,
                "speed of each worker, which schemes know; n:v for n times v"),
    {.group = "What takes time, in seconds:"},
    SECONDS("count-cost", costs.count_s, "a chunk from memory, at a worker"),
    SECONDS("counter-cost", costs.counter_s,
            "then a step for one worker at a time"),
    SECONDS("state-cost", costs.state_s,
            "a chunk from a master or pool of the worker's rank"),
    SECONDS("request-cost", costs.request_s,
            "a master, or a window's counter, serves a request"),
    SECONDS("latency", costs.latency_s, "a message between two nodes"),
    SECONDS("near", costs.near_s, "and inside a node (default: as latency)"),
    SECONDS("byte-cost", costs.byte_s, "and for each of its bytes (0)"),
    SECONDS("apart", costs.apart_s,
            "between the starts of two workers of one master (0)"),
    OPTION_TEXT("calibration", "FILE", calibration,
                "the rest of these (default: where dlsbench calibrate writes; "
                "without one those of dlsbench sim: 10e-9 and 0, 25e-9, "
                "0.2e-6; messages take no time then)"),
    {.group = "Output:"},
    OPTION_WORD(
        "format", TABLE_FORMAT_WORDS "|chunks", format, formats,
        "default table; chunks: each chunk as csv, when its worker gets it"),
    OPTION_TEXT("out", "DIR", out,
                "also write a result directory, with cells marked as simulated "
                "by replay: a name below results/replay, or a path"),
    {.name = NULL},
};

static int refuse_word(void *command, const char *text, struct error *err)
{
    (void)command;
    return error_set(err, EINVAL,
                     "replay: '%s' is one word too many; a campaign goes "
                     "without --trace, --kernel and --scheme (--set replaces "
                     "its schemes)",
                     text);
}

static const struct options_page page = {
    .name = "replay",
    .common = (const char *const[]){"trace", "kernel", "cp", "scheme",
                                    "workers", "threads", "hierarchy", "master",
                                    "latency", "out", NULL},
    .summary = "Replays what each scheme would do with these costs of "
               "iterations and this many workers, by events, without SimGrid.",
    .details =
        "dlsbench replay CAMPAIGN replays the cells of a campaign instead; "
        "dlsbench replay CAMPAIGN --help has its options.\n"
        "\n"
        "Chunks come from the real code of the schemes and masters.  Time "
        "passes as iterations cost, and for what is listed under 'What takes "
        "time'; measured are the calibrated ones, if there is a calibration "
        "file, and the costs of the trace.\n"
        "\n"
        "A replay leaves out: network sharing, except at the masters' own "
        "links (and routes: every message has the same latency), messages with "
        "results and input data, load, perturbations, dependences and time "
        "steps.  dlsbench sim has them.",
    .examples =
        "dlsbench replay --trace costs.txt --workers 64 --scheme all\n"
        "dlsbench replay --trace costs.txt --workers 1024 --scheme gss,fss,tss "
        "--hierarchy 16 --master dedicated --latency 2e-6\n"
        "dlsbench replay --kernel matmul:tasks=100000 --cp 1e-9 --workers 512 "
        "--threads 64 --hierarchy node --scheme all --out looked",
    .take_word = refuse_word,
    .tables = (const struct options_entry *const[]){entries, NULL}};

/* ---- reading ---- */

static int fill_loop(struct asked *in, struct error *err)
{
    if ((in->trace != NULL) == (in->cell.kernel[0] != '\0'))
        return error_set(err, EINVAL,
                         "replay: give one of --trace and --kernel");
    if (in->trace == NULL && in->unit != NULL)
        return error_set(err, EINVAL, "--unit goes with --trace");
    if (in->trace == NULL)
        return 0;
    char text[SPEC_CANONICAL_MAX] = "trace:";
    if (!spec_append(text, sizeof(text), "file", in->trace) ||
        (in->unit != NULL &&
         !spec_append(text, sizeof(text), ",unit", in->unit)))
        return error_set(err, ENAMETOOLONG, "--trace: the path is too long");
    return cell_set(&in->cell, "kernel", text, err);
}

/* Threads of one rank need no master and no message. */
static int fill_shape(struct asked *in, struct error *err)
{
    const struct cell *cell = &in->cell;
    bool alone = !in->served && (strcmp(cell->transport, "auto") == 0 ||
                                 strcmp(cell->transport, "shared") == 0);
    if (in->threads == 0)
        in->threads = alone && (strcmp(cell->hierarchy, "flat") == 0 ||
                                strcmp(cell->transport, "shared") == 0)
                          ? in->workers
                          : 1;
    if (in->workers % in->threads != 0)
        return error_set(err, EINVAL,
                         "--threads: %" PRId64 " workers are no whole ranks of "
                         "%" PRId64,
                         in->workers, in->threads);
    in->cell.threads = (int)in->threads;
    in->cell.workers = (int)in->workers;
    return 0;
}

/* Given costs, then calibrated ones, then the usual.  Both structs are read as
 * arrays: all members of struct replay_costs are double, NAN if not given. */
static void fill_costs(struct replay_costs *given,
                       const struct replay_costs *known)
{
    double *to = (double *)given;
    const double *from = (const double *)known;
    bool near = isnan(given->near_s) && !isnan(given->latency_s);
    for (size_t i = 0; i < sizeof(*given) / sizeof(double); i++)
        if (isnan(to[i]))
            to[i] = from[i];
    if (near)
        given->near_s = given->latency_s;
}

/* ---- replaying ---- */

struct replayed {
    const char *scheme;
    bool prints;
    int64_t iterations; /* sum over its chunks */
};

static void take_chunk(void *arg, int worker, const struct chunk *chunk,
                       double begin_s, double compute_s)
{
    struct replayed *replayed = arg;
    replayed->iterations += chunk->size;
    if (replayed->prints)
        printf("%s,%" PRId64 ",%d,%" PRId64 ",%" PRId64 ",%.9g,%.9g\n",
               replayed->scheme, chunk->step, worker, chunk->start, chunk->size,
               begin_s, compute_s);
}

struct output {
    struct replay_table table;
    struct replay_store store;
    bool stores;
    char path[2048]; /* of the results */
};

/* With `all`, a scheme that does not suit this shape is left out with a
 * message. */
static int replay_scheme(const struct asked *in, const struct replay_loop *loop,
                         const char *scheme, struct output *output,
                         struct error *err)
{
    struct cell cell = in->cell, made;
    bool prints = in->format == CHUNKS;
    struct replayed replayed = {scheme, prints, 0};
    struct replay_result result;
    int code = cell_set(&cell, "scheme", scheme, err);
    if (code != 0)
        return code;
    const struct replay_cell replay = {
        .cell = &cell,
        .loop = loop,
        .costs = in->costs,
        .node_ranks = (int)in->node_ranks,
        .handed = prints || output->stores ? take_chunk : NULL,
        .arg = &replayed,
        .made = &made};
    double start = replay_table_clock();
    code = replay_cell_run(&replay, &result, err);
    if (code == -ENOTSUP && strcmp(in->scheme, "all") == 0) {
        command_say("left out: %s", err->text);
        return 0;
    }
    if (code != 0)
        return code;
    replay_table_add(&output->table, scheme, &result,
                     replay_table_clock() - start);
    if (output->stores)
        code = replay_store_add(&output->store, &made, &in->costs, &result,
                                replayed.iterations,
                                replayed.iterations == loop->iterations, err);
    replay_free(&result);
    return code;
}

static int replay_all(const struct asked *in, const struct replay_loop *loop,
                      struct output *output, struct error *err)
{
    char **names;
    int count, code = replay_names(in->scheme, &names, &count, err);
    if (code != 0)
        return code;
    if (in->format == CHUNKS)
        puts("scheme,step,worker,start,size,begin_s,compute_s");
    if (in->workers > loop->iterations)
        command_say("note: iterations: %" PRId64 ", workers: %" PRId64
                    ", so at least %" PRId64 " of them get none",
                    loop->iterations, in->workers,
                    in->workers - loop->iterations);
    if (in->trace != NULL && in->unit == NULL)
        replay_loop_note(loop);
    for (int i = 0; i < count; i++) {
        if (code == 0)
            code = replay_scheme(in, loop, names[i], output, err);
        free(names[i]);
    }
    free(names);
    return code;
}

static int write_replays(const struct asked *in, const struct replay_loop *loop,
                         struct output *output, struct error *err)
{
    struct error ignored;
    int code = 0;
    output->stores = in->out != NULL;
    if (output->stores)
        code = folders_make_out("replay", in->out, output->path,
                                sizeof(output->path), err);
    if (code == 0 && output->stores)
        code = replay_store_open(&output->store, output->path, in->words, err);
    if (code != 0)
        return code;
    replay_table_open(&output->table, &in->cell, &in->costs, loop);
    code = replay_all(in, loop, output, err);
    if (output->stores) {
        int closed =
            replay_store_close(&output->store, code == 0 ? err : &ignored);
        code = code == 0 ? closed : code;
    }
    return code;
}

/* Whether a time is needed that was not given: then a calibration may have it.
 */
static bool lacks_times(const struct asked *in)
{
    const struct replay_costs *c = &in->costs;
    bool asks = in->threads < in->workers; /* or no rank asks another one */
    return isnan(c->count_s) || isnan(c->counter_s) || isnan(c->state_s) ||
           (asks && (isnan(c->request_s) || isnan(c->latency_s))) ||
           (isnan(in->cp) && !text_begins(in->cell.kernel, "trace:"));
}

static int run_replays(struct asked *in, struct error *err)
{
    struct output output = {.table = {.workers = in->workers}};
    struct calibration calibration;
    struct replay_loop loop;
    bool there = false, lacks = lacks_times(in);
    enum calibration_which which =
        in->threads == in->workers ? CALIBRATION_THREADS : CALIBRATION_RANKS;
    int code = lacks ? calibration_find_any(in->calibration, &calibration,
                                            &there, output.table.source,
                                            sizeof(output.table.source), err)
                     : 0;
    if (code != 0)
        return code;
    struct replay_costs known = replay_costs_usual;
    if (there)
        replay_costs_fill(&known, &calibration, which);
    bool free_messages = isnan(in->costs.latency_s) && !there;
    fill_costs(&in->costs, &known);
    output.table.given = !lacks;
    code = replay_loop_open(&loop, in->cell.kernel, isnan(in->cp) ? 0 : in->cp,
                            there ? &calibration.kind[which] : NULL, err);
    if (there)
        calibration_free(&calibration);
    if (code != 0)
        return code;
    code = write_replays(in, &loop, &output, err);
    if (code == 0 && free_messages && in->threads < in->workers)
        command_say("note: messages take no time: give --latency, or run "
                    "dlsbench calibrate");
    if (code == 0 && in->format != CHUNKS)
        replay_table_print(&output.table, in->format);
    if (code == 0 && output.stores)
        command_say("results: %s", output.path);
    replay_table_close(&output.table);
    replay_loop_close(&loop);
    return code;
}

int replay_command(int argc, char **argv)
{
    if (run_is_campaign(argc, argv))
        return run_replay(argc, argv);
    struct error err = {""};
    struct asked in = {.cp = NAN, .words = argv};
    for (size_t i = 0; i < sizeof(in.costs) / sizeof(double); i++)
        ((double *)&in.costs)[i] = NAN;
    cell_defaults(&in.cell, cell_texts());
    cell_set(&in.cell, "collect", "auto", &err);
    int code = options_read(&page, argc, argv, &in, &err);
    code = code == 0 ? fill_loop(&in, &err) : code;
    code = code == 0 ? fill_shape(&in, &err) : code;
    code = code == 0 ? run_replays(&in, &err) : code;
    json_decref(in.cell.texts);
    if (code == 0)
        return COMMAND_OK;
    return command_fail(code == -ENOMEM ? COMMAND_FAILED : COMMAND_USAGE, &err);
}
