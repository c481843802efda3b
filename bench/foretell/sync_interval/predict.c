/* dlsbench predict: the best synchronization interval, before anything runs. */
#include "bench/foretell/sync_interval/predict.h"
#include "bench/foretell/sync_interval/models.h"

#include "bench/options/command.h"
#include "bench/options/options.h"
#include "bench/options/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value that is not given is NULL, 0, NAN or, for words, -1. */
struct input {
    const char *kernel, *layout, *scheme, *power, *calibration;
    const char *workers, *cp, *h, *of;
    int64_t chunk_dim, sync_dim, k;
    double cd, cc, csched, tms, skew, depth, lead;
    int model, protocol, format;
    bool stream;
};

/* Positions in `models` and `protocols`. */
enum { EXACT, ANDRONIKOS, CHEN_XUE, SUBPROBLEM = 1 };

static const char *const models[] = {"exact", "andronikos", "chen-xue", NULL};
static const char *const protocols[] = {"dmps", "subproblem", NULL};
static const char *const formats[] = {TABLE_FORMATS, NULL};

#define OPTIONS_OF struct input

static const struct options_entry entries[] = {
    {.group = "A kernel on this machine:"},
    OPTION_TEXT("kernel", "K", kernel, "see dlsbench list kernels"),
    OPTION_TEXT("layout", "RxT", layout, "ranks x threads (default 1x2)"),
    OPTION_TEXT(
        "scheme", "S", scheme,
        "k is the chunks that it makes for each worker (default static)"),
    OPTION_WORD("protocol", "dmps|subproblem", protocol, protocols,
                "default dmps"),
    OPTION_TEXT("power", "V,...", power,
                "one for each worker, for schemes that cut by power (default: "
                "all equal, as in run)"),
    OPTION_TEXT("calibration", "FILE", calibration,
                "default: where dlsbench calibrate writes"),
    {.group = "Measured loops:"},
    OPTION_TEXT(
        "of", "DIR", of,
        "what the model says of the cells of a result directory, as CSV"),
    {.group = "Any loop:"},
    OPTION_WORD("model", "NAME", model, models,
                "exact (default), andronikos or chen-xue"),
    OPTION_WHOLE("chunk-dim", "U_c", chunk_dim, 1, 0x1p50,
                 "iterations that are cut into chunks"),
    OPTION_WHOLE("sync-dim", "U_s", sync_dim, 1, 0x1p50,
                 "iterations along the synchronization points"),
    OPTION_TEXT("workers", "N[:VP],...", workers,
                "groups of workers, with their power (default 1)"),
    OPTION_TEXT("cp", "S,...", cp,
                "c_p, seconds per iteration, for each group"),
    OPTION_REAL("cd", "S", cd, 0, 1e15,
                "c_d, start-up cost of a message in seconds"),
    OPTION_REAL("cc", "S", cc, 0, 1e15,
                "c_c, cost per element of a message in seconds"),
    OPTION_REAL("csched", "S", csched, 0, 1e15,
                "c_sch, the master's cost of a chunk in seconds (default 0)"),
    OPTION_REAL("tms", "S", tms, 0, 1e15,
                "t_(m-s), cost of a message with the master in seconds"),
    OPTION_WHOLE("k", "K", k, 1, 0x1p50, "chunks for each worker (default 1)"),
    OPTION_REAL("skew", "S", skew, 0, 1e15,
                "columns that a row lags behind the one above (default 0)"),
    OPTION_REAL("depth", "D", depth, 1, 1e15,
                "rows that a boundary consists of (default 1)"),
    OPTION_REAL("lead", "S", lead, 0, 1e15,
                "columns that a block stays behind in them (default 0)"),
    OPTION_FLAG("stream", stream,
                "with --k: chunks stream as in DMPS, not as subproblems"),
    OPTION_TEXT("h", "H,...", h, "intervals to predict (default: a sweep)"),
    OPTION_WORD("format", TABLE_FORMAT_WORDS, format, formats, "default table"),
    {.name = NULL},
};

static const struct options_page page = {
    .name = "predict",
    .common =
        (const char *const[]){"kernel", "layout", "of", "chunk-dim", "sync-dim",
                              "workers", "cp", "cd", "cc", "h", NULL},
    .summary = "Predicts the parallel time of a loop with dependences for "
               "synchronization intervals h, and the best h.",
    .details =
        "The model is that of Andronikos et al. (2010) in its exact form "
        "(ours): the first worker receives no boundary, the last one sends "
        "none, and the slowest step decides.  --workers is a list of groups in "
        "the order of their chunks, n or n:power; --cp has one value for each "
        "group.  Without --h, intervals around the optimum are shown.\n"
        "\n"
        "The work assignment time T_wa has two readings: the paper's text "
        "defines 2 (c_d + h c_c) + c_sch, but its printed times come out with "
        "NP t_(m-s).  The table shows both.  csv has the header "
        "h,time_s,optimal, where optimal is 1 on the optimum's row; its time_s "
        "is by the text unless --tms is given.\n"
        "\n"
        "--model andronikos gives the times and the best h of the paper's "
        "formulas as printed, chen-xue Chen and Xue's h with these times.  "
        "They do not know --skew and --stream (sched/interval/interval.h).\n"
        "\n"
        "A boundary of --depth rows costs c_d + h D c_c.  With --lead the best "
        "h is sought above it: narrower blocks do not wait for the chunk "
        "above, and take less than the model says.\n"
        "\n"
        "With --kernel everything comes from what dlsbench calibrate has "
        "measured on this machine: the loop from the kernel, with its skew; "
        "c_d, c_c, c_p and c_b (ours, see sched/interval/interval.h) from the "
        "calibration, the c_p of each worker for itself; k from --scheme.  "
        "Chunks stream as in DMPS unless --protocol subproblem is given.  "
        "Further options (--cd, --k, --skew, ...) override it.\n"
        "\n"
        "With --of the cells of a result directory are predicted by the "
        "calibration in it; dlsbench run stores this as sync-model.csv.",
    .examples =
        "dlsbench predict --kernel heat:rows=2000,cols=4000 --layout 1x2\n"
        "dlsbench predict --kernel floyd-steinberg --layout 2x1 --scheme tss "
        "--calibration node7.json\n"
        "dlsbench predict --chunk-dim 10000 --sync-dim 20000 --workers 10 "
        "--cp 0.526e-6 --cd 99e-6 --cc 0.69e-6 --csched 500e-6 --tms 1.253e-3\n"
        "dlsbench predict --chunk-dim 10000 --sync-dim 20000 --workers 10 "
        "--cp 0.526e-6 --cd 99e-6 --cc 0.69e-6 --k 8 --h 60,80,100 --format "
        "csv\n"
        "dlsbench predict --chunk-dim 10000 --sync-dim 20000 --workers "
        "5:1,5:0.63 --cp 0.319e-6,0.526e-6 --cd 99e-6 --cc 0.69e-6 --csched "
        "650e-6\n"
        "dlsbench predict --model andronikos --chunk-dim 10000 --sync-dim "
        "20000 "
        "--workers 10 --cp 0.526e-6 --cd 99e-6 --cc 0.69e-6",
    .tables = (const struct options_entry *const[]){entries, NULL}};

/* A loop without a kernel needs all of these. */
static int check_required(const struct input *in, struct error *err)
{
    const char *missing = in->chunk_dim == 0    ? "chunk-dim"
                          : in->sync_dim == 0   ? "sync-dim"
                          : in->workers == NULL ? "workers"
                          : in->cp == NULL      ? "cp"
                          : isnan(in->cd)       ? "cd"
                          : isnan(in->cc)       ? "cc"
                                                : NULL;
    if (missing == NULL)
        return 0;
    return error_set(err, EINVAL, "predict: --%s is missing%s", missing,
                     in->chunk_dim == 0
                         ? "; or give --kernel, or --of for stored results"
                         : "");
}

/* Options for one description of a loop are errors in the other. */
static int check_kernel_options(const struct input *in, struct error *err)
{
    const char *kernels = in->calibration != NULL ? "calibration"
                          : in->layout != NULL    ? "layout"
                          : in->scheme != NULL    ? "scheme"
                          : in->protocol >= 0     ? "protocol"
                          : in->power != NULL     ? "power"
                                                  : NULL;
    const char *others = !isnan(in->depth)     ? "depth"
                         : in->chunk_dim != 0  ? "chunk-dim"
                         : in->sync_dim != 0   ? "sync-dim"
                         : in->workers != NULL ? "workers"
                         : in->cp != NULL      ? "cp"
                                               : NULL;
    if (in->kernel == NULL && kernels != NULL)
        return error_set(err, EINVAL, "--%s goes with --kernel only", kernels);
    if (in->kernel != NULL && others != NULL)
        return error_set(err, EINVAL,
                         "--%s does not go with --kernel, which says it",
                         others);
    return in->kernel != NULL ? 0 : check_required(in, err);
}

/* With a result directory all other options are errors. */
static int check_alone(const struct input *in, struct error *err)
{
    struct input others = *in;
    others.of = NULL;
    const char *name = options_first_given(&page, &others);
    if (name == NULL)
        return 0;
    return error_set(err, EINVAL, "--%s does not go with --of", name);
}

static void override_value(double *value, double given)
{
    if (!isnan(given))
        *value = given;
}

/* A loop that is described by options alone. */
static int read_loop(const struct input *in, struct predict *p,
                     struct error *err)
{
    struct interval_model *m = &p->model;
    m->k = 1;
    m->stream = in->stream;
    m->chunk_dim = (double)in->chunk_dim;
    m->sync_dim = (double)in->sync_dim;
    int code = predict_groups(in->workers, in->cp, &p->group, &m->groups, err);
    m->group = p->group;
    return code;
}

/* A kernel on a calibrated machine. */
static int read_kernel(const struct input *in, struct predict *p,
                       struct error *err)
{
    const struct predict_kernel kernel = {
        .file = in->calibration,
        .kernel = in->kernel,
        .layout = in->layout != NULL ? in->layout : "1x2",
        .scheme = in->scheme != NULL ? in->scheme : "static",
        .power = in->power,
        .stream = in->protocol != SUBPROBLEM};
    return predict_calibrated(&kernel, p, err);
}

static int read_model(const struct input *in, struct predict *p,
                      struct error *err)
{
    int code =
        in->kernel != NULL ? read_kernel(in, p, err) : read_loop(in, p, err);
    if (code != 0)
        return code;
    p->has_csched = !isnan(in->csched) || in->kernel != NULL;
    p->has_tms = !isnan(in->tms);
    /* Options that add to a kernel, or describe a loop. */
    override_value(&p->model.c_d, in->cd);
    override_value(&p->model.c_c, in->cc);
    override_value(&p->model.c_sch, in->csched);
    override_value(&p->model.t_ms, in->tms);
    override_value(&p->model.skew, in->skew);
    override_value(&p->model.lead, in->lead);
    if (!isnan(in->depth))
        p->model.c_c *= in->depth;
    if (in->k > 0)
        p->model.k = in->k;
    return interval_check(&p->model, err);
}

static int check_printed(const struct input *in, const struct predict *p,
                         struct error *err)
{
    if (in->skew > 0 || in->stream)
        return error_set(err, EINVAL,
                         "--model %s is as printed and has no %s: leave "
                         "--model out",
                         models[in->model], in->stream ? "stream" : "skew");
    if (p->chen_xue && p->model.k > 1)
        return error_set(err, EINVAL,
                         "--model chen-xue is for one chunk for each worker: "
                         "--k does not go with it");
    if (p->chen_xue && interval_workers(&p->model) == 1)
        return error_set(err, EINVAL,
                         "--model chen-xue needs at least 2 workers");
    return 0;
}

static int predict_read(const struct input *in, struct predict *p,
                        struct error *err)
{
    p->chen_xue = in->model == CHEN_XUE;
    int code = check_kernel_options(in, err);
    if (code == 0)
        code = read_model(in, p, err);
    p->model.printed = in->model >= ANDRONIKOS;
    if (code == 0 && p->model.printed)
        code = check_printed(in, p, err);
    if (code != 0)
        return code;
    p->optimum = p->chen_xue ? interval_chen_xue(&p->model)
                             : interval_optimum(&p->model);
    return predict_intervals(in->h, p->optimum, p->model.sync_dim, &p->h,
                             &p->count, err);
}

static void write_rows(const struct predict *p, enum table_format format)
{
    struct table table;
    enum interval_reading reading =
        p->has_tms ? INTERVAL_TWA_PRINTED : INTERVAL_TWA_TEXT;
    if (p->has_tms && p->has_csched)
        fprintf(stderr, "dlsbench: note: time_s has T_wa = NP t_(m-s), leave "
                        "--tms out for 2 (c_d + h c_c) + c_sch\n");
    table_open(&table, 0, 0);
    for (int i = 0; i < p->count; i++) {
        table_add(table_under(&table, "h"), "%.10g", p->h[i]);
        table_add(table_under(&table, "time_s"), "%.10g",
                  interval_time(&p->model, p->h[i], reading));
        table_add(table_under(&table, "optimal"), "%d", p->h[i] == p->optimum);
    }
    table_write(&table, format, stdout);
    table_free(&table);
}

int predict_command(int argc, char **argv)
{
    struct error err = {""};
    struct input in = {.cd = NAN,
                       .cc = NAN,
                       .csched = NAN,
                       .tms = NAN,
                       .skew = NAN,
                       .depth = NAN,
                       .lead = NAN,
                       .model = -1,
                       .protocol = -1,
                       .format = -1};
    struct predict p = {.count = 0};
    int code = options_read(&page, argc, argv, &in, &err);
    if (code == 0 && in.of != NULL)
        code = check_alone(&in, &err);
    if (code == 0 && in.of != NULL)
        return models_command(in.of);
    if (code == 0)
        code = predict_read(&in, &p, &err);
    if (code == 0 && in.format > TABLE_TEXT)
        write_rows(&p, in.format);
    else if (code == 0)
        predict_table(&p);
    free(p.group);
    free(p.widths);
    free(p.pieces);
    free(p.h);
    if (code != 0)
        return command_fail(COMMAND_USAGE, &err);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return COMMAND_OK;
    error_set(&err, EIO, "predict: cannot write: %s", strerror(errno));
    return command_fail(COMMAND_FAILED, &err);
}
