/* Parts of regions: which of them are the row of a loop, and which are
 * master's. */
#include "bench/programs/seen/loops.h"

/* What loops have of a region's time. */
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

/* Of an open region no part may have been counted. */
static bool may_be_loop(const struct counters_site *site)
{
    return (site->kinds & KIND_LOOP) != 0 || site->visits == 0;
}

/* In a region with only a loop, the rest is the start of its threads. */
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

/* A part with only a loop belongs to that loop's row. */
void parts_drop_loops(struct loops_process *process)
{
    const struct counters *counters = process->counters;
    int kept = 0;
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

/* A part whose code is between two of the region's addresses; those of a loop
 * around barriers go from a later to an earlier one. */
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
    /* Of LLVM's compilers, which give a source, OMPT tells. */
    if (path == NULL || site->threads_max < 2 || region->source[0] != '\0')
        return;
    if (symbols_has_master(symbols, path, first, from,
                           from < to ? to : UINT64_MAX) ||
        (from > to && symbols_has_master(symbols, path, first, first, to)))
        site->kinds |= KIND_MASTER;
}
