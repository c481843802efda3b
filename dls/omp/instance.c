/* One visit of a loop by one team.  Instances return to their site.  So tables
 * are made once for a number of iterations and threads, and schemes that learn
 * keep their knowledge. */
#include "dls/omp/frames.h"

#include "base/cache_line.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* States of a slot: one thread makes the instance; when all have left, the slot
 * serves another visit. */
enum { NOBODY, BUSY, OVER, FIRST_ADDRESS };

enum { IDLES_MAX = 64, SPEED_VISITS = 3 };

/* ---- made, kept, freed ---- */

static struct instance *make_instance(struct loop_site *site, int threads)
{
    struct instance *made =
        settings_need(lines_zeroed(sizeof(*made)), "a loop");
    made->site = site;
    made->threads = threads;
    made->iterations = -1;
    made->member = settings_need(
        lines_zeroed((size_t)threads * sizeof(*made->member)), "a loop");
    return made;
}

static void free_instance(struct instance *instance)
{
    sched_table_free(&instance->table);
    free(instance->memory);
    free(instance->range);
    free(instance->seen);
    free(instance->member);
    free(instance);
}

/* A scheme that learns continues with any number of iterations; a table has one
 * number only.  The caller holds the site's lock. */
static bool fits_loop(const struct instance *idle, int threads,
                      int64_t iterations)
{
    if (idle->threads != threads)
        return false;
    return idle->iterations == iterations || idle->table.start == NULL;
}

static struct instance *take_idle(struct loop_site *site, int threads,
                                  int64_t iterations)
{
    engine_lock(&site->lock);
    struct instance **link = &site->idle;
    while (*link != NULL && !fits_loop(*link, threads, iterations))
        link = &(*link)->next;
    struct instance *found = *link;
    if (found != NULL) {
        *link = found->next;
        site->idles--;
    }
    engine_unlock(&site->lock);
    return found;
}

/* The one that was longest unused leaves where there are many. */
static void keep_idle(struct loop_site *site, struct instance *instance)
{
    struct instance *last = NULL;
    instance->next = site->idle;
    site->idle = instance;
    if (++site->idles > IDLES_MAX) {
        struct instance **link = &site->idle;
        while ((*link)->next != NULL)
            link = &(*link)->next;
        last = *link;
        *link = NULL;
        site->idles--;
    }
    if (last != NULL)
        free_instance(last);
}

/* ---- the scheme ---- */

/* The threads' relative speeds, as measured in the first visits; NULL: they are
 * not known, or equal as far as can be told. */
static double *find_powers(struct loop_site *site, int threads)
{
    double *power = NULL, least = 0, most = 0;
    engine_lock(&site->lock);
    bool known = site->speeds == threads && site->speed_visits == SPEED_VISITS;
    for (int i = 0; known && i < threads; i++)
        known = site->speed_iterations[i] > 0 && site->speed_ticks[i] > 0;
    if (known)
        power = malloc((size_t)threads * sizeof(*power));
    for (int i = 0; power != NULL && i < threads; i++) {
        power[i] = site->speed_iterations[i] / site->speed_ticks[i];
        least = i == 0 || power[i] < least ? power[i] : least;
        most = power[i] > most ? power[i] : most;
    }
    engine_unlock(&site->lock);
    if (power != NULL && most < 1.1 * least) {
        free(power);
        power = NULL;
    }
    return power;
}

static int begin_state(struct instance *instance,
                       const struct strategy *strategy,
                       const struct sched_loop *loop, struct error *err)
{
    size_t bytes = sched_bytes(strategy->ops, loop);
    if (instance->prepared && strategy->ops->again != NULL)
        return sched_again(&instance->sched, &strategy->spec, loop);
    if (bytes > instance->memory_bytes) {
        free(instance->memory);
        instance->memory = settings_need(lines_zeroed(bytes), "a loop");
        instance->memory_bytes = bytes;
    }
    int code = sched_init(&instance->sched, instance->memory, strategy->ops,
                          &strategy->spec, loop, 1, err);
    instance->prepared = code == 0;
    return code;
}

/* Returns 0 or -errno. */
static int begin_powered(struct instance *instance, int64_t iterations,
                         const double *power, struct error *err)
{
    const struct strategy *strategy = instance->site->strategy;
    const struct sched_loop loop = {
        .iterations = iterations, .workers = instance->threads, .power = power};
    bool table = instance->table.steps > 0 && power == NULL &&
                 instance->iterations == iterations;
    int code = 0;
    if (!table) {
        sched_table_free(&instance->table);
        instance->table = (struct sched_table){0};
        code = sched_table_build(&instance->table, strategy->ops,
                                 &strategy->spec, &loop, 1, err);
        if (code == 0 && strategy->ops->order != NULL)
            costs_move_last(&instance->table);
        if (code == -ENOTSUP || code == -E2BIG)
            code = begin_state(instance, strategy, &loop, err);
    }
    return code;
}

/* The strategy has accepted the loop, so only its powers can be refused. */
static void begin_scheme(struct instance *instance, int64_t iterations)
{
    double *power = NULL;
    struct error err = {""};
    if (instance->site->strategy->ops->flags & SCHED_BY_POWER)
        power = find_powers(instance->site, instance->threads);
    int code = begin_powered(instance, iterations, power, &err);
    if (code != 0 && power != NULL)
        code = begin_powered(instance, iterations, NULL, &err);
    if (code != 0) {
        settings_say("%s: %s", instance->site->strategy->text, err.text);
        _Exit(1);
    }
    free(power);
}

static void begin_costs(struct instance *instance, int64_t iterations)
{
    struct error err;
    if (costs_begin(instance, iterations, &err) == 0)
        return;
    settings_say("%s: %s", instance->site->strategy->text, err.text);
    _Exit(1);
}

static void begin_steal(struct instance *instance, int64_t iterations)
{
    int threads = instance->threads;
    /* The last iteration goes out after all others: a program may take the
     * thread that ran it last for the one that ran the last iteration. */
    int64_t shared = iterations - 1, begin = 0;
    if (instance->range == NULL)
        instance->range = settings_need(
            lines_zeroed((size_t)threads * sizeof(*instance->range)), "a loop");
    for (int i = 0; i < threads; i++) {
        int64_t end = begin + shared / threads + (i < shared % threads);
        atomic_store_explicit(&instance->range[i].ends, steal_ends(begin, end),
                              memory_order_relaxed);
        begin = end;
    }
    atomic_store(&instance->done, 0);
}

static void open_member(struct instance *instance, int number)
{
    struct member *member = &instance->member[number];
    const struct strategy *strategy = instance->site->strategy;
    *member = (struct member){.primed = -1};
    if (strategy == NULL || strategy->steals || instance->iterations == 0)
        return;
    if (instance->table.rank != NULL)
        member->primed = instance->table.rank[number];
    if (instance->table.steps == 0)
        source_state_open(&member->state, number, &instance->sched,
                          &instance->lock, strategy->ops->feedback != NULL, 0);
}

static struct instance *begin_instance(struct loop_site *site, int threads,
                                       int64_t iterations)
{
    struct instance *instance = take_idle(site, threads, iterations);
    open_visit(site->counted, 0);
    if (instance == NULL)
        instance = make_instance(site, threads);
    if (iterations == 0) {
        /* Otherwise the rest of another visit would be handed out again. */
        sched_table_free(&instance->table);
        instance->table = (struct sched_table){0};
    } else if (site->strategy != NULL) {
        site_show(site);
        instance->steals = site->strategy->steals;
        if (instance->steals)
            begin_steal(instance, iterations);
        else if (site->by_cost)
            begin_costs(instance, iterations);
        else
            begin_scheme(instance, iterations);
        if (site->records)
            costs_watch(instance, iterations);
    }
    instance->iterations = iterations;
    atomic_store_explicit(&instance->counter.step, instance->table.primed,
                          memory_order_relaxed);
    for (int i = 0; i < threads; i++)
        open_member(instance, i);
    return instance;
}

/* ---- in and out ---- */

void instance_join(struct frame *frame, struct visit_slot *slot)
{
    uintptr_t seen =
        atomic_load_explicit(&slot->instance, memory_order_acquire);
    while (!OMP_LIKELY(seen >= FIRST_ADDRESS)) {
        if (seen == NOBODY &&
            atomic_compare_exchange_strong(&slot->instance, &seen, BUSY)) {
            seen = (uintptr_t)begin_instance(frame->site, frame->threads,
                                             frame->iterations);
            atomic_store_explicit(&slot->instance, seen, memory_order_release);
        } else if (seen == BUSY) {
            sched_yield();
            seen = atomic_load_explicit(&slot->instance, memory_order_acquire);
        }
    }
    frame->slot = slot;
    frame->instance = (struct instance *)seen;
    frame->member = &frame->instance->member[frame->thread];
}

/* Under the site's lock. */
static void count_speeds(struct loop_site *site,
                         const struct instance *instance)
{
    size_t threads = (size_t)instance->threads;
    if (site->speeds != instance->threads) {
        free(site->speed_iterations);
        free(site->speed_ticks);
        site->speed_iterations =
            settings_need(calloc(threads, sizeof(double)), "a loop");
        site->speed_ticks =
            settings_need(calloc(threads, sizeof(double)), "a loop");
        site->speeds = instance->threads;
        site->speed_visits = 0;
    }
    if (site->speed_visits == SPEED_VISITS)
        return;
    for (size_t i = 0; i < threads; i++) {
        const struct member *member = &instance->member[i];
        site->speed_iterations[i] += (double)member->iterations;
        site->speed_ticks[i] +=
            (double)(member->stint.end - member->stint.begin);
    }
    site->speed_visits++;
}

static void add_sample(struct counters_sample *to,
                       const struct counters_sample *of)
{
    to->chunks += of->chunks;
    to->chunk_ticks += of->chunk_ticks;
    to->chunk_squares += of->chunk_squares;
    to->chunk_weight += of->chunk_weight;
    to->ask_ticks += of->ask_ticks;
    to->ask_weight += of->ask_weight;
    if (of->chunk_max > to->chunk_max)
        to->chunk_max = of->chunk_max;
}

static void count_member(struct counters_site *counted,
                         const struct member *member)
{
    if (counted->clause != CLAUSE_BLOCKS) /* those are not known */
        counted->iterations += member->iterations;
    counted->chunks += member->chunks;
    counted->threads.busy += (double)(member->stint.end - member->stint.begin);
    add_sample(&counted->sample, &member->sample);
    sums_add(counted, &member->sums);
}

/* Under the site's lock. */
static void count_visit(struct counters_site *counted,
                        const struct instance *instance)
{
    uint64_t begin = UINT64_MAX, end = 0, last = 0;
    int threads = instance->threads;
    for (int i = 0; i < threads; i++) {
        const struct member *member = &instance->member[i];
        begin = member->stint.begin < begin ? member->stint.begin : begin;
        if (member->chunks > 0 && member->stint.end > end) {
            end = member->stint.end;
            last = end - member->stint.begin;
        }
        count_member(counted, member);
    }
    double wall = end > begin ? (double)(end - begin) : 0;
    double saved =
        wall > 0 ? wall - balanced_end(&instance->member[0].stint,
                                       sizeof(struct member), threads, begin)
                 : 0;
    counted->visits++;
    counted->wall += wall;
    /* At most the computing time of the last thread.  It may have begun late
     * because nobody woke it, or because it had no core. */
    counted->saved += saved > 0 ? fmin(saved, (double)last) : 0;
    counted->threads.here += wall * threads;
    count_threads(counted, threads);
}

void instance_count_alone(struct loop_site *site, uint64_t begin, uint64_t end)
{
    struct counters_site *counted = site->counted;
    double ticks = (double)(end - begin);
    engine_lock(&site->lock);
    counted->visits++;
    counted->wall += ticks;
    close_visit(counted);
    engine_unlock(&site->lock);
}

static void finish_visit(struct instance *instance)
{
    struct loop_site *site = instance->site;
    const struct strategy *strategy = site->strategy;
    engine_lock(&site->lock);
    close_visit(site->counted);
    if (site->measures)
        count_visit(site->counted, instance);
    if (strategy != NULL && strategy->ops != NULL &&
        (strategy->ops->flags & SCHED_BY_POWER))
        count_speeds(site, instance);
    if (site->stamps)
        costs_keep(site, instance);
    keep_idle(site, instance);
    engine_unlock(&site->lock);
}

void instance_abandon(struct visit_slot *slot)
{
    uintptr_t seen = atomic_load(&slot->instance);
    struct instance *instance = (struct instance *)seen;
    if (seen < FIRST_ADDRESS)
        return;
    engine_lock(&instance->site->lock);
    close_visit(instance->site->counted);
    keep_idle(instance->site, instance);
    engine_unlock(&instance->site->lock);
}

void instance_leave(struct frame *frame)
{
    struct instance *instance = frame->instance;
    int threads = instance->threads;
    if (atomic_fetch_add_explicit(&frame->slot->left, 1,
                                  memory_order_acq_rel) != threads - 1)
        return;
    atomic_store_explicit(&frame->slot->instance, OVER, memory_order_relaxed);
    finish_visit(instance);
}
