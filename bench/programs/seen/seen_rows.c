/* The report for programs: a row for the whole, each loop and each part. */
#include "bench/programs/seen/seen_report.h"
#include "bench/programs/seen/source_lines.h"
#include "bench/programs/seen/verdict.h"
#include "harness/program/need.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 5 };

/* The first columns of a row. */
struct row {
    const char *kind, *name, *clause, *scheme, *verdict;
};

/* A site of no process: the row of the whole.  NAN and numbers below 0 are not
 * known. */
static void add_row(struct table *table, const struct row *row,
                    const struct loops_process *process,
                    const struct loops_loop *loop,
                    const struct report_numbers *n, double cpu_s)
{
    const struct counters_site *site = loop->site;
    const char *const text[TEXTS][2] = {{"row", row->kind},
                                        {"name", row->name},
                                        {"clause", row->clause},
                                        {"ran_under", row->scheme},
                                        {"verdict", row->verdict}};
    const struct {
        const char *head;
        double value;
    } number[] = {
        {"process", process != NULL ? (double)process->counters->pid : NAN},
        {"rank", process != NULL ? (double)process->counters->rank : NAN},
        {"threads",
         site != NULL && site->threads_max > 0 ? site->threads_max : NAN},
        {"visits", site != NULL ? (double)site->visits : NAN},
        {"iterations", n->iterations},
        {"chunks", n->chunks},
        {"time_s", n->time_s},
        {"cpu_s", cpu_s},
        {"share", n->share},
        {"imbalance", n->imbalance},
        {"saves", n->saves},
        {"locks", n->locks},
        {"idle", n->idle},
        {"chunk_s", loop->chunk_s},
        {"chunk_cv", loop->chunk_cv}};
    for (int i = 0; i < TEXTS; i++)
        table_add(table_under(table, text[i][0]), "%s", text[i][1]);
    for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
        table_value(table, number[i].head,
                    number[i].value >= 0 ? number[i].value : NAN, 15);
}

static void add_loop(struct table *table, const struct loops_process *process,
                     int first, double seconds)
{
    struct loops_loop loop;
    struct counters_site site;
    char name[LINES_NAME], clause[64], text[320];
    lines_sum(process, first, &loop, &site);
    lines_name(&loop, name);
    const struct report_numbers n = report_loop_numbers(&loop, seconds);
    const struct row row = {"loop", name, lines_clause(&site, clause),
                            lines_scheme(&site),
                            verdict_text(&loop, seconds, text, sizeof(text))};
    add_row(table, &row, process, &loop, &n, NAN);
}

static void add_part(struct table *table, const struct loops_process *process,
                     const struct loops_loop *part, double seconds)
{
    char name[LINES_NAME], what[120], text[320];
    lines_name(part, name);
    const struct report_numbers n = report_part_numbers(part, seconds);
    const struct row row = {"part", name, lines_kinds(part->site, what), "",
                            verdict_part(part, seconds, text, sizeof(text))};
    add_row(table, &row, process, part, &n, NAN);
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
    table_open(&table, 0, TEXTS);
    char *line = one_line(answer);
    const struct row whole = {"program", run->program[0], "", "", line};
    const struct loops_loop none = {.chunk_s = NAN, .chunk_cv = NAN};
    const struct report_numbers all = {.iterations = NAN,
                                       .chunks = NAN,
                                       .time_s = run->seconds,
                                       .share = NAN,
                                       .imbalance = NAN,
                                       .saves = NAN,
                                       .locks = NAN,
                                       .idle = NAN};
    add_row(&table, &whole, NULL, &none, &all, run->cpu_s);
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
