/* dlsbench predict: the best synchronization interval, before anything runs. */
#include "bench/cli/command.h"
#include "bench/cli/numbers.h"
#include "bench/predict/predict.h"

#include "base/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above all characters: options have long names only. */
enum {
    OPT_MODEL = 256,
    OPT_CHUNK_DIM,
    OPT_SYNC_DIM,
    OPT_WORKERS,
    OPT_CP,
    OPT_CD,
    OPT_CC,
    OPT_CSCHED,
    OPT_TMS,
    OPT_K,
    OPT_SKEW,
    OPT_STREAM,
    OPT_H,
    OPT_FORMAT,
    OPT_CALIBRATION,
    OPT_KERNEL,
    OPT_LAYOUT,
    OPT_SCHEME,
    OPT_PROTOCOL,
    OPT_POWER,
    OPT_END,
};

struct input {
    const char *given[OPT_END - OPT_MODEL]; /* NULL: not given */
    struct error *err;
};

static const char doc[] =
    "Predicts the parallel time of a loop with dependences for synchronization "
    "intervals h, and the best h."
    "\v"
    "The model is that of Andronikos et al. (2010).  --workers is a list of "
    "groups, n or n:power; --cp has one value for each group.  Without --h, "
    "intervals around the optimum are shown.\n"
    "\n"
    "The work assignment time T_wa has two readings: the paper's text defines "
    "2 (c_d + h c_c) + c_sch, but its printed times come out with NP t_(m-s).  "
    "The table shows both.  csv has the header h,time_s,optimal, where optimal "
    "is 1 on the optimum's row; its time_s is by the text unless --tms is "
    "given.\n"
    "\n"
    "chen-xue gives Chen and Xue's h, with the times that the paper's model "
    "has "
    "for it.  --skew and --stream are not in the paper: see "
    "sched/interval/interval.h.\n"
    "\n"
    "With --kernel everything comes from what dlsbench calibrate has measured "
    "on this machine: the loop from the kernel, with its skew, c_d, c_c, c_p "
    "and c_b (ours, see sched/interval/interval.h) from the calibration, the "
    "c_p of "
    "each worker for itself, k from --scheme; chunks stream as in DMPS unless "
    "--protocol subproblem.  "
    "Options given besides (--cd, --k, --skew, ...) outdo it.\n"
    "\n"
    "Examples (this machine; the paper's experiments 1 and 3):\n"
    "  dlsbench predict --kernel heat:rows=2000,cols=4000 --layout 1x2\n"
    "  dlsbench predict --kernel floyd-steinberg --layout 2x1 --scheme tss "
    "--calibration node7.json\n"
    "  dlsbench predict --chunk-dim 10000 --sync-dim 20000 --workers 10 "
    "--cp 0.526e-6 --cd 99e-6 --cc 0.69e-6 --csched 500e-6 --tms 1.253e-3\n"
    "  dlsbench predict --chunk-dim 10000 --sync-dim 20000 --workers 10 "
    "--cp 0.526e-6 --cd 99e-6 --cc 0.69e-6 --k 8 --h 60,80,100 --format csv\n"
    "  dlsbench predict --chunk-dim 10000 --sync-dim 20000 --workers "
    "5:1,5:0.63 --cp 0.319e-6,0.526e-6 --cd 99e-6 --cc 0.69e-6 --csched "
    "650e-6\n"
    "  dlsbench predict --model chen-xue --chunk-dim 10000 --sync-dim 20000 "
    "--workers 10 --cp 0.526e-6 --cd 99e-6 --cc 0.69e-6\n";

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "A kernel on this machine:", 1},
    {"kernel", OPT_KERNEL, "K", 0, "see dlsbench list kernels", 1},
    {"layout", OPT_LAYOUT, "RxT", 0, "ranks x threads (default 1x2)", 1},
    {"scheme", OPT_SCHEME, "S", 0,
     "k is the chunks that it makes for each worker (default static)", 1},
    {"protocol", OPT_PROTOCOL, "dmps|subproblem", 0, "default dmps", 1},
    {"power", OPT_POWER, "V,...", 0,
     "one for each worker, for schemes that cut by power (default: all equal, "
     "as in run)",
     1},
    {"calibration", OPT_CALIBRATION, "FILE", 0,
     "default: where dlsbench calibrate writes", 1},
    {NULL, 0, NULL, 0, "Any loop:", 2},
    {"model", OPT_MODEL, "NAME", 0, "andronikos (default) or chen-xue", 0},
    {"chunk-dim", OPT_CHUNK_DIM, "U_c", 0,
     "iterations that are cut into chunks", 0},
    {"sync-dim", OPT_SYNC_DIM, "U_s", 0,
     "iterations along the synchronization points", 0},
    {"workers", OPT_WORKERS, "N[:VP],...", 0,
     "groups of workers, with their power (default 1)", 0},
    {"cp", OPT_CP, "S,...", 0, "c_p, seconds per iteration, for each group", 0},
    {"cd", OPT_CD, "S", 0, "c_d, start-up cost of a message in seconds", 0},
    {"cc", OPT_CC, "S", 0, "c_c, cost per element of a message in seconds", 0},
    {"csched", OPT_CSCHED, "S", 0,
     "c_sch, the master's cost of a chunk in seconds (default 0)", 0},
    {"tms", OPT_TMS, "S", 0,
     "t_(m-s), cost of a message with the master in seconds", 0},
    {"k", OPT_K, "K", 0, "chunks for each worker (default 1)", 0},
    {"skew", OPT_SKEW, "S", 0,
     "columns that a row lags behind the one above (default 0)", 0},
    {"stream", OPT_STREAM, NULL, 0,
     "with --k: chunks stream as in DMPS, not as subproblems", 0},
    {"h", OPT_H, "H,...", 0, "intervals to predict (default: a sweep)", 0},
    {"format", OPT_FORMAT, "table|csv", 0, "default table", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct input *in = state->input;
    if (key == ARGP_KEY_ARG)
        return -error_set(in->err, EINVAL, "predict: '%s' is not an option",
                          arg);
    if (key < OPT_MODEL || key >= OPT_END)
        return ARGP_ERR_UNKNOWN;
    in->given[key - OPT_MODEL] = arg != NULL ? arg : "";
    return 0;
}

static const char *given(const struct input *in, int option)
{
    return in->given[option - OPT_MODEL];
}

static const char *name_of(int option)
{
    int i = 0;
    while (options[i].key != option)
        i++;
    return options[i].name;
}

static int check_required(const struct input *in, struct error *err)
{
    for (int i = OPT_MODEL; i < OPT_END; i++) {
        bool required = i == OPT_CHUNK_DIM || i == OPT_SYNC_DIM ||
                        i == OPT_WORKERS || i == OPT_CP || i == OPT_CD ||
                        i == OPT_CC;
        if (required && given(in, i) == NULL)
            return error_set(err, EINVAL, "predict: --%s is missing",
                             name_of(i));
    }
    return 0;
}

/* One of two words; the first is the default. */
static int read_word(const struct input *in, int option, const char *first,
                     const char *second, bool *is_second, struct error *err)
{
    const char *const words[] = {first, second, NULL};
    const char *text = given(in, option) ? given(in, option) : first;
    *is_second = strcmp(text, second) == 0;
    if (*is_second || strcmp(text, first) == 0)
        return 0;
    return nearest_unknown(err, text, words, "--%s: '%s' is unknown",
                           name_of(option), text);
}

static int read_whole(const struct input *in, int option, int64_t *value,
                      struct error *err)
{
    char name[32];
    if (given(in, option) == NULL)
        return 0;
    snprintf(name, sizeof(name), "--%s", name_of(option));
    return number_integer(name, given(in, option), 1, (int64_t)1 << 50, value,
                          err);
}

static int read_cost(const struct input *in, int option, double *value,
                     struct error *err)
{
    char name[32];
    if (given(in, option) == NULL)
        return 0;
    snprintf(name, sizeof(name), "--%s", name_of(option));
    return number_real(name, given(in, option), 0, 1e15, value, err);
}

static int read_costs(const struct input *in, struct interval_model *m,
                      struct error *err)
{
    const struct {
        int option;
        double *value;
    } costs[] = {{OPT_CD, &m->c_d},
                 {OPT_CC, &m->c_c},
                 {OPT_CSCHED, &m->c_sch},
                 {OPT_TMS, &m->t_ms},
                 {OPT_SKEW, &m->skew}};
    int code = 0;
    for (size_t i = 0; code == 0 && i < sizeof(costs) / sizeof(costs[0]); i++)
        code = read_cost(in, costs[i].option, costs[i].value, err);
    return code == 0 ? read_whole(in, OPT_K, &m->k, err) : code;
}

/* A loop that is described by options alone. */
static int read_loop(const struct input *in, struct predict *p,
                     struct error *err)
{
    struct interval_model *m = &p->model;
    int64_t chunk_dim = 0, sync_dim = 0;
    m->k = 1;
    m->stream = given(in, OPT_STREAM) != NULL;
    int code = read_whole(in, OPT_CHUNK_DIM, &chunk_dim, err);
    if (code == 0)
        code = read_whole(in, OPT_SYNC_DIM, &sync_dim, err);
    if (code == 0)
        code = predict_groups(given(in, OPT_WORKERS), given(in, OPT_CP),
                              &p->group, &m->groups, err);
    m->chunk_dim = (double)chunk_dim;
    m->sync_dim = (double)sync_dim;
    m->group = p->group;
    return code;
}

/* A kernel on a calibrated machine. */
static int read_kernel(const struct input *in, struct predict *p,
                       struct error *err)
{
    static const int others[] = {OPT_CHUNK_DIM, OPT_SYNC_DIM, OPT_WORKERS,
                                 OPT_CP};
    struct predict_kernel kernel = {
        .file = given(in, OPT_CALIBRATION),
        .kernel = given(in, OPT_KERNEL),
        .layout = given(in, OPT_LAYOUT) ? given(in, OPT_LAYOUT) : "1x2",
        .scheme = given(in, OPT_SCHEME) ? given(in, OPT_SCHEME) : "static",
        .power = given(in, OPT_POWER)};
    bool subproblem;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (given(in, others[i]) != NULL)
            return error_set(err, EINVAL,
                             "--%s does not go with --kernel, which says it",
                             name_of(others[i]));
    int code =
        read_word(in, OPT_PROTOCOL, "dmps", "subproblem", &subproblem, err);
    kernel.stream = !subproblem;
    return code == 0 ? predict_calibrated(&kernel, p, err) : code;
}

static int check_kernel_options(const struct input *in, struct error *err)
{
    for (int i = OPT_CALIBRATION; i < OPT_END; i++)
        if (given(in, i) != NULL && given(in, OPT_KERNEL) == NULL)
            return error_set(err, EINVAL, "--%s goes with --kernel only",
                             name_of(i));
    return given(in, OPT_KERNEL) != NULL ? 0 : check_required(in, err);
}

static int read_model(const struct input *in, struct predict *p,
                      struct error *err)
{
    int code = given(in, OPT_KERNEL) != NULL ? read_kernel(in, p, err)
                                             : read_loop(in, p, err);
    p->has_csched = given(in, OPT_CSCHED) != NULL || given(in, OPT_KERNEL);
    p->has_tms = given(in, OPT_TMS) != NULL;
    if (code == 0)
        code = read_costs(in, &p->model, err);
    return code == 0 ? interval_check(&p->model, err) : code;
}

static int check_chen_xue(const struct predict *p, struct error *err)
{
    if (p->model.k > 1 || p->model.skew > 0 ||
        (p->model.stream && !p->calibrated))
        return error_set(err, EINVAL,
                         "--model chen-xue is for one chunk for each worker: "
                         "--k, --skew and --stream do not go with it");
    if (interval_workers(&p->model) == 1)
        return error_set(err, EINVAL,
                         "--model chen-xue needs at least 2 workers");
    return 0;
}

static int predict_read(const struct input *in, struct predict *p, bool *csv,
                        struct error *err)
{
    int code = check_kernel_options(in, err);
    if (code == 0)
        code = read_word(in, OPT_MODEL, "andronikos", "chen-xue", &p->chen_xue,
                         err);
    if (code == 0)
        code = read_word(in, OPT_FORMAT, "table", "csv", csv, err);
    if (code == 0)
        code = read_model(in, p, err);
    if (code == 0 && p->chen_xue)
        code = check_chen_xue(p, err);
    if (code != 0)
        return code;
    p->optimum = p->chen_xue ? interval_chen_xue(&p->model)
                             : interval_optimum(&p->model);
    return predict_intervals(given(in, OPT_H), p->optimum, p->model.sync_dim,
                             &p->h, &p->count, err);
}

static void predict_csv(const struct predict *p)
{
    enum interval_reading reading =
        p->has_tms ? INTERVAL_TWA_PRINTED : INTERVAL_TWA_TEXT;
    if (p->has_tms && p->has_csched)
        fprintf(stderr, "dlsbench: note: time_s has T_wa = NP t_(m-s), leave "
                        "--tms out for 2 (c_d + h c_c) + c_sch\n");
    puts("h,time_s,optimal");
    for (int i = 0; i < p->count; i++)
        printf("%.10g,%.10g,%d\n", p->h[i],
               interval_time(&p->model, p->h[i], reading),
               p->h[i] == p->optimum);
}

int predict_command(int argc, char **argv)
{
    static const struct argp argp = {options, parse, NULL, doc,
                                     NULL,    NULL,  NULL};
    struct error err = {""};
    struct input in = {.err = &err};
    struct predict p = {.count = 0};
    bool csv = false;
    int code = command_parse(&argp, argc, argv, &in, &err);
    if (code == 0)
        code = predict_read(&in, &p, &csv, &err);
    if (code == 0 && csv)
        predict_csv(&p);
    else if (code == 0)
        predict_table(&p);
    free(p.group);
    free(p.h);
    if (code != 0)
        return command_fail(COMMAND_USAGE, &err);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return COMMAND_OK;
    error_set(&err, EIO, "predict: cannot write: %s", strerror(errno));
    return command_fail(COMMAND_FAILED, &err);
}
