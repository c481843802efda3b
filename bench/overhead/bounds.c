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
#include "harness/problem/loop_shared.h"
#include "harness/process/need.h"
#include "sched/schemes/scheme_registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL "mandelbrot:size=2048,maxiter=1000"

/* The aim for a scheme's time over its bound. */
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
    char **output;  /* by thread, for runs of the whole loop */
    double *mine_s; /* by thread: time for the whole loop */
    /* By worker, at rank 0: measured last, and around the repetition. */
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

/* By worker, while all compute; at rank 0. */
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

/* The chunks of a repetition, in order, each for the first free worker.  At the
 * beginning all are free: there it is the worker that actually came first. */
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

/* ---- ss over two ranks: a message there and back for each column ---- */

/* The simplest loop with a computing master: single columns, the next one
 * requested early, into memory that both ranks write. */
enum { MASTER = 0, OTHER = 1 };

struct bare_rank {
    const struct comm *comm;
    const struct loop *loop;
    int64_t next;          /* at the master: the next iteration */
    int64_t asked;         /* the other rank's request, without content */
    MPI_Request listening; /* for its request */
};

static void listen(struct bare_rank *bare)
{
    MPI_Irecv(&bare->asked, 1, MPI_INT64_T, OTHER, 0, bare->comm->all,
              &bare->listening);
}

/* The next iteration; the number of iterations: nothing is left. */
static int64_t hand_out(struct bare_rank *bare)
{
    return bare->next < bare->loop->iterations ? bare->next++
                                               : bare->loop->iterations;
}

static void look(void *arg)
{
    struct bare_rank *bare = arg;
    int came = 0;
    if (bare->listening != MPI_REQUEST_NULL)
        MPI_Test(&bare->listening, &came, MPI_STATUS_IGNORE);
    if (!came)
        return;
    int64_t given = hand_out(bare);
    MPI_Send(&given, 1, MPI_INT64_T, OTHER, 0, bare->comm->all);
    if (given < bare->loop->iterations)
        listen(bare);
}

static void run_one(const struct bare_rank *bare, int64_t at,
                    const struct kernel_poll *poll)
{
    const struct loop *loop = bare->loop;
    char *output = loop->shared->window.memory;
    loop->kernel->run(loop->instance, NULL, at, 1,
                      output + (size_t)at * loop->output_bytes, poll);
}

static void run_master(struct bare_rank *bare)
{
    const struct kernel_poll poll = {look, bare};
    listen(bare);
    for (int64_t at = hand_out(bare); at < bare->loop->iterations;
         at = hand_out(bare)) {
        run_one(bare, at, &poll);
        look(bare);
    }
    while (bare->listening != MPI_REQUEST_NULL)
        look(bare);
}

/* Requests the next iteration before it computes this one. */
static void run_other(struct bare_rank *bare)
{
    MPI_Comm all = bare->comm->all;
    int64_t at = 0;
    MPI_Send(&at, 1, MPI_INT64_T, MASTER, 0, all);
    MPI_Recv(&at, 1, MPI_INT64_T, MASTER, 0, all, MPI_STATUS_IGNORE);
    while (at < bare->loop->iterations) {
        int64_t next;
        MPI_Send(&at, 1, MPI_INT64_T, MASTER, 0, all);
        run_one(bare, at, NULL);
        MPI_Recv(&next, 1, MPI_INT64_T, MASTER, 0, all, MPI_STATUS_IGNORE);
        at = next;
    }
}

static double bare_master_time(struct launch_context *context,
                               struct loop *loop)
{
    struct bare_rank bare = {.comm = &context->comm, .loop = loop};
    struct error err;
    double all_s[2] = {0};
    if (loop_share(loop, bare.comm, &err) != 0)
        return 0;
    comm_quiet_barrier(bare.comm);
    comm_sharp_barrier(bare.comm);
    double begin = engine_now();
    if (bare.comm->rank == MASTER)
        run_master(&bare);
    else
        run_other(&bare);
    double took_s = engine_now() - begin;
    comm_gather(bare.comm, &took_s, all_s, sizeof(took_s));
    return all_s[0] > all_s[1] ? all_s[0] : all_s[1];
}

static double asked_turn(void *arg)
{
    struct bounded *b = arg;
    return 1e9 * bench_cell_time(&b->cell, NULL);
}

static double bare_turn(void *arg)
{
    struct bounded *b = arg;
    return 1e9 * bare_master_time(b->field->context, &b->field->loop);
}

static void compare_messages(FILE *out, struct field *field, struct bounded *b)
{
    const struct contest row = {.name = "ss",
                                .how = "bare MPI calls",
                                .ours = asked_turn,
                                .bare = bare_turn,
                                .arg = b,
                                .aim = AIM_RANKS};
    contest_run(out, field->context, &row, 1, NULL);
}

static void open_scheme(struct field *field, const char *scheme)
{
    struct bounded *b = &field->bounded[field->count];
    int ranks = field->context->comm.ranks;
    bool asked = ranks == 2 && strcmp(scheme, "ss") == 0; /* a separate row */
    const struct bench_field fields[] = {{"scheme", scheme}, {NULL, NULL}};
    struct error err;
    if (bench_cell_open(&b->cell, field->context, &field->loop, fields, &err) !=
        0)
        return;
    b->field = field;
    field->row[field->count++] =
        (struct contest){.name = scheme,
                         .how = "its bound",
                         .ours = scheme_turn,
                         .bare = bound_turn,
                         .arg = b,
                         .aim = ranks == 1 ? AIM_THREADS
                                : asked    ? 0
                                           : AIM_RANKS};
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
        for (int i = 0; context->comm.ranks == 2 && i < field->count; i++)
            if (strcmp(field->row[i].name, "ss") == 0)
                compare_messages(out, field, &field->bounded[i]);
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
