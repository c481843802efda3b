#include "bench/overhead/overhead.h"

#include "base/stats.h"
#include "harness/engine/engine.h"
#include "sched/sched.h"
#include "sched/schemes/registry.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL "mandelbrot:size=2048,maxiter=1000"

/* One scheme over the loop in one shape. */
struct contest {
    struct setup setup;
    struct run *run;
    double time[OVERHEAD_ROUNDS], efficiency[OVERHEAD_ROUNDS];
    double share[OVERHEAD_ROUNDS]; /* of the bound */
};

enum { SCHEMES_MAX = 64 };

struct field {
    struct launch_context *context;
    struct loop loop;
    struct contest contest[SCHEMES_MAX];
    int count;
};

static int open_contest(struct field *field, const char *scheme,
                        struct error *err)
{
    struct contest *c = &field->contest[field->count];
    struct cell cell;
    cell_defaults(&cell);
    cell.ranks = field->context->comm.ranks;
    cell.threads = field->context->threads;
    snprintf(cell.kernel, sizeof(cell.kernel), "%s", KERNEL);
    snprintf(cell.scheme, sizeof(cell.scheme), "%s", scheme);
    int code = setup_open(&c->setup, &cell, err);
    if (code == 0)
        code = run_open(&c->run, &c->setup, &field->loop, field->context, false,
                        err);
    if (code == 0)
        field->count++;
    return code;
}

static void close_contest(struct contest *c)
{
    run_close(c->run);
    setup_close(&c->setup);
}

/* Serial time of this moment: the machine's speed drifts, and each
 * repetition is held against the serial pass next to it. */
static double serial_pass(struct field *field)
{
    struct loop *loop = &field->loop;
    double took = 0;
    comm_quiet_barrier(&field->context->comm);
    if (field->context->comm.rank == 0) {
        double start = engine_now();
        loop->kernel->run(loop->instance, NULL, 0, loop->iterations,
                          loop->output, NULL);
        took = engine_now() - start;
        memset(loop->output, LOOP_POISON,
               (size_t)loop->iterations * loop->output_bytes);
    }
    comm_quiet_barrier(&field->context->comm);
    return took;
}

static void measure_field(struct field *field)
{
    struct run_result result;
    struct error err;
    for (int r = 0; r < OVERHEAD_ROUNDS; r++) {
        for (int i = 0; i < field->count; i++) {
            struct contest *c = &field->contest[i];
            double serial = serial_pass(field);
            run_repeat(c->run, &result, &err);
            double drift = serial / field->loop.serial_s;
            c->time[r] = result.time_s;
            c->efficiency[r] = serial / result.time_s / run_workers(c->run);
            c->share[r] = result.time_s / (result.bound_s * drift);
        }
    }
}

static void print_rows(FILE *out, struct field *field, const char *shape)
{
    fprintf(out, "\n" KERNEL ", %s\n  %-22s %8s %10s %10s\n", shape, "scheme",
            "ms", "efficiency", "x bound");
    for (int i = 0; i < field->count; i++) {
        struct contest *c = &field->contest[i];
        fprintf(out, "  %-22s %8.2f %10.3f %10.3f\n", c->setup.cell.scheme,
                1e3 * stats_middle(c->time, OVERHEAD_ROUNDS),
                stats_middle(c->efficiency, OVERHEAD_ROUNDS),
                stats_middle(c->share, OVERHEAD_ROUNDS));
    }
}

void overhead_bounds(FILE *out, struct launch_context *context,
                     const char *shape)
{
    struct field *field = calloc(1, sizeof(*field));
    struct error err;
    if (field == NULL)
        return;
    field->context = context;
    if (overhead_loop(&field->loop, KERNEL, &context->comm, &err) != 0) {
        free(field);
        return;
    }
    for (int i = 0; sched_schemes[i] != NULL && i < SCHEMES_MAX; i++)
        open_contest(field, sched_schemes[i]->name, &err);
    measure_field(field);
    if (context->comm.rank == 0)
        print_rows(out, field, shape);
    for (int i = 0; i < field->count; i++)
        close_contest(&field->contest[i]);
    loop_close(&field->loop);
    free(field);
}
