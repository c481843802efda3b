#include "bench/overhead/overhead.h"
#include "bench/overhead/rounds/turns.h"

#include "harness/engine/engine.h"
#include "sched/sched.h"
#include "sched/schemes/registry.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL "mandelbrot:size=2048,maxiter=1000"

/* What scheduling may cost a scheme over its own bound. */
static const double AIM_THREADS = 1.01, AIM_RANKS = 1.015;

/* One scheme over the loop in one shape. */
struct contest {
    struct field *field;
    struct setup setup;
    struct run *run;
    struct turns turns; /* its bound and its time */
    double serial_ns[OVERHEAD_ROUNDS];
    double serial_s, bound_s; /* of this turn */
};

enum { SCHEMES_MAX = 64 };

struct field {
    struct launch_context *context;
    struct loop loop;
    struct contest contest[SCHEMES_MAX];
    int count;
};

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

static double serial_turn(void *arg)
{
    struct contest *c = arg;
    c->serial_s = serial_pass(c->field);
    return 1e9 * c->serial_s;
}

static double scheme_turn(void *arg)
{
    struct contest *c = arg;
    struct run_result result = {.time_s = 0};
    struct error err;
    run_repeat(c->run, &result, &err);
    c->bound_s = result.bound_s * c->serial_s / c->field->loop.serial_s;
    return 1e9 * result.time_s;
}

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
    c->field = field;
    c->turns = (struct turns){.context = field->context,
                              .bare = serial_turn,
                              .ours = scheme_turn,
                              .arg = c};
    if (code == 0)
        field->count++;
    return code;
}

static void measure_field(struct field *field)
{
    for (int r = 0; r < OVERHEAD_ROUNDS; r++)
        for (int i = 0; i < field->count; i++) {
            struct contest *c = &field->contest[i];
            turns_measure_round(&c->turns, r);
            c->serial_ns[r] = c->turns.bare_ns[r];
            c->turns.bare_ns[r] = 1e9 * c->bound_s;
        }
}

/* A line for each state that the machine was in. */
static int print_scheme(FILE *out, const struct contest *c, double aim)
{
    struct turns serial = c->turns;
    struct turns_group group[STATES_MAX], of_serial[STATES_MAX];
    int groups = turns_group(&c->turns, group), met = 0;
    memcpy(serial.bare_ns, c->serial_ns, sizeof(serial.bare_ns));
    turns_group(&serial, of_serial);
    for (int g = 0; g < groups; g++) {
        bool holds = group[g].ratio <= aim;
        fprintf(out, "  %-22s %8.2f %10.3f %10.3f %-6s", c->setup.cell.scheme,
                1e-6 * group[g].ours_ns,
                1 / (of_serial[g].ratio * run_workers(c->run)), group[g].ratio,
                state_judge(&group[g].state, holds));
        state_print(out, &group[g].state);
        fprintf(out, "\n");
        met += holds;
    }
    return met == groups;
}

static void print_rows(FILE *out, struct field *field, const char *shape)
{
    double aim = field->context->comm.ranks > 1 ? AIM_RANKS : AIM_THREADS;
    int met = 0;
    fprintf(out, "\n" KERNEL ", %s\n  %-22s %8s %10s %10s (aim %.3f)\n", shape,
            "scheme", "ms", "efficiency", "x bound", aim);
    for (int i = 0; i < field->count; i++)
        met += print_scheme(out, &field->contest[i], aim);
    fprintf(out, "  within the aim: %d of %d schemes\n", met, field->count);
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
