#include "bench/foretell/replay/replay_loop.h"

#include "bench/options/command.h"
#include "harness/problem/profile.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct counted {
    const struct kernel_ops *kernel;
    struct spec spec;
    void *instance;
};

static int check_kernel(const struct kernel_ops *kernel, struct error *err)
{
    const char *why = kernel->dependence != NULL ? "has dependences"
                      : kernel->cost == NULL     ? "has no cost model"
                                                 : NULL;
    if (why == NULL)
        return 0;
    return error_set(err, ENOTSUP, "kernel %s %s and cannot be replayed%s",
                     kernel->name, why,
                     kernel->cost != NULL ? ": use dlsbench sim" : "");
}

static int open_instance(struct counted *c, const char *text, struct error *err)
{
    int code = kernel_parse(text, &c->kernel, &c->spec, err);
    if (code == 0)
        code = check_kernel(c->kernel, err);
    if (code == 0)
        code = kernel_outline(c->kernel, &c->spec, &c->instance, err);
    if (code != 0)
        return code;
    const struct kernel_steps *steps = c->kernel->steps;
    if (steps == NULL || steps->count(c->instance) == 1)
        return 0;
    return error_set(err, ENOTSUP,
                     "kernel %s has %d time steps, and one is replayed: say "
                     "steps=1, or use dlsbench sim",
                     c->kernel->name, steps->count(c->instance));
}

/* Into before[1 ..]. */
static int count_operations(const struct counted *c, int64_t iterations,
                            double *before, struct error *err)
{
    const struct kernel_cost *cost = c->kernel->cost;
    if (cost->operations == NULL)
        return profile_make(c->kernel, &c->spec, c->instance, before + 1, err);
    for (int64_t i = 0; i < iterations; i++)
        before[i + 1] = cost->operations(c->instance, i);
    return 0;
}

/* Seconds of an operation, and to begin an iteration. */
static int seconds_of(const struct counted *c, double cp,
                      const struct calibration_kind *kind, double points,
                      double *operation_s, double *start_s, struct error *err)
{
    *operation_s = c->kernel->cost->flops == 0 ? 1 : cp;
    *start_s = 0;
    if (*operation_s > 0)
        return 0;
    const struct calibration_kernel *found =
        kind != NULL ? calibration_kernel_near(kind, c->spec.canonical, points)
                     : NULL;
    for (int w = 0; found != NULL && w < kind->workers; w++) {
        *operation_s += found->cost[w].operation / kind->workers;
        *start_s += found->cost[w].start / kind->workers;
    }
    if (*operation_s > 0)
        return 0;
    return error_set(err, EINVAL,
                     "kernel %s: give the seconds of one operation (%s) by "
                     "--cp, or measure them: dlsbench calibrate --kernel '%s'",
                     c->kernel->name, c->kernel->cost->operation,
                     c->spec.canonical);
}

static int add_up(const struct counted *c, double cp,
                  const struct calibration_kind *kind, struct replay_loop *loop,
                  struct error *err)
{
    int64_t n = c->kernel->iterations(c->instance);
    double unit, start;
    int code = seconds_of(c, cp, kind, (double)n, &unit, &start, err);
    if (code != 0)
        return code;
    loop->iterations = n;
    loop->before = calloc((size_t)n + 1, sizeof(*loop->before));
    if (loop->before == NULL)
        return error_set(err, ENOMEM, "kernel %s: no memory for its costs",
                         c->kernel->name);
    code = count_operations(c, n, loop->before, err);
    start *= kernel_starts(c->kernel, c->instance);
    for (int64_t i = 0; i < n; i++)
        loop->before[i + 1] =
            loop->before[i] + start + unit * loop->before[i + 1];
    return code;
}

int replay_loop_open(struct replay_loop *loop, const char *kernel, double cp,
                     const struct calibration_kind *calibration,
                     struct error *err)
{
    struct counted c = {.instance = NULL};
    *loop = (struct replay_loop){0};
    int code = open_instance(&c, kernel, err);
    if (code == 0)
        code = add_up(&c, cp, calibration, loop, err);
    if (c.instance != NULL)
        c.kernel->destroy(c.instance);
    if (code != 0)
        replay_loop_close(loop);
    return code;
}

void replay_loop_note(const struct replay_loop *loop)
{
    double hours = loop->before[loop->iterations] / 3600;
    if (hours > 1)
        command_say("note: these costs are %.3g hours on one worker, as "
                    "seconds; --unit ms, us or ns says otherwise",
                    hours);
}

void replay_loop_close(struct replay_loop *loop)
{
    free(loop->before);
    *loop = (struct replay_loop){0};
}
