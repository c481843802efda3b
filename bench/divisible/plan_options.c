/* The options of dlsbench plan. */
#include "bench/cli/command.h"
#include "bench/cli/numbers.h"
#include "bench/divisible/plan.h"

#include "base/nearest.h"
#include "sched/divisible/installments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { INSTALLMENTS_DEFAULT = 4 };

/* Above all characters: options have long names only. */
enum {
    OPT_ALGORITHM = 256,
    OPT_LOAD,
    OPT_WORKERS,
    OPT_SMALL_G,
    OPT_BIG_G,
    OPT_W,
    OPT_Z,
    OPT_PLATFORM,
    OPT_KERNEL,
    OPT_UNIT_BYTES,
    OPT_CALIBRATION,
    OPT_OVERLAP,
    OPT_ORDER,
    OPT_PERIOD,
    OPT_TAIL,
    OPT_UNIT,
    OPT_INSTALLMENTS,
    OPT_EQUATIONS,
    OPT_FORMAT,
    OPT_SVG,
    OPT_SIMULATE,
    OPT_BATCH,
    OPT_END,
};

struct input {
    const char *given[OPT_END - OPT_ALGORITHM]; /* NULL: not given */
    struct error *err;
};

static const char doc[] =
    "Plans a divisible load: who gets how much, in which order, and when."
    "\v"
    "A master sends load with its data to one worker at a time.  A message of "
    "L "
    "units to worker i takes g_i + L G_i seconds, computing it z_i + L w_i "
    "seconds.  What a unit is, is yours to choose: an iteration, a megabyte, a "
    "task.  So g and z are in seconds, G and w in seconds for each unit.  Each "
    "is a list with one value for each worker (n:v stands for n times v), or "
    "one "
    "value for all.  A platform file is CSV with a header of the columns g, G, "
    "w, z, one line for each worker.\n"
    "\n"
    "Algorithms (Beaumont, Legrand, Robert 2002):\n"
    "  single-round       one message to each, optimal sizes and order\n"
    "  lp-fixed           rounds of T_p = 2000 s (--period)\n"
    "  lp-sqrt            rounds of T_p = sqrt(T), T the estimated time\n"
    "  lp-adaptive        T_p again before each round, from what is left\n"
    "  multi-installment  M.I.x, x rounds (--installments), no latencies in "
    "its "
    "equations\n"
    "  all                all of them, one line each\n"
    "\n"
    "Examples:\n"
    "  dlsbench plan --algorithm single-round --load 100 --workers 3 --G "
    "0.1,0.2,0.4 --w 2\n"
    "  dlsbench plan --algorithm lp-adaptive --load 1000 --workers 5 --g 0.06 "
    "--G 0.06 --w 3:9,2:20 --format gantt\n"
    "  dlsbench plan --algorithm multi-installment --installments 3 --load 50 "
    "--platform cluster.csv --svg plan.svg\n"
    "  dlsbench plan --algorithm lp-adaptive --load 100 --workers 2 --kernel "
    "matmul:tasks=100 --unit 1e-3 --overlap\n"
    "  dlsbench plan --algorithm all --load 1000 --workers 5 --G 0.06 --w 9\n";

static const struct argp_option options[] = {
    {"algorithm", OPT_ALGORITHM, "NAME", 0, "see below", 0},
    {"load", OPT_LOAD, "UNITS", 0, "the whole load, any number above 0", 0},
    {"workers", OPT_WORKERS, "P", 0, "number of workers", 0},
    {"g", OPT_SMALL_G, "S,...", 0, "latency of a message, s (default 0)", 0},
    {"G", OPT_BIG_G, "S,...", 0, "sending one unit, s", 0},
    {"w", OPT_W, "S,...", 0, "computing one unit, s", 0},
    {"z", OPT_Z, "S,...", 0, "start-up of computing a chunk, s (default 0)", 0},
    {"platform", OPT_PLATFORM, "FILE", 0, "g, G, w, z from a CSV file", 0},
    {"kernel", OPT_KERNEL, "K", 0,
     "g, G, w as calibrated on this machine, a unit being an iteration", 0},
    {"unit-bytes", OPT_UNIT_BYTES, "B", 0,
     "with --kernel: input data of an iteration (default: what it has)", 0},
    {"calibration", OPT_CALIBRATION, "FILE", 0,
     "with --kernel: another one than this machine's own", 0},
    {"overlap", OPT_OVERLAP, NULL, 0, "workers compute while they receive", 0},
    {"order", OPT_ORDER, "W,...", 0,
     "single-round: workers in the order of sending (default: the best)", 0},
    {"period", OPT_PERIOD, "S", 0, "lp-fixed: T_p in seconds (default 2000)",
     0},
    {"tail", OPT_TAIL, "cut|share", 0,
     "lp-...: last round by whole shares in turn (default, as in the paper) or "
     "all shares made smaller",
     0},
    {"unit", OPT_UNIT, "S", 0,
     "lp-sqrt, lp-adaptive: T_p = sqrt(T) counts in units of so many seconds "
     "(default 1, as in the paper; 1e-3 for loads of less than a second)",
     0},
    {"installments", OPT_INSTALLMENTS, "X", 0,
     "multi-installment: rounds, 1 to 8 (default 4)", 0},
    {"equations", OPT_EQUATIONS, "no-overlap|overlap", 0,
     "multi-installment: by the equations for workers without overlap "
     "(default) "
     "or with it",
     0},
    {"format", OPT_FORMAT, "table|csv|gantt", 0, "default table", 0},
    {"svg", OPT_SVG, "FILE", 0, "also write the chart as a picture", 0},
    {"simulate", OPT_SIMULATE, NULL, 0,
     "also run the plan as messages on SimGrid (make plan-sim)", 0},
    {"batch", OPT_BATCH, "FILE", 0,
     "a line of these options for each platform (- is stdin); --load, "
     "--algorithm and --installments may be lists there; prints CSV",
     0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct input *in = state->input;
    if (key == ARGP_KEY_ARG)
        return -error_set(in->err, EINVAL, "plan: '%s' is not an option", arg);
    if (key < OPT_ALGORITHM || key >= OPT_END)
        return ARGP_ERR_UNKNOWN;
    in->given[key - OPT_ALGORITHM] = arg != NULL ? arg : "";
    return 0;
}

static const char *given(const struct input *in, int option)
{
    return in->given[option - OPT_ALGORITHM];
}

/* The index of a word in a list that ends with NULL. */
static int read_word(const char *option, const char *text,
                     const char *const *words, int *index, struct error *err)
{
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], text) == 0) {
            *index = i;
            return 0;
        }
    }
    return nearest_unknown(err, text, words, "%s: '%s' is unknown", option,
                           text);
}

/* Options that belong to one algorithm are errors with the others. */
static int check_options(const struct input *in,
                         const struct plan_request *request, struct error *err)
{
    enum divisible_algorithm algorithm = request->choice.algorithm;
    bool root =
        algorithm == DIVISIBLE_LP_SQRT || algorithm == DIVISIBLE_LP_ADAPTIVE;
    bool lp = root || algorithm == DIVISIBLE_LP_FIXED;
    const struct {
        int option;
        bool goes;
    } rows[] = {
        {OPT_ORDER, algorithm == DIVISIBLE_SINGLE_ROUND},
        {OPT_PERIOD, algorithm == DIVISIBLE_LP_FIXED || request->all},
        {OPT_TAIL, lp || request->all},
        {OPT_UNIT, root || request->all},
        {OPT_INSTALLMENTS, algorithm == DIVISIBLE_MULTI_INSTALLMENT},
        {OPT_EQUATIONS,
         algorithm == DIVISIBLE_MULTI_INSTALLMENT || request->all},
        {OPT_SVG, !request->all},
        {OPT_SIMULATE, !request->all},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (given(in, rows[i].option) != NULL && !rows[i].goes)
            return error_set(err, EINVAL,
                             "plan: --%s does not go with --algorithm %s",
                             options[rows[i].option - OPT_ALGORITHM].name,
                             given(in, OPT_ALGORITHM));
    if (request->all && request->format == PLAN_GANTT)
        return error_set(err, EINVAL,
                         "plan: --format gantt does not go with --algorithm "
                         "all");
    return 0;
}

static int read_words(const struct input *in, struct plan_request *request,
                      struct error *err)
{
    static const char *const tails[] = {"cut", "share", NULL};
    static const char *const formats[] = {"table", "csv", "gantt", NULL};
    static const char *const equations[] = {"no-overlap", "overlap", NULL};
    const char *algorithms[DIVISIBLE_ALGORITHMS + 2] = {NULL};
    int algorithm = 0, tail = 0, format = 0, equation = 0;
    memcpy(algorithms, divisible_names,
           DIVISIBLE_ALGORITHMS * sizeof(*algorithms));
    algorithms[DIVISIBLE_ALGORITHMS] = "all";
    int code = read_word("--algorithm", given(in, OPT_ALGORITHM), algorithms,
                         &algorithm, err);
    if (code == 0 && given(in, OPT_TAIL) != NULL)
        code = read_word("--tail", given(in, OPT_TAIL), tails, &tail, err);
    if (code == 0 && given(in, OPT_FORMAT) != NULL)
        code =
            read_word("--format", given(in, OPT_FORMAT), formats, &format, err);
    if (code == 0 && given(in, OPT_EQUATIONS) != NULL)
        code = read_word("--equations", given(in, OPT_EQUATIONS), equations,
                         &equation, err);
    request->choice.equations =
        equation == 1 ? DIVISIBLE_WITH_OVERLAP : DIVISIBLE_NO_OVERLAP;
    request->all = algorithm == DIVISIBLE_ALGORITHMS;
    request->choice.algorithm = algorithm;
    request->choice.tail = tail;
    request->format = format;
    request->svg = given(in, OPT_SVG);
    request->simulate = given(in, OPT_SIMULATE) != NULL;
    return code;
}

static int check_order(const struct plan_request *request, struct error *err)
{
    bool seen[DIVISIBLE_WORKERS_MAX] = {false};
    for (int k = 0; k < request->choice.order_count; k++) {
        int worker = request->order[k];
        if (seen[worker])
            return error_set(err, EINVAL, "--order: worker %d is there twice",
                             worker);
        seen[worker] = true;
    }
    return 0;
}

static int read_order(const struct input *in, struct plan_request *request,
                      struct error *err)
{
    if (given(in, OPT_ORDER) == NULL)
        return 0;
    int code = number_order("--order", given(in, OPT_ORDER),
                            request->platform.platform.workers, &request->order,
                            &request->choice.order_count, err);
    request->choice.order = request->order;
    return code == 0 ? check_order(request, err) : code;
}

static int read_numbers(const struct input *in, struct plan_request *request,
                        struct error *err)
{
    const char *rounds = given(in, OPT_INSTALLMENTS);
    const char *period = given(in, OPT_PERIOD);
    const char *unit = given(in, OPT_UNIT);
    int64_t installments = INSTALLMENTS_DEFAULT;
    int code = number_real("--load", given(in, OPT_LOAD), 0, 1e50,
                           &request->load, err);
    if (code == 0 && rounds != NULL)
        code = number_integer("--installments", rounds, 1,
                              DIVISIBLE_INSTALLMENTS_MAX, &installments, err);
    if (code == 0 && period != NULL)
        code = number_real("--period", period, 0, 1e300,
                           &request->choice.period, err);
    if (code == 0 && period != NULL && request->choice.period == 0)
        code = error_set(err, EINVAL, "--period: it must be above 0 s");
    if (code == 0 && unit != NULL)
        code =
            number_real("--unit", unit, 1e-9, 1e9, &request->choice.unit, err);
    request->choice.installments = (int)installments;
    return code;
}

static int read_batch(const struct input *in, struct plan_request *request,
                      struct error *err)
{
    for (int i = OPT_ALGORITHM; i < OPT_END; i++)
        if (given(in, i) != NULL && i != OPT_BATCH && i != OPT_SIMULATE)
            return error_set(err, EINVAL, "plan: --%s does not go with --batch",
                             options[i - OPT_ALGORITHM].name);
    request->batch = given(in, OPT_BATCH);
    request->simulate = given(in, OPT_SIMULATE) != NULL;
    return 0;
}

static int read_request(const struct input *in, struct plan_request *request,
                        struct error *err)
{
    const struct plan_source source = {
        given(in, OPT_WORKERS),     given(in, OPT_SMALL_G),
        given(in, OPT_BIG_G),       given(in, OPT_W),
        given(in, OPT_Z),           given(in, OPT_PLATFORM),
        given(in, OPT_KERNEL),      given(in, OPT_UNIT_BYTES),
        given(in, OPT_CALIBRATION),
    };
    if (given(in, OPT_BATCH) != NULL)
        return read_batch(in, request, err);
    for (int option = OPT_ALGORITHM; option <= OPT_LOAD; option++)
        if (given(in, option) == NULL)
            return error_set(err, EINVAL, "plan: --%s is missing",
                             options[option - OPT_ALGORITHM].name);
    int code = read_words(in, request, err);
    if (code == 0)
        code = check_options(in, request, err);
    if (code == 0)
        code = read_numbers(in, request, err);
    if (code == 0)
        code = plan_platform_read(&source, given(in, OPT_OVERLAP) != NULL,
                                  request->load, &request->platform, err);
    return code == 0 ? read_order(in, request, err) : code;
}

int plan_request_read(int argc, char **argv, struct plan_request *request,
                      struct error *err)
{
    static const struct argp argp = {options, parse, NULL, doc,
                                     NULL,    NULL,  NULL};
    struct input in = {.err = err};
    *request = (struct plan_request){.order = NULL};
    int code = command_parse(&argp, argc, argv, &in, err);
    if (code == 0)
        code = read_request(&in, request, err);
    if (code != 0)
        plan_request_free(request);
    return code;
}

void plan_request_free(struct plan_request *request)
{
    plan_platform_free(&request->platform);
    free(request->order);
    *request = (struct plan_request){.order = NULL};
}
