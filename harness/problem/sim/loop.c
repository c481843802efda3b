/* A loop that is not run but charged: what its iterations cost, and room for
 * results to travel from and to.  Results are never computed. */
#include "harness/problem/loop.h"

#include "harness/engine/sim/world.h"
#include "harness/problem/loop_costs.h"
#include "harness/problem/loop_input.h"
#include "harness/problem/loop_shared.h"
#include "harness/problem/profile.h"
#include "harness/problem/sim/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Results travel from and to it, and are never there. */
static int map_output(struct loop *loop, struct error *err)
{
    size_t bytes = (size_t)loop->iterations * loop->output_bytes;
    if (bytes == 0)
        return 0;
    void *memory = world_room_open(bytes);
    if (memory == NULL)
        return error_set(err, ENOMEM, "kernel %s: no room for %.3g GiB",
                         loop->name, (double)bytes / (1 << 30));
    loop->output = loop->inbox = memory;
    return 0;
}

/* A host has one memory, and a simulation writes nothing to it. */
int loop_share(struct loop *loop, const struct comm *comm, struct error *err)
{
    (void)loop, (void)comm, (void)err;
    return 0;
}

/* Seconds of one operation at power 1, and to begin an iteration (or a row of
 * a block). */
static int operation_seconds(const struct loop *loop, const struct spec *spec,
                             double *operation_s, double *start_s,
                             struct error *err)
{
    const struct kernel_cost *cost = loop->kernel->cost;
    const struct world *world = world_here();
    int64_t columns = loop->kernel->dependence != NULL ? loop->grid.columns : 1;
    *start_s = 0;
    if (cost->flops == 0)
        *operation_s = 1;
    else if (world->operation_s > 0)
        *operation_s = world->operation_s;
    else if (world->machine != NULL)
        return machine_cost(world->machine, loop->kernel, spec,
                            (double)loop->iterations * (double)columns,
                            operation_s, start_s, err);
    else
        *operation_s = cost->flops / world->speed;
    return 0;
}

/* Runs the real loop, because the costs of a step depend on the one before. */
static int count_steps(const struct loop *loop, double *operations,
                       struct error *err)
{
    const struct kernel_steps *steps = loop->kernel->steps;
    int64_t n = loop->iterations;
    void *state = calloc(1, loop->grid.state_bytes);
    char *output =
        calloc((size_t)n, loop->kernel->output_bytes(loop->instance));
    bool there = state != NULL && output != NULL;
    if (there)
        steps->begin(loop->instance, state);
    for (int step = 0; there && step < loop->grid.steps; step++) {
        for (int64_t i = 0; i < n; i++)
            operations[step * (n + 1) + i] =
                steps->operations(loop->instance, state, i);
        if (step + 1 == loop->grid.steps)
            break;
        steps->run(loop->instance, state, 0, n, output, NULL);
        steps->advance(loop->instance, state, output);
    }
    free(state);
    free(output);
    return there ? 0
                 : error_set(err, ENOMEM, "kernel %s: no memory for its steps",
                             loop->name);
}

static int count_operations(const struct loop *loop, const struct spec *spec,
                            double *operations, struct error *err)
{
    const struct kernel_cost *cost = loop->kernel->cost;
    if (loop->drifts)
        return count_steps(loop, operations, err);
    if (cost->operations == NULL)
        return profile_make(loop->kernel, spec, loop->instance, operations,
                            err);
    for (int64_t i = 0; i < loop->iterations; i++)
        operations[i] = cost->operations(loop->instance, i);
    return 0;
}

static int fill_costs(struct loop *loop, const struct spec *spec,
                      struct error *err)
{
    int64_t n = loop->iterations;
    int steps = loop->drifts ? loop_steps(loop) : 1;
    double unit, start;
    int code = operation_seconds(loop, spec, &unit, &start, err);
    if (code != 0)
        return code;
    double *before = calloc(((size_t)n + 1) * (size_t)steps, sizeof(*before));
    if (before == NULL)
        return error_set(err, ENOMEM, "kernel %s: no memory for its costs",
                         loop->name);
    loop->cost_before = before;
    code = count_operations(loop, spec, before + 1, err);
    if (loop->kernel->dependence != NULL) {
        loop->extra.row_start_s = start;
        start = 0;
    }
    start *= kernel_starts(loop->kernel, loop->instance);
    double serial = 0;
    for (int step = 0; step < steps; step++, before += n + 1) {
        for (int64_t i = 0; i < n; i++)
            before[i + 1] = before[i] + start + unit * before[i + 1];
        serial += before[n];
    }
    if (!loop->drifts)
        serial *= loop_steps(loop);
    if (loop_steps(loop) > 1)
        loop->extra.advance_s =
            unit * loop->kernel->steps->advance_operations(loop->instance);
    serial += loop_advances_s(loop);
    /* Alone, a worker starts each row once in a step. */
    serial += loop->extra.row_start_s * (double)n * (double)loop->grid.steps;
    loop->serial_s = serial > 0 ? serial : -1;
    return code;
}

/* Makes the instance, with its data only if the costs depend on them. */
static int make_instance(struct loop *loop, const struct spec *spec,
                         struct error *err)
{
    const struct kernel_ops *kernel = loop->kernel;
    int code = kernel_outline(kernel, spec, &loop->instance, err);
    if (code != 0)
        return code;
    loop->iterations = kernel->iterations(loop->instance);
    double bytes = world_here()->result_bytes;
    loop->output_bytes =
        bytes > 0 ? (size_t)bytes : kernel->output_bytes(loop->instance);
    if (kernel->dependence != NULL)
        kernel->dependence->grid(loop->instance, &loop->grid);
    if (kernel->steps != NULL)
        loop_open_steps(loop);
    if (world_here()->boundary_bytes > 0)
        loop->grid.boundary_bytes = (size_t)world_here()->boundary_bytes;
    return 0;
}

/* One room for all, a few pages mapped again and again: messages have a size,
 * and no rank reads their contents. */
static int open_input(struct loop *loop, struct error *err)
{
    loop->input.iterations = loop->iterations;
    if (!loop->fed)
        return 0;
    int code = loop_input_count(loop, err);
    if (code != 0)
        return code;
    size_t bytes = (size_t)loop->input.before[loop->iterations] + 8;
    loop->input.landing = world_room_open(bytes);
    loop->input.store = loop->input.landing;
    return loop->input.landing != NULL
               ? 0
               : error_set(err, ENOMEM, "kernel %s: no room for input data",
                           loop->name);
}

/* All ranks share the loop; the measured costs are the charged ones. */
bool loop_measured(const struct loop *loop, const struct comm *comm,
                   double *before)
{
    (void)comm;
    memcpy(before, loop->cost_before,
           ((size_t)loop->iterations + 1) * sizeof(*before));
    return true;
}

int loop_open(struct loop *loop, const struct kernel_ops *kernel,
              const struct spec *spec, bool fed, const struct comm *comm,
              double verify_limit, uint64_t seed, struct error *err)
{
    (void)comm, (void)verify_limit, (void)seed;
    *loop = (struct loop){.kernel = kernel, .serial_s = -1, .fed = fed};
    snprintf(loop->name, sizeof(loop->name), "%s", spec->canonical);
    int code = 0;
    if (kernel->cost == NULL)
        code = error_set(err, ENOTSUP,
                         "kernel %s has no cost model, it cannot be simulated",
                         kernel->name);
    if (code == 0)
        code = make_instance(loop, spec, err);
    if (code == 0)
        code = map_output(loop, err);
    if (code == 0)
        code = fill_costs(loop, spec, err);
    if (code == 0)
        code = open_input(loop, err);
    if (code != 0)
        loop_close(loop);
    return code;
}

void loop_close(struct loop *loop)
{
    if (loop->instance != NULL)
        loop->kernel->destroy(loop->instance);
    if (loop->output != NULL)
        world_room_close(loop->output);
    if (loop->input.landing != NULL)
        world_room_close(loop->input.landing);
    free(loop->input_before);
    free(loop->cost_before);
    loop_costs_close(loop);
    *loop = (struct loop){0};
}
