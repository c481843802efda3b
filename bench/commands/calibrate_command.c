/* dlsbench calibrate: the command line. */
#include "bench/calibrate/calibrate.h"

#include "bench/cli/command.h"
#include "bench/cli/numbers.h"
#include "bench/start/launcher.h"
#include "harness/calibrate/measure.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT = 256, KERNEL, WORKERS, LAUNCHER, OVERSUBSCRIBE };

struct input {
    struct calibrate_request request;
    const char *out;
    struct error *err;
};

static const char doc[] =
    "Measures what boundaries, iterations and chunks cost on this machine, for "
    "dlsbench predict and for sync_interval: auto."
    "\v"
    "Between all pairs of workers, as threads of one process and as MPI ranks: "
    "start-up cost c_d and cost per byte c_c of a boundary, by a least-squares "
    "fit over sizes.  On every worker: the cost c_p of an iteration of every "
    "kernel (of a grid point for heat and floyd-steinberg, and c_b to start a "
    "row of a block there), and from it the workers' powers.  And the cost "
    "c_sch of a chunk from shared memory, a master and a window, and in what "
    "time slices a competing process shares a core.\n"
    "\n"
    "Without --out the file is dlsbench/calibration-HOST.json in "
    "$XDG_CACHE_HOME or ~/.cache, where predict and run look for it.\n"
    "\n"
    "Examples:\n"
    "  dlsbench calibrate\n"
    "  dlsbench calibrate --out node7.json\n"
    "  dlsbench calibrate --kernel heat:rows=5000,cols=10000\n";

static const struct argp_option options[] = {
    {"out", OUT, "FILE", 0, "where to write", 0},
    {"kernel", KERNEL, "K", 0,
     "measure this kernel and size, too; several times for several", 0},
    {"workers", WORKERS, "N", 0, "threads, and ranks (default: one per core)",
     0},
    {"launcher", LAUNCHER, "COMMAND", 0,
     "starts the ranks (default as mpiexec.mpich -n {ranks})", 0},
    {"oversubscribe", OVERSUBSCRIBE, NULL, 0, "go on when workers share cores",
     0},
    {0},
};

static int add_kernel(struct input *in, const char *text)
{
    const struct kernel_ops *ops;
    struct spec spec;
    int code = kernel_parse(text, &ops, &spec, in->err);
    if (code != 0)
        return code;
    if (in->request.kernels == CALIBRATE_KERNELS_MAX)
        return error_set(in->err, E2BIG, "--kernel: at most %d are possible",
                         CALIBRATE_KERNELS_MAX);
    in->request.kernel[in->request.kernels++] = text;
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct input *in = state->input;
    int64_t workers = 0;
    int code = 0;
    switch (key) {
    case OUT:
        in->out = arg;
        return 0;
    case KERNEL:
        return -add_kernel(in, arg);
    case WORKERS:
        code = number_integer("--workers", arg, 1, 4096, &workers, in->err);
        in->request.workers = (int)workers;
        return -code;
    case LAUNCHER:
        in->request.launcher = arg;
        return 0;
    case OVERSUBSCRIBE:
        in->request.oversubscribe = true;
        return 0;
    case ARGP_KEY_ARG:
        return -error_set(in->err, EINVAL, "calibrate: '%s' is not an option",
                          arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int calibrate_command(int argc, char **argv)
{
    static const struct argp argp = {options, parse, NULL, doc,
                                     NULL,    NULL,  NULL};
    struct error err = {""};
    struct input in = {.request = {.launcher = launcher_default()},
                       .err = &err};
    struct calibration calibration;
    char path[PATH_MAX];
    int code = command_parse(&argp, argc, argv, &in, &err);
    if (code == 0)
        code = launcher_check(in.request.launcher, &err);
    if (code == 0 && in.out == NULL)
        code = calibration_default_path(path, sizeof(path), &err);
    else if (code == 0)
        snprintf(path, sizeof(path), "%s", in.out);
    if (code == 0)
        code = calibrate_check_place(path, &err);
    if (code != 0)
        return command_fail(COMMAND_USAGE, &err);
    if (calibrate_make(&in.request, path, &calibration, &err) != 0)
        return command_fail(COMMAND_FAILED, &err);
    calibrate_table(&calibration);
    printf("\nwritten to %s\n", path);
    calibration_free(&calibration);
    return COMMAND_OK;
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
    const struct measure_plan plan = {.path = argv[1],
                                      .ranks = atoi(argv[2]),
                                      .threads = atoi(argv[3]),
                                      .oversubscribe =
                                          strcmp(argv[4], "oversubscribe") == 0,
                                      .kernels = argc - 5,
                                      .kernel = argv + 5};
    return measure_main(&plan);
}
