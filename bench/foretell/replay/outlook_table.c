#include "base/text.h"
#include "bench/foretell/replay/outlook.h"
#include "bench/options/table.h"
#include "dls/strategy.h"
#include "harness/process/need.h"
#include "harness/record/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A scheme at most so much longer than the best is also named. */
static const double NEAR = 0.01;
/* Above this a difference is more than rounding. */
static const double MUCH = 0.05;

/* For shorter iterations the clock's own time matters. */
static const double SHORT_S = 1e-6;

static void print_head(const struct outlook *outlook,
                       const struct outlook_loop *loop, FILE *out)
{
    char serial[32];
    int most = 0;
    table_said_seconds(loop->serial_s, loop->serial_s, serial, sizeof(serial));
    fprintf(out, "%s\n  replayed, not run: visits %d", loop->name,
            loop->visits);
    if (loop->all_visits > loop->visits)
        fprintf(out, " of %" PRId64, loop->all_visits);
    fprintf(out, ", iterations %" PRId64 ", %s on one worker", loop->iterations,
            serial);
    if (loop->threads > 0)
        fprintf(out, "; recorded with threads: %d", loop->threads);
    fprintf(out, "\n");
    for (int i = 0; i < outlook->numbers; i++)
        most = outlook->workers[i] > most ? outlook->workers[i] : most;
    if (most > loop->least)
        fprintf(out,
                "  note: iterations of a visit: %" PRId64 ", workers: %d; the "
                "rest of them get none\n",
                loop->least, most);
    if (loop->serial_s < SHORT_S * (double)loop->iterations)
        fprintf(out, "  note: iterations take less than 1 us, and a good part "
                     "of that may be the clock's\n");
    fprintf(out, "\n");
}

static void add_time(struct table *table, double time_s, double unit_s,
                     bool best)
{
    char text[32] = "-";
    if (!isnan(time_s))
        table_seconds(time_s, unit_s, text, sizeof(text));
    table_add(table, "%s%s", best ? "* " : "", text);
}

static void print_times(const struct outlook *outlook,
                        const struct outlook_loop *loop, FILE *out)
{
    struct table table;
    table_open(&table, outlook->numbers + 1, 1);
    table_add(&table, "workers");
    for (int i = 0; i < outlook->numbers; i++)
        table_add(&table, "%d", outlook->workers[i]);
    for (int s = 0; s < outlook->schemes; s++) {
        if (loop->why[s] != NULL)
            continue;
        table_add(&table, "%s", outlook->scheme[s]);
        for (int i = 0; i < outlook->numbers; i++)
            add_time(&table, loop->time_s[s][i], loop->bound_s[i],
                     s == outlook_best(outlook, loop, i));
    }
    if (loop->clause_scheme[0] != '\0') {
        table_add(&table, "as it is (%s)", loop->clause);
        for (int i = 0; i < outlook->numbers; i++)
            add_time(&table, loop->time_s[outlook->schemes][i],
                     loop->bound_s[i], false);
    }
    table_add(&table, "at least");
    for (int i = 0; i < outlook->numbers; i++)
        add_time(&table, loop->bound_s[i], loop->bound_s[i], false);
    table_print(&table, out, 2);
    table_free(&table);
    fprintf(out, "\n");
}

static void print_best(const struct outlook *outlook,
                       const struct outlook_loop *loop, int i, FILE *out)
{
    int best = outlook_best(outlook, loop, i), near = 0;
    if (best < 0)
        return;
    double time_s = loop->time_s[best][i];
    fprintf(out, "  %d: %s, %.4g times as fast as one worker",
            outlook->workers[i], outlook->scheme[best],
            loop->serial_s / time_s);
    for (int s = 0; s < outlook->schemes; s++)
        near += s != best && loop->time_s[s][i] <= (1 + NEAR) * time_s;
    if (near > 0)
        fprintf(out, "; within 1 %% of it: %d other%s", near, text_s(near));
    fprintf(out, "\n");
    double even_s = loop->serial_s / outlook->workers[i];
    if (loop->bound_s[i] <= (1 + MUCH) * even_s ||
        time_s > (1 + NEAR) * loop->bound_s[i])
        return;
    if (loop->others > MUCH)
        fprintf(out,
                "  %d: the longest iteration limits this replay, and may have "
                "been interrupted: its threads had no core for %.0f %% of the "
                "recording; record again on a quiet machine\n",
                outlook->workers[i], 100 * loop->others);
    else
        fprintf(out,
                "  %d: no schedule is faster, because the longest iteration "
                "of a visit takes so long by itself; even shares would take "
                "%s\n",
                outlook->workers[i],
                table_said_seconds(even_s, even_s, (char[32]){""}, 32));
}

/* A scheme is named where it gains more than the replay may err. */
static void print_winner(const struct outlook *outlook,
                         const struct outlook_loop *loop, int i, FILE *out)
{
    struct strategy strategy;
    struct error ignored;
    double error = outlook_error(loop);
    int winner = outlook_winner(outlook, loop, i);
    if (loop->clause_scheme[0] == '\0' || isnan(error))
        return;
    if (winner < 0) {
        fprintf(out,
                "  %d: no scheme gains more over the loop as it is (%s) than "
                "this replay may err: %.1f %%\n",
                outlook->workers[i], loop->clause, 100 * fmax(error, 0.01));
        return;
    }
    fprintf(out,
            "  %d: %s takes %.1f %% less than the loop as it is (%s), and this "
            "replay may err by %.1f %% or more; runs tell: --try %s%s",
            outlook->workers[i], outlook->scheme[winner],
            100 * outlook_gain(outlook, loop, winner, i), loop->clause,
            100 * error, outlook->scheme[winner],
            strstr(loop->clause, "(runtime)") != NULL ? ""
                                                      : " --loops dynamic");
    if (strategy_parse(outlook->scheme[winner], &strategy, &ignored) == 0 &&
        !strategy_keeps_order(&strategy))
        fprintf(out, ", and compare the answers with --check: it hands out "
                     "iterations in another order");
    fprintf(out, "\n");
}

static void print_loop(const struct outlook *outlook,
                       const struct outlook_loop *loop, FILE *out)
{
    print_head(outlook, loop, out);
    print_times(outlook, loop, out);
    for (int i = 0; i < outlook->numbers; i++)
        print_best(outlook, loop, i, out);
    if (loop->others >= 1)
        fprintf(out, "  its threads shared cores when it was recorded, so that "
                     "no scheme is proposed\n");
    for (int i = 0; i < outlook->numbers && loop->others < 1; i++)
        print_winner(outlook, loop, i, out);
    for (int s = 0; s < outlook->schemes; s++)
        if (loop->why[s] != NULL)
            fprintf(out, "  left out: %s\n", loop->why[s]);
    fprintf(out, "\n");
}

void outlook_print(const struct outlook *outlook, const char *source, FILE *out)
{
    for (int i = 0; i < outlook->loops; i++)
        print_loop(outlook, &outlook->loop[i], out);
    const struct replay_costs *costs = &outlook->costs;
    char own[32], shared[32];
    fprintf(out,
            "A chunk takes %s at its worker, and %s where one worker at a "
            "time\nis inside (%s%s).\n",
            table_said_seconds(costs->count_s, costs->count_s, own, 32),
            table_said_seconds(costs->counter_s, costs->counter_s, shared, 32),
            source[0] != '\0' ? "from " : "",
            source[0] != '\0' ? source
                              : "usual values, nothing was measured here: "
                                "dlsbench calibrate does");
    fputs("Left out: memory bandwidth and caches that more threads share, and "
          "memory on\nother sockets (an iteration takes what it took when it "
          "was recorded), the clock\nof busy cores, the begin and end of a "
          "parallel region, other load, and the\nprogram outside of these "
          "loops.  Schemes that learn see each visit as the first;\nthose by "
          "cost know the visit's own costs.  steal is not replayed.\n"
          "OpenMP's static is static here, dynamic,k is css:chunk=k (k = 1: "
          "ss), and guided\nis near gss.\n",
          out);
}

/* Writes outlook.json, the file of `omp --on`. */
static json_t *times_row(const struct outlook *outlook, const double *time_s)
{
    json_t *times = json_array();
    for (int i = 0; i < outlook->numbers; i++)
        json_array_append_new(times, record_real(time_s[i]));
    return times;
}

static json_t *loop_row(const struct outlook *outlook,
                        const struct outlook_loop *loop)
{
    json_t *schemes = json_array();
    char name[1024];
    for (int s = 0; s < outlook->schemes; s++)
        if (loop->why[s] == NULL)
            json_array_append_new(
                schemes,
                json_pack("{s:s,s:o}", "scheme", outlook->scheme[s], "time_s",
                          times_row(outlook, loop->time_s[s])));
    text_line(name, sizeof(name), loop->name);
    json_t *row = json_pack(
        "{s:s,s:i,s:i,s:I,s:o,s:o,s:o}", "name", name, "threads", loop->threads,
        "visits", loop->visits, "iterations", (json_int_t)loop->iterations,
        "serial_s", record_real(loop->serial_s), "bound_s",
        times_row(outlook, loop->bound_s), "schemes", schemes);
    if (loop->clause_scheme[0] != '\0')
        json_object_set_new(
            row, "own",
            json_pack("{s:s,s:o,s:o}", "schedule", loop->clause, "time_s",
                      times_row(outlook, loop->time_s[outlook->schemes]),
                      "error", record_real(outlook_error(loop))));
    return row;
}

int outlook_write_json(const struct outlook *outlook, const char *folder,
                       struct error *err)
{
    json_t *workers = json_array(), *loops = json_array();
    char *path = need_text("%s/outlook.json", folder);
    for (int i = 0; i < outlook->numbers; i++)
        json_array_append_new(workers, json_integer(outlook->workers[i]));
    for (int i = 0; i < outlook->loops; i++)
        json_array_append_new(loops, loop_row(outlook, &outlook->loop[i]));
    int code = record_whole(path,
                            json_pack("{s:i,s:o,s:o}", "schema", RECORD_SCHEMA,
                                      "workers", workers, "loops", loops),
                            err);
    free(path);
    return code;
}
