/* The calls of workers: the hot path of the library. */
#include "dls/dls_internal.h"

#include <errno.h>
#include <string.h>

/* Several workers may do something wrong at the same time. */
int loop_refuse(dls_loop *loop, int code, const char *why)
{
    engine_lock(&loop->back->lock);
    error_set(&loop->error, code, "%s", why);
    engine_unlock(&loop->back->lock);
    return -code;
}

static int out_of_range(dls_loop *loop, int worker)
{
    if (loop == NULL)
        return -EINVAL;
    if (loop->code != 0)
        return loop->code;
    engine_lock(&loop->back->lock);
    if (loop->workers == 0)
        error_set(&loop->error, EINVAL,
                  "dls: there is no worker %d: this rank has none", worker);
    else
        error_set(&loop->error, EINVAL,
                  "dls: there is no worker %d, allowed: 0 to %d", worker,
                  loop->workers - 1);
    engine_unlock(&loop->back->lock);
    return -EINVAL;
}

static __attribute__((noinline)) int refuse_next(dls_loop *loop, int worker,
                                                 bool has_bounds)
{
    if (loop == NULL || loop->code != 0 || has_bounds)
        return out_of_range(loop, worker);
    return loop_refuse(loop, EINVAL, "dls: begin or end of the chunk is NULL");
}

static int has_left(dls_loop *loop, int worker)
{
    engine_lock(&loop->back->lock);
    error_set(&loop->error, ESHUTDOWN,
              "dls: worker %d has left, dls_again lets it ask again", worker);
    engine_unlock(&loop->back->lock);
    return -ESHUTDOWN;
}

/* ---- the work of a worker ---- */

/* One chunk more in `counted`, where the sizes differ: above their iterations,
 * which may be twice as many as those of the loop. */
static const uint64_t one_chunk = UINT64_C(1) << 41;
static const int64_t iterations_max = INT64_C(1) << 40;

_Static_assert(SCHED_TABLE_STEPS_MAX < 1 << 23, "chunks need 64 - 41 bits");

/* The work counted on the short path.  All chunks have the fixed size, except
 * for the last chunk of the loop, which may be shorter. */
static struct dls_work count_equal(const struct dls_worker *worker)
{
    const int64_t size = worker->table.fixed_size;
    int64_t all = (int64_t)worker->counted, rest = all % size;
    struct dls_work work = {.out = rest > 0 ? rest : size,
                            .chunks = all / size + (rest > 0)};
    work.run = all - work.out;
    return work;
}

/* Each chunk has counted the one before; the first has found step 0 there. */
static struct dls_work count_sized(const struct dls_worker *worker)
{
    const struct sched_table *table = &worker->table;
    int64_t all = (int64_t)(worker->counted % one_chunk);
    return (struct dls_work){.out = sched_table_chunk(table, worker->last).size,
                             .run = all - sched_table_chunk(table, 0).size,
                             .chunks = (int64_t)(worker->counted / one_chunk)};
}

struct dls_work worker_work(const struct dls_worker *worker)
{
    const struct dls_work *before = &worker->before;
    if (worker->counted == 0)
        return *before;
    struct dls_work work =
        worker->table.start != NULL ? count_sized(worker) : count_equal(worker);
    work.run += before->run + before->out;
    work.chunks += before->chunks;
    return work;
}

/* Counts the worker's last chunk as finished. (Without the short path, the copy
 * alone would cost 1 ns a chunk.) */
static void finish_chunk(struct dls_worker *worker)
{
    if (worker->counted != 0)
        worker->before = worker_work(worker);
    worker->before.run += worker->before.out;
    worker->before.out = 0;
    worker->counted = 0;
    worker->last = 0;
}

/* ---- dls_next ---- */

static inline int take_from_source(dls_loop *loop, struct dls_worker *worker,
                                   struct chunk *chunk)
{
    finish_chunk(worker);
    int more =
        loop->over == NULL
            ? source_next(worker->source, chunk) ||
                  source_back_take(loop->back, chunk)
            : loop->over->next(loop, (int)(worker - loop->worker), chunk);
    worker->asked = true;
    if (more <= 0)
        return more;
    worker->before.out = chunk->size;
    worker->before.chunks++;
    return 1;
}

static void pass_time(dls_loop *loop, int number)
{
    engine_computed();
    if (loop->over != NULL)
        loop->over->pass(loop, number);
}

/* The worker's chunk, if it has one, is finished now. */
static void stop_chunk(struct dls_worker *worker, uint64_t now)
{
    if (worker->before.out == 0)
        return;
    worker->busy += now - worker->since;
    worker->ended = now;
}

/* take_from_source between two readings of the clock. */
static int take_measured(dls_loop *loop, struct dls_worker *worker,
                         struct chunk *chunk)
{
    uint64_t asked = engine_ticks();
    if (!worker->asked)
        worker->begun = asked;
    stop_chunk(worker, asked);
    int more = take_from_source(loop, worker, chunk);
    worker->since = engine_ticks();
    worker->ask += worker->since - asked;
    return more;
}

/* For loops that need nothing else. (In tables of loops beyond iterations_max,
 * nanoseconds make no difference to a chunk.) */
static void find_short_way(const dls_loop *loop, struct dls_worker *worker)
{
    const struct source *source = worker->source;
    if (loop->measures || loop->notes || engine_simulated ||
        source->table == NULL)
        return;
    if (source->table->start != NULL &&
        source->table->iterations > iterations_max)
        return;
    worker->counter = source->counter;
    worker->table = *source->table;
}

/* Every worker's first chunk and its last question, and all of a scheme that
 * needs its state, a clock or its lock. */
static __attribute__((noinline)) int next_slowly(dls_loop *loop, int number,
                                                 int64_t *begin, int64_t *end)
{
    struct dls_worker *worker = &loop->worker[number];
    struct chunk chunk;
    if (worker->left)
        return has_left(loop, number);
    if (engine_simulated)
        pass_time(loop, number);
    int more = loop->measures ? take_measured(loop, worker, &chunk)
                              : take_from_source(loop, worker, &chunk);
    find_short_way(loop, worker);
    if (more <= 0)
        return more;
    *begin = chunk.start;
    *end = chunk.start + chunk.size;
    return 1;
}

DLS_PUBLIC int dls_next(dls_loop *loop, int number, int64_t *begin,
                        int64_t *end)
{
    if (loop == NULL || begin == NULL || end == NULL ||
        (unsigned)number >= (unsigned)loop->workers)
        return refuse_next(loop, number, begin != NULL && end != NULL);
    struct dls_worker *worker = &loop->worker[number];
    if (worker->counter == NULL)
        return next_slowly(loop, number, begin, end);
    int64_t step = source_step(worker->counter);
    invariant(step >= worker->table.primed);
    if (step >= worker->table.steps)
        return next_slowly(loop, number, begin, end);
    struct chunk chunk;
    uint64_t counted = worker->counted;
    if (worker->table.start != NULL) {
        /* Counts the previous chunk while loading this one's bounds. */
        chunk = sched_table_chunk(&worker->table, worker->last);
        counted += one_chunk + (uint64_t)chunk.size;
        worker->last = step;
        chunk = sched_table_chunk(&worker->table, step);
    } else {
        chunk = sched_table_chunk(&worker->table, step);
        counted += (uint64_t)chunk.size;
    }
    *begin = chunk.start;
    *end = chunk.start + chunk.size;
    worker->counted = counted;
    return 1;
}

DLS_PUBLIC int dls_leave(dls_loop *loop, int number)
{
    if (loop == NULL)
        return -EINVAL;
    if ((unsigned)number >= (unsigned)loop->workers)
        return out_of_range(loop, number);
    struct dls_worker *worker = &loop->worker[number];
    if (worker->left)
        return 0;
    if (engine_simulated)
        pass_time(loop, number);
    if (loop->measures)
        stop_chunk(worker, engine_ticks());
    int code = 0;
    finish_chunk(worker);
    if (loop->over != NULL)
        code = loop->over->leave(loop, number);
    else {
        /* A chunk that the scheme reserves for a worker goes to the workers
         * that ask next. */
        struct chunk chunk;
        bool primes = (loop->scheme->flags & SCHED_PRIMED) != 0;
        if (!worker->asked && primes && source_next(worker->source, &chunk))
            source_back_put(loop->back, &chunk);
    }
    if (code != 0)
        return code;
    worker->left = true;
    worker->counter = NULL;
    return 0;
}

int64_t loop_run(const dls_loop *loop)
{
    int64_t run = 0;
    for (int w = 0; w < loop->workers; w++)
        run += worker_work(&loop->worker[w]).run;
    return run;
}

DLS_PUBLIC int64_t dls_unfinished(const dls_loop *loop)
{
    if (loop == NULL)
        return 0;
    return loop->over != NULL ? loop->unfinished
                              : loop->iterations - loop_run(loop);
}

double loop_tick_s(const dls_loop *loop)
{
    double passed = (double)(engine_ticks() - loop->opened.ticks);
    return passed > 0 ? (engine_now() - loop->opened.s) / passed : 0;
}

static double imbalance_of(const dls_loop *loop)
{
    double longest = 0, sum = 0;
    for (int w = 0; w < loop->workers; w++) {
        double busy = (double)loop->worker[w].busy;
        longest = busy > longest ? busy : longest;
        sum += busy;
    }
    return sum > 0 ? longest * loop->workers / sum - 1 : 0;
}

DLS_PUBLIC int dls_statistics(const dls_loop *loop, int worker,
                              dls_stats *stats)
{
    if (loop == NULL || loop->code != 0 || stats == NULL ||
        stats->size < sizeof(stats->size) || worker < -1 ||
        worker >= loop->workers)
        return -EINVAL;
    dls_stats sum = {.size = stats->size};
    double tick_s = loop_tick_s(loop);
    for (int w = 0; w < loop->workers; w++) {
        if (worker != -1 && w != worker)
            continue;
        const struct dls_work work = worker_work(&loop->worker[w]);
        sum.iterations += work.run;
        sum.chunks += work.chunks;
        sum.busy_s += (double)loop->worker[w].busy * tick_s;
        sum.ask_s += (double)loop->worker[w].ask * tick_s;
    }
    if (worker == -1)
        sum.imbalance = imbalance_of(loop);
    /* The program may know fewer fields. */
    memcpy(stats, &sum, sum.size < sizeof(sum) ? sum.size : sizeof(sum));
    return 0;
}
