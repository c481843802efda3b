/* dlsbench calibrate: the command line. */
#include "bench/calibrate/calibrate.h"
#include "bench/calibrate/nodes.h"
#include "bench/campaign/campaign.h"
#include "bench/launching/launcher.h"
#include "bench/options/command.h"
#include "bench/options/options.h"
#include "harness/measure/measure.h"
#include "harness/process/guard.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct input {
    struct calibrate_request request;
    const char *out, *campaign;
    int64_t workers;
    int64_t nodes;
    struct campaign asked; /* from `campaign` */
};

static struct measure_kernel *find_kernel(struct calibrate_request *request,
                                          const char *spec, struct error *err)
{
    for (int k = 0; k < request->kernels; k++)
        if (strcmp(request->kernel[k].spec, spec) == 0)
            return &request->kernel[k];
    if (request->kernels == CALIBRATE_KERNELS_MAX) {
        error_set(err, E2BIG, "calibrate: more than %d kernels",
                  (int)CALIBRATE_KERNELS_MAX);
        return NULL;
    }
    struct measure_kernel *kernel = &request->kernel[request->kernels++];
    *kernel = (struct measure_kernel){.spec = spec};
    return kernel;
}

static int take_kernel(void *command, const struct options_entry *entry,
                       const char *text, struct error *err)
{
    struct input *in = command;
    const struct kernel_ops *ops;
    struct spec spec;
    int code = kernel_parse(text, &ops, &spec, err);
    (void)entry;
    return code == 0 && find_kernel(&in->request, text, err) == NULL ? -E2BIG
                                                                     : code;
}

#define OPTIONS_OF struct input

static const struct options_entry entries[] = {
    OPTION_TEXT("out", "FILE", out,
                "where to write; an earlier calibration is replaced"),
    OPTION_CALL("kernel", "K", take_kernel,
                "also measure this kernel and size; give it again for more "
                "kernels, and also for those of an earlier file, which is "
                "replaced"),
    OPTION_TEXT("for", "CAMPAIGN", campaign,
                "measure the kernels of this campaign only, and loops with "
                "dependences at its sync intervals"),
    OPTION_WHOLE("workers", "N", workers, 1, 4096,
                 "threads, and ranks (default: one per core)"),
    OPTION_WHOLE("nodes", "2", nodes, 2, 2,
                 "inside a job of two nodes: measure one, and messages between "
                 "both (also kernels, where a node has one worker), for "
                 "simulations on this-cluster"),
    OPTION_TEXT("launcher", "COMMAND", request.launcher,
                "starts the ranks (default as mpiexec.mpich -n {ranks})"),
    OPTION_FLAG("oversubscribe", request.oversubscribe,
                "continue when workers share cores"),
    {.name = NULL},
};

static const struct options_page page = {
    .name = "calibrate",
    .summary = "Measures what boundaries, iterations and chunks cost on this "
               "machine, for dlsbench predict and for sync_interval: auto.",
    .details =
        "Between all pairs of workers, as threads of one process and as MPI "
        "ranks: start-up cost c_d and cost per byte c_c of a boundary, by a "
        "least-squares fit over sizes.  On every worker: the cost c_p of an "
        "iteration of every kernel (of a grid point for loops with "
        "dependences, and c_b to start a row of a block there), and from it "
        "the workers' powers.  On every worker also: the cost of a row of a "
        "block of h columns, the extra time of a block next to another "
        "worker's rows, and the wait for its boundary, under DMPS itself.  "
        "Then the cost c_sch of a chunk from shared memory, a master and a "
        "window, and the time slices in which a competing process shares a "
        "core.\n"
        "\n"
        "Without --out the file is dlsbench/calibration-HOST.json in "
        "$XDG_CACHE_HOME or ~/.cache, where predict and run look for it.",
    .examples = "dlsbench calibrate\n"
                "dlsbench calibrate --out node7.json\n"
                "dlsbench calibrate --for workstation\n"
                "sbatch -N 2 --wrap 'dlsbench calibrate --nodes 2'\n"
                "dlsbench calibrate --kernel heat:rows=5000,cols=10000",
    .tables = (const struct options_entry *const[]){entries, NULL}};

/* Measures between two nodes, after `path`, the calibration of one.  If that
 * had a single rank, no other rank slowed its kernels or waited for it, as in
 * loops.  Then the kernels are measured here again. */
static int measure_between(const struct input *in, const char *path,
                           const struct calibration *node, struct error *err)
{
    char between[PATH_MAX], launcher[LAUNCHER_SIZE];
    struct calibration calibration;
    struct calibrate_request request = in->request;
    request.launcher = launcher;
    request.workers = 2;
    request.ranks_only = true;
    if (node->kind[CALIBRATION_RANKS].workers > 1) {
        request.only = true;
        request.kernels = 0;
    }
    int code = nodes_template(in->request.launcher, true, launcher,
                              sizeof(launcher), err);
    if (code == 0)
        code = nodes_between_path(path, between, sizeof(between), err);
    if (code == 0)
        code = calibrate_make(&request, between, &calibration, err);
    if (code != 0)
        return code;
    const struct calibration_worker *worker =
        calibration.kind[CALIBRATION_RANKS].worker;
    if (calibration.kind[CALIBRATION_RANKS].kernels > 0) {
        printf("\nRanks of two nodes, which simulations take\n");
        calibrate_table(&calibration);
    }
    nodes_table(node, &calibration);
    printf("written to %s\n", between);
    if (strcmp(worker[0].host, worker[1].host) == 0)
        command_say("warning: both ranks were on %s: what is between two "
                    "nodes was measured inside one",
                    worker[0].host);
    calibration_free(&calibration);
    return 0;
}

/* The launcher for one node, where several are there. */
static int node_launcher(struct input *in, char *text, size_t size,
                         struct error *err)
{
    const char *given = in->request.launcher;
    if (in->nodes == 0)
        return 0;
    int code = nodes_template(given, false, text, size, err);
    in->request.launcher = text;
    return code;
}

/* Inserts a width in order; ignores one that exists. */
static int add_width(struct measure_kernel *kernel, int64_t h,
                     struct error *err)
{
    int at = 0;
    while (at < kernel->widths && kernel->width[at] < h)
        at++;
    if (at < kernel->widths && kernel->width[at] == h)
        return 0;
    if (kernel->widths == CALIBRATION_BLOCKS)
        return error_set(err, E2BIG,
                         "calibrate: kernel %s has more than %d sync intervals",
                         kernel->spec, (int)CALIBRATION_BLOCKS);
    memmove(kernel->width + at + 1, kernel->width + at,
            (size_t)(kernel->widths - at) * sizeof(*kernel->width));
    kernel->width[at] = h;
    kernel->widths++;
    return 0;
}

/* Asks for the kernels of the campaign's cells instead of the usual ones, those
 * of grids with the sync intervals that it gives.  The request points into the
 * campaign. */
static int calibrate_for(const struct campaign *campaign,
                         struct calibrate_request *request, struct error *err)
{
    request->only = true;
    for (int i = 0; i < campaign->all.count; i++) {
        const struct cell *cell = &campaign->all.cells[i];
        struct measure_kernel *kernel = find_kernel(request, cell->kernel, err);
        if (kernel == NULL)
            return -E2BIG;
        int code = cell->sync_interval > 0
                       ? add_width(kernel, cell->sync_interval, err)
                       : 0;
        if (code != 0)
            return code;
    }
    return 0;
}

/* As `run` loads it. */
static int load_campaign(struct input *in, struct error *err)
{
    char path[PATH_MAX];
    struct topo_room room;
    struct campaign_setup setup = {0};
    if (in->campaign == NULL)
        return 0;
    int code = campaign_find(in->campaign, path, sizeof(path), err);
    if (code == 0)
        code = campaign_look(NULL, &setup, &room, err);
    if (code == 0)
        code = campaign_load(path, &setup, &in->asked, err);
    return code == 0 ? calibrate_for(&in->asked, &in->request, err) : code;
}

/* The new file replaces the earlier one, with all its kernels. */
static void say_forgotten(const struct calibration *earlier,
                          const struct calibration *now)
{
    const struct calibration_kind *kind = &earlier->kind[CALIBRATION_RANKS];
    const char *first = NULL;
    int lost = 0;
    for (int k = kind->kernels - 1; k >= 0; k--)
        if (calibration_kernel_of(&now->kind[CALIBRATION_RANKS],
                                  kind->kernel[k].spec) == NULL) {
            first = kind->kernel[k].spec;
            lost++;
        }
    if (lost > 0)
        command_say("note: kernels of the earlier file that were not measured "
                    "again, and are gone: %d, the first %s",
                    lost, first);
}

/* Only an empty file or an earlier calibration is replaced; `code` is that of
 * reading it. */
static int refuse_foreign(const char *path, int code, struct error *err)
{
    struct stat there;
    bool foreign = code != 0 && code != -ESTALE && stat(path, &there) == 0 &&
                   (!S_ISREG(there.st_mode) || there.st_size > 0);
    return foreign ? error_set(err, EEXIST,
                               "%s: there already, and no calibration that "
                               "this program reads: remove it, or give "
                               "another --out",
                               path)
                   : 0;
}

/* Measures inside one node and writes the file; with --nodes, then between two.
 * The earlier file is read first, because the new one replaces it. */
int calibrate_command(int argc, char **argv)
{
    struct error err = {""};
    struct input in = {.nodes = 0};
    struct calibration calibration, earlier;
    char path[PATH_MAX], one_node[LAUNCHER_SIZE], usual[LAUNCHER_SIZE];
    int code = options_read(&page, argc, argv, &in, &err);
    if (in.request.launcher == NULL)
        in.request.launcher = launcher_default(usual);
    launcher_inside(in.request.oversubscribe);
    in.request.workers = (int)in.workers;
    if (code == 0)
        code = launcher_check(in.request.launcher, &err);
    if (code == 0)
        code = load_campaign(&in, &err);
    if (code == 0 && in.out == NULL)
        code = calibration_default_path(path, sizeof(path), &err);
    else if (code == 0)
        snprintf(path, sizeof(path), "%s", in.out);
    if (code == 0)
        code = calibrate_check_place(path, &err);
    if (code != 0)
        return command_fail(COMMAND_USAGE, &err);
    const char *launcher = in.request.launcher;
    if (node_launcher(&in, one_node, sizeof(one_node), &err) != 0)
        return command_fail(COMMAND_USAGE, &err);
    int found = calibration_load(path, &earlier, NULL);
    if (in.out != NULL && refuse_foreign(path, found, &err) != 0)
        return command_fail(COMMAND_USAGE, &err);
    if (calibrate_make(&in.request, path, &calibration, &err) != 0)
        return command_fail(COMMAND_FAILED, &err);
    calibrate_table(&calibration);
    if (found == 0) {
        say_forgotten(&earlier, &calibration);
        calibration_free(&earlier);
    }
    printf("\nwritten to %s\n", path);
    fflush(stdout);
    in.request.launcher = launcher;
    code = in.nodes > 0 ? measure_between(&in, path, &calibration, &err) : 0;
    calibration_free(&calibration);
    campaign_free(&in.asked);
    return code == 0 ? COMMAND_OK : command_fail(COMMAND_FAILED, &err);
}

/* For the launcher only: PATH RANKS THREADS oversubscribe|alone KERNEL... */
int calibrate_launch_command(int argc, char **argv)
{
    struct error err;
    if (argc < 5) {
        error_set(&err, EINVAL,
                  "calibrate-launch is started by dlsbench calibrate");
        return command_fail(COMMAND_USAGE, &err);
    }
    struct measure_kernel *kernel;
    int kernels = measure_kernels(argc - 5, argv + 5, &kernel);
    if (kernels < 0) {
        error_set(&err, EINVAL, "calibrate-launch: widths that cannot be read");
        return command_fail(COMMAND_USAGE, &err);
    }
    const struct measure_plan plan = {.path = argv[1],
                                      .ranks = atoi(argv[2]),
                                      .threads = atoi(argv[3]),
                                      .oversubscribe =
                                          strcmp(argv[4], "oversubscribe") == 0,
                                      .kernels = kernels,
                                      .kernel = kernel};
    guard_begin(CALIBRATE_LIMIT_S);
    int code = measure_main(&plan);
    free(kernel);
    return code;
}
