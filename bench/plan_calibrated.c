/* A platform from a calibration: the unit of load is an iteration of a kernel,
 *     g = c_d, G = c_c times the bytes of input of an iteration, w = c_p
 * between ranks, as a message that brings the data goes to another process. */
#include "bench/calibrated.h"
#include "bench/numbers.h"
#include "bench/plan.h"

#include "kernels/kernel.h"

#include <errno.h>
#include <stdlib.h>

/* How many iterations, for the calibrated size that is nearest. */
static int count_iterations(const char *text, double *iterations,
                            struct error *err)
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
    *iterations = (double)ops->iterations(instance);
    ops->destroy(instance);
    return 0;
}

static int lacking(const char *what, struct error *err)
{
    return error_set(err, EINVAL,
                     "the calibration has no %s: run dlsbench calibrate with "
                     "two workers or more, and --kernel for this one",
                     what);
}

static int fill(const struct calibration *calibration, const char *kernel,
                double unit_bytes, int workers, struct plan_platform *out,
                struct error *err)
{
    const struct calibration_kind *kind = &calibration->kind[CALIBRATION_RANKS];
    double iterations = 0, c_d = 0, c_c = 0;
    int code = count_iterations(kernel, &iterations, err);
    if (code != 0)
        return code;
    const struct calibration_kernel *cost =
        calibration_find_kernel(kind, kernel, iterations);
    if (cost == NULL)
        return lacking("costs of this kernel between ranks", err);
    if (!calibration_exchange(kind, kind->workers, &c_d, &c_c))
        return lacking("messages between ranks", err);
    for (int i = 0; i < workers; i++)
        out->worker[i] =
            (struct divisible_worker){.g = c_d,
                                      .G = c_c * unit_bytes,
                                      .w = cost->cost[i % kind->workers].c_p};
    fprintf(stderr,
            "dlsbench: note: w is c_p of %s; g = %.3g s and G = %.3g s a unit "
            "extrapolate messages of up to 8 kB\n",
            cost->spec, c_d, c_c * unit_bytes);
    return 0;
}

int plan_calibrated(const struct plan_source *source, struct plan_platform *out,
                    struct error *err)
{
    struct calibration calibration;
    char from[512];
    double unit_bytes = 0;
    int64_t workers = 0;
    const char *missing = source->workers == NULL      ? "--workers"
                          : source->unit_bytes == NULL ? "--unit-bytes"
                                                       : NULL;
    if (missing != NULL)
        return error_set(err, EINVAL, "plan: --kernel needs %s", missing);
    int code = number_integer("--workers", source->workers, 1,
                              DIVISIBLE_WORKERS_MAX, &workers, err);
    if (code == 0)
        code = number_real("--unit-bytes", source->unit_bytes, 0, 1e15,
                           &unit_bytes, err);
    if (code == 0)
        code = calibrated_load(source->calibration, &calibration, from,
                               sizeof(from), err);
    if (code != 0)
        return code;
    out->platform.workers = (int)workers;
    out->worker = calloc((size_t)workers, sizeof(*out->worker));
    code = out->worker != NULL ? fill(&calibration, source->kernel, unit_bytes,
                                      (int)workers, out, err)
                               : error_set(err, ENOMEM, "out of memory");
    calibration_free(&calibration);
    if (code == 0)
        fprintf(stderr, "dlsbench: note: calibration %s\n", from);
    return code;
}
