/* The cost that counting adds to a loop and to a chunk: the same runs with
 * other events, in turns. */
#include "bench/overhead/overhead.h"
#include "bench/overhead/rounds/states.h"

#include <stdlib.h>
#include <string.h>

/* Chunks of a loop; a chunk that is waited for takes a thousand times as long.
 */
enum { FEW = 2, MANY = 1 << 15, MANY_ASKED = 1 << 12 };

/* By PAPI where its name is there, else by the kernel alone. */
static const struct {
    const char *words, *events;
} lists[] = {
    {"none", "none"},
    {"default", "default"},
    {"cycles of the kernel", "cycles:u"},
    {"four of the kernel",
     "cycles:u,instructions:u,cache-misses:u,branch-misses:u"},
    {"PAPI's page faults", "perf::PAGE-FAULTS"},
    {"four by PAPI", "perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES,"
                     "perf::CPU-MIGRATIONS,perf::TASK-CLOCK"},
};

enum { LISTS = sizeof(lists) / sizeof(lists[0]) };

struct row {
    struct counters_list events;
    double loop[OVERHEAD_ROUNDS], chunk[OVERHEAD_ROUNDS];
    double reading_s;
    int asked, counted;
    bool known;                  /* this build has such events */
    const char *reading;         /* of the kernel's events */
    char why[COUNTERS_WHY_SIZE]; /* of the first that is not counted */
};

static void open_thread(int thread, void *arg)
{
    counters_thread_open(arg, thread);
}

static void close_thread(int thread, void *arg)
{
    counters_thread_close(arg, thread);
}

/* Seconds of one loop of this number of chunks, or -1. */
static double time_loop(struct launch_context *context, int chunks,
                        struct error *err)
{
    const struct comm *comm = &context->comm;
    struct run_result result = {.time_s = -1};
    struct loop loop;
    struct run *run;
    struct setup setup;
    struct cell cell;
    char size[32];
    cell_defaults(&cell);
    cell.ranks = comm->ranks;
    cell.threads = context->threads;
    snprintf(size, sizeof(size), "null:size=%d", chunks);
    int code = cell_set(&cell, "kernel", size, err);
    if (code == 0)
        code = cell_set(&cell, "scheme", "ss", err);
    if (code == 0)
        code = cell_set(&cell, "master",
                        comm->ranks > 1 ? "dedicated" : "computing", err);
    if (code == 0)
        code = setup_open(&setup, &cell, err);
    if (code != 0)
        return -1;
    code = loop_open(&loop, setup.kernel, &setup.kernel_spec, false, comm, 60,
                     1, err);
    if (code != 0) {
        setup_close(&setup);
        return -1;
    }
    if (run_open(&run, &setup, &loop, context, false, err) == 0) {
        for (int i = 0; i < 2 && code == 0; i++) /* the first warms up */
            code = run_repeat(run, &result, err);
        run_close(run);
    }
    loop_close(&loop);
    setup_close(&setup);
    return code == 0 ? result.time_s : -1;
}

static void say_counted(struct row *row, struct counters *counters)
{
    double facts_s;
    row->asked = row->counted = 0;
    if (counters == NULL)
        return;
    row->asked = counters_asked(counters)->count;
    for (int i = row->asked; i-- > 0;) {
        const char *why = counters_why(counters, i);
        row->counted += why == NULL;
        if (why != NULL)
            snprintf(row->why, sizeof(row->why), "%s", why);
    }
    row->reading = counters_reading(counters);
    counters_cost(counters, 0, &row->reading_s, &facts_s);
}

/* All rows, in turns. */
struct table {
    struct launch_context *context;
    struct row row[LISTS];
    double handover_ns[OVERHEAD_ROUNDS];
    int code; /* of the first that failed */
    struct error err;
};

/* One turn: the counters are opened for it, as a thread counts one set of
 * events at a time. */
static int time_row(struct launch_context *shared, struct row *row, int round,
                    struct error *err)
{
    struct launch_context context = *shared;
    int code =
        counters_open(&context.counters, &row->events, context.threads, err);
    code = comm_agree(&context.comm, code, err);
    if (code != 0)
        return code;
    if (context.counters != NULL) {
        context.events = *counters_asked(context.counters);
        engine_team_run(context.team, open_thread, context.counters);
    }
    say_counted(row, context.counters);
    row->loop[round] = time_loop(&context, FEW, err);
    int many = context.comm.ranks > 1 ? MANY_ASKED : MANY;
    row->chunk[round] = time_loop(&context, many, err) / many;
    if (context.counters != NULL)
        engine_team_run(context.team, close_thread, context.counters);
    counters_close(context.counters);
    return 0;
}

static void time_round(void *arg, int round)
{
    struct table *table = arg;
    for (int i = 0; i < LISTS && table->code == 0; i++)
        if (table->row[i].known)
            table->code =
                time_row(table->context, &table->row[i], round, &table->err);
}

static void print_row(FILE *out, const char *list, const struct row *row,
                      const struct row *none, const struct state *state)
{
    char words[32];
    snprintf(words, sizeof(words), "%d of %d", row->counted, row->asked);
    fprintf(
        out, "  %-24.24s %-7s %8.2f %9.2f %+8.2f %11.1f %+9.1f%s%s%s%.60s\n",
        list, words, 1e6 * row->reading_s, 1e6 * state_middle(state, row->loop),
        1e6 * state_more(state, row->loop, none->loop),
        1e9 * state_middle(state, row->chunk),
        1e9 * state_more(state, row->chunk, none->chunk),
        row->reading != NULL ? "   by " : "",
        row->reading != NULL ? row->reading : "", row->why[0] ? "   not: " : "",
        row->why);
}

static void print_table(FILE *out, const struct table *table)
{
    const struct launch_context *context = table->context;
    struct state state[STATES_MAX];
    int states = state_split(table->handover_ns, OVERHEAD_ROUNDS, state);
    fprintf(out,
            "\nWhat counting costs, ss, %d ranks x %d threads%s\n"
            "  events                   counted  reading    a loop        +"
            "     a chunk         +\n"
            "                                         us        us       us"
            "          ns        ns\n",
            context->comm.ranks, context->threads,
            context->comm.ranks > 1 ? ", a dedicated master" : "");
    for (int s = 0; s < states; s++) {
        state_print(out, &state[s]);
        fprintf(out, "\n");
        for (int i = 0; i < LISTS; i++)
            if (table->row[i].known)
                print_row(out, lists[i].words, &table->row[i], &table->row[0],
                          &state[s]);
    }
}

void overhead_counting(FILE *out, struct launch_context *context)
{
    struct table *table = calloc(1, sizeof(*table));
    if (table == NULL)
        return;
    table->context = context;
    for (int i = 0; i < LISTS; i++)
        table->row[i].known =
            counters_parse(lists[i].events, &table->row[i].events,
                           &table->err) == 0;
    for (int r = 0; r < OVERHEAD_ROUNDS && table->code == 0; r++)
        table->handover_ns[r] = state_time_round(context, time_round, table, r);
    if (table->code != 0)
        fprintf(out, "counting: %s\n", table->err.text);
    else if (context->comm.rank == 0)
        print_table(out, table);
    free(table);
}
