/* Measures the parts of a parallel region.  Each thread notes when it begins
 * and arrives; thread 0 counts the part when all have arrived. */
#include "dls/omp/omp_team.h"

#include "base/cache_line.h"

#include <math.h>
#include <stdlib.h>

/* The linker's ends of this library's code.  A barrier that is the last thing a
 * region does is called from here, it seems: the region's end follows. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));
static const char behind_all[1];

static bool is_own(const void *address)
{
    return (const char *)address >= __ehdr_start &&
           (const char *)address < etext;
}

/* A stamp is the number of the visit, and below it that of the part. */
enum { PART_BITS = 40 };

/* ---- a team ---- */

static struct team *make_team(struct loop_site *site, int capacity)
{
    struct team *team =
        settings_need(lines_zeroed(sizeof(*team)), "the threads of a region");
    team->mate =
        settings_need(lines_zeroed((size_t)capacity * sizeof(*team->mate)),
                      "the threads of a region");
    team->capacity = capacity;
    team->site = site;
    team->runtime = site->runtime;
    team->strips = settings()->strips;
    for (int i = 0; i < capacity; i++)
        team->mate[i].team = team;
    return team;
}

struct team *team_begin(struct loop_site *site, int capacity)
{
    uint64_t now = engine_ticks();
    engine_lock(&site->lock);
    struct team **link = &site->team;
    while (*link != NULL && (*link)->capacity < capacity)
        link = &(*link)->next;
    struct team *team = *link;
    if (team != NULL)
        *link = team->next;
    open_visit_locked(site->counted, now);
    engine_unlock(&site->lock);
    if (team == NULL)
        team = make_team(site, capacity);
    team->outermost = here.mate == NULL;
    team->began = now;
    team->stamp += (uint64_t)1 << PART_BITS;
    atomic_store_explicit(&team->open, true, memory_order_relaxed);
    return team;
}

/* ---- balance ---- */

double balanced_end(const struct stint *first, size_t bytes, int threads,
                    uint64_t begin)
{
    int sharing = 0;
    double end = INFINITY;
    for (int before = -1; sharing != before;) {
        double sum = 0;
        const struct stint *stint = first;
        before = sharing;
        sharing = 0;
        for (int i = 0; i < threads; i++) {
            double arrived = (double)(stint->begin - begin);
            sum += (double)(stint->end - stint->begin);
            if (arrived < end) {
                sum += arrived;
                sharing++;
            }
            stint = (const struct stint *)((const char *)stint + bytes);
        }
        end = sharing > 0 ? sum / sharing : 0;
    }
    return end;
}

void count_threads(struct counters_site *counted, int threads)
{
    if (counted->threads_min == 0 || threads < counted->threads_min)
        counted->threads_min = threads;
    if (threads > counted->threads_max)
        counted->threads_max = threads;
}

/* ---- a part of a region is over ---- */

/* False where not all threads were there: a region that was cancelled. */
static bool gather_part(struct part *part)
{
    bool late = false;
    part->began = UINT64_MAX;
    for (int i = 0; i < part->threads; i++) {
        const struct stretch *one = part_stretch(part, i);
        const struct stint *stint = &one->stint;
        if (one->stamp != part->stamp || stint->end < stint->begin)
            return false;
        part->began = stint->begin < part->began ? stint->begin : part->began;
        part->ended = stint->end > part->ended ? stint->end : part->ended;
        part->kinds |= one->kinds;
        late = late || one->late > 0;
    }
    if (late)
        part->ended = engine_ticks();
    return true;
}

/* With perfect balance all threads would compute equally long.  A part with
 * tasks saves nothing, because they go to any waiting thread.  A thread that
 * begins late, because it was not woken or had no core, is no imbalance. */
static double saved_of(const struct part *part)
{
    double sum = 0, most = 0;
    for (int i = 0; i < part->threads; i++) {
        const struct stretch *one = part_stretch(part, i);
        double ticks = (double)(one->stint.end - one->stint.begin);
        if (one->late > 0)
            return 0;
        sum += ticks;
        most = ticks > most ? ticks : most;
    }
    return most - sum / part->threads;
}

/* Under the site's lock. */
static void add_part(struct counters_site *counted, const struct part *part)
{
    double wall = (double)(part->ended - part->began);
    counted->visits++;
    counted->wall += wall;
    if (part->threads > 1)
        counted->saved += saved_of(part);
    counted->threads.here += wall * part->threads;
    for (int i = 0; i < part->threads; i++) {
        const struct stretch *one = part_stretch(part, i);
        counted->threads.busy +=
            (double)(one->stint.end - one->stint.begin + one->late - one->idle);
        if (!one->more)
            continue;
        counted->units.count += one->units.count;
        counted->units.ticks += one->units.ticks;
        if (one->units.longest > counted->units.longest)
            counted->units.longest = one->units.longest;
        sums_add(counted, &one->sums);
    }
    if ((part->kinds & ~atomic_load(&counted->kinds)) != 0)
        atomic_fetch_or(&counted->kinds, part->kinds);
    count_threads(counted, part->threads);
}

/* The part that a team's first thread is in; gather_part fills in the rest. */
static struct part part_of(const struct mate *first)
{
    return (struct part){
        .team = first->team, .stamp = first->stamp, .threads = first->threads};
}

/* Counts a part that is not a whole region. */
static void count_part(const struct mate *first, const struct part *part)
{
    const void *to = part_stretch(part, 0)->to;
    struct loop_site *site = site_find_part(part->team->site, first->from, to);
    if (site == NULL)
        return;
    engine_lock(&site->lock);
    open_visit_locked(site->counted, part->began);
    add_part(site->counted, part);
    if (part->team->strips)
        strips_add(part);
    close_visit(site->counted);
    engine_unlock(&site->lock);
}

/* After a barrier at a region's very end there is no further part. */
void team_end(struct team *team)
{
    struct loop_site *site = team->site;
    const struct mate *first = &team->mate[0];
    struct part part = part_of(first);
    bool good =
        first->stamp >= team->stamp && first->waits && gather_part(&part);
    bool whole = good && first->from == NULL;
    uint64_t ended = good ? part.ended : engine_ticks();
    if (good && !whole && first->from != behind_all)
        count_part(first, &part);
    atomic_store_explicit(&team->open, false, memory_order_relaxed);
    here.left = 0; /* the following time is no wait */
    engine_lock(&site->lock);
    if (whole)
        add_part(site->counted, &part);
    if (whole && team->strips)
        strips_add(&part);
    if (team->outermost)
        site->counted->outermost += (double)(ended - team->began);
    close_visit(site->counted);
    team->next = site->team;
    site->team = team;
    engine_unlock(&site->lock);
}

/* ---- a thread ---- */

static void begin_stretch(struct mate *mate, uint64_t now)
{
    struct stretch *stretch = mate_stretch(mate);
    stretch->stint = (struct stint){now, 0};
    stretch->stamp = mate->stamp;
    stretch->kinds = 0;
    stretch->more = false;
    stretch->idle = stretch->late = 0;
    mate->waits = false;
    mate->before = here.sums;
}

/* The data of rare events. */
static struct stretch *more_of(struct mate *mate)
{
    struct stretch *stretch = mate_stretch(mate);
    if (!stretch->more) {
        stretch->more = true;
        stretch->units = (struct counters_units){0};
        stretch->sums = (struct sums){{0}, 0, 0};
    }
    return stretch;
}

void mate_begin(struct team *team, uint64_t stamp, int thread, int threads)
{
    here.mate = NULL;
    if (thread >= team->capacity)
        return;
    uint64_t now = thread == 0 ? team->began : engine_ticks();
    struct mate *mate = &team->mate[thread];
    mate->thread = thread;
    mate->threads = threads;
    mate->stamp = stamp;
    mate->from = NULL;
    mate->section = mate->apart = 0;
    mate->depth = 0;
    here.mate = mate;
    if (here.left != 0)
        here.waited += now - here.left;
    watch_begin(now);
    begin_stretch(mate, now);
}

static void store_sums(struct mate *mate)
{
    if (here.sums.locks.calls != mate->before.locks.calls ||
        here.sums.watched > mate->before.watched)
        more_of(mate)->sums = sums_since(&mate->before);
}

static void arrive(struct mate *mate, const void *to)
{
    if (mate == NULL || mate->waits)
        return;
    uint64_t now = engine_ticks();
    struct stretch *stretch = mate_stretch(mate);
    watch_end(now);
    here.left = now;
    stretch->stint.end = now;
    stretch->to = is_own(to) ? NULL : to;
    store_sums(mate);
    mate->waits = true;
}

void mate_arrive(const void *to)
{
    arrive(mate_here(), to);
}

void mate_arrive_last(const struct team *team)
{
    if (here.mate != NULL && here.mate->team == team)
        arrive(here.mate, NULL);
}

void mate_leave(void)
{
    struct mate *mate = mate_here();
    if (mate == NULL || !mate->waits)
        return;
    uint64_t now = engine_ticks();
    struct part part = part_of(mate);
    here.waited += now - mate_stretch(mate)->stint.end;
    if (mate->thread == 0 && mate->from != behind_all && gather_part(&part))
        count_part(mate, &part);
    watch_begin(now);
    mate->from = mate_stretch(mate)->to;
    if (mate->from == NULL)
        mate->from = behind_all;
    mate->stamp++;
    begin_stretch(mate, now);
}

void mate_go_on(struct mate *mate)
{
    mate->waits = false;
}

/* ---- tasks and sections ---- */

void mate_count_unit(struct mate *mate, uint64_t ticks)
{
    struct counters_units *units = &more_of(mate)->units;
    units->count++;
    units->ticks += (double)ticks;
    if ((double)ticks > units->longest)
        units->longest = (double)ticks;
}

/* At a barrier the thread has waited until now, otherwise it has computed. */
struct apart mate_apart_begin(struct mate *mate)
{
    struct apart apart = {engine_ticks(), mate->apart};
    if (mate->waits && mate->depth == 0)
        watch_begin(apart.began);
    else
        watch_end(apart.began);
    mate->apart = 0;
    return apart;
}

void mate_task_end(struct mate *mate, struct apart task)
{
    uint64_t now = engine_ticks(), ticks = now - task.began;
    watch_end(now);
    mate_count_unit(mate, ticks - mate->apart);
    mate->apart = task.outside + ticks;
    if (!mate->waits || mate->depth > 0)
        return;
    mate_stretch(mate)->late += ticks;
    store_sums(mate);
}

void mate_wait_end(struct mate *mate, struct apart wait)
{
    uint64_t now = engine_ticks(), ticks = now - wait.began;
    watch_begin(now);
    mate_stretch(mate)->idle += ticks - mate->apart;
    mate->apart = wait.outside + ticks;
}
