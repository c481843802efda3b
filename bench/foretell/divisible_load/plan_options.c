/* The options of dlsbench plan. */
#include "bench/foretell/divisible_load/plan_command.h"
#include "bench/options/numbers.h"
#include "bench/options/options.h"

#include "base/nearest.h"
#include "harness/process/need.h"
#include "sched/divisible/installments.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INSTALLMENTS_DEFAULT = 4 };

/* A value that is not given is NULL, 0, NAN or, for words, -1. */
struct input {
    struct plan_source source;
    const char *algorithm, *order, *batch;
    double load, period, unit;
    int64_t installments;
    const char *perturb;
    int tail, equations, replan, format;
    bool overlap;
};

static const char *const tails[] = {"cut", "share", NULL};
static const char *const replans[] = {"never", "round", NULL};
static const char *const formats[] = {TABLE_FORMATS, "gantt", NULL};
static const char *const equations[] = {"no-overlap", "overlap", NULL};

#define OPTIONS_OF struct input

static const struct options_entry load_entries[] = {
    {.group = "The load and its division:"},
    OPTION_REAL("load", "UNITS", load, 0, 1e50,
                "the whole load, any number above 0"),
    OPTION_TEXT("algorithm", "NAME", algorithm, "see below"),
    OPTION_TEXT(
        "order", "W,...", order,
        "single-round: workers in the order of sending (default: the best)"),
    OPTION_REAL("period", "S", period, 0, 1e300,
                "lp-fixed: T_p in seconds (default 2000)"),
    OPTION_WORD("tail", "cut|share", tail, tails,
                "lp-...: last round by whole shares in turn (default, as in "
                "the paper) or all shares made smaller"),
    OPTION_REAL("unit", "S", unit, 1e-9, 1e9,
                "lp-sqrt, lp-adaptive: T_p = sqrt(T) counts in units of this "
                "many seconds (default 1, as in the paper; 1e-3 for loads of "
                "less than a second)"),
    OPTION_WORD("replan", "never|round", replan, replans,
                "lp-...: round: each round by the time that each worker took "
                "for its last chunk (default never)"),
    OPTION_WHOLE("installments", "X", installments, 1,
                 DIVISIBLE_INSTALLMENTS_MAX,
                 "multi-installment: rounds, 1 to 8 (default 4)"),
    OPTION_WORD("equations", "no-overlap|overlap", equations, equations,
                "multi-installment: by the equations for workers without "
                "overlap (default) or with it"),
    {.name = NULL},
};

static const struct options_entry platform_entries[] = {
    {.group = "The platform:"},
    OPTION_TEXT("workers", "P", source.workers, "number of workers"),
    OPTION_TEXT("g", "S,...", source.g, "latency of a message, s (default 0)"),
    OPTION_TEXT("G", "S,...", source.G, "sending one unit, s"),
    OPTION_TEXT("w", "S,...", source.w, "computing one unit, s"),
    OPTION_TEXT("z", "S,...", source.z,
                "start-up of computing a chunk, s (default 0)"),
    OPTION_TEXT("late", "S,...", source.late,
                "from the end of a message's sending to when it is there, s: "
                "the port is free meanwhile (default 0)"),
    OPTION_TEXT("platform", "FILE", source.file,
                "g, G, w, z, late from a CSV file"),
    OPTION_TEXT(
        "kernel", "K", source.kernel,
        "g, G, w as calibrated on this machine, a unit being an iteration"),
    OPTION_TEXT(
        "unit-bytes", "B", source.unit_bytes,
        "with --kernel: input data of an iteration (default: what it has)"),
    OPTION_TEXT("calibration", "FILE", source.calibration,
                "with --kernel: another one than this machine's own"),
    OPTION_FLAG("overlap", overlap, "workers compute while they receive"),
    OPTION_TEXT("perturb", "SPEC", perturb,
                "what slows workers down while the plan runs, such as "
                "delay:worker=2,factor=4,at=20 (dlsbench list perturbations)"),
    {.name = NULL},
};

static const struct options_entry output_entries[] = {
    {.group = "What is done with the plan:"},
    OPTION_WORD("format", TABLE_FORMAT_WORDS "|gantt", format, formats,
                "default table"),
    OPTION_TEXT(
        "batch", "FILE", batch,
        "a line of these options for each platform (- is stdin); --load, "
        "--algorithm and --installments may be lists there; prints CSV"),
    {.name = NULL},
};

static const struct options_page page = {
    .name = "plan",
    .common = (const char *const[]){"load", "algorithm", "workers", "g", "G",
                                    "w", "platform", "kernel", "installments",
                                    "format", NULL},
    .summary =
        "Plans a divisible load: who gets how much, in which order, and when.",
    .details =
        "A master sends load with its data to one worker at a time.  A message "
        "of L units to worker i takes g_i + L G_i seconds, computing it z_i + "
        "L w_i seconds.  What a unit is, is yours to choose: an iteration, a "
        "megabyte, a task.  So g and z are in seconds, G and w in seconds for "
        "each unit.  Each is a list with one value for each worker (n:v means "
        "n times v), or one value for all.  A platform file is CSV with a "
        "header of the columns g, G, w, z, late, one line for each worker.\n"
        "\n"
        "--late is the latency that overlaps (g'' of section 2): the port "
        "sends "
        "the next message meanwhile, and the worker waits.  The paper gives no "
        "formula for it.  It counts as z does, but for workers that compute "
        "while they receive: there it delays their first chunk only.\n"
        "\n"
        "Algorithms (Beaumont, Legrand, Robert 2002):\n"
        "  single-round       one message to each, optimal sizes and order\n"
        "  lp-fixed           rounds of T_p = 2000 s (--period)\n"
        "  lp-sqrt            rounds of T_p = sqrt(T), T the estimated time\n"
        "  lp-adaptive        T_p again before each round, from what is left\n"
        "  multi-installment  M.I.x, x rounds (--installments), no latencies "
        "in its\n"
        "                     equations\n"
        "  all                all of them, one line each",
    .examples =
        "dlsbench plan --algorithm single-round --load 100 --workers 3 --G "
        "0.1,0.2,0.4 --w 2\n"
        "dlsbench plan --algorithm lp-adaptive --load 1000 --workers 5 --g "
        "0.06 --G 0.06 --w 3:9,2:20 --format gantt\n"
        "dlsbench plan --algorithm multi-installment --installments 3 --load "
        "50 --platform cluster.csv --format csv\n"
        "dlsbench plan --algorithm lp-adaptive --load 100 --workers 2 --kernel "
        "matmul:tasks=100 --unit 1e-3 --overlap\n"
        "dlsbench plan --algorithm lp-adaptive --load 300 --workers 3 --g 0.1 "
        "--G 0.1 --w 1 --perturb delay:worker=2,factor=4,at=20 --replan round\n"
        "dlsbench plan --algorithm all --load 1000 --workers 5 --G 0.06 --w 9",
    .tables = (const struct options_entry *const[]){
        load_entries, platform_entries, output_entries, NULL}};

/* Options that belong to one algorithm are errors with the others. */
static int check_options(const struct input *in,
                         const struct plan_request *request, struct error *err)
{
    enum divisible_algorithm algorithm = request->choice.algorithm;
    bool multi = algorithm == DIVISIBLE_MULTI_INSTALLMENT;
    bool root =
        algorithm == DIVISIBLE_LP_SQRT || algorithm == DIVISIBLE_LP_ADAPTIVE;
    bool lp = root || algorithm == DIVISIBLE_LP_FIXED;
    const struct {
        const char *name;
        bool goes;
    } rows[] = {
        {"order", algorithm == DIVISIBLE_SINGLE_ROUND},
        {"period", algorithm == DIVISIBLE_LP_FIXED || request->all},
        {"tail", lp || request->all},
        {"unit", root || request->all},
        {"replan", lp || request->all},
        {"installments", multi},
        {"equations", multi || request->all},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!rows[i].goes && options_given(&page, rows[i].name, in))
            return error_set(err, EINVAL,
                             "plan: --%s does not go with --algorithm %s",
                             rows[i].name, in->algorithm);
    if (request->all && request->format == PLAN_GANTT)
        return error_set(err, EINVAL,
                         "plan: --format gantt does not go with --algorithm "
                         "all");
    return 0;
}

static int read_algorithm(const struct input *in, struct plan_request *request,
                          struct error *err)
{
    const char *names[DIVISIBLE_ALGORITHMS + 2] = {NULL};
    int i = 0;
    memcpy(names, divisible_names, DIVISIBLE_ALGORITHMS * sizeof(*names));
    names[DIVISIBLE_ALGORITHMS] = "all";
    while (names[i] != NULL && strcmp(names[i], in->algorithm) != 0)
        i++;
    request->all = i == DIVISIBLE_ALGORITHMS;
    request->choice.algorithm = i;
    if (names[i] != NULL)
        return 0;
    return nearest_unknown(err, in->algorithm, names, "",
                           "--algorithm: '%s' is unknown", in->algorithm);
}

/* The hook of struct divisible_disturbance: when work ends that starts at
 * `start` and takes `seconds` undisturbed. */
static double perturbed_end(const void *arg, int worker, double start,
                            double seconds)
{
    const struct plan_perturb *perturb = arg;
    struct perturb_toll toll[PERTURBS_MAX] = {{0}};
    return perturbs_end(&perturb->perturbs, perturb->hit[worker], worker, start,
                        seconds, toll);
}

static int check_perturbs(const struct perturbs *perturbs, int workers,
                          struct error *err)
{
    if (perturbs_ever(perturbs))
        return error_set(err, EINVAL,
                         "--perturb: a plan never ends that waits for who is "
                         "gone: use delay or stop");
    for (int k = 0; k < perturbs->count; k++) {
        const struct perturb *one = &perturbs->list[k];
        if (!one->kind->holds)
            return error_set(err, EINVAL,
                             "--perturb: %s does not go with plan: give its "
                             "links other --g and --G",
                             one->kind->name);
        if (one->first >= workers || one->workers > workers ||
            one->first + one->workers > workers)
            return error_set(err, EINVAL,
                             "--perturb: %s names workers that the platform "
                             "does not have: it has 0 to %d",
                             one->kind->name, workers - 1);
    }
    return 0;
}

static int read_perturb(const struct input *in, struct plan_request *request,
                        struct error *err)
{
    struct divisible_platform *platform = &request->platform.platform;
    if (in->perturb == NULL)
        return 0;
    struct plan_perturb *perturb = need_zeroed(1, sizeof(*perturb));
    request->perturb = perturb;
    int code =
        perturbs_parse(in->perturb, &perturb->perturbs, perturb->text, err);
    if (code == 0)
        code = check_perturbs(&perturb->perturbs, platform->workers, err);
    if (code != 0 || perturb->perturbs.count == 0)
        return code;
    for (int k = 0; k < perturb->perturbs.count; k++)
        perturb_pick(&perturb->perturbs.list[k], 0, platform->workers,
                     (uint8_t)(1 << k), perturb->hit);
    perturb->disturbance =
        (struct divisible_disturbance){perturbed_end, perturb};
    platform->disturbed = &perturb->disturbance;
    return 0;
}

static int read_order(const struct input *in, struct plan_request *request,
                      struct error *err)
{
    bool seen[DIVISIBLE_WORKERS_MAX] = {false};
    if (in->order == NULL)
        return 0;
    int code =
        number_order("--order", in->order, request->platform.platform.workers,
                     &request->order, &request->choice.order_count, err);
    request->choice.order = request->order;
    for (int k = 0; code == 0 && k < request->choice.order_count; k++) {
        int worker = request->order[k];
        if (seen[worker])
            code = error_set(err, EINVAL, "--order: worker %d is there twice",
                             worker);
        seen[worker] = true;
    }
    return code;
}

/* Missing options get the default values of the algorithms. */
static void read_choice(const struct input *in, struct plan_request *request)
{
    struct divisible_choice *choice = &request->choice;
    choice->equations =
        in->equations == 1 ? DIVISIBLE_WITH_OVERLAP : DIVISIBLE_NO_OVERLAP;
    choice->replan = in->replan == 1;
    choice->tail = in->tail > 0 ? in->tail : 0;
    choice->period = isnan(in->period) ? 0 : in->period;
    choice->unit = isnan(in->unit) ? 0 : in->unit;
    choice->installments =
        in->installments > 0 ? (int)in->installments : INSTALLMENTS_DEFAULT;
    request->format = in->format > 0 ? in->format : TABLE_TEXT;
    request->load = in->load;
}

static int read_batch(const struct input *in, struct plan_request *request,
                      struct error *err)
{
    struct input alone = *in;
    alone.batch = NULL;
    const char *other = options_first_given(&page, &alone);
    if (other != NULL)
        return error_set(err, EINVAL, "plan: --%s does not go with --batch",
                         other);
    request->batch = in->batch;
    return 0;
}

static int read_request(const struct input *in, struct plan_request *request,
                        struct error *err)
{
    if (in->batch != NULL)
        return read_batch(in, request, err);
    if (in->algorithm == NULL || isnan(in->load))
        return error_set(err, EINVAL, "plan: --%s is missing",
                         in->algorithm == NULL ? "algorithm" : "load");
    if (in->period == 0)
        return error_set(err, EINVAL, "--period: it must be above 0 s");
    read_choice(in, request);
    int code = read_algorithm(in, request, err);
    if (code == 0)
        code = check_options(in, request, err);
    if (code == 0)
        code = plan_platform_read(&in->source, in->overlap, request->load,
                                  &request->platform, err);
    if (code == 0)
        code = read_perturb(in, request, err);
    return code == 0 ? read_order(in, request, err) : code;
}

int plan_request_read(int argc, char **argv, struct plan_request *request,
                      struct error *err)
{
    struct input in = {.load = NAN,
                       .period = NAN,
                       .unit = NAN,
                       .tail = -1,
                       .equations = -1,
                       .replan = -1,
                       .format = -1};
    *request = (struct plan_request){.order = NULL};
    int code = options_read(&page, argc, argv, &in, err);
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
    free(request->perturb);
    *request = (struct plan_request){.order = NULL};
}
