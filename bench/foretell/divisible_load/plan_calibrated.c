/* A platform from a calibration, as protocol push has it with a dedicated
 * master: the unit of load is an iteration of a kernel of mean cost and mean
 * bytes of input; g and G are those of messages of input data from rank 0, and
 * worker i is like rank i + 1. */
#include "bench/calibrate/calibration_find.h"
#include "bench/foretell/divisible_load/plan_command.h"
#include "bench/options/command.h"
#include "bench/options/numbers.h"

#include "harness/process/need.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <stdlib.h>

/* The kernel's numbers. */
struct inputs {
    char spec[SPEC_CANONICAL_MAX];
    double bytes; /* mean input bytes per iteration; 0: no input */
};

static double mean_bytes(const struct kernel_ops *ops, const void *instance,
                         int64_t iterations)
{
    double sum = 0;
    if (ops->input == NULL)
        return 0;
    for (int64_t i = 0; i < iterations; i++)
        sum += (double)ops->input->bytes(instance, i);
    return sum / (double)iterations;
}

static int read_loop(const char *text, struct inputs *loop, struct error *err)
{
    const struct kernel_ops *ops;
    struct spec spec;
    void *instance;
    int code = kernel_parse(text, &ops, &spec, err);
    if (code == 0 && ops->dependence != NULL)
        code = error_set(err, EINVAL,
                         "--kernel: the rows of %s depend on each other, its "
                         "load cannot be divided",
                         ops->name);
    if (code == 0)
        code = ops->create(&spec, &instance, err);
    if (code != 0)
        return code;
    snprintf(loop->spec, sizeof(loop->spec), "%s", spec.canonical);
    loop->bytes = mean_bytes(ops, instance, ops->iterations(instance));
    ops->destroy(instance);
    return 0;
}

static int refuse_lack(const char *what, const struct inputs *loop,
                       struct error *err)
{
    return error_set(err, EINVAL,
                     "the calibration has no %s: measure with dlsbench "
                     "calibrate --kernel '%s' and two workers or more",
                     what, loop->spec);
}

static int fill_workers(const struct calibration_kind *kind,
                        const struct inputs *loop, int workers,
                        struct plan_platform *out, struct error *err)
{
    const struct calibration_kernel *cost =
        calibration_kernel_of(kind, loop->spec);
    if (kind->workers < 2 || kind->transfers != kind->workers - 1)
        return refuse_lack("messages of input data between ranks", loop, err);
    if (cost == NULL)
        return refuse_lack("cost of this kernel between ranks", loop, err);
    for (int i = 0; i < workers; i++) {
        int rank = calibration_like(kind, i + 1);
        const struct calibration_transfer *transfer = &kind->transfer[rank - 1];
        out->worker[i] =
            (struct divisible_worker){.g = transfer->g,
                                      .G = transfer->G * loop->bytes,
                                      .w = cost->cost[rank].c_p};
    }
    command_say("note: a unit is an iteration of %s with %g bytes of "
                "input",
                loop->spec, loop->bytes);
    return 0;
}

/* --unit-bytes, or the bytes that the kernel reads. */
static int read_bytes(const char *given, struct inputs *loop, struct error *err)
{
    if (given != NULL)
        return number_real("--unit-bytes", given, 0, 1e15, &loop->bytes, err);
    if (loop->bytes > 0)
        return 0;
    return error_set(err, EINVAL,
                     "plan: --kernel %s needs --unit-bytes: it has no input "
                     "data",
                     loop->spec);
}

int plan_calibrated(const struct plan_source *source, struct plan_platform *out,
                    struct error *err)
{
    struct calibration calibration;
    char from[512];
    struct inputs loop = {.bytes = 0};
    int64_t workers = 0;
    if (source->workers == NULL)
        return error_set(err, EINVAL, "plan: --kernel needs --workers");
    int code = number_integer("--workers", source->workers, 1,
                              DIVISIBLE_WORKERS_MAX, &workers, err);
    if (code == 0)
        code = read_loop(source->kernel, &loop, err);
    if (code == 0)
        code = read_bytes(source->unit_bytes, &loop, err);
    if (code == 0)
        code = calibration_find(source->calibration, &calibration, from,
                                sizeof(from), err);
    if (code != 0)
        return code;
    out->platform.workers = (int)workers;
    out->worker = need_zeroed((size_t)workers, sizeof(*out->worker));
    code = fill_workers(&calibration.kind[CALIBRATION_RANKS], &loop,
                        (int)workers, out, err);
    calibration_free(&calibration);
    if (code == 0)
        command_say("note: calibration %s", from);
    return code;
}
