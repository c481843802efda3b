#include "bench/overhead/contest.h"
#include "bench/overhead/rounds/turns.h"

#include "base/stats.h"
#include "harness/comm/window.h"
#include "harness/engine/engine.h"
#include "harness/transport/steal/steal.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { PINGS = 20000, WINDOW_STEPS = 1 << 20 };

int contest_open(struct contest *c, struct launch_context *context,
                 struct error *err)
{
    struct cell cell;
    cell_defaults(&cell);
    cell.ranks = context->comm.ranks;
    int code = cell_set(&cell, "kernel", c->kernel, err);
    if (code == 0)
        code = cell_set(&cell, "scheme", c->scheme, err);
    if (code == 0)
        code = cell_set(&cell, "transport", c->transport, err);
    if (code == 0)
        code = cell_set(&cell, "master", c->master, err);
    if (code == 0)
        code = cell_set(&cell, "window", c->window, err);
    if (code == 0 && c->power != NULL)
        code = cell_set(&cell, "power", c->power, err);
    if (code == 0 && c->late)
        code = cell_set(&cell, "prefetch", "off", err);
    if (code == 0)
        code = setup_open(&c->setup, &cell, err);
    if (code == 0)
        code = loop_open(&c->loop, c->setup.kernel, &c->setup.kernel_spec,
                         false, &context->comm, 60, 1, err);
    if (code == 0)
        code = run_open(&c->run, &c->setup, &c->loop, context, false, err);
    return code;
}

double contest_time(struct contest *c)
{
    struct run_result result;
    struct error err;
    if (run_repeat(c->run, &result, &err) != 0 || result.chunks == 0)
        return 0;
    return result.time_s / (double)result.chunks;
}

/* Both ranks bound as the runs bind them; seconds there and back. */
static double ping_pong(const struct comm *comm)
{
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
    return (end - start) / PINGS;
}

/* Bare fetch-and-add of both ranks in a shared window, seconds a step. */
static double bare_window(struct window *window, const struct comm *comm)
{
    struct source_counter *counter = window->memory;
    if (comm->rank == 0)
        atomic_store(&counter->step, 0);
    comm_quiet_barrier(comm);
    comm_sharp_barrier(comm);
    double start = engine_now();
    while (atomic_fetch_add_explicit(&counter->step, 1, memory_order_relaxed) <
           WINDOW_STEPS)
        ;
    double end = engine_now();
    comm_quiet_barrier(comm);
    return (end - start) / WINDOW_STEPS;
}

/* A cell in turns with the limit of its messages or of its memory. */
struct row {
    struct contest *cell;
    const struct comm *comm;
    struct window *window;
    struct turns turns;
};

static double cell_turn(void *arg)
{
    struct row *row = arg;
    return 1e9 * contest_time(row->cell);
}

static double ping_turn(void *arg)
{
    struct row *row = arg;
    return 1e9 * ping_pong(row->comm);
}

static double window_turn(void *arg)
{
    struct row *row = arg;
    return 1e9 * bare_window(row->window, row->comm);
}

/* The limit is measured as the runs bind the ranks: one is run before. */
static void measure_rows(struct row *row, struct contest *c, int count,
                         struct launch_context *context, struct window *window)
{
    for (int i = 0; i < count; i++)
        row[i] = (struct row){
            .cell = &c[i],
            .comm = &context->comm,
            .window = window,
            .turns = {.context = context,
                      .bare = window != NULL ? window_turn : ping_turn,
                      .ours = cell_turn,
                      .arg = &row[i]}};
    contest_time(&c[0]);
    for (int r = 0; r < OVERHEAD_ROUNDS; r++)
        for (int i = 0; i < count; i++)
            turns_measure_round(&row[i].turns, r);
}

/* unit: ns of what is printed.  aim: the ratio, 0: none. */
static void print_row(FILE *out, const struct row *row, double unit, double aim)
{
    struct turns_group group[STATES_MAX];
    const char *chosen = run_chosen(row->cell->run);
    int groups = turns_group(&row->turns, group);
    for (int g = 0; g < groups; g++) {
        fprintf(out, "  %-22s %-18s %8.3f %8.2f   ", row->cell->scheme,
                chosen != NULL ? chosen : row->cell->master,
                group[g].ours_ns / unit, group[g].ratio);
        if (aim > 0)
            fprintf(out, "%.2f %-6s", aim,
                    state_judge(&group[g].state, group[g].ratio <= aim));
        else
            fprintf(out, "%-11s", "-");
        state_print(out, &group[g].state);
        fprintf(out, "\n");
    }
}

/* The last of them has no aim. */
static void print_rows(FILE *out, const struct row *row, int count, double unit,
                       double aim)
{
    for (int i = 0; i < count; i++)
        print_row(out, &row[i], unit, i + 1 < count ? aim : 0);
}

static double middle_limit(const struct row *row)
{
    double limit[OVERHEAD_ROUNDS];
    memcpy(limit, row->turns.bare_ns, sizeof(limit));
    return stats_middle(limit, OVERHEAD_ROUNDS);
}

void contest_close(struct contest *c)
{
    run_close(c->run);
    loop_close(&c->loop);
    setup_close(&c->setup);
}

static void close_contests(struct contest *c, int count)
{
    for (int i = 0; i < count; i++)
        contest_close(&c[i]);
}

static int open_contests(struct contest *c, int count,
                         struct launch_context *context, FILE *out)
{
    struct error err = {""};
    for (int i = 0; i < count; i++) {
        int code = contest_open(&c[i], context, &err);
        if (code != 0) {
            if (context->comm.rank == 0)
                fprintf(out, "%s over %s: %s\n", c[i].scheme, c[i].transport,
                        err.text);
            return code;
        }
    }
    return 0;
}

static void compare_masters(FILE *out, struct launch_context *context)
{
    const struct comm *comm = &context->comm;
    const char *kernel = "null:size=100000";
    struct contest c[] = {
        {.scheme = "ss", .master = "dedicated"},
        {.scheme = "tss:first=20,last=1", .master = "dedicated"},
        {.scheme = "css:chunk=3", .master = "dedicated"},
        {.scheme = "ss", .master = "computing"},
    };
    enum { COUNT = sizeof(c) / sizeof(c[0]) };
    struct row row[COUNT];
    for (int i = 0; i < COUNT; i++) {
        c[i].transport = "master";
        c[i].window = "auto";
        c[i].kernel = kernel;
    }
    if (open_contests(c, COUNT, context, out) != 0)
        return;
    measure_rows(row, c, COUNT, context, NULL);
    if (comm->rank == 0) {
        fprintf(out,
                "\nOne chunk of an empty loop from a master rank, 2 ranks\n"
                "  %-22s %-18s %8s %8s   aim\n"
                "  %-22s %-18s %8.3f %8.2f\n",
                "scheme", "master", "us", "x ping", "1-byte ping-pong", "",
                1e-3 * middle_limit(&row[COUNT - 1]), 1.0);
        print_rows(out, row, COUNT, 1e3, 1.3);
    }
    close_contests(c, COUNT);
}

static void compare_windows(FILE *out, struct launch_context *context)
{
    const struct comm *comm = &context->comm;
    struct contest c[] = {
        {.scheme = "ss", .window = "shared", .kernel = "null:size=1048576"},
        {.scheme = "tss:first=2000,last=1",
         .window = "shared",
         .kernel = "null:size=1048576000"},
        {.scheme = "ss", .window = "rma", .kernel = "null:size=100000"},
    };
    enum { COUNT = sizeof(c) / sizeof(c[0]) };
    struct row row[COUNT];
    struct window window;
    struct error err;
    for (int i = 0; i < COUNT; i++) {
        c[i].transport = "window";
        c[i].master = "computing";
    }
    if (open_contests(c, COUNT, context, out) != 0 ||
        window_open(&window, comm, true, sizeof(struct source_counter), &err) !=
            0)
        return;
    measure_rows(row, c, COUNT, context, &window);
    if (comm->rank == 0) {
        fprintf(out,
                "\nOne chunk of an empty loop from a window, 2 ranks asking\n"
                "  %-22s %-18s %8s %8s   aim\n"
                "  %-22s %-18s %8.1f %8.2f\n",
                "scheme", "window", "ns", "x bare", "bare fetch-and-add",
                "shared", middle_limit(&row[COUNT - 1]), 1.0);
        print_rows(out, row, COUNT, 1, 2);
    }
    window_close(&window);
    close_contests(c, COUNT);
}

/* Rank 0 has the whole loop at first, and rank 1 asks for half of it, and half
 * again: the wait of rank 1 for each question. */
static double time_questions(struct contest *c)
{
    struct run_result result;
    struct error err;
    if (run_repeat(c->run, &result, &err) != 0 || result.workers == NULL)
        return 0;
    const struct worker_result *thief = &result.workers[1];
    return thief->wait_s /
           (double)(thief->fact[STEAL_TAKEN] + thief->fact[STEAL_FAILED]);
}

static void compare_steals(FILE *out, struct launch_context *context)
{
    const struct comm *comm = &context->comm;
    struct contest c[] = {
        {.scheme = "ss", .kernel = "null:size=1048576"},
        {.scheme = "ss", .kernel = "null:size=1000000", .power = "1000000,1"},
    };
    enum { COUNT = sizeof(c) / sizeof(c[0]) };
    double limit[OVERHEAD_ROUNDS];
    for (int i = 0; i < COUNT; i++) {
        c[i].transport = "steal";
        c[i].master = "computing";
        c[i].window = "auto";
    }
    if (open_contests(c, COUNT, context, out) != 0)
        return;
    for (int r = 0; r < OVERHEAD_ROUNDS; r++) {
        c[0].value[r] = contest_time(&c[0]);
        c[1].value[r] = time_questions(&c[1]);
        limit[r] = ping_pong(comm);
        c[1].ratio[r] = c[1].value[r] / limit[r];
    }
    if (comm->rank == 0)
        fprintf(out,
                "\nWork stealing, 2 ranks\n"
                "  one chunk (ss) of the own range      %8.1f ns, both "
                "taking, a look for messages after each\n"
                "  asking the other for half of its own %8.3f us  x %.2f of "
                "a ping-pong\n",
                1e9 * stats_middle(c[0].value, OVERHEAD_ROUNDS),
                1e6 * stats_middle(c[1].value, OVERHEAD_ROUNDS),
                stats_middle(c[1].ratio, OVERHEAD_ROUNDS));
    close_contests(c, COUNT);
}

void overhead_ranks(FILE *out, struct launch_context *context)
{
    compare_masters(out, context);
    compare_windows(out, context);
    compare_steals(out, context);
    overhead_library_ranks(out, context);
}
