/* Prints the report for people: tables, a sentence for each row, and the
 * answer.  seen_rows.c has the same numbers for programs. */
#include "bench/programs/seen/seen_report.h"

#include "base/text.h"
#include "bench/options/table.h"
#include "bench/programs/seen/seen_verdict.h"
#include "bench/programs/seen/source_lines.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* ---- the table ---- */

static void add_seconds(struct table *table, double seconds)
{
    char text[32] = "-";
    if (isfinite(seconds))
        table_seconds(seconds, seconds, text, sizeof(text));
    table_add(table, "%s", text);
}

/* Visits side by side take more than the program together. */
static double share_of(double value, double seconds)
{
    return fmin(value / seconds, 1);
}

/* If only one thread was measured, its time says nothing about the loop. */
struct report_numbers report_loop_numbers(const struct loops_loop *loop,
                                          double seconds)
{
    const struct counters_site *site = loop->site;
    bool timed = verdict_is_timed(site), seen = timed || loop->open_s > 0;
    bool counted = timed && site->clause != CLAUSE_BLOCKS;
    bool balanced = timed && site->wall > site->saved;
    return (struct report_numbers){
        .iterations = counted ? (double)site->iterations : NAN,
        .chunks = timed ? (double)site->chunks : NAN,
        .time_s = seen ? loop->seconds : NAN,
        .share = seen ? share_of(loop->seconds, seconds) : NAN,
        .imbalance = balanced ? site->saved / (site->wall - site->saved) : NAN,
        .saves =
            timed && !loop->shares ? share_of(loop->saved_s, seconds) : NAN,
        .mutexes = timed ? verdict_locked(loop) : NAN,
        .idle = NAN};
}

struct report_numbers report_part_numbers(const struct loops_loop *loop,
                                          double seconds)
{
    const struct counters_site *site = loop->site;
    bool open = loop->open_s > 0 && site->visits == 0;
    bool balanced = !open && site->units.count == 0 && loop->busy_s > 0;
    bool judged = !open && !loop->shares && verdict_is_static(site);
    return (struct report_numbers){
        .iterations = NAN,
        .chunks = NAN,
        .time_s = loop->seconds,
        .share = share_of(loop->seconds, seconds),
        .imbalance =
            balanced ? loop->saved_s * site->threads_max / loop->busy_s : NAN,
        .saves = judged ? share_of(loop->saved_s, seconds) : NAN,
        .mutexes = open ? NAN : verdict_locked(loop),
        .idle = open ? NAN : verdict_idle(loop)};
}

static void add_count(struct table *table, double count)
{
    table_add(table, isnan(count) ? "-" : "%.0f", count);
}

static void add_percent(struct table *table, double share)
{
    table_add(table, isnan(share) ? "-" : "%.1f %%", 100 * share);
}

/* The columns that tables of loops and parts share. */
static void add_times(struct table *table, const struct report_numbers *n)
{
    add_seconds(table_under(table, "time"), n->time_s);
    add_percent(table_under(table, "share"), n->share);
    add_percent(table_under(table, "imbalance"), n->imbalance);
    add_percent(table_under(table, "saves"), n->saves);
    add_percent(table_under(table, "in mutexes"), n->mutexes);
}

static void add_loop(struct table *table, const struct loops_loop *loop,
                     const char *name, double seconds)
{
    const struct counters_site *site = loop->site;
    const struct report_numbers n = report_loop_numbers(loop, seconds);
    char clause[64];
    table_add(table_under(table, "loop"), "%s", name);
    table_add(table_under(table, "clause"), "%s", lines_clause(site, clause));
    table_add(table_under(table, "ran under"), "%s", lines_scheme(site));
    table_under(table, "threads");
    if (site->threads_max == 0)
        table_add(table, "-");
    else if (site->threads_min == site->threads_max)
        table_add(table, "%d", site->threads_max);
    else
        table_add(table, "%d-%d", site->threads_min, site->threads_max);
    table_add(table_under(table, "visits"), "%lld", (long long)site->visits);
    add_count(table_under(table, "iterations"), n.iterations);
    add_count(table_under(table, "chunks"), n.chunks);
    add_times(table, &n);
    add_seconds(table_under(table, "chunk"), loop->chunk_s);
    table_number(table_under(table, "cv"), loop->chunk_cv, 2);
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

static void print_loops(FILE *out, const struct loops_process *process,
                        double seconds)
{
    struct table table;
    table_open(&table, 0, 3);
    for (int i = 0; i < process->loops; i++)
        if (!lines_is_later(process, i))
            add_line(&table, process, i, seconds);
    if (process->loops > 0)
        table_print(&table, out, 2);
    table_free(&table);
}

/* ---- parts of regions ---- */

/* Small parts share one line. */
static bool is_small(const struct loops_loop *part, double seconds)
{
    return part->seconds < verdict_matters * seconds;
}

static void add_part(struct table *table, const struct loops_loop *loop,
                     double seconds)
{
    const struct counters_site *site = loop->site;
    const struct report_numbers n = report_part_numbers(loop, seconds);
    char name[LINES_NAME], what[120];
    lines_name(loop, name);
    table_add(table_under(table, "part of a region"), "%s", name);
    table_add(table_under(table, "what"), "%s", lines_kinds(site, what));
    table_under(table, "threads");
    if (site->threads_max == 0)
        table_add(table, "-");
    else
        table_add(table, "%d", site->threads_max);
    table_add(table_under(table, "visits"), "%lld", (long long)site->visits);
    add_times(table, &n);
    add_percent(table_under(table, "idle"), n.idle);
}

static void print_parts(FILE *out, const struct loops_process *process,
                        double seconds)
{
    struct table table;
    double small_s = 0;
    int rows = 0;
    table_open(&table, 0, 2);
    for (int i = 0; i < process->parts; i++)
        if (!is_small(&process->part[i], seconds)) {
            add_part(&table, &process->part[i], seconds);
            rows++;
        } else {
            small_s += process->part[i].seconds;
        }
    if (rows > 0)
        table_print(&table, out, 2);
    table_free(&table);
    if (rows < process->parts)
        fprintf(out,
                "  %d part%s of regions below 1 %% of the time, %.1f %% "
                "together\n",
                process->parts - rows, text_s(process->parts - rows),
                100 * share_of(small_s, seconds));
}

/* ---- in words ---- */

static void add_gain(struct answer_sum *sum, const struct counters *counters,
                     const struct loops_loop *row, const char *name,
                     double gain)
{
    sum->gain += gain;
    if (gain <= sum->best)
        return;
    sum->best = gain;
    sum->row = row;
    sum->counters = counters;
    snprintf(sum->name, sizeof(sum->name), "%s", name);
}

static void add_common(struct answer_sum *sum, const struct loops_loop *row,
                       const char *name, double seconds)
{
    sum->shares = sum->shares || row->shares;
    sum->here_s += row->here_s;
    if (row->site->threads_max > 1)
        sum->locked_s += row->locks_s;
    if (row->locks_s > 0)
        sum->waits |= row->site->kinds;
    if (row->site->threads_max > sum->threads)
        sum->threads = row->site->threads_max;
    sum->disturbed += verdict_unjudged_s(row) / seconds;
    if (verdict_open_s(row) / seconds <= sum->open)
        return;
    sum->open = verdict_open_s(row) / seconds;
    snprintf(sum->open_name, sizeof(sum->open_name), "%s", name);
}

/* Prints the verdicts, and sums in `sum` what the answer below the report
 * needs. */
static void say_loops(FILE *out, const struct loops_process *process,
                      double seconds, struct answer_sum *sum)
{
    char name[LINES_NAME], text[320];
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
        add_gain(sum, process->counters, &process->loop[i], name,
                 verdict_gain(&loop, seconds));
        add_common(sum, &loop, name, seconds);
        sum->share += loop.seconds / seconds;
        sum->unknown = sum->unknown || !verdict_is_timed(&site);
        if (!verdict_may_change(&site))
            sum->fixed += loop.seconds / seconds;
    }
}

static void say_parts(FILE *out, const struct loops_process *process,
                      double seconds, struct answer_sum *sum)
{
    char name[LINES_NAME], text[320];
    for (int i = 0; i < process->parts; i++) {
        const struct loops_loop *row = &process->part[i];
        double idle = verdict_idle(row) * row->seconds / seconds;
        double gain = verdict_part_gain(row, seconds);
        lines_name(row, name);
        if (!is_small(row, seconds))
            fprintf(out, "  %s: %s\n", name,
                    verdict_part(row, seconds, text, sizeof(text)));
        add_gain(sum, process->counters, row, name, gain);
        add_common(sum, row, name, seconds);
        if (gain > 0 || idle <= sum->idle || row->site->threads_max < 2 ||
            verdict_unjudged_s(row) > 0)
            continue;
        sum->idle = idle;
        snprintf(sum->idler, sizeof(sum->idler), "%s", name);
        lines_kinds(row->site, sum->what);
        sum->idle_is_loop = (row->site->kinds & KIND_LOOP) != 0;
    }
}

static bool is_cut(const struct loops_process *process)
{
    for (int i = 0; i < process->loops; i++)
        if (process->loop[i].site->clause == CLAUSE_BLOCKS &&
            process->loop[i].site->scheme[0] != '\0')
            return true;
    return false;
}

/* How a process came to its end; empty: as it should. */
static void write_end(const struct loops_process *process,
                      const struct report_run *run, char text[80])
{
    const struct counters *counters = process->counters;
    bool own = run->pid == (pid_t)counters->pid;
    text[0] = '\0';
    if (counters->last_ticks != 0)
        snprintf(text, 80, "%s",
                 process->open ? "ended by exit inside of a region" : "");
    else if (counters->replaced_ticks != 0)
        snprintf(text, 80, "ended by exec of another program");
    else if (run->outlived && loops_run(counters))
        snprintf(text, 80, "still running");
    else if (own && WIFSIGNALED(run->status))
        snprintf(text, 80, "ended by SIG%s",
                 sigabbrev_np(WTERMSIG(run->status)));
    else if (own)
        snprintf(text, 80, "ended by _exit");
    else
        snprintf(text, 80, "ended by a signal or _exit");
}

static void print_process(FILE *out, const struct loops_process *process,
                          const struct report_run *run, struct answer_sum *sum)
{
    const struct counters *counters = process->counters;
    const struct answer_sum before = *sum;
    char end[80];
    write_end(process, run, end);
    fprintf(out, "dlsbench omp: %s: %.4g s", counters->command, run->seconds);
    if (counters->rank >= 0)
        fprintf(out, ", rank %lld", (long long)counters->rank);
    fprintf(out, ", process %lld, %s%s%s\n", (long long)counters->pid,
            counters->runtime, end[0] != '\0' ? ", " : "", end);
    print_loops(out, process, run->seconds);
    print_parts(out, process, run->seconds);
    say_loops(out, process, run->seconds, sum);
    say_parts(out, process, run->seconds, sum);
    report_left(out, process);
    if (is_cut(process))
        fprintf(out, "  static loops were cut: sums of floating point may "
                     "change their last digits\n");
    report_locks(out, process, sum->here_s);
    sum->most = fmax(sum->most, (sum->gain - before.gain) * run->seconds /
                                    fmin(process->end_s, run->seconds));
    if (sum->open > before.open)
        snprintf(sum->end, sizeof(sum->end), "%s", end);
    sum->unknown = sum->unknown || counters->lost > 0;
    if (counters->lost > 0)
        fprintf(out,
                "  no room for more than %d loops and parallel regions: %lld "
                "calls of further\n    ones ran as without a scheme and were "
                "not counted\n",
                COUNTERS_SITES, (long long)counters->lost);
}

char *report_print(FILE *out, const struct loops *loops,
                   const struct report_run *run)
{
    struct answer_sum sum = {.unknown = loops->left > 0,
                             .changed = loops_have_scheme(loops)};
    if (loops->processes == 0)
        return NULL;
    const struct answer_whole whole = answer_whole(loops, run);
    cores_print(out, loops);
    answer_print_whole(out, loops, run, &whole);
    if (loops->processes > 1)
        report_sum(out, loops, run->seconds, whole.all_s);
    for (int i = 0; i < loops->processes; i++)
        print_process(out, &loops->process[i], run, &sum);
    if (loops->processes > 1) /* side by side, they gain at the same time */
        sum.gain = fmin(sum.gain, sum.most);
    if (sum.share > 1)
        fprintf(out, "  loops ran inside or beside one another: their shares "
                     "do not add\n");
    char *answer = answer_text(&sum, &whole, run);
    fprintf(out, "Answer: %s", answer);
    return answer;
}
