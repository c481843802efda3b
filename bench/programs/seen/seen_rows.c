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

/* A part of the program's time, at most all of it. */
static double share_of(double value, double seconds)
{
    return fmin(value / seconds, 1);
}

static void add_loop(struct table *table, const struct loops_process *process,
                     int first, double seconds)
{
    struct loops_loop loop;
    struct counters_site site;
    char name[LINES_NAME], clause[64], text[320];
    lines_sum(process, first, &loop, &site);
    lines_name(&loop, name);
    bool timed = verdict_is_timed(&site);
    bool silent = !timed && loop.open_s <= 0;
    bool blocks = site.clause == CLAUSE_BLOCKS;
    const struct row row = {
        "loop",
        name,
        lines_clause(&site, clause),
        site.scheme,
        verdict_text(&loop, seconds, text, sizeof(text)),
        {(double)process->counters->pid, (double)process->counters->rank,
         site.threads_max > 0 ? site.threads_max : NAN, (double)site.visits,
         timed && !blocks ? (double)site.iterations : NAN,
         timed ? (double)site.chunks : NAN, silent ? NAN : loop.seconds, NAN,
         silent ? NAN : share_of(loop.seconds, seconds),
         timed && site.wall > site.saved ? site.saved / (site.wall - site.saved)
                                         : NAN,
         timed && !loop.shares ? share_of(loop.saved_s, seconds) : NAN,
         timed ? verdict_locked(&loop) : NAN, NAN, loop.chunk_s,
         loop.chunk_cv}};
    add_row(table, &row);
}

static void add_part(struct table *table, const struct loops_process *process,
                     const struct loops_loop *part, double seconds)
{
    const struct counters_site *site = part->site;
    char name[LINES_NAME], what[120], text[320];
    bool open = part->open_s > 0 && site->visits == 0;
    double gain = verdict_part_gain(part, seconds);
    lines_name(part, name);
    const struct row row = {
        "part",
        name,
        verdict_kinds(site, what),
        "",
        verdict_part(part, seconds, text, sizeof(text)),
        {(double)process->counters->pid, (double)process->counters->rank,
         site->threads_max > 0 ? site->threads_max : NAN, (double)site->visits,
         NAN, NAN, part->seconds, NAN, share_of(part->seconds, seconds),
         open || site->units.count > 0 || part->busy_s <= 0
             ? NAN
             : part->saved_s * site->threads_max / part->busy_s,
         open || gain <= 0 ? NAN : gain, open ? NAN : verdict_locked(part),
         open ? NAN : verdict_idle(part), NAN, NAN}};
    add_row(table, &row);
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
