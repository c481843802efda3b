/* The report for programs: a row for the whole, each loop and each part. */
#include "bench/programs/seen/seen_report.h"
#include "bench/programs/seen/source_lines.h"
#include "bench/programs/seen/verdict.h"
#include "harness/program/need.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first TEXTS columns are texts. */
static const char *const heads[] = {
    "row",     "name",   "clause",  "ran_under", "verdict",
    "process", "rank",   "threads", "visits",    "iterations",
    "chunks",  "time_s", "cpu_s",   "share",     "imbalance",
    "saves",   "locks",  "idle",    "chunk_s",   "chunk_cv",
};

enum { COLUMNS = sizeof(heads) / sizeof(heads[0]), TEXTS = 5 };

/* One row; NAN and numbers below 0 are not known. */
struct row {
    const char *kind, *name, *clause, *scheme, *verdict;
    double value[COLUMNS - TEXTS]; /* in the order of the heads */
};

static void add_row(struct table *table, const struct row *row)
{
    const char *const text[TEXTS] = {row->kind, row->name, row->clause,
                                     row->scheme, row->verdict};
    for (int i = 0; i < TEXTS; i++)
        table_add(table, "%s", text[i]);
    for (int i = 0; i < COLUMNS - TEXTS; i++)
        if (row->value[i] >= 0)
            table_add(table, "%.15g", row->value[i]);
        else
            table_add(table, "-");
}

static void add_site(struct table *table, const struct loops_process *process,
                     const struct loops_loop *loop, struct row *row,
                     const struct report_numbers *n)
{
    const struct counters_site *site = loop->site;
    char name[LINES_NAME];
    lines_name(loop, name);
    row->name = name;
    const double value[COLUMNS - TEXTS] = {
        (double)process->counters->pid,
        (double)process->counters->rank,
        site->threads_max > 0 ? site->threads_max : NAN,
        (double)site->visits,
        n->iterations,
        n->chunks,
        n->time_s,
        NAN,
        n->share,
        n->imbalance,
        n->saves,
        n->locks,
        n->idle,
        loop->chunk_s,
        loop->chunk_cv};
    memcpy(row->value, value, sizeof(value));
    add_row(table, row);
}

static void add_loop(struct table *table, const struct loops_process *process,
                     int first, double seconds)
{
    struct loops_loop loop;
    struct counters_site site;
    char clause[64], text[320];
    lines_sum(process, first, &loop, &site);
    const struct report_numbers n = report_loop_numbers(&loop, seconds);
    struct row row = {.kind = "loop",
                      .clause = lines_clause(&site, clause),
                      .scheme = site.scheme,
                      .verdict =
                          verdict_text(&loop, seconds, text, sizeof(text))};
    add_site(table, process, &loop, &row, &n);
}

static void add_part(struct table *table, const struct loops_process *process,
                     const struct loops_loop *part, double seconds)
{
    char what[120], text[320];
    const struct report_numbers n = report_part_numbers(part, seconds);
    struct row row = {.kind = "part",
                      .clause = lines_kinds(part->site, what),
                      .scheme = "",
                      .verdict =
                          verdict_part(part, seconds, text, sizeof(text))};
    add_site(table, process, part, &row, &n);
}

/* The answer and the command below it in one line. */
static char *one_line(const char *answer)
{
    char *line =
        need_copy(answer != NULL ? answer : "no OpenMP loop was measured");
    size_t length = strlen(line);
    if (length > 0 && line[length - 1] == '\n')
        line[length - 1] = '\0';
    for (char *c = line; (c = strchr(c, '\n')) != NULL;)
        *c = ':';
    return line;
}

void report_write_rows(FILE *out, enum table_format format,
                       const struct loops *loops, const struct report_run *run,
                       const char *answer)
{
    struct table table;
    table_open(&table, COLUMNS, TEXTS);
    for (int i = 0; i < COLUMNS; i++)
        table_add(&table, "%s", heads[i]);
    char *line = one_line(answer);
    struct row whole = {"program", run->program[0], "", "", line, {0}};
    for (int i = 0; i < COLUMNS - TEXTS; i++)
        whole.value[i] = NAN;
    whole.value[6] = run->seconds;
    whole.value[7] = run->cpu_s;
    add_row(&table, &whole);
    free(line);
    for (int i = 0; i < loops->processes; i++) {
        const struct loops_process *process = &loops->process[i];
        for (int k = 0; k < process->loops; k++)
            if (!lines_is_later(process, k))
                add_loop(&table, process, k, run->seconds);
        for (int k = 0; k < process->parts; k++)
            add_part(&table, process, &process->part[k], run->seconds);
    }
    table_write(&table, format, out);
    table_free(&table);
}
