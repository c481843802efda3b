#include "bench/foretell/replay/replay_table.h"

#include "base/text.h"
#include "bench/options/table.h"
#include "harness/check/scheme_kind.h"
#include "harness/engine/engine.h"
#include "harness/process/need.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double replay_table_clock(void)
{
    return engine_now();
}

void replay_table_open(struct replay_table *table, const struct cell *cell,
                       const struct replay_costs *costs,
                       const struct replay_loop *loop)
{
    table->cell = cell;
    table->costs = costs;
    table->serial_s = loop->before[loop->iterations];
    table->iterations = loop->iterations;
}

void replay_table_close(struct replay_table *table)
{
    for (int i = 0; i < table->count; i++)
        free(table->line[i].scheme);
    free(table->line);
}

void replay_table_add(struct replay_table *table, const char *scheme,
                      const struct replay_result *result, double took_s)
{
    struct replay_line line = {.scheme = need_copy(scheme),
                               .chunks = result->chunks,
                               .messages = result->messages,
                               .time_s = result->time_s,
                               .took_s = took_s};
    for (int w = 0; w < result->workers; w++) {
        line.compute_mean_s += result->worker[w].compute_s / result->workers;
        line.finish_mean_s += result->worker[w].finish_s / result->workers;
    }
    need_room(&table->line, &table->room, table->count + 1,
              sizeof(*table->line));
    table->line[table->count++] = line;
}

static const char *said(double seconds, char text[24])
{
    table_said_seconds(seconds, seconds, text, 24);
    return seconds > 0 ? text : "0";
}

static void print_head(const struct replay_table *t)
{
    const struct replay_costs *c = t->costs;
    char text[7][24];
    printf("%s\n  replayed, not run: %" PRId64 " iteration%s, %.6g s on one "
           "worker; %" PRId64 " worker%s, hierarchy %s\n",
           t->cell->kernel, t->iterations, text_s((double)t->iterations),
           t->serial_s, t->workers, text_s((double)t->workers),
           t->cell->hierarchy);
    printf("  costs  count %s, counter %s, state %s, request %s, latency %s "
           "(in a node %s), byte %s\n",
           said(c->count_s, text[0]), said(c->counter_s, text[1]),
           said(c->state_s, text[2]), said(c->request_s, text[3]),
           said(c->latency_s, text[4]), said(c->near_s, text[5]),
           said(c->byte_s, text[6]));
    if (!t->given)
        printf("         %s%s\n",
               t->source[0] ? "those not given from "
                            : "those not given are usual",
               t->source[0] ? t->source : "; nothing was measured here");
    putchar('\n');
}

/* The lines' schemes for which `is` holds, and what that means for them. */
static void print_note(const struct replay_table *t,
                       bool (*is)(const char *scheme), const char *note)
{
    int found = 0;
    for (int i = 0; i < t->count; i++)
        if (is(t->line[i].scheme))
            printf("%s%s", found++ == 0 ? "\n  " : ", ", t->line[i].scheme);
    if (found > 0)
        printf(":\n    %s\n", note);
}

static bool keeps(const char *text)
{
    struct scheme scheme;
    return scheme_parse(text, &scheme, NULL) == 0 && scheme_keeps(&scheme);
}

/* Few measured iterations decide on large chunks: docs/evidence/replay.md. */
static bool depends_on_ties(const char *text)
{
    static const char *const names[] = {"aid-static", "aid-hybrid", "timed",
                                        "af"};
    size_t length = strcspn(text, ":/");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == length && strncmp(text, names[i], length) == 0)
            return true;
    return false;
}

static int best_of(const struct replay_table *t)
{
    int best = 0;
    for (int i = 1; i < t->count; i++)
        if (t->line[i].time_s < t->line[best].time_s)
            best = i;
    return best;
}

/* idle: the part of the workers' time in which they do not compute. */
static void add_line(struct table *rows, const struct replay_table *t, int i,
                     bool text)
{
    const struct replay_line *line = &t->line[i];
    double workers = (double)t->workers, time_s = line->time_s;
    char time[32];
    table_seconds(time_s, t->line[best_of(t)].time_s, time, sizeof(time));
    if (text)
        table_add(table_under(rows, ""), "%s", i == best_of(t) ? "*" : "");
    table_add(table_under(rows, "scheme"), "%s", line->scheme);
    table_add(table_under(rows, "chunks"), "%" PRId64, line->chunks);
    if (text)
        table_add(table_under(rows, "time"), "%s", time);
    else
        table_number(table_under(rows, "time_s"), time_s, 12);
    table_number(table_under(rows, "speedup"), t->serial_s / time_s, 4);
    table_number(table_under(rows, "efficiency"),
                 t->serial_s / time_s / workers, 4);
    table_number(table_under(rows, "idle"), 1 - line->compute_mean_s / time_s,
                 3);
    table_number(table_under(rows, "imbalance"),
                 time_s / line->finish_mean_s - 1, 3);
    table_add(table_under(rows, "messages"), "%" PRId64, line->messages);
    if (!text)
        table_number(table_under(rows, "took_s"), line->took_s, 6);
}

void replay_table_print(const struct replay_table *t, enum table_format format)
{
    bool text = format == TABLE_TEXT;
    struct table rows;
    table_open(&rows, 0, text ? 2 : 1);
    for (int i = 0; i < t->count; i++)
        add_line(&rows, t, i, text);
    if (text) {
        print_head(t);
        table_print(&rows, stdout, 2);
        print_note(t, keeps,
                   "learn from one execution of the loop to the next; this is "
                   "the first");
        print_note(t, depends_on_ties,
                   "chunks by a few measured iterations: one possible outcome");
    } else {
        table_write(&rows, format, stdout);
    }
    table_free(&rows);
}
