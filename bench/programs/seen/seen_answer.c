/* The first and the last line of the report of `omp`. */
#include "base/text.h"
#include "bench/options/command.h"
#include "bench/programs/seen/seen_report.h"
#include "bench/programs/seen/seen_verdict.h"
#include "bench/programs/seen/suggest.h"
#include "harness/process/need.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The part of a process's time outside regions in which it may have waited for
 * its children, or not existed: its end is unknown. */
static double find_waiting(const struct loops *loops,
                           const struct report_run *run, int number)
{
    const struct loops_process *process = &loops->process[number];
    const struct counters *own = process->counters;
    double outside = fmax(process->end_s - process->inside_s, 0), began = 0;
    if (own->last_ticks == 0 && own->replaced_ticks == 0 && !run->outlived &&
        (pid_t)own->pid != run->pid)
        return outside;
    for (int i = 0; i < loops->processes; i++)
        if (loops->process[i].counters->parent == own->pid)
            began += loops->process[i].end_s;
    return fmin(outside, began);
}

/* Concurrent processes share the time.  A process that waits for another
 * computes nothing: such time counts as far as processor time explains it. */
static double find_all(const struct loops *loops, const struct report_run *run)
{
    double all = 0, busy = 0, waiting = 0;
    for (int i = 0; i < loops->processes; i++) {
        const struct loops_process *process = &loops->process[i];
        all += process->end_s;
        busy += process->busy_s * (1 - process->lost);
        waiting += find_waiting(loops, run, i);
    }
    return fmax(all - fmax(waiting - fmax(run->cpu_s - busy, 0), 0),
                run->seconds);
}

/* Beginning and ending a region takes some microseconds.  Less than this
 * between two regions need be no serial code. */
static const double region_ends_s = 10e-6;
/* The same within a region, where threads may have to wake up. */
static const double region_edges_s = 50e-6;

struct answer_whole answer_whole(const struct loops *loops,
                                 const struct report_run *run)
{
    struct answer_whole whole = {.all_s = find_all(loops, run),
                                 .unseen = loops->left > 0};
    double all = whole.all_s, computed = 0, rows_s = 0, busy = run->seconds;
    for (int i = 0; i < loops->processes; i++) {
        const struct loops_process *process = &loops->process[i];
        for (int k = 0; k < process->loops; k++)
            rows_s += process->loop[k].seconds;
        for (int k = 0; k < process->parts; k++)
            rows_s += process->part[k].seconds;
        whole.regions += process->regions;
        whole.inside += process->inside_s;
        whole.lost += process->lost * process->inside_s;
        computed += process->inside_s;
        busy += process->busy_s - process->inside_s;
        whole.open = whole.open || process->open;
        whole.unseen = whole.unseen || process->counters->lost > 0;
    }
    whole.between_s = fmax(all - whole.inside, 0) / whole.regions;
    whole.beside = whole.unseen ? 0 : fmax(whole.inside - rows_s, 0) / all;
    if (whole.inside - rows_s < region_edges_s * whole.regions)
        whole.edges = whole.beside;
    whole.inside = fmin(whole.inside / all, 1);
    whole.lost = computed > 0 ? whole.lost / computed : 0;
    if (loops->processes == 1 && busy > 0)
        whole.away = fmax(1 - run->cpu_s / busy, 0);
    return whole;
}

void answer_print_whole(FILE *out, const struct loops *loops,
                        const struct report_run *run,
                        const struct answer_whole *whole)
{
    double cores = loops->process[0].cores.cores;
    fprintf(out, "dlsbench omp: %.2f", run->cpu_s / run->seconds);
    if (isfinite(cores))
        fprintf(out, " of %.4g", cores);
    fprintf(out,
            " core%s used (processors' time over %.4g s); %.1f %% of the time "
            "outside of parallel regions, %.1f %% inside%s%s",
            text_s(cores), run->seconds, 100 * (1 - whole->inside),
            100 * whole->inside, whole->open ? ", open at the end" : "",
            whole->unseen ? ", some loops not seen" : "");
    if (loops->processes > 1)
        fprintf(out, "; %d processes", loops->processes);
    fprintf(out, "\n");
    if (whole->lost >= 0.05)
        fprintf(out,
                "  Other threads or processes had the cores for %.1f %% of the "
                "time in which its threads computed.\n",
                100 * whole->lost);
    if (whole->away >= whole->lost + 0.2)
        fprintf(out,
                "  Its threads ran for %.0f %% less than the clock says: they "
                "slept or waited for something else, or others had the "
                "cores.\n",
                100 * whole->away);
}

/* Without a row only numbers of threads are tried. */
static void print_try(FILE *out, const struct loops_loop *row,
                      const struct report_run *run, const char *loops)
{
    char list[ADVICE_SIZE] = "threads", time[ADVICE_TIME];
    int choices = row != NULL ? advice_list(row, list) : 2;
    advice_time(choices, run->seconds, time);
    fprintf(out, "see the next line (about %s)\n ", time);
    command_print_variables(out, NULL);
    fprintf(out, " dlsbench omp --try %s%s --", list, loops);
    for (int i = 0; run->program[i] != NULL; i++)
        command_print_word(out, run->program[i]);
    fprintf(out, "\n");
}

/* Larger files that were not read before take too long to read for a hint. */
enum { READ_AT_MOST = 64 << 20 };

/* How gcc's static loop in a part can be cut without its source, as an option;
 * NULL: it cannot.  `safe`: also where its output is not compared. */
static const char *find_cut(const struct answer_sum *sum,
                            const struct report_run *run, bool *safe)
{
    const struct counters_site *site = sum->row->site;
    const struct counters_site *region =
        site->region >= 0 ? &sum->counters->site[site->region] : site;
    const char *path = loops_path(sum->counters, &region->at);
    struct code_tables tables;
    struct error ignored;
    *safe = false;
    if (path == NULL || region->source[0] != '\0' ||
        tables_open(&tables, run->folder, &ignored) != 0)
        return NULL;
    switch (tables_class(&tables, path, region->at.offset, READ_AT_MOST)) {
    case 'A':
    case 'B':
        *safe = true;
        return " --loops static";
    case 'C':
        return " --loops static --same-output";
    default:
        return NULL;
    }
}

/* Whether the loop's source has a schedule(), which --suggest leaves. */
static bool has_schedule(const struct symbols_place *place)
{
    const struct suggest_loop loop = {
        .file = place->file, .line = place->line, .clause = "runtime"};
    char *text;
    size_t size;
    FILE *patch = need_stream(&text, &size);
    int found = suggest_clauses(&loop, 1, patch);
    fclose(patch);
    free(text);
    return found > 0;
}

/* Prints what to do about the row with the largest gain. */
void answer_print_next(FILE *out, const struct answer_sum *sum,
                       const struct report_run *run)
{
    const struct symbols_place *place = &sum->row->place;
    char name[PATH_MAX];
    uint32_t clause = sum->row->site->clause;
    bool loop = counters_is_loop(clause);
    bool safe = false;
    const char *cut = loop ? NULL : find_cut(sum, run, &safe);
    bool source = place->file[0] != '\0' && access(place->file, R_OK) == 0;
    if (loop && verdict_is_single(sum->row))
        fprintf(out, "its iterations are long, and no schedule cuts them; "
                     "make the longest shorter, or begin with them\n");
    else if (loop)
        print_try(out, sum->row, run,
                  clause == CLAUSE_RUNTIME  ? ""
                  : clause == CLAUSE_BLOCKS ? " --loops static"
                                            : " --loops dynamic");
    else if (cut != NULL && (safe || !source))
        print_try(out, sum->row, run, cut);
    else if (advice_brief_s(sum->row) > 0)
        print_try(out, NULL, run, "");
    else if (source && has_schedule(place))
        fprintf(out, "it can have schedule(runtime) in place of its own\n");
    else if (source) {
        fprintf(out, "see the next line\n  dlsbench omp --suggest");
        command_print_word(out, place->file);
        fprintf(out, " | patch -p0%s\n",
                suggest_name(place->file, name) ? " -d /" : "");
    } else
        fprintf(out, "a loop there can have schedule(runtime)\n");
}

static void say_open(FILE *out, const struct answer_sum *sum)
{
    if (strcmp(sum->end, "still running") == 0) {
        fprintf(out,
                "%.1f %% of the time is in %s, which still runs: begin the "
                "program so that it ends before what began it\n",
                100 * fmin(sum->open, 1), sum->open_name);
        return;
    }
    fprintf(out,
            "%.1f %% of the time is in %s, which was not over when the program "
            "%s: let it come to its end to be judged\n",
            100 * fmin(sum->open, 1), sum->open_name,
            sum->end[0] != '\0' ? sum->end : "ended");
}

/* Prints time that exceeds the gain and that no schedule changes. */
static void say_beside(FILE *out, const struct answer_sum *sum,
                       const struct answer_whole *whole)
{
    if (whole->inside < 0.5)
        fprintf(out,
                " (%.0f %% of the time is outside of parallel regions, which "
                "no schedule changes)",
                100 * (1 - whole->inside));
    else if (sum->idle >= 0.05 && sum->idle > sum->gain && !sum->idle_is_loop)
        fprintf(out,
                " (threads are idle %.0f %% of the time in %s, %s, which no "
                "schedule changes)",
                100 * sum->idle, sum->idler, sum->what);
}

static void say_gain(FILE *out, const struct answer_sum *sum,
                     const struct answer_whole *whole,
                     const struct report_run *run)
{
    fprintf(out, "up to %.0f %% to gain%s%s%s", 100 * fmin(sum->gain, 1),
            sum->changed ? " over these schemes" : "",
            sum->gain > 1.1 * sum->best ? ", most of it in " : " in ",
            sum->name);
    say_beside(out, sum, whole);
    double brief_us = 1e6 * advice_brief_s(sum->row);
    if (brief_us > 0)
        fprintf(out,
                "; its threads compute %.2g us in a visit, so one thread may "
                "be faster",
                brief_us);
    fprintf(out, ": ");
    answer_print_next(out, sum, run);
}

/* Threads wait for one another more than a schedule can gain. */
static void say_locked(FILE *out, const struct answer_sum *sum,
                       const struct answer_whole *whole,
                       const struct report_run *run, double locked,
                       bool doubtful)
{
    bool helps = sum->gain >= verdict_matters;
    /* Half of two threads wait if one works at a time, or have no more work. */
    bool fewer = !doubtful && locked + sum->idle >= 0.4;
    fprintf(out, "%sthreads wait for one another in %s %.0f %% of their time%s",
            doubtful || helps ? "" : "schedules cannot help: ",
            verdict_locks_word(sum->waits), 100 * locked,
            fewer      ? "; fewer threads may be as fast: "
            : doubtful ? "; others had the cores, so run it again on a quiet "
                         "machine to judge schedules\n"
            : helps    ? "; schedules: "
                       : "\n");
    if (fewer)
        print_try(out, NULL, run, "");
    else if (helps && !doubtful)
        say_gain(out, sum, whole, run);
}

static void say_edges(FILE *out, const struct answer_whole *whole,
                      const struct report_run *run)
{
    fprintf(out,
            "up to %.0f %% of the time is for beginning and ending %.0f "
            "parallel regions, %.2g us each: fewer and longer regions help, or "
            "one thread: ",
            100 * whole->edges, whole->regions,
            1e6 * whole->edges * whole->all_s / whole->regions);
    print_try(out, NULL, run, "");
}

static void say_outside(FILE *out, const struct answer_whole *whole,
                        const char *more)
{
    double outside = 100 * (1 - whole->inside);
    if (whole->between_s < region_ends_s)
        fprintf(out,
                "%.0f %% of the time is outside of parallel regions, %.2g us "
                "for each of them, which its beginning and end may take: fewer "
                "and longer regions may help, schedules cannot help%s",
                outside, 1e6 * whole->between_s, more);
    else
        fprintf(out,
                "%.0f %% of the time is outside of parallel regions (serial): "
                "schedules cannot help%s",
                outside, more);
}

/* No schedule would make it faster. */
static void say_why_not(FILE *out, const struct answer_sum *sum,
                        const struct answer_whole *whole)
{
    double percent = 100 * fmin(sum->gain + sum->disturbed, 1);
    bool others = sum->disturbed >= verdict_matters;
    const char *doubt = whole->lost >= 0.1 ? ", as far as this run tells: "
                                             "others had the cores\n"
                                           : "\n";
    if (whole->inside < 0.5)
        say_outside(out, whole, doubt);
    else if (sum->threads == 1)
        fprintf(out, "the team has one thread: nothing to schedule\n");
    else if (whole->beside >= 0.5 && !sum->unknown)
        fprintf(out,
                "%.0f %% of the time is in parallel regions, and in none of "
                "their loops: schedules cannot help%s",
                100 * whole->beside, doubt);
    else if (sum->idle >= 0.05)
        fprintf(out,
                "schedules cannot help: threads are idle %.0f %% of the time "
                "in %s (%s)\n",
                100 * sum->idle, sum->idler, sum->what);
    else if (sum->unknown || sum->fixed >= verdict_matters)
        fprintf(out, "nothing to gain where it can be judged; the rest is "
                     "never changed, or its time is not known\n");
    else if (sum->disturbed >= 0.05)
        fprintf(out,
                "this run cannot tell: others took the cores at times, and "
                "waiting for %.0f %% of the time may be theirs or the "
                "schedule's; run it again on a quiet machine\n",
                100 * fmin(sum->disturbed, 1));
    else
        fprintf(out,
                "fine %s%s: schedules could gain at most %.1f %% of the "
                "program%s\n",
                sum->changed ? "under these schemes" : "as it is",
                others ? ", as far as this run tells" : "", percent,
                others ? ", and others took the cores at times" : "");
}

/* An apparent gain, or idle time, may be due to other programs. */
static void say_doubt(FILE *out, const struct answer_sum *sum,
                      const struct answer_whole *whole)
{
    if (whole->inside < 0.5)
        say_outside(out, whole, " there. For the rest ");
    fprintf(out,
            "this run cannot tell: others had the cores for %.0f %% of the "
            "time",
            100 * whole->lost);
    if (sum->gain >= verdict_matters)
        fprintf(out, ", and what seems a gain of up to %.0f %% may be theirs",
                100 * fmin(sum->gain, 1));
    fprintf(out, "; run it again on a quiet machine\n");
}

static void say_answer(FILE *out, const struct answer_sum *sum,
                       const struct answer_whole *whole,
                       const struct report_run *run)
{
    double locked = sum->here_s > 0 ? fmin(sum->locked_s / sum->here_s, 1) : 0;
    bool doubtful = whole->lost >= 0.1 && sum->disturbed >= verdict_matters;
    if (sum->shares)
        fprintf(out, "threads share cores; no schedule can be judged before "
                     "that is mended\n");
    else if (sum->open >= verdict_matters && sum->open > sum->gain)
        say_open(out, sum);
    else if (locked >= 0.05 && locked * whole->inside > sum->gain)
        say_locked(out, sum, whole, run, locked, doubtful);
    else if (doubtful)
        say_doubt(out, sum, whole);
    else if (whole->edges >= 0.2 && whole->edges > sum->gain &&
             sum->threads > 1 && !sum->unknown)
        say_edges(out, whole, run);
    else if (sum->gain >= verdict_matters)
        say_gain(out, sum, whole, run);
    else
        say_why_not(out, sum, whole);
}

char *answer_text(const struct answer_sum *sum,
                  const struct answer_whole *whole,
                  const struct report_run *run)
{
    char *text = NULL;
    size_t size;
    FILE *out = need_stream(&text, &size);
    say_answer(out, sum, whole, run);
    fclose(out);
    return text;
}
