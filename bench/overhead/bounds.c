/* Every scheme over Mandelbrot, beside the bound of its own chunks.
 *
 * Speeds of cores differ and change: on a virtual machine the neighbours of a
 * core may slow it down by a third.  So all workers run the whole loop at the
 * same time before and after each repetition.  The bound is the list schedule
 * of the repetition's chunks on workers of these speeds. */
#include "bench/overhead/bench_cell.h"
#include "bench/overhead/contest.h"
#include "bench/overhead/overhead.h"
#include "bench/overhead/timed_team.h"

#include "base/stats.h"
#include "harness/engine/engine.h"
#include "harness/process/need.h"
#include "sched/schemes/scheme_registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL "mandelbrot:size=2048,maxiter=1000"

/* What scheduling may cost a scheme over its own bound. */
static const double AIM_THREADS = 1.01, AIM_RANKS = 1.015;

enum { SCHEMES_MAX = 64 };

/* One scheme over the loop in one shape. */
struct bounded {
    struct field *field;
    struct bench_cell cell;
    double bound_s; /* of this turn */
};

struct field {
    struct launch_context *context;
    struct loop loop;
    struct bounded bounded[SCHEMES_MAX];
    struct contest row[SCHEMES_MAX];
    int count;
    char **output;  /* of each thread, to run the whole loop in */
    double *mine_s; /* time for the whole loop, of each thread */
    /* Of each worker, at rank 0: measured last, and around the repetition. */
    double *now_s, *took_s;
    double *ready_s; /* when each worker is free */
    /* the speed of the slowest worker over that of the fastest, in every
     * turn */
    double spread[SCHEMES_MAX * OVERHEAD_ROUNDS];
    int turns;
};

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

static double scheme_turn(void *arg)
{
    struct bounded *b = arg;
    struct field *field = b->field;
    struct run_result result;
    int workers = run_workers(b->cell.run);
    measure_speeds(field);
    memcpy(field->took_s, field->now_s,
           (size_t)workers * sizeof(*field->now_s));
    note_spread(field, workers);
    double time_s = bench_cell_time(&b->cell, &result);
    measure_speeds(field);
    for (int w = 0; w < workers; w++)
        field->took_s[w] = (field->took_s[w] + field->now_s[w]) / 2;
    if (field->context->comm.rank == 0)
        b->bound_s = bound_time(field, &result, workers);
    return 1e9 * time_s;
}

/* The bound of the previous repetition. */
static double bound_turn(void *arg)
{
    const struct bounded *b = arg;
    return 1e9 * b->bound_s;
}

static void open_scheme(struct field *field, const char *scheme)
{
    struct bounded *b = &field->bounded[field->count];
    const struct bench_field fields[] = {{"scheme", scheme}, {NULL, NULL}};
    struct error err;
    if (bench_cell_open(&b->cell, field->context, &field->loop, fields, &err) !=
        0)
        return;
    b->field = field;
    field->row[field->count++] = (struct contest){
        .name = scheme,
        .how = "its bound",
        .ours = scheme_turn,
        .bare = bound_turn,
        .arg = b,
        .aim = field->context->comm.ranks > 1 ? AIM_RANKS : AIM_THREADS};
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

static void compare_bounds(FILE *out, struct field *field)
{
    struct contest_tally tally = {0};
    bool prints = field->context->comm.rank == 0;
    if (prints)
        contest_head(out, KERNEL ", %s, beside the bound of its chunks",
                     field->context->comm.ranks > 1
                         ? "2 ranks, the master also computes"
                         : "one rank, a thread on every core");
    contest_run(out, field->context, field->row, field->count, &tally);
    if (prints)
        fprintf(out,
                "  of %d rows %d within the aim, %d surely above; the slowest "
                "core had %.2f of the fastest one's speed (median)\n",
                tally.lines, tally.met, tally.missed,
                stats_median(field->spread, field->turns).median);
}

void overhead_bounds(FILE *out, struct launch_context *context)
{
    struct field *field = team_memory(sizeof(*field));
    struct error err;
    field->context = context;
    if (bench_loop_open(&field->loop, KERNEL, &context->comm, &err) == 0) {
        open_workers(field);
        for (int i = 0; sched_schemes[i] != NULL && i < SCHEMES_MAX; i++)
            open_scheme(field, sched_schemes[i]->name);
        compare_bounds(out, field);
        for (int i = 0; i < field->count; i++)
            bench_cell_close(&field->bounded[i].cell);
        for (int t = 1; t < field->context->threads; t++)
            free(field->output[t]);
        free(field->output);
        free(field->mine_s);
        free(field->now_s);
        free(field->took_s);
        free(field->ready_s);
        loop_close(&field->loop);
    }
    free(field);
}
