/* Parts of regions: whether they belong to a loop's row or to `master`, and
 * whether a change could matter. */
#include "bench/options/table.h"
#include "bench/programs/seen/loops.h"
#include "bench/programs/seen/seen_verdict.h"

#include <math.h>
#include <stdio.h>

/* The seconds of a region's loops. */
static double find_covered(const struct loops_process *process, int region)
{
    double seconds = 0;
    for (int i = 0; i < process->loops; i++)
        if (process->loop[i].site->region == region)
            seconds += process->loop[i].seconds;
    return seconds;
}

static int region_of(const struct counters *counters,
                     const struct counters_site *site)
{
    return site->clause == CLAUSE_PART ? site->region
                                       : (int)(site - counters->site);
}

/* An open region may have no counted part. */
static bool may_be_loop(const struct counters_site *site)
{
    return (site->kinds & KIND_LOOP) != 0 || site->visits == 0;
}

/* In a region with only a loop, all other time is the start of its threads. */
static bool is_combined(const struct loops_process *process, int region,
                        uint32_t kinds)
{
    if ((kinds & (KIND_TASKS | KIND_TASKLOOP)) != 0)
        return false;
    for (int i = 0; i < process->loops; i++) {
        const struct counters_site *site = process->loop[i].site;
        if (site->region == region && (site->flags & COUNTERS_COMBINED) != 0)
            return true;
    }
    return false;
}

/* A region that begins a loop of another clause is no static loop. */
static void drop_lefts(struct loops_process *process)
{
    int kept = 0;
    for (int i = 0; i < process->lefts; i++) {
        const struct counters_site *site = process->left[i].site;
        if (!is_combined(process, region_of(process->counters, site), 0))
            process->left[kept++] = process->left[i];
    }
    process->lefts = kept;
}

/* A part with only a loop belongs to that loop's row.  It is one if its
 * directive combines region and loop, or if loops cover 80 % of what may be
 * loops in its region. */
void parts_drop_loops(struct loops_process *process)
{
    const struct counters *counters = process->counters;
    int kept = 0;
    drop_lefts(process);
    for (int i = 0; i < process->parts; i++) {
        const struct counters_site *site = process->part[i].site;
        int region = region_of(counters, site);
        double all = 0;
        for (int k = 0; k < process->parts; k++)
            if (region_of(counters, process->part[k].site) == region &&
                may_be_loop(process->part[k].site))
                all += process->part[k].seconds;
        process->part[i].is_loop =
            is_combined(process, region, site->kinds) ||
            (may_be_loop(site) && find_covered(process, region) >= 0.8 * all);
    }
    for (int i = 0; i < process->parts; i++)
        if (!process->part[i].is_loop)
            process->part[kept++] = process->part[i];
    process->parts = kept;
}

/* A part's code is between two addresses of the region; if a loop surrounds the
 * barriers, from a later to an earlier one. */
void parts_find_master(const struct counters *counters,
                       struct counters_site *site, struct symbols *symbols)
{
    const struct counters_site *region =
        site->region >= 0 ? &counters->site[site->region] : site;
    const char *path = loops_path(counters, &region->at);
    bool starts = site->clause == CLAUSE_REGION || site->caller.module < 0;
    bool ends = site->clause == CLAUSE_REGION || loops_is_last(counters, site);
    uint64_t first = region->at.offset, from = first, to = UINT64_MAX;
    if (!starts && site->caller.module == region->at.module)
        from = site->caller.offset;
    if (!ends && site->at.module == region->at.module)
        to = site->at.offset;
    /* For LLVM's compilers, which set `source`, OMPT reports it. */
    if (path == NULL || site->threads_max < 2 || region->source[0] != '\0')
        return;
    if (symbols_has_master(symbols, path, first, from,
                           from < to ? to : UINT64_MAX) ||
        (from > to && symbols_has_master(symbols, path, first, first, to)))
        site->kinds |= KIND_MASTER;
}

/* ---- the verdict on one ---- */

bool verdict_is_static(const struct counters_site *site)
{
    return (site->kinds & ~(uint32_t)KIND_STATIC) == 0 && site->threads_max > 1;
}

double verdict_part_gain(const struct loops_loop *part, double seconds)
{
    if (part->shares || !verdict_is_static(part->site) ||
        part->site->visits == 0 || verdict_is_disturbed(part, part->saved_s))
        return 0;
    return fmin(fmax(part->saved_s - part->lost_s, 0) / seconds, 1);
}

/* A task that takes less costs about as much to begin. */
static const double brief_task_s = 5e-6;

static double ticks_s(const struct loops_loop *part, double ticks)
{
    return ticks * part->here_s / fmax(part->site->threads.here, 1);
}

static double mean_unit_s(const struct loops_loop *part)
{
    const struct counters_units *units = &part->site->units;
    return ticks_s(part, units->ticks) / fmax((double)units->count, 1);
}

static int write_units(const struct loops_loop *part, char *text, size_t size)
{
    const struct counters_units *units = &part->site->units;
    double mean_s = mean_unit_s(part);
    double longest_s = ticks_s(part, units->longest);
    char mean[32], most[32];
    if (units->count == 0)
        return 0;
    table_said_seconds(mean_s, mean_s, mean, sizeof(mean));
    table_said_seconds(longest_s, longest_s, most, sizeof(most));
    const char *what = part->site->kinds & KIND_SECTIONS ? "sections" : "tasks";
    return snprintf(text, size, "%lld %s of %s in the mean, %s at most; ",
                    (long long)units->count, what, mean, most);
}

/* For parts that no schedule changes. */
static void say_idle(const struct loops_loop *part, char *text, size_t size)
{
    uint32_t met = part->site->kinds;
    bool tasks = (met & (KIND_TASKS | KIND_TASKLOOP)) != 0;
    snprintf(text, size, "threads are idle %.1f %% of their time%s",
             100 * verdict_idle(part),
             verdict_idle(part) < 0.05 ? ""
             : met & KIND_SECTIONS     ? ": more, or more equal, sections help"
             : tasks && mean_unit_s(part) < brief_task_s
                 ? ": fewer and longer tasks, or one thread, may help"
             : tasks ? ": more and shorter tasks may help"
             : met & (KIND_SINGLE | KIND_MASTER)
                 ? ": one of them works alone, which no schedule changes"
             : met & KIND_LOOP ? ": its loop above says what a schedule changes"
                               : ": schedules do not change that");
}

static void say_fine_part(const struct loops_loop *part, double saves,
                          char *text, size_t size)
{
    double most = fmin(saves, verdict_matters);
    snprintf(text, size, "fine as it is: balance would save at most %.1f %%%s",
             100 * most, verdict_rest(part, most, saves));
}

/* The order of the cases matters.  Numbers of a part that is still open, has
 * one thread, or shares cores are never judged. */
const char *verdict_part(const struct loops_loop *part, double seconds,
                         char *text, size_t size)
{
    const struct counters_site *site = part->site;
    double gain = verdict_part_gain(part, seconds);
    if (verdict_open_s(part) > 0)
        verdict_say_open(part, seconds, text, size);
    else if (site->threads_max == 1)
        snprintf(text, size, "the team has one thread: nothing to schedule");
    else if (part->shares)
        snprintf(text, size, "not judged: its threads share cores");
    else if (!verdict_is_static(site)) {
        int used = write_units(part, text, size);
        if (verdict_is_locked(part))
            verdict_say_locked(part, seconds, text + used, size - (size_t)used);
        else if (verdict_unjudged_s(part) > 0)
            verdict_say_disturbed(part, 0, text + used, size - (size_t)used);
        else
            say_idle(part, text + used, size - (size_t)used);
    } else if (part->saved_s >= verdict_matters * seconds &&
               verdict_is_disturbed(part, part->saved_s))
        verdict_say_disturbed(part, part->saved_s, text, size);
    else if (gain < verdict_matters)
        say_fine_part(part, part->saved_s / seconds, text, size);
    else
        snprintf(text, size,
                 "balance would save %.1f %% of the program%s: its "
                 "threads wait at its end; a loop there can have "
                 "schedule(runtime)",
                 100 * gain, verdict_rest(part, gain, part->saved_s / seconds));
    return text;
}
