/* dlsbench paper-beaumont: figures 5 to 15, and what the paper says of them. */
#include "bench/cli/command.h"
#include "bench/cli/numbers.h"
#include "bench/papers/beaumont/report.h"
#include "bench/results/rundir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLATFORMS_MAX = 1000000 };

enum {
    OPT_PLATFORMS = 256,
    OPT_SEED,
    OPT_TAIL,
    OPT_ENGINE,
    OPT_OUT,
    OPT_DATA,
    OPT_LATENCY,
    OPT_EQUATIONS
};

struct input {
    const char *platforms, *seed, *tail, *engine, *out;
    const char *data, *latency, *equations;
    struct error *err;
};

static const char doc[] =
    "Figures 5 to 15 of Beaumont, Legrand and Robert (2002): eleven heuristics "
    "for divisible loads, and whether the paper's claims hold."
    "\v"
    "Plans are timed by the evaluator of dlsbench plan (analytic), or run as "
    "messages on SimGrid (simgrid, built by make plan-sim), which also says "
    "how far apart both are.  The tables are printed and stored in "
    "results/paper-beaumont/<UTC time>/ as report.txt, figures.csv, "
    "claims.csv and readings.csv.\n"
    "\n"
    "Examples:\n"
    "  dlsbench paper-beaumont\n"
    "  dlsbench paper-beaumont --platforms 2000 --out paper/\n";

static const struct argp_option options[] = {
    {"platforms", OPT_PLATFORMS, "N", 0,
     "random platforms for each figure (default 200; the paper has 2000)", 0},
    {"seed", OPT_SEED, "N", 0, "of the random platforms (default 1)", 0},
    {"tail", OPT_TAIL, "cut|share", 0,
     "last round of the LP heuristics: whole shares in turn (default) or all "
     "shares made smaller",
     0},
    {"data", OPT_DATA, "MBIT", 0,
     "of a unit of load (default 2, as printed; 16 is 2 Mbyte)", 0},
    {"latency", OPT_LATENCY, "MBIT", 0,
     "what takes as long to send as a latency (default 2, as printed)", 0},
    {"equations", OPT_EQUATIONS, "no-overlap|overlap", 0,
     "of M.I.x: for workers without overlap (default) or with it", 0},
    {"engine", OPT_ENGINE, "analytic|simgrid", 0, "default analytic", 0},
    {"out", OPT_OUT, "DIR", 0,
     "result directory: a name, or a path with a / (default: by the time)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct input *in = state->input;
    switch (key) {
    case OPT_PLATFORMS:
        in->platforms = arg;
        return 0;
    case OPT_SEED:
        in->seed = arg;
        return 0;
    case OPT_TAIL:
        in->tail = arg;
        return 0;
    case OPT_DATA:
        in->data = arg;
        return 0;
    case OPT_LATENCY:
        in->latency = arg;
        return 0;
    case OPT_EQUATIONS:
        in->equations = arg;
        return 0;
    case OPT_ENGINE:
        in->engine = arg;
        return 0;
    case OPT_OUT:
        in->out = arg;
        return 0;
    case ARGP_KEY_ARG:
        return -error_set(in->err, EINVAL,
                          "paper-beaumont: '%s' is not an option", arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int read_setup(const struct input *in, struct beaumont_setup *setup,
                      struct error *err)
{
    int64_t platforms = 0, seed = 0;
    struct beaumont_reading reading = {0};
    if (strcmp(in->engine, "analytic") != 0 &&
        strcmp(in->engine, "simgrid") != 0)
        return error_set(err, EINVAL,
                         "--engine: '%s' is unknown, allowed: analytic, "
                         "simgrid",
                         in->engine);
    bool share = strcmp(in->tail, "share") == 0;
    if (!share && strcmp(in->tail, "cut") != 0)
        return error_set(err, EINVAL,
                         "--tail: '%s' is unknown, allowed: cut, share",
                         in->tail);
    bool overlap = strcmp(in->equations, "overlap") == 0;
    if (!overlap && strcmp(in->equations, "no-overlap") != 0)
        return error_set(err, EINVAL,
                         "--equations: '%s' is unknown, allowed: no-overlap, "
                         "overlap",
                         in->equations);
    reading.tail = share ? DIVISIBLE_TAIL_SHARE : DIVISIBLE_TAIL_CUT;
    reading.equations = overlap ? DIVISIBLE_WITH_OVERLAP : DIVISIBLE_NO_OVERLAP;
    int code = number_integer("--platforms", in->platforms, 1, PLATFORMS_MAX,
                              &platforms, err);
    if (code == 0)
        code = number_integer("--seed", in->seed, 0, INT64_MAX, &seed, err);
    if (code == 0)
        code =
            number_real("--data", in->data, 1e-3, 1e6, &reading.data_mbit, err);
    if (code == 0)
        code = number_real("--latency", in->latency, 0, 1e6,
                           &reading.latency_mbit, err);
    *setup = (struct beaumont_setup){.platforms = (int)platforms,
                                     .seed = (uint64_t)seed,
                                     .reading = reading,
                                     .engine = &beaumont_analytic,
                                     .progress = stderr};
    return code;
}

/* ---- the result directory ---- */

struct result {
    const struct beaumont_setup *setup;
    const struct beaumont_series *series;
    struct beaumont_claim claim[BEAUMONT_CLAIMS];
    const struct beaumont_readings *readings;
    const char *dir;
};

static int write_report(const struct result *r, FILE *out)
{
    return beaumont_report(r->setup, r->series, r->claim, r->readings, out);
}

static int write_figures(const struct result *r, FILE *out)
{
    return beaumont_figures_csv(r->setup, r->series, out);
}

static int write_claims(const struct result *r, FILE *out)
{
    return beaumont_claims_csv(r->claim, out);
}

static int write_readings(const struct result *r, FILE *out)
{
    return beaumont_readings_csv(r->readings, out);
}

static int store_file(const struct result *result, const char *name,
                      int (*write)(const struct result *, FILE *),
                      struct error *err)
{
    char path[2100];
    snprintf(path, sizeof(path), "%s/%s", result->dir, name);
    FILE *file = fopen(path, "wx");
    if (file == NULL)
        return error_set(err, errno, "%s: cannot write: %s", path,
                         strerror(errno));
    int code = write(result, file);
    bool failed = ferror(file);
    if (fclose(file) != 0 || failed)
        return error_set(err, EIO, "%s: cannot write", path);
    return code == 0 ? 0 : error_set(err, ENOMEM, "out of memory");
}

static int store(const struct result *result, struct error *err)
{
    int code = store_file(result, "report.txt", write_report, err);
    if (code == 0)
        code = store_file(result, "figures.csv", write_figures, err);
    if (code == 0)
        code = store_file(result, "claims.csv", write_claims, err);
    if (code == 0)
        code = store_file(result, "readings.csv", write_readings, err);
    return code;
}

static int run(const struct beaumont_setup *setup, const char *dir,
               struct error *err)
{
    struct result result = {.setup = setup, .dir = dir};
    struct beaumont_series *series = calloc(1, sizeof(*series));
    struct beaumont_readings *readings = calloc(1, sizeof(*readings));
    int code = series != NULL && readings != NULL
                   ? 0
                   : error_set(err, ENOMEM, "out of memory");
    result.series = series;
    result.readings = readings;
    if (code == 0)
        code = beaumont_run(setup, series, err);
    if (code == 0)
        code = beaumont_readings_run(setup, readings, err);
    if (code == 0) {
        beaumont_claims(series, result.claim);
        code = store(&result, err);
    }
    if (code == 0 && write_report(&result, stdout) != 0)
        code = error_set(err, ENOMEM, "out of memory");
    if (code == 0)
        command_say("results in %s", result.dir);
    free(readings);
    free(series);
    return code;
}

/* All that can be wrong with what is asked for, before anything runs.  The
 * engine is to be closed also after an error. */
static int prepare(const struct input *in, struct beaumont_setup *setup,
                   struct beaumont_engine *simgrid, char *dir, size_t size,
                   struct error *err)
{
    int code = read_setup(in, setup, err);
    if (code == 0 && strcmp(in->engine, "simgrid") == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        code = beaumont_simgrid_open(simgrid, cores > 0 ? (int)cores : 1, err);
        setup->engine = simgrid;
    }
    if (code == 0)
        code = rundir_make("paper-beaumont", in->out, dir, size, err);
    return code;
}

int paper_beaumont_command(int argc, char **argv)
{
    static const struct argp argp = {options, parse, NULL, doc,
                                     NULL,    NULL,  NULL};
    struct error err = {""};
    struct input in = {.platforms = "200",
                       .seed = "1",
                       .tail = "cut",
                       .engine = "analytic",
                       .data = "2",
                       .latency = "2",
                       .equations = "no-overlap",
                       .err = &err};
    struct beaumont_setup setup;
    struct beaumont_engine simgrid = {.name = NULL};
    char dir[2048];
    int end = COMMAND_OK;
    if (command_parse(&argp, argc, argv, &in, &err) != 0 ||
        prepare(&in, &setup, &simgrid, dir, sizeof(dir), &err) != 0)
        end = command_fail(COMMAND_USAGE, &err);
    else if (run(&setup, dir, &err) != 0)
        end = command_fail(COMMAND_FAILED, &err);
    beaumont_simgrid_close(&simgrid);
    return end;
}
