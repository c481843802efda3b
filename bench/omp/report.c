#include "bench/omp/report.h"

#include "bench/cli/table.h"
#include "bench/omp/lines.h"
#include "bench/omp/verdict.h"

#include <math.h>
#include <signal.h>
#include <string.h>

/* ---- the table ---- */

static const char *const heads[] = {
    "loop", "clause", "ran under", "threads", "visits", "iterations", "chunks",
    "time", "share",  "imbalance", "saves",   "chunk",  "cv",
};

enum { COLUMNS = sizeof(heads) / sizeof(heads[0]) };

static void add_seconds(struct table *table, double seconds)
{
    char text[32] = "-";
    if (isfinite(seconds))
        table_seconds(seconds, seconds, text, sizeof(text));
    table_add(table, "%s", text);
}

/* Visits side by side take more than the program together. */
static double part(double value, double seconds)
{
    return fmin(value / seconds, 1);
}

/* The number of a loop of which one thread's time alone is known says nothing
 * of the loop. */
static void add_unless(struct table *table, bool unknown, double percent)
{
    if (unknown)
        table_add(table, "-");
    else
        table_add(table, "%.1f %%", 100 * percent);
}

static void add_loop(struct table *table, const struct loops_loop *loop,
                     const char *name, double seconds)
{
    const struct counters_site *site = loop->site;
    bool unknown = !verdict_is_timed(site);
    char clause[64];
    table_add(table, "%s", name);
    table_add(table, "%s", lines_clause(site, clause));
    table_add(table, "%s", site->scheme[0] != '\0' ? site->scheme : "-");
    if (site->threads_max == 0)
        table_add(table, "-");
    else if (site->threads_min == site->threads_max)
        table_add(table, "%d", site->threads_max);
    else
        table_add(table, "%d-%d", site->threads_min, site->threads_max);
    table_add(table, "%lld", (long long)site->visits);
    for (int i = 0; i < 2; i++)
        if (unknown)
            table_add(table, "-");
        else
            table_add(table, "%lld",
                      (long long)(i == 0 ? site->iterations : site->chunks));
    add_seconds(table, unknown ? NAN : loop->seconds);
    add_unless(table, unknown, part(loop->seconds, seconds));
    add_unless(table, unknown || site->wall <= site->saved,
               site->saved / (site->wall - site->saved));
    add_unless(table, unknown || loop->shares, part(loop->saved_s, seconds));
    add_seconds(table, loop->chunk_s);
    table_number(table, loop->chunk_cv, 2);
}

/* One row for a line of the source, its instantiations below. */
static void add_line(struct table *table, const struct loops_process *process,
                     int first, double seconds)
{
    struct loops_loop sum;
    struct counters_site site;
    char name[LINES_NAME], row[100];
    int count = lines_sum(process, first, &sum, &site);
    lines_name(&sum, name);
    add_loop(table, &sum, name, seconds);
    for (int i = first; count > 1 && i < process->loops; i++) {
        const struct loops_loop *loop = &process->loop[i];
        if (i > first && !lines_same(loop, &process->loop[first]))
            continue;
        snprintf(row, sizeof(row), "  %.80s", loop->place.function);
        add_loop(table, loop, row, seconds);
    }
}

/* Of all loops, as parts of the program's time. */
struct sum {
    double share, gain;
    double fixed; /* of what is never changed or cannot be seen */
    bool unknown; /* there are loops of which the time is not known */
    bool shares;  /* or whose threads share cores */
};

static void print_sum(FILE *out, const struct sum *sum)
{
    bool all = sum->fixed < verdict_matters && !sum->unknown;
    fprintf(out, "  all loops: %s %.1f %% of the program",
            all && sum->gain < verdict_matters
                ? "scheduling is not the problem, at most"
                : "at most",
            100 * fmin(sum->gain, 1));
    if (sum->fixed >= verdict_matters)
        fprintf(out,
                ", without what is never changed or cannot be seen, up to "
                "%.1f %% of its time",
                100 * fmin(sum->fixed, 1));
    if (sum->unknown)
        fprintf(out, ", without loops of which the time is not known");
    fprintf(out, "\n");
    if (sum->share > 1)
        fprintf(out, "  loops ran inside or beside one another: their shares "
                     "do not add\n");
}

static void print_verdicts(FILE *out, const struct loops_process *process,
                           double seconds)
{
    char name[LINES_NAME], text[256];
    struct sum sum = {.fixed = process->regions_s / seconds};
    for (int i = 0; i < process->loops; i++) {
        struct loops_loop loop;
        struct counters_site site;
        if (lines_is_later(process, i))
            continue;
        lines_sum(process, i, &loop, &site);
        lines_name(&loop, name);
        fprintf(out, "  %s: %s\n", name,
                verdict_text(&loop, seconds, text, sizeof(text)));
        if (site.note[0] != '\0')
            fprintf(out, "    %s\n", site.note);
        sum.gain += verdict_gain(&loop, seconds);
        sum.share += loop.seconds / seconds;
        sum.shares = sum.shares || loop.shares;
        sum.unknown = sum.unknown || !verdict_is_timed(&site);
        if (!verdict_may_change(&site))
            sum.fixed += loop.seconds / seconds;
    }
    if (process->loops > 0 && !sum.shares)
        print_sum(out, &sum);
}

static void print_process(FILE *out, const struct loops_process *process,
                          double seconds)
{
    struct table table;
    const struct counters *counters = process->counters;
    table_open(&table, COLUMNS, 3);
    for (int i = 0; i < COLUMNS; i++)
        table_add(&table, "%s", heads[i]);
    for (int i = 0; i < process->loops; i++)
        if (!lines_is_later(process, i))
            add_line(&table, process, i, seconds);
    if (process->loops > 0)
        table_print(&table, out, 2);
    table_free(&table);
    print_verdicts(out, process, seconds);
    if (process->regions > 0)
        fprintf(out,
                "  %lld parallel regions without a loop that can be seen, "
                "%.1f %% of the time:\n    static loops of gcc are part of "
                "the program; compile them with schedule(runtime)\n",
                (long long)process->regions,
                100 * part(process->regions_s, seconds));
    if (counters->lost > 0)
        fprintf(out,
                "  no room for more than %d loops and parallel regions: %lld "
                "calls of further\n    ones ran as without a scheme and were "
                "not counted\n",
                COUNTERS_SITES, (long long)counters->lost);
}

static const char *end_of(const struct counters *counters,
                          const struct report_run *run)
{
    if (counters->last_ticks != 0)
        return "";
    return run->outlived && kill((pid_t)counters->pid, 0) == 0
               ? ", still running"
               : ", ended without a destructor";
}

void report_print(FILE *out, const struct loops *loops,
                  const struct report_run *run)
{
    cores_print(out, loops);
    for (int i = 0; i < loops->processes; i++) {
        const struct loops_process *process = &loops->process[i];
        const struct counters *counters = process->counters;
        fprintf(out, "dlsbench omp: %s: %.4g s", counters->command,
                run->seconds);
        if (counters->rank >= 0)
            fprintf(out, ", rank %lld", (long long)counters->rank);
        fprintf(out, ", process %lld, %s%s\n", (long long)counters->pid,
                counters->runtime, end_of(counters, run));
        print_process(out, process, run->seconds);
    }
}
