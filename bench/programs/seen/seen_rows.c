/* The report for programs: a row for the whole, each loop and each part. */
#include "bench/programs/seen/seen_report.h"
#include "bench/programs/seen/seen_verdict.h"
#include "bench/programs/seen/source_lines.h"
#include "harness/process/need.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 5 };

/* The first columns of a row. */
struct row {
    const char *kind, *name, *clause, *scheme, *verdict;
};

/* Adds a row; without a process it is the whole program's.  NAN and numbers
 * below 0 are unknown. */
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
        {"mutexes", n->mutexes},
        {"idle", n->idle},
        {"chunk_s", loop->chunk_s},
        {"chunk_cv", loop->chunk_cv}};
    for (int i = 0; i < TEXTS; i++)
        table_add(table_under(table, text[i][0]), "%s", text[i][1]);
    for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
        table_value(table, number[i].head,
                    number[i].value >= 0 ? number[i].value : NAN, 15);
}

struct rows {
    struct table table;
    double seconds;
};

static void add_either(void *arg, const struct loops_process *process,
                       const struct loops_loop *of, bool is_loop)
{
    struct rows *rows = arg;
    char name[LINES_NAME], what[120], text[320];
    lines_name(of, name);
    const struct report_numbers n =
        is_loop ? report_loop_numbers(of, rows->seconds)
                : report_part_numbers(of, rows->seconds);
    const struct row row = {
        is_loop ? "loop" : "part", name,
        is_loop ? lines_clause(of->site, what) : lines_kinds(of->site, what),
        is_loop ? lines_scheme(of->site) : "",
        (is_loop ? verdict_text : verdict_part)(of, rows->seconds, text,
                                                sizeof(text))};
    add_row(&rows->table, &row, process, of, &n, NAN);
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
    struct rows rows = {.seconds = run->seconds};
    table_open(&rows.table, 0, TEXTS);
    char *line = one_line(answer);
    const struct row whole = {"program", run->program[0], "", "", line};
    const struct loops_loop none = {.chunk_s = NAN, .chunk_cv = NAN};
    const struct report_numbers all = {.iterations = NAN,
                                       .chunks = NAN,
                                       .time_s = run->seconds,
                                       .share = NAN,
                                       .imbalance = NAN,
                                       .saves = NAN,
                                       .mutexes = NAN,
                                       .idle = NAN};
    add_row(&rows.table, &whole, NULL, &none, &all, run->cpu_s);
    free(line);
    lines_each(loops, add_either, &rows);
    table_write(&rows.table, format, out);
    table_free(&rows.table);
}
