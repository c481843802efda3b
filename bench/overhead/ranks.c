/* Two ranks: each transport compared with a bare ping-pong or fetch-and-add. */
#include "bench/overhead/bench_cell.h"
#include "bench/overhead/contest.h"
#include "bench/overhead/overhead.h"
#include "bench/overhead/timed_team.h"

#include "harness/engine/engine.h"
#include "harness/messages/window.h"
#include "harness/transport/steal/steal.h"

#include <mpi.h>
#include <stdlib.h>

enum { PINGS = 20000, WINDOW_STEPS = 1 << 20, CELLS_MAX = 4 };

/* Cells of one table, and the comparison for them. */
struct cells {
    const struct comm *comm;
    struct window window;
    struct bench_cell cell[CELLS_MAX];
};

/* One side of a row. */
struct side {
    struct cells *cells;
    struct bench_cell *cell;
};

static double time_cell(void *arg)
{
    const struct side *side = arg;
    return bench_cell_chunk_ns(side->cell);
}

/* Rank 0 has the whole loop at first; rank 1 asks for half of it, again and
 * again. Returns rank 1's wait per question. */
static double time_questions(void *arg)
{
    const struct side *side = arg;
    struct run_result result;
    if (!(bench_cell_time(side->cell, &result) > 0) || result.workers == NULL)
        return 0;
    const struct worker_result *thief = &result.workers[1];
    return 1e9 * thief->wait_s /
           (double)(thief->fact[STEAL_TAKEN] + thief->fact[STEAL_FAILED]);
}

static double time_pings(void *arg)
{
    const struct side *side = arg;
    /* Both ranks bound as the runs bind them; ns there and back. */
    const struct comm *comm = side->cells->comm;
    char byte = 0;
    comm_quiet_barrier(comm);
    comm_sharp_barrier(comm);
    double start = engine_now();
    for (int i = 0; i < PINGS; i++) {
        int other = 1 - comm->rank;
        if (comm->rank == 0)
            MPI_Send(&byte, 1, MPI_BYTE, other, 0, comm->all);
        MPI_Recv(&byte, 1, MPI_BYTE, other, 0, comm->all, MPI_STATUS_IGNORE);
        if (comm->rank == 1)
            MPI_Send(&byte, 1, MPI_BYTE, other, 0, comm->all);
    }
    double end = engine_now();
    comm_quiet_barrier(comm);
    return 1e9 * (end - start) / PINGS;
}

/* The barest `ss` of both ranks in a shared window, ns a step. */
static double time_window(void *arg)
{
    const struct side *side = arg;
    const struct comm *comm = side->cells->comm;
    const struct loop *loop = side->cell->loop;
    struct source_counter *counter = side->cells->window.memory;
    if (comm->rank == 0)
        atomic_store(&counter->step, 0);
    comm_quiet_barrier(comm);
    comm_sharp_barrier(comm);
    double start = engine_now();
    team_call_steps(counter, WINDOW_STEPS, loop->kernel, loop->instance);
    double end = engine_now();
    comm_quiet_barrier(comm);
    return 1e9 * (end - start) / WINDOW_STEPS;
}

/* A row: a cell of two ranks. */
struct ranks_row {
    const char *name, *scheme, *kernel;
    struct bench_field field; /* one more of the cell */
    double aim;
    double (*ours)(void *arg);
};

/* Rows of one transport, compared with the same limit. */
struct ranks_rows {
    const char *transport;
    double (*bare)(void *arg);
    int count;
    struct ranks_row line[CELLS_MAX];
};

static const struct ranks_rows masters = {
    "master",
    time_pings,
    4,
    {{"ss", "ss", "100000", {"master", "dedicated"}, 1.3, time_cell},
     {"tss:first=20,last=1",
      "tss:first=20,last=1",
      "100000",
      {"master", "dedicated"},
      1.3,
      time_cell},
     {"css:chunk=3",
      "css:chunk=3",
      "100000",
      {"master", "dedicated"},
      1.3,
      time_cell},
     {"ss", "ss", "100000", {"master", "computing"}, 0, time_cell}}};

static const struct ranks_rows windows = {
    "window",
    time_window,
    3,
    {{"ss", "ss", "1048576", {"window", "shared"}, 1.1, time_cell},
     {"tss:first=2000,last=1",
      "tss:first=2000,last=1",
      "1048576000",
      {"window", "shared"},
      1.1,
      time_cell},
     {"ss", "ss", "100000", {"window", "rma"}, 0, time_cell}}};

static const struct ranks_rows steals = {
    "steal",
    time_pings,
    2,
    {{"ss, of the own range", "ss", "1048576", {"power", "1,1"}, 0, time_cell},
     {"asking the other for half",
      "ss",
      "1000000",
      {"power", "1000000,1"},
      0,
      time_questions}}};

static int open_line(struct bench_cell *cell, struct launch_context *context,
                     const char *transport, const struct ranks_row *line,
                     struct error *err)
{
    char kernel[32];
    const struct bench_field fields[] = {{"kernel", kernel},
                                         {"scheme", line->scheme},
                                         {"transport", transport},
                                         line->field,
                                         {NULL, NULL}};
    snprintf(kernel, sizeof(kernel), "null:size=%s", line->kernel);
    return bench_cell_open(cell, context, NULL, fields, err);
}

static void compare_lines(FILE *out, struct launch_context *context,
                          struct cells *cells, const struct ranks_rows *lines)
{
    struct contest row[CELLS_MAX];
    struct side side[CELLS_MAX];
    struct error err;
    int code = 0;
    for (int i = 0; code == 0 && i < lines->count; i++) {
        const struct ranks_row *line = &lines->line[i];
        side[i] = (struct side){cells, &cells->cell[i]};
        row[i] = (struct contest){.name = line->name,
                                  .how = line->field.value,
                                  .ours = line->ours,
                                  .bare = lines->bare,
                                  .arg = &side[i],
                                  .aim = line->aim};
        code = open_line(side[i].cell, context, lines->transport, line, &err);
    }
    if (code == 0)
        contest_run(out, context, row, lines->count, NULL);
    else if (context->comm.rank == 0)
        fprintf(out, "  %s\n", err.text);
    for (int i = 0; i < CELLS_MAX; i++)
        bench_cell_close(&cells->cell[i]);
}

void overhead_ranks(FILE *out, struct launch_context *context)
{
    struct cells *cells = team_memory(sizeof(*cells));
    const struct comm *comm = cells->comm = &context->comm;
    struct error err;
    if (comm->rank == 0)
        contest_head(out, "One chunk of an empty loop from a master, 2 ranks, "
                          "beside an MPI ping-pong");
    compare_lines(out, context, cells, &masters);
    if (comm->rank == 0)
        contest_head(out, "One chunk of an empty loop from a window, 2 ranks "
                          "asking, beside bare steps that call a body");
    if (window_open(&cells->window, comm, true, sizeof(struct source_counter),
                    &err) == 0) {
        compare_lines(out, context, cells, &windows);
        window_close(&cells->window);
    }
    if (comm->rank == 0)
        contest_head(out, "Work stealing, 2 ranks, beside an MPI ping-pong");
    compare_lines(out, context, cells, &steals);
    free(cells);
}
