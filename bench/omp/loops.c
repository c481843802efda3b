#include "bench/omp/loops.h"

#include "base/folder.h"
#include "harness/guard/need.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Those that the library leaves alone and of which it is told too little. */
static int count_left(const struct counters *counters)
{
    int left = 0;
    for (int i = 0; i < counters->sites; i++)
        left += counters->site[i].clause != CLAUSE_REGION &&
                counters->site[i].begun == 0;
    return left;
}

static bool has_visits(const struct counters *counters)
{
    for (int i = 0; i < counters->sites; i++)
        if (counters->site[i].begun > 0)
            return true;
    return false;
}

/* ---- places ---- */

static const char *path_of(const struct counters *counters,
                           const struct counters_address *at)
{
    bool known = at->module >= 0 && at->module < counters->modules;
    return known ? counters->module[at->module].path : NULL;
}

void loops_name_build(const struct counters *counters,
                      const struct counters_site *site,
                      char text[COUNTERS_NAME_MAX])
{
    const char *path = path_of(counters, &site->at);
    text[0] = '\0';
    if (path != NULL)
        counters_name_build(path, counters->module[site->at.module].build_id,
                            site->at.offset, text);
}

/* Code that has no symbol has that of the code which begins its region. */
static void place_region(struct symbols *symbols,
                         const struct counters *counters,
                         const struct counters_site *site,
                         struct symbols_place *place)
{
    const struct counters_address *caller = &site->caller;
    if (caller->module < 0 && site->region >= 0 &&
        site->region < counters->sites)
        caller = &counters->site[site->region].caller;
    const char *path = path_of(counters, caller);
    if (path != NULL)
        symbols_find(symbols, path, caller->offset - 1, place);
}

void loops_place(struct symbols *symbols, const struct counters *counters,
                 const struct counters_site *site, struct symbols_place *place)
{
    const char *path = path_of(counters, &site->at);
    bool exact =
        (site->flags & COUNTERS_COMBINED) || site->clause == CLAUSE_REGION;
    *place = (struct symbols_place){.line = 0};
    if (counters_source(site->source, place->file, place->function,
                        &place->line))
        return;
    if (path != NULL)
        symbols_find(symbols, path, site->at.offset - !exact, place);
    if (place->file[0] == '\0')
        place_region(symbols, counters, site, place);
}

/* ---- loops ---- */

static void fill(struct loops_loop *loop, const struct counters *counters,
                 const struct counters_site *site, double tick_s,
                 struct symbols *symbols)
{
    const char *path = path_of(counters, &site->at);
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    double samples = (double)site->sampled;
    double mean = site->chunk_ticks / samples;
    double spread = site->chunk_squares / samples - mean * mean;
    *loop = (struct loops_loop){
        .site = site,
        .seconds = site->wall * tick_s,
        .saved_s = site->saved * tick_s,
        .chunk_s = samples > 0 ? mean * tick_s : NAN,
        .chunk_cv =
            samples > 0 && mean > 0 ? sqrt(fmax(spread, 0)) / mean : NAN,
    };
    if (site->asked > 0 && site->threads_max > 0)
        loop->asked_s = site->ask_ticks / (double)site->asked *
                        (double)site->chunks / site->threads_max * tick_s;
    snprintf(loop->module, sizeof(loop->module), "%.63s",
             slash != NULL  ? slash + 1
             : path != NULL ? path
                            : "?");
    loops_place(symbols, counters, site, &loop->place);
}

/* Those that take longest come first. */
static int by_seconds(const void *a, const void *b)
{
    const struct loops_loop *x = a, *y = b;
    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static void count_regions(struct loops_process *process, double tick_s)
{
    const struct counters *c = process->counters;
    bool has_loop[COUNTERS_SITES] = {false};
    for (int i = 0; i < c->sites; i++)
        if (c->site[i].clause != CLAUSE_REGION && c->site[i].begun > 0 &&
            c->site[i].region >= 0 && c->site[i].region < c->sites)
            has_loop[c->site[i].region] = true;
    for (int i = 0; i < c->sites; i++)
        if (c->site[i].clause == CLAUSE_REGION && c->site[i].visits > 0 &&
            !has_loop[i]) {
            process->regions++;
            process->regions_s += c->site[i].wall * tick_s;
        }
}

static void add_process(struct loops *loops, struct counters *counters,
                        double tick_s, struct symbols *symbols)
{
    need_room(&loops->process, &loops->room, loops->processes + 1,
              sizeof(*loops->process));
    struct loops_process *process = &loops->process[loops->processes++];
    *process =
        (struct loops_process){.counters = counters,
                               .loop = need_zeroed((size_t)counters->sites + 1,
                                                   sizeof(*process->loop))};
    for (int i = 0; i < counters->sites; i++)
        if (counters->site[i].clause != CLAUSE_REGION &&
            counters->site[i].begun > 0)
            fill(&process->loop[process->loops++], counters, &counters->site[i],
                 tick_s, symbols);
    qsort(process->loop, (size_t)process->loops, sizeof(*process->loop),
          by_seconds);
    count_regions(process, tick_s);
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

int loops_read(struct loops *loops, const char *folder, double tick_s,
               struct symbols *symbols, struct error *err)
{
    *loops = (struct loops){.tick_s = tick_s};
    struct folder files;
    int code = folder_find(folder, "", COUNTERS_SUFFIX, &files, err);
    if (code != 0)
        return code;
    for (int i = 0; i < files.count; i++) {
        struct counters *counters = read_file(files.path[i]);
        loops->left += counters != NULL ? count_left(counters) : 0;
        if (counters != NULL && has_visits(counters))
            add_process(loops, counters, tick_s, symbols);
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
    }
    free(loops->process);
    *loops = (struct loops){0};
}

bool loops_have_scheme(const struct loops *loops)
{
    for (int i = 0; i < loops->processes; i++)
        for (int k = 0; k < loops->process[i].loops; k++)
            if (loops->process[i].loop[k].site->scheme[0] != '\0')
                return true;
    return false;
}
