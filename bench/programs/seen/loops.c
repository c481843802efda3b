/* Reads the files of counters.  Ticks become seconds, and addresses become
 * places in the source. */
#include "bench/programs/seen/loops.h"

#include "base/folder.h"
#include "base/text.h"
#include "harness/process/need.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- files ---- */

static struct counters *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    struct counters *counters = malloc(sizeof(*counters));
    bool good = file != NULL && counters != NULL &&
                fread(counters, sizeof(*counters), 1, file) == 1 &&
                memcmp(counters->magic, COUNTERS_MAGIC, 8) == 0 &&
                counters->size == (int64_t)sizeof(*counters);
    if (file != NULL)
        fclose(file);
    if (good && counters->sites <= COUNTERS_SITES &&
        counters->modules <= COUNTERS_MODULES)
        return counters;
    free(counters);
    return NULL;
}

/* Loops that the library leaves unchanged because it gets too little
 * information. */
static int count_left(const struct counters *counters)
{
    int left = 0;
    for (int i = 0; i < counters->sites; i++)
        left += counters->site[i].ready &&
                counters_is_loop(counters->site[i].clause) &&
                counters->site[i].open.begun == 0;
    return left;
}

static bool has_visits(const struct counters *counters)
{
    for (int i = 0; i < counters->sites; i++)
        if (counters->site[i].open.begun > 0)
            return true;
    return false;
}

/* ---- places ---- */

const char *loops_path(const struct counters *counters,
                       const struct counters_address *at)
{
    bool known = at->module >= 0 && at->module < counters->modules;
    return known ? counters->module[at->module].path : NULL;
}

void loops_name_build(const struct counters *counters,
                      const struct counters_site *site,
                      char text[COUNTERS_NAME_MAX])
{
    const char *path = loops_path(counters, &site->at);
    text[0] = '\0';
    if (path != NULL)
        counters_name_build(path, counters->module[site->at.module].build_id,
                            site->at.offset, text);
}

bool loops_is_last(const struct counters *counters,
                   const struct counters_site *site)
{
    const struct counters_address *region =
        site->region >= 0 && site->region < counters->sites
            ? &counters->site[site->region].at
            : NULL;
    return site->clause == CLAUSE_PART && region != NULL &&
           region->module == site->at.module &&
           region->offset == site->at.offset;
}

/* Code without a symbol gets that of the code that begins its region. */
static void place_region(struct symbols *symbols,
                         const struct counters *counters,
                         const struct counters_site *site,
                         struct symbols_place *place)
{
    const struct counters_address *caller = &site->caller;
    if (caller->module < 0 && site->region >= 0 &&
        site->region < counters->sites)
        caller = &counters->site[site->region].caller;
    const char *path = loops_path(counters, caller);
    if (path != NULL)
        symbols_find(symbols, path, caller->offset - 1, place);
}

static void find_place(struct symbols *symbols, const struct counters *counters,
                       const struct counters_site *site,
                       struct symbols_place *place)
{
    const char *path = loops_path(counters, &site->at);
    bool exact = (site->flags & COUNTERS_COMBINED) ||
                 site->clause == CLAUSE_REGION || loops_is_last(counters, site);
    *place = (struct symbols_place){.line = 0};
    if (counters_source(site->source, place->file, place->function,
                        &place->line))
        return;
    if (path != NULL)
        symbols_find(symbols, path, site->at.offset - !exact, place);
    if (place->file[0] == '\0')
        place_region(symbols, counters, site, place);
}

/* ---- loops and parts ---- */

static bool is_open(const struct counters_site *site)
{
    return site->open.begun > site->open.over;
}

bool loops_run(const struct counters *counters)
{
    return kill((pid_t)counters->pid, 0) == 0;
}

double loops_running_cpu(const struct loops *loops)
{
    double sum_s = 0;
    for (int i = 0; i < loops->processes; i++) {
        struct timespec used;
        clockid_t clock;
        pid_t pid = (pid_t)loops->process[i].counters->pid;
        if (clock_getcpuclockid(pid, &clock) == 0 &&
            clock_gettime(clock, &used) == 0)
            sum_s += (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
    }
    return sum_s;
}

/* When the process ended, as far as is known, in ticks. */
static uint64_t find_end(const struct counters *counters,
                         const struct loops_end *end)
{
    return counters->replaced_ticks != 0          ? counters->replaced_ticks
           : counters->last_ticks != 0            ? counters->last_ticks
           : end->now != 0 && loops_run(counters) ? end->now
                                                  : end->ticks;
}

static void fill_times(struct loops_loop *loop, const struct counters *counters,
                       const struct loops_end *end)
{
    const struct counters_site *site = loop->site;
    const struct counters_sample *sample = &site->sample;
    uint64_t over = find_end(counters, end);
    double tick_s = end->tick_s, samples = sample->chunk_weight;
    double mean = sample->chunk_ticks / samples;
    double spread = sample->chunk_squares / samples - mean * mean;
    if (is_open(site) && over > site->open.since)
        loop->open_s = (double)(over - site->open.since) * tick_s;
    loop->seconds = site->wall * tick_s + loop->open_s;
    loop->saved_s = site->saved * tick_s;
    loop->here_s = site->threads.here * tick_s;
    loop->busy_s = site->threads.busy * tick_s;
    loop->locks_s = site->locks.ticks * tick_s;
    loop->chunk_s = samples > 0 ? mean * tick_s : NAN;
    loop->chunk_cv =
        samples > 0 && mean > 0 ? sqrt(fmax(spread, 0)) / mean : NAN;
    loop->longest_s = sample->chunk_max * (double)(site->open.begun) * tick_s;
    if (sample->ask_weight > 0 && site->threads_max > 0)
        loop->asked_s = sample->ask_ticks / sample->ask_weight *
                        (double)site->chunks / site->threads_max * tick_s;
}

/* A function that the compiler split off gets the original function's name. */
static void name_by_region(struct loops_loop *loop,
                           const struct counters *counters,
                           struct symbols *symbols)
{
    const struct counters_site *site = loop->site;
    struct symbols_place region;
    if (site->region < 0 || site->region >= counters->sites ||
        (site->clause == CLAUSE_LOCK && loop->place.function[0] != '.'))
        return;
    find_place(symbols, counters, &counters->site[site->region], &region);
    memcpy(loop->place.function, region.function, sizeof(region.function));
    /* Compilers give a barrier the line of code inlined before it. */
    if (strcmp(loop->place.file, region.file) == 0 &&
        loop->place.line < region.line)
        loop->place.line = region.line;
}

static void fill_loop(struct loops_loop *loop, const struct counters *counters,
                      const struct counters_site *site,
                      const struct loops_end *end, struct symbols *symbols)
{
    const char *path = loops_path(counters, &site->at);
    const char *from = site->clause == CLAUSE_PART
                           ? loops_path(counters, &site->caller)
                           : NULL;
    *loop = (struct loops_loop){.site = site};
    fill_times(loop, counters, end);
    snprintf(loop->module, sizeof(loop->module), "%.63s",
             path != NULL ? path_last(path) : "?");
    find_place(symbols, counters, site, &loop->place);
    if (!counters_is_loop(site->clause))
        name_by_region(loop, counters, symbols);
    loop->last = loops_is_last(counters, site);
    if (from != NULL && loop->last)
        symbols_find(symbols, from, site->caller.offset - 1, &loop->from);
}

/* Sorts the longest loops first. */
static int by_seconds(const void *a, const void *b)
{
    const struct loops_loop *x = a, *y = b;
    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static void sort_loops(struct loops_loop *loop, int count)
{
    qsort(loop, (size_t)count, sizeof(*loop), by_seconds);
}

static void add_site(struct loops_process *process, struct counters_site *site,
                     const struct loops_end *end, struct symbols *symbols)
{
    const struct counters *counters = process->counters;
    bool part = site->clause == CLAUSE_REGION || site->clause == CLAUSE_PART;
    bool any = site->visits > 0 || is_open(site);
    if (part && site->visits > 0)
        parts_find_master(counters, site, symbols);
    if (counters_is_loop(site->clause) && site->open.begun > 0)
        fill_loop(&process->loop[process->loops++], counters, site, end,
                  symbols);
    else if (part && any)
        fill_loop(&process->part[process->parts++], counters, site, end,
                  symbols);
    else if (site->clause == CLAUSE_LOCK)
        fill_loop(&process->lock[process->locks++], counters, site, end,
                  symbols);
    if (site->clause == CLAUSE_REGION && site->note[0] != '\0')
        fill_loop(&process->left[process->lefts++], counters, site, end,
                  symbols);
    process->open = process->open || (any && is_open(site));
}

/* The computing time in outermost regions; in nested ones a thread would count
 * twice. */
static double busy_outside(const struct counters *counters,
                           const struct counters_site *site)
{
    const struct counters_site *region =
        site->clause == CLAUSE_PART && site->region >= 0
            ? &counters->site[site->region]
            : site;
    return region->outermost > 0 ? site->threads.busy : 0;
}

/* Only part of its computing time was compared with the processor time; in a
 * short loop perhaps none. For the rest the process's loss is assumed. The
 * comparison may have begun before the loop. */
static void fill_lost(struct loops_loop *loop, double lost)
{
    const struct counters_threads *threads = &loop->site->threads;
    double rest = loop->busy_s - threads->watched;
    loop->lost_s = rest >= 0 ? threads->lost + lost * rest
                             : threads->lost / threads->watched * loop->busy_s;
}

static void add_inside(struct loops_process *process,
                       const struct loops_end *end)
{
    const struct counters *counters = process->counters;
    struct counters_threads sum = {0};
    uint64_t over = find_end(counters, end);
    for (int i = 0; i < process->parts; i++)
        process->inside_s = fmax(process->inside_s, process->part[i].open_s);
    for (int i = 0; i < counters->sites; i++) {
        process->inside_s += counters->site[i].outermost * end->tick_s;
        if (counters->site[i].outermost > 0)
            process->regions += (double)counters->site[i].visits;
        process->busy_s +=
            busy_outside(counters, &counters->site[i]) * end->tick_s;
        sum.watched += counters->site[i].threads.watched;
        sum.lost += counters->site[i].threads.lost;
    }
    /* Without a known end it may have begun after the program's. */
    process->end_s = over > counters->ticks
                         ? (double)(over - counters->ticks) * end->tick_s
                         : process->inside_s;
    process->lost = sum.watched > 0 ? sum.lost / sum.watched : 0;
    for (int i = 0; i < process->loops; i++)
        fill_lost(&process->loop[i], process->lost);
    for (int i = 0; i < process->parts; i++)
        fill_lost(&process->part[i], process->lost);
}

static void add_process(struct loops *loops, struct counters *counters,
                        const struct loops_end *end, struct symbols *symbols)
{
    size_t sites = (size_t)counters->sites + 1;
    need_room(&loops->process, &loops->room, loops->processes + 1,
              sizeof(*loops->process));
    struct loops_process *process = &loops->process[loops->processes++];
    *process = (struct loops_process){
        .counters = counters,
        .loop = need_zeroed(sites, sizeof(*process->loop)),
        .part = need_zeroed(sites, sizeof(*process->part)),
        .left = need_zeroed(sites, sizeof(*process->left)),
        .lock = need_zeroed(sites, sizeof(*process->lock))};
    for (int i = 0; i < counters->sites; i++)
        add_site(process, &counters->site[i], end, symbols);
    add_inside(process, end);
    uint64_t over = find_end(counters, end);
    if (over > end->ticks)
        loops->later_s =
            fmax(loops->later_s, (double)(over - end->ticks) * end->tick_s);
    parts_drop_loops(process);
    sort_loops(process->loop, process->loops);
    sort_loops(process->part, process->parts);
}

/* By rank, then as they began. */
static int by_rank(const void *a, const void *b)
{
    const struct counters *x = ((const struct loops_process *)a)->counters;
    const struct counters *y = ((const struct loops_process *)b)->counters;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->began_s > y->began_s) - (x->began_s < y->began_s);
}

int loops_read(struct loops *loops, const char *folder,
               const struct loops_end *end, struct symbols *symbols,
               struct error *err)
{
    *loops = (struct loops){.tick_s = end->tick_s};
    struct folder files;
    int code = folder_find(folder, "", COUNTERS_SUFFIX, &files, err);
    if (code != 0)
        return code;
    for (int i = 0; i < files.count; i++) {
        struct counters *counters = read_file(files.path[i]);
        loops->left += counters != NULL ? count_left(counters) : 0;
        if (counters != NULL && has_visits(counters))
            add_process(loops, counters, end, symbols);
        else
            free(counters);
    }
    folder_free(&files);
    if (loops->processes > 0)
        qsort(loops->process, (size_t)loops->processes, sizeof(*loops->process),
              by_rank);
    cores_mark(loops);
    return 0;
}

void loops_free(struct loops *loops)
{
    for (int i = 0; i < loops->processes; i++) {
        free(loops->process[i].counters);
        free(loops->process[i].loop);
        free(loops->process[i].part);
        free(loops->process[i].left);
        free(loops->process[i].lock);
    }
    free(loops->process);
    *loops = (struct loops){0};
}

int loops_read_code(const struct loops *loops, const struct code_tables *tables)
{
    int count = 0;
    for (int i = 0; i < loops->processes; i++) {
        const struct counters *counters = loops->process[i].counters;
        for (int k = 0; k < counters->sites; k++) {
            const struct counters_site *site = &counters->site[k];
            const char *path = site->clause == CLAUSE_REGION
                                   ? loops_path(counters, &site->at)
                                   : NULL;
            count += path != NULL && tables_add(tables, path);
        }
    }
    return count;
}

bool loops_have_scheme(const struct loops *loops)
{
    for (int i = 0; i < loops->processes; i++)
        for (int k = 0; k < loops->process[i].loops; k++)
            if (loops->process[i].loop[k].site->scheme[0] != '\0')
                return true;
    return false;
}
