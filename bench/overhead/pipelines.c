/* The heat equation with two workers under DMPS(css), a chunk each, compared
 * with the barest that does the same: a plain static pipelined loop with the
 * same interval and none of our machinery (`plain`, the aim).  Two lines beside
 * it do less: a plain loop whose threads wait as long but share no grid
 * (`apart`), and two independent half grids (`halves`). */
#include "bench/overhead/bench_cell.h"
#include "bench/overhead/overhead.h"
#include "bench/overhead/rounds/states.h"
#include "bench/overhead/row_pair.h"
#include "bench/overhead/timed_team.h"

#include "harness/process/need.h"

#include <stdlib.h>
#include <string.h>

enum { INTERVALS_MAX = 8, ROUNDS = 7 };

/* One interval: seconds in each round. */
struct blocks {
    int64_t interval;
    struct bench_cell cell;
    double plain[ROUNDS], apart[ROUNDS], ours[ROUNDS];
};

struct field {
    struct pair pair;
    int rows, columns, steps;
    struct loop whole, half;
    char *other; /* output of the second half grid */
    char *apart; /* of the whole grid, for a second thread */
    struct blocks blocks[INTERVALS_MAX];
    int count;
    int64_t interval; /* of the running plain loop */
    double serial[ROUNDS], halves[ROUNDS], handover_ns[ROUNDS];
};

/* ---- the compared loops ---- */

/* All start from memory in the same state. */
static void wipe_output(struct loop *loop, char *output)
{
    memset(output, LOOP_POISON, (size_t)loop->iterations * loop->output_bytes);
}

static void serial_body(struct pair *pair, int worker, void *arg)
{
    struct field *field = arg;
    struct loop *loop = &field->whole;
    (void)pair;
    if (worker == 0)
        loop->kernel->run(loop->instance, NULL, 0, loop->iterations,
                          loop->output, NULL);
}

static void halves_body(struct pair *pair, int worker, void *arg)
{
    struct field *field = arg;
    struct loop *loop = &field->half;
    bool second = worker == 1 && pair_threads(pair);
    loop->kernel->run(loop->instance, NULL, 0, loop->iterations,
                      second ? field->other : loop->output, NULL);
}

/* Half of the rows each; a boundary goes down after every block, and in
 * several steps a first row up.  A thread whose `output` is not the loop's
 * waits as long, but reads nothing of the other's: what sharing rows costs is
 * the difference. */
static void run_half(struct pair *pair, int worker, struct field *field,
                     char *output)
{
    struct loop *loop = &field->whole;
    int64_t top = loop->iterations / 2, columns = loop->grid.columns;
    int64_t start = worker == 0 ? 0 : top;
    int64_t size = worker == 0 ? top : loop->iterations - top;
    double *above = (double *)output + (top - 1) * columns;
    double *below = above + columns;
    for (int step = 0; step < loop->grid.steps; step++)
        for (int64_t from = 0; from < columns; from += field->interval) {
            int64_t to = from + field->interval;
            to = to < columns ? to : columns;
            int64_t at = step * columns + to;
            size_t bytes = (size_t)(to - from) * sizeof(double);
            if (worker == 1)
                pair_take(pair, 1, at, above + from, bytes);
            else if (step > 0)
                pair_take(pair, 0, at - columns, below + from, bytes);
            const struct kernel_block block = {.step = step,
                                               .start = start,
                                               .size = size,
                                               .from = from,
                                               .to = to};
            loop->kernel->dependence->run_block(loop->instance, loop->state,
                                                &block, output, NULL);
            if (worker == 0)
                pair_give(pair, 0, at, above + from, bytes);
            else if (step + 1 < loop->grid.steps)
                pair_give(pair, 1, at, below + from, bytes);
        }
}

static void plain_body(struct pair *pair, int worker, void *arg)
{
    struct field *field = arg;
    run_half(pair, worker, field, field->whole.output);
}

static void apart_body(struct pair *pair, int worker, void *arg)
{
    struct field *field = arg;
    bool second = worker == 1 && pair_threads(pair);
    run_half(pair, worker, field, second ? field->apart : field->whole.output);
}

/* ---- opening ---- */

static int open_blocks(struct field *field, int64_t interval, struct error *err)
{
    struct blocks *b = &field->blocks[field->count++];
    char text[32];
    const struct bench_field fields[] = {{"scheme", "css"},
                                         {"collect", "local"},
                                         {"sync_interval", text},
                                         {NULL, NULL}};
    snprintf(text, sizeof(text), "%lld", (long long)interval);
    b->interval = interval;
    return bench_cell_open(&b->cell, field->pair.context, &field->whole, fields,
                           err);
}

static int open_field(struct field *field, struct error *err)
{
    const struct comm *comm = &field->pair.context->comm;
    char text[SPEC_CANONICAL_MAX];
    snprintf(text, sizeof(text), "heat:rows=%d,cols=%d,steps=%d", field->rows,
             field->columns, field->steps);
    int code = bench_loop_open(&field->whole, text, comm, err);
    if (code != 0)
        return code;
    snprintf(text, sizeof(text), "heat:rows=%d,cols=%d,steps=%d",
             field->rows / 2, field->columns, field->steps);
    code = bench_loop_open(&field->half, text, comm, err);
    if (code != 0)
        return code;
    field->other =
        need_zeroed((size_t)field->half.iterations, field->half.output_bytes);
    field->apart =
        need_zeroed((size_t)field->whole.iterations, field->whole.output_bytes);
    for (int64_t h = 16;
         h <= field->columns / 2 && code == 0 && field->count < INTERVALS_MAX;
         h *= 2)
        code = open_blocks(field, h, err);
    return code;
}

static void close_field(struct field *field)
{
    for (int i = 0; i < field->count; i++)
        bench_cell_close(&field->blocks[i].cell);
    free(field->other);
    free(field->apart);
    if (field->half.kernel != NULL)
        loop_close(&field->half);
    if (field->whole.kernel != NULL)
        loop_close(&field->whole);
}

/* ---- measuring ---- */

static void measure_round(void *arg, int r)
{
    struct field *field = arg;
    wipe_output(&field->whole, field->whole.output);
    field->serial[r] = pair_run(&field->pair, serial_body, field);
    wipe_output(&field->half, field->half.output);
    wipe_output(&field->half, field->other);
    field->halves[r] = pair_run(&field->pair, halves_body, field);
    for (int i = 0; i < field->count; i++) {
        struct blocks *c = &field->blocks[i];
        field->interval = c->interval;
        wipe_output(&field->whole, field->whole.output);
        c->plain[r] = pair_run(&field->pair, plain_body, field);
        wipe_output(&field->whole, field->whole.output);
        wipe_output(&field->whole, field->apart);
        c->apart[r] = pair_run(&field->pair, apart_body, field);
        wipe_output(&field->whole, field->whole.output);
        c->ours[r] = bench_cell_time(&c->cell, NULL);
    }
}

/* ---- printing ---- */

static void print_state(FILE *out, const struct field *field,
                        const struct state *state)
{
    const struct blocks *c = &field->blocks[0];
    for (int i = 1; i < field->count; i++)
        if (state_middle(state, field->blocks[i].ours) <
            state_middle(state, c->ours))
            c = &field->blocks[i];
    double ours = state_ratio(state, field->serial, c->ours) / 2;
    double halves = state_ratio(state, field->serial, field->halves) / 2;
    double of_halves = state_ratio(state, field->halves, c->ours);
    double of_plain = state_ratio(state, c->plain, c->ours);
    double apart = state_ratio(state, field->serial, c->apart) / 2;
    char grid[40];
    snprintf(grid, sizeof(grid), "%d x %d, %d steps", field->rows,
             field->columns, field->steps);
    fprintf(out, "  %-20s %6.0f %5lld %7.3f %7.3f %7.3f   %7.3f   %7.3f %-6s",
            grid, 1e6 * state_middle(state, field->serial),
            (long long)c->interval, halves, apart, ours, of_halves, of_plain,
            state_judge(state, of_plain >= 1));
    state_print(out, state);
    fprintf(out, "\n");
}

static void print_field(FILE *out, const struct field *field)
{
    struct state state[STATES_MAX];
    int states = state_split(field->handover_ns, ROUNDS, state);
    for (int s = 0; s < states; s++)
        print_state(out, field, &state[s]);
}

void overhead_pipelines(FILE *out, struct launch_context *context)
{
    static const struct {
        int rows, columns, steps;
    } grids[] = {{100, 1000, 1},  {100, 1000, 20},  {256, 256, 20},
                 {1000, 1000, 1}, {1000, 1000, 10}, {4000, 4000, 1}};
    bool print = context->comm.rank == 0;
    struct field *field = team_memory(sizeof(*field));
    if (print)
        fprintf(
            out,
            "\nHeat equation, 2 %s, DMPS(css) at its best interval h\n"
            "  %-20s %6s %5s   serial / (2 x the time of)     times as fast "
            "as\n"
            "  %-20s %6s %5s %7s %7s %7s   %7s   %s\n",
            context->comm.ranks == 1 ? "threads" : "ranks", "grid", "serial",
            "h", "", "us", "", "halves", "apart", "DMPS", "halves",
            "plain (aim 1.0)");
    for (size_t i = 0; i < sizeof(grids) / sizeof(grids[0]); i++) {
        struct error err;
        memset(field, 0, sizeof(*field));
        field->pair.context = context;
        field->rows = grids[i].rows;
        field->columns = grids[i].columns;
        field->steps = grids[i].steps;
        int code = open_field(field, &err);
        for (int r = 0; r < ROUNDS && code == 0; r++)
            field->handover_ns[r] =
                state_time_round(context, measure_round, field, r);
        if (print && code == 0)
            print_field(out, field);
        else if (print)
            fprintf(out, "  %s\n", err.text);
        if (print)
            fflush(out);
        close_field(field);
    }
    free(field);
}
