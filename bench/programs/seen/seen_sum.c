/* Sums before printing: loops of several processes, such as a script that runs
 * a program seven times, and calls of one lock.  Also prints static loops that
 * are not cut. */
#include "base/text.h"
#include "bench/options/command.h"
#include "bench/programs/seen/seen_report.h"
#include "bench/programs/seen/seen_verdict.h"
#include "bench/programs/seen/source_lines.h"
#include "harness/process/need.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of one name. */
struct sum {
    char name[LINES_NAME], what[120];
    int processes, last; /* the last one that was counted */
    int64_t visits;
    double seconds, saved_s;
};

struct sums {
    struct sum *sum;
    int count;
    int64_t room;
};

static struct sum *find_sum(struct sums *sums, const char *name,
                            const char *what)
{
    for (int i = 0; i < sums->count; i++)
        if (text_is(sums->sum[i].name, name) &&
            text_is(sums->sum[i].what, what))
            return &sums->sum[i];
    need_room(&sums->sum, &sums->room, sums->count + 1, sizeof(*sums->sum));
    struct sum *made = &sums->sum[sums->count++];
    *made = (struct sum){.last = -1};
    snprintf(made->name, sizeof(made->name), "%s", name);
    snprintf(made->what, sizeof(made->what), "%s", what);
    return made;
}

static void add_row(struct sums *sums, int process,
                    const struct loops_loop *row, double saved_s)
{
    char name[LINES_NAME], what[120];
    lines_name(row, name);
    if (counters_is_loop(row->site->clause))
        lines_clause(row->site, what);
    else
        lines_kinds(row->site, what);
    struct sum *sum = find_sum(sums, name, what);
    sum->processes += sum->last != process;
    sum->last = process;
    sum->visits += row->site->visits;
    sum->seconds += row->seconds;
    sum->saved_s += isnan(saved_s) ? 0 : saved_s;
}

static int by_time(const void *a, const void *b)
{
    double x = ((const struct sum *)a)->seconds,
           y = ((const struct sum *)b)->seconds;
    return (x < y) - (x > y);
}

static void print_sums(FILE *out, const struct sums *sums, double seconds)
{
    struct table table;
    table_open(&table, 0, 2);
    for (int i = 0; i < sums->count; i++) {
        const struct sum *sum = &sums->sum[i];
        char time[32];
        if (sum->seconds < verdict_matters * seconds)
            continue;
        table_seconds(sum->seconds, sum->seconds, time, sizeof(time));
        table_add(table_under(&table, "all processes"), "%s", sum->name);
        table_add(table_under(&table, "what"), "%s", sum->what);
        table_add(table_under(&table, "in"), "%d", sum->processes);
        table_add(table_under(&table, "visits"), "%lld",
                  (long long)sum->visits);
        table_add(table_under(&table, "time"), "%s", time);
        table_add(table_under(&table, "share"), "%.1f %%",
                  100 * fmin(sum->seconds / seconds, 1));
        table_add(table_under(&table, "saves"),
                  sum->saved_s > 0 ? "%.1f %%" : "-",
                  100 * fmin(sum->saved_s / seconds, 1));
    }
    table_print(&table, out, 2);
    table_free(&table);
}

void report_sum(FILE *out, const struct loops *loops, double seconds,
                double all)
{
    struct sums sums = {NULL, 0, 0};
    for (int i = 0; i < loops->processes; i++) {
        const struct loops_process *process = &loops->process[i];
        for (int k = 0; k < process->loops; k++)
            add_row(&sums, i, &process->loop[k],
                    seconds *
                        report_loop_numbers(&process->loop[k], seconds).saves);
        for (int k = 0; k < process->parts; k++)
            add_row(&sums, i, &process->part[k],
                    seconds *
                        report_part_numbers(&process->part[k], seconds).saves);
    }
    if (sums.count > 0)
        qsort(sums.sum, (size_t)sums.count, sizeof(*sums.sum), by_time);
    if (sums.count > 0 && sums.sum[0].seconds >= verdict_matters * all)
        print_sums(out, &sums, all);
    free(sums.sum);
}

/* ---- static loops that are left alone ---- */

/* The class is the first letter of the note, the word the third and on. */
void report_left(FILE *out, const struct loops_process *process)
{
    char name[LINES_NAME];
    for (int i = 0; i < process->lefts; i++) {
        const char *note = process->left[i].site->note;
        lines_name(&process->left[i], name);
        fprintf(out, "  left as it is: %s: %s: %s%s", name, note + 2,
                tables_reason(note + 2),
                note[0] == 'C' ? "; only its output can tell: --same-output, "
                                 "or --try with --check"
                               : "");
        if (strcmp(note + 2, TABLES_CRITICAL) == 0) {
            const struct loops_loop *loop = &process->left[i];
            char region[TABLES_NAME];
            tables_name(&loop->place, loop->module, loop->site->at.offset,
                        region);
            fputs("; if its critical section adds up sums and counts no "
                  "threads, cut it by: --critical",
                  out);
            command_print_word(out, region);
            fputs(" --same-output", out);
        }
        fputc('\n', out);
    }
}

/* ---- locks ---- */

/* The calls of one name, which the compiler may have copied; false: those were
 * in an earlier row. */
static bool sum_locks(const struct loops_process *process, int first,
                      char name[LINES_NAME], double *seconds, long long *calls)
{
    char other[LINES_NAME];
    lines_name(&process->lock[first], name);
    *seconds = 0;
    *calls = 0;
    for (int i = 0; i < process->locks; i++) {
        lines_name(&process->lock[i], other);
        if (strcmp(name, other) != 0)
            continue;
        if (i < first)
            return false;
        *seconds += process->lock[i].locks_s;
        *calls += (long long)process->lock[i].site->locks.calls;
    }
    return true;
}

void report_locks(FILE *out, const struct loops_process *process, double here_s)
{
    char name[LINES_NAME];
    double seconds;
    long long calls;
    for (int i = 0; i < process->locks; i++)
        if (sum_locks(process, i, name, &seconds, &calls) &&
            seconds >= 0.01 * here_s)
            fprintf(out,
                    "  mutex at %s: %lld calls, %.1f %% of the threads' "
                    "time\n",
                    name, calls, 100 * fmin(seconds / here_s, 1));
}
