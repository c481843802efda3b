/* Every scheme over Mandelbrot, beside the bound of its own chunks.
 *
 * Cores are not equally fast, and not at all times: on a virtual machine the
 * neighbours of one core may slow it down by a third.  So the whole loop runs
 * on all workers at the same time before and after each repetition, and the
 * bound is the list schedule of the repetition's chunks on workers of these
 * speeds. */
#include "bench/overhead/overhead.h"
#include "bench/overhead/rounds/turns.h"

#include "base/stats.h"
#include "harness/engine/engine.h"
#include "harness/guard/need.h"
#include "sched/sched.h"
#include "sched/schemes/registry.h"

#include <math.h>
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
    struct turns turns;               /* its bound and its time */
    double equal_ns[OVERHEAD_ROUNDS]; /* with the work shared by speed */
    double equal_s, bound_s;          /* of this turn */
};

enum { SCHEMES_MAX = 64 };

struct field {
    struct launch_context *context;
    struct loop loop;
    struct contest contest[SCHEMES_MAX];
    int count;
    char **output;  /* of each thread, to run the whole loop in */
    double *mine_s; /* time for the whole loop, of each thread */
    /* Of each worker, at rank 0: measured last, and around the repetition. */
    double *now_s, *took_s;
    double *ready_s; /* when each worker is free */
    /* Of the slowest worker to the fastest, in every turn. */
    double spread[SCHEMES_MAX * OVERHEAD_ROUNDS];
    int turns;
};

static void close_contest(struct contest *c)
{
    run_close(c->run);
    setup_close(&c->setup);
}

/* ---- the cores' speeds of this moment ---- */

static void run_whole(int thread, void *arg)
{
    struct field *field = arg;
    struct launch_context *context = field->context;
    const struct loop *loop = &field->loop;
    int workers = context->comm.ranks * context->threads;
    int worker = context->comm.rank * context->threads + thread;
    struct error err;
    topo_bind_compact(context->place.topo, worker, workers, &err);
    if (thread == 0 && context->comm.ranks > 1)
        comm_sharp_barrier(&context->comm);
    engine_team_barrier(context->team, &(struct engine_patience){.spin_s = 1});
    double start = engine_now();
    loop->kernel->run(loop->instance, NULL, 0, loop->iterations,
                      field->output[thread], NULL);
    field->mine_s[thread] = engine_now() - start;
}

/* Of each worker, while all compute; at rank 0. */
static void measure_speeds(struct field *field)
{
    struct launch_context *context = field->context;
    size_t bytes = (size_t)context->threads * sizeof(*field->mine_s);
    engine_team_run(context->team, run_whole, field);
    if (context->comm.ranks > 1)
        comm_gather(&context->comm, field->mine_s, field->now_s, bytes);
    else
        memcpy(field->now_s, field->mine_s, bytes);
    memset(field->output[0], LOOP_POISON,
           (size_t)field->loop.iterations * field->loop.output_bytes);
}

/* The loop's time if every worker had work by its speed, to the end. */
static double equal_time(const struct field *field, int workers)
{
    double rate = 0;
    for (int w = 0; w < workers; w++)
        rate += 1 / field->took_s[w];
    return 1 / rate;
}

static void note_spread(struct field *field, int workers)
{
    const double *took_s = field->took_s;
    double least = took_s[0], most = took_s[0];
    for (int w = 1; w < workers; w++) {
        least = fmin(least, took_s[w]);
        most = fmax(most, took_s[w]);
    }
    if (field->turns < SCHEMES_MAX * OVERHEAD_ROUNDS)
        field->spread[field->turns++] = least / most;
}

/* ---- bounds ---- */

static int first_free(const struct field *field, int workers)
{
    int found = 0;
    for (int w = 1; w < workers; w++)
        if (field->ready_s[w] < field->ready_s[found])
            found = w;
    return found;
}

/* The chunks of a repetition, in their order, each for the worker that is free
 * first.  At the beginning all are: there it is who came first. */
static double bound_time(const struct field *field,
                         const struct run_result *result, int workers)
{
    const double *before = field->loop.cost_before;
    double all = before[field->loop.iterations], last = 0;
    for (int w = 0; w < workers; w++)
        field->ready_s[w] = 0;
    for (int64_t i = 0; i < result->logged; i++) {
        const struct ran *ran = &result->log[i];
        int free = first_free(field, workers), came = result->log_worker[i];
        int w = field->ready_s[came] == 0 && field->ready_s[free] == 0 ? came
                                                                       : free;
        double share =
            (before[ran->start + ran->size] - before[ran->start]) / all;
        field->ready_s[w] += share * field->took_s[w];
        last = field->ready_s[w] > last ? field->ready_s[w] : last;
    }
    return last;
}

static double equal_turn(void *arg)
{
    struct contest *c = arg;
    int workers = run_workers(c->run);
    measure_speeds(c->field);
    memcpy(c->field->took_s, c->field->now_s,
           (size_t)workers * sizeof(*c->field->now_s));
    c->equal_s = equal_time(c->field, workers);
    note_spread(c->field, workers);
    return 1e9 * c->equal_s;
}

static double scheme_turn(void *arg)
{
    struct contest *c = arg;
    struct run_result result = {.time_s = 0};
    struct error err;
    int workers = run_workers(c->run);
    run_repeat(c->run, &result, &err);
    measure_speeds(c->field);
    for (int w = 0; w < workers; w++)
        c->field->took_s[w] = (c->field->took_s[w] + c->field->now_s[w]) / 2;
    if (c->field->context->comm.rank == 0)
        c->bound_s = bound_time(c->field, &result, workers);
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
                              .bare = equal_turn,
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
            c->equal_ns[r] = c->turns.bare_ns[r];
            c->turns.bare_ns[r] = 1e9 * c->bound_s;
        }
}

struct tally {
    int rows, met, missed;
};

/* Whether the 95 % confidence interval of the median ratio is above the aim. */
static bool surely_above(const struct turns *turns, const struct state *state,
                         double aim)
{
    double ratio[OVERHEAD_ROUNDS];
    int n = 0;
    for (int r = 0; r < OVERHEAD_ROUNDS; r++)
        if (state->saw[r])
            ratio[n++] = turns->ours_ns[r] / turns->bare_ns[r];
    return stats_median(ratio, n).low > aim;
}

/* A line for each state that the machine was in. */
static void print_scheme(FILE *out, const struct contest *c, double aim,
                         struct tally *tally)
{
    struct turns equal = c->turns;
    struct turns_group group[STATES_MAX], of_equal[STATES_MAX];
    int groups = turns_group(&c->turns, group);
    memcpy(equal.bare_ns, c->equal_ns, sizeof(equal.bare_ns));
    turns_group(&equal, of_equal);
    for (int g = 0; g < groups; g++) {
        const struct state *state = &group[g].state;
        bool met = group[g].ratio <= aim;
        bool above = !met && surely_above(&c->turns, state, aim);
        const char *judged = state_judge(state, met);
        if (!met && !above && strcmp(judged, "few") != 0)
            judged = "unsure";
        fprintf(out, "  %-22s %8.2f %10.3f %10.3f %-6s", c->setup.cell.scheme,
                1e-6 * group[g].ours_ns, 1 / of_equal[g].ratio, group[g].ratio,
                judged);
        state_print(out, state);
        fprintf(out, "\n");
        tally->rows += strcmp(judged, "few") != 0;
        tally->met += strcmp(judged, "met") == 0;
        tally->missed += strcmp(judged, "MISSED") == 0;
    }
}

static void print_rows(FILE *out, struct field *field, const char *shape)
{
    double aim = field->context->comm.ranks > 1 ? AIM_RANKS : AIM_THREADS;
    struct tally tally = {0};
    fprintf(out, "\n" KERNEL ", %s\n  %-22s %8s %10s %10s (aim %.3f)\n", shape,
            "scheme", "ms", "efficiency", "x bound", aim);
    for (int i = 0; i < field->count; i++)
        print_scheme(out, &field->contest[i], aim, &tally);
    fprintf(out,
            "  of %d rows %d within the aim, %d surely above; the slowest core "
            "had %.2f of the fastest one's speed (median)\n",
            tally.rows, tally.met, tally.missed,
            stats_median(field->spread, field->turns).median);
}

static void open_workers(struct field *field)
{
    struct launch_context *context = field->context;
    const struct loop *loop = &field->loop;
    size_t workers = (size_t)(context->comm.ranks * context->threads);
    field->output = need_zeroed((size_t)context->threads, sizeof(char *));
    field->mine_s = need_zeroed((size_t)context->threads, sizeof(double));
    field->now_s = need_zeroed(workers, sizeof(double));
    field->took_s = need_zeroed(workers, sizeof(double));
    field->ready_s = need_zeroed(workers, sizeof(double));
    field->output[0] = loop->output;
    for (int t = 1; t < context->threads; t++)
        field->output[t] =
            need_zeroed((size_t)loop->iterations, loop->output_bytes);
}

static void close_workers(struct field *field)
{
    for (int t = 1; t < field->context->threads; t++)
        free(field->output[t]);
    free(field->output);
    free(field->mine_s);
    free(field->now_s);
    free(field->took_s);
    free(field->ready_s);
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
    open_workers(field);
    for (int i = 0; sched_schemes[i] != NULL && i < SCHEMES_MAX; i++)
        open_contest(field, sched_schemes[i]->name, &err);
    measure_field(field);
    if (context->comm.rank == 0)
        print_rows(out, field, shape);
    for (int i = 0; i < field->count; i++)
        close_contest(&field->contest[i]);
    close_workers(field);
    loop_close(&field->loop);
    free(field);
}
